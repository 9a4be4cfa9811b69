"""Faults of windows by the page, from the boxes that ask for them to their end: for mutants.py and in its form.

In boxes.c, prices.c, windows.c, policy.c, maps.c and pages.c. It is one file because it is one list.
"""

PAGES = {
    "the dimensions of a box are taken as they come": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("boxes.c", "    sort_by_stride(out);\n", "")],
    ),
    "a box without elements touches its items": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [
            (
                "boxes.c",
                "        if (length == 0) {\n            return false;",
                "        if (length == 0) {\n            continue;",
            )
        ],
    ),
    "elements of one page count as pages each": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("boxes.c", "if (stride > out->span && stride > COWI_PAGE) {", "if (stride > out->span) {")],
    ),
    "the most that a box writes is not asked": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("boxes.c", "if (box->most < pages / single) {", "if (box->most == 0) {")],
    ),
    "a window is paged that is cheaper to copy": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("policy.c", "touched > sharing->nbytes / 2) {", "touched > sharing->nbytes) {")],
    ),
    "a box with a negative stride begins at its offset": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [("boxes.c", "first += stride < 0 ? stride * (length - 1) : 0;", "first += 0;")],
    ),
    "a page that two rows touch counts twice": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [("boxes.c", "for (page = page < *next ? *next : page; page < end", "for (; page < end")],
    ),
    "few elements anywhere count as the whole box": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [
            (
                "boxes.c",
                "if (what->runs > MOST_RUNS || most < pages_of_extent(what)) {",
                "if (what->runs > MOST_RUNS) {",
            )
        ],
    ),
    "some elements of a box are spread over the whole window": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [("boxes.c", "left = end / COWI_REGION - i + 1;", "left = count;")],
    ),
    "a run touches no page but those it fills": (
        "test_pages_policy",
        "runs_touch_the_page_they_end_in",
        [("boxes.c", "return (span + COWI_PAGE - grain - 1) / COWI_PAGE + 1;", "return span / COWI_PAGE + 1;")],
    ),
    "a run begins where an element may": (
        "test_pages_policy",
        "runs_touch_the_page_they_end_in",
        [("boxes.c", "        out->grain = grain_of(out->grain | out->strides[i]);\n", "")],
    ),
    "a run ends with its region": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [("boxes.c", "        page = stop;\n    }\n    *next", "        page = end;\n    }\n    *next")],
    ),
    "a region is dense one page later": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [
            (
                "prices.c",
                "return (uint64_t)pages * prices->page * 4 >= (uint64_t)COWI_REGION_PAGES * 1000 * 3;",
                "return (uint64_t)(pages - 1) * prices->page * 4 >= (uint64_t)COWI_REGION_PAGES * 1000 * 3;",
            )
        ],
    ),
    "no region is dense": (
        "test_pages_policy",
        "dense_regions_are_copied_whole",
        [
            (
                "policy.c",
                "        if (of->base == NULL || cowi_is_dense(how->prices, pages)) {",
                "        if (of->base == NULL) {",
            )
        ],
    ),
    "two regions of plain memory are one run": (
        "test_pages_policy",
        "copied_regions_hold_their_values",
        [("windows.c", "start->base != NULL &&\n", "true &&\n")],
    ),
    "a quarter of the maps is all of them": (
        "test_pages_failures",
        "budgets_of_the_kernel_are_kept",
        [("maps.c", "most_maps = limit / 4;", "most_maps = limit;")],
    ),
    "maps beyond the budget stay counted": (
        "test_pages_failures",
        "budgets_of_the_kernel_are_kept",
        [("maps.c", "    cowi_maps_return(some);\n    return false;", "    return false;")],
    ),
    "a window that ends keeps its maps": (
        "test_pages",
        "one_byte_costs_a_page",
        [("pages.c", "    cowi_maps_return(of->maps);\n", "")],
    ),
    "a window that ends keeps its base": (
        "test_pages",
        "one_byte_costs_a_page",
        [("windows.c", "    release_all(of);\n", "")],
    ),
    "a window that ends keeps its memory": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("pages.c", "    (void)munmap(of->map, of->window.count * COWI_REGION);\n", "")],
    ),
    "a window has no reference to its base": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "policy.c",
                "        cowi_window_rest(how->from);\n    }\n    cowi_window_retain_bases(made);\n",
                "        cowi_window_rest(how->from);\n    }\n",
            )
        ],
    ),
    "a window that cannot be built keeps its room": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "pages.c",
                "        give_back_room((cowi_mapped *)(void *)made);\n",
                "        cowi_maps_return(((cowi_mapped *)(void *)made)->maps);\n",
            )
        ],
    ),
    "a window that cannot be built keeps its maps": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "pages.c",
                "        give_back_room((cowi_mapped *)(void *)made);\n",
                "        (void)munmap(cowi_mapped_region(made, 0), made->count * COWI_REGION);\n",
            )
        ],
    ),
    "a page that fails is taken as mapped": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [("pages.c", "        MAP_FAILED) {\n        return false;", "        MAP_FAILED) {\n        (void)0;")],
    ),
    "the pages of the generation before are not copied": (
        "test_pages",
        "second_generation_copies_the_pages_of_the_first",
        [("pages.c", "                copy_pages(made, how, i);\n", "")],
    ),
    "only the first page of a run is copied": (
        "test_pages",
        "all_pages_of_a_run_are_copied",
        [
            (
                "pages.c",
                "source + page * COWI_PAGE, (end - page) * COWI_PAGE);",
                "source + page * COWI_PAGE, COWI_PAGE);",
            )
        ],
    ),
    "what is copied at once is not said": (
        "test_pages",
        "second_generation_copies_the_pages_of_the_first",
        [("policy.c", "(how->folded + made->at_first) * COWI_PAGE;", "how->folded * COWI_PAGE;")],
    ),
    "a window begins where the allocation does": (
        "test_pages",
        "windows_are_paged_where_they_lie",
        [
            (
                "policy.c",
                "const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;",
                "const size_t start = sharing->offset;",
            )
        ],
    ),
    "unaligned windows are paged": (
        "test_pages_policy",
        "only_aligned_windows_of_ours_are_paged",
        [("policy.c", " || how->lead % COW_ALIGNMENT != skew) {", ") {")],
    ),
    "a file without huge pages is not paged": (
        "test_pages_failures",
        "a_file_is_paged_where_nothing_else_is",
        [
            ("policy.c", "return !needs_base(how) || ", "return "),
        ],
    ),
    "a file that cannot be mapped keeps its map": (
        "test_pages_failures",
        "file_maps_survive_each_failure",
        [("pages.c", "        give_back_room(of);\n        return false;", "        return false;")],
    ),
    "a file is mapped beyond its end": (
        "test_pages_hazards",
        "files_are_mapped_and_never_written",
        [("pages.c", "nbytes > (size_t)now.st_size - offset", "nbytes > (size_t)now.st_size")],
    ),
    "each window fills a base of its own": (
        "test_pages_threads",
        "one_base_for_all_that_write_at_once",
        [("policy.c", "    if (*shadow == NULL) {\n        const uint64_t", "    if (true) {\n        const uint64_t")],
    ),
    "nobody waits for who fills the base": (
        "test_pages_threads",
        "one_base_for_all_that_write_at_once",
        [("policy.c", "    if (how->sharing->may_wait) {", "    if (!how->sharing->may_wait) {")],
    ),
    "a base that is not had is spent": (
        "test_pages_ledger",
        "what_was_not_had_is_not_spent",
        [
            (
                "policy.c",
                "        if (*shadow == NULL) {\n            cowi_family_return(how->family, price);",
                "        if (*shadow == NULL) {",
            )
        ],
    ),
    "a window that is not had is spent": (
        "test_pages_ledger",
        "what_was_not_had_is_not_spent",
        [("policy.c", "        cowi_family_return(how->family, how->paid + made->reserved);\n", "")],
    ),
    "a commit is due at half its price": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "prices.c",
                "(uint64_t)COWI_REGION_PAGES * prices->fill;\n}",
                "(uint64_t)COWI_REGION_PAGES * prices->fill / 2;\n}",
            )
        ],
    ),
    "what was paid for a region is forgotten": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("policy.c", "        of->debt += cowi_price_of_region(how->prices, how->dirty[i]);\n", "")],
    ),
    "a window is as dear as before its commit": (
        "test_pages_bases",
        "the_ledger_knows_what_a_commit_costs",
        [("policy.c", "    pay_less(how, price_of_window(made, how));\n", "")],
    ),
    "files are given up": (
        "test_pages_ledger",
        "files_ask_no_ledger",
        [
            ("windows.c", "always ? SIZE_MAX : cowi_most_written(prices", "cowi_most_written(prices"),
            ("windows.c", "    if (cowi_family_pages_always(of->family)) {", "    if (false) {"),
        ],
    ),
    "the owner of a file ends at once": (
        "test_pages_ledger",
        "an_owner_of_a_file_ends_with_its_last_window",
        [("pages.c", "        base->kept = *kept;", "        kept->deleter(kept->data, kept->context, 0);")],
    ),
    "a commit lets go of bytes that are kept": (
        "test_pages_ledger",
        "an_owner_of_a_file_ends_with_its_last_window",
        [("pages.c", "is_kept(how->from) || ", "")],
    ),
    "a copy of pages on request waits for its write": (
        "test_pages",
        "pages_on_request_need_no_mode",
        [
            (
                "by_page.c",
                "was_sole || !cowi_copy(storage, true, &nothing, COWI_PAGES_ONLY, &status, err) ? COW_OK : status",
                "COW_OK",
            )
        ],
    ),
    "pages on request are given up": (
        "test_pages",
        "pages_on_request_need_no_mode",
        [("by_page.c", "    cowi_family_page_always(storage->family);\n", "")],
    ),
    "a base of foreign bytes is kept for others": (
        "test_pages",
        "foreign_bytes_are_read_anew_for_each_request",
        [("materialize.c", "context->foreign ? &own_shadow : &context->shadow;", "&context->shadow;")],
    ),
    "a request reaches relatives": (
        "test_pages",
        "a_request_is_for_one_array_and_its_descendants",
        [
            (
                "by_page.c",
                "    cowi_family_page_always(storage->family);\n",
                "    cowi_family_page_always(storage->family);\n"
                "    cowi_family_page_always(cowi_context_family(storage->context));\n",
            )
        ],
    ),
    "stolen pages are written unseen": (
        "test_pages_given_up",
        "stolen_pages_are_looked_at_before_the_first_write",
        [("scope.c", "                cowi_settle_busy(storage, writer->box);\n", "                (void)context;\n")],
    ),
    "stolen pages are overwritten in place": (
        "test_pages_given_up",
        "stolen_pages_are_overwritten_elsewhere",
        [("scope.c", "by_page || (!storage->sole && cowi_storage_is_paged(storage));", "by_page;")],
    ),
    "foreign bytes are not paged on request": (
        "test_pages",
        "shared_and_foreign_bytes_are_paged_on_request",
        [("by_page.c", "COWI_PAGES_ONLY | COWI_ON_REQUEST", "COWI_PAGES_ONLY")],
    ),
    "pinned bytes move on request": (
        "test_pages",
        "what_cannot_be_paged_says_so",
        [("by_page.c", "        if (cowi_load_acquire(&storage->pins) != 0) {", "        if (false) {")],
    ),
    "a last sharer steals where its base is": (
        "test_pages",
        "last_sharer_uses_the_base_that_is_there",
        [("materialize.c", "box != NULL && context->shadow != NULL;", "false;")],
    ),
    "small families page at once": (
        "test_pages_families",
        "large_families_page_at_once",
        [("policy.c", "how->sharing->allocated < COWI_PAGED_AT_ONCE &&", "false &&")],
    ),
    "no family pages at once": (
        "test_pages_families",
        "large_families_page_at_once",
        [("policy.c", "how->sharing->allocated < COWI_PAGED_AT_ONCE &&", "true &&")],
    ),
    "a copy begins a family": (
        "test_pages_families",
        "generations_are_one_family",
        [("materialize.c", "        storage->family = cowi_family_retain(family);\n", "        (void)family;\n")],
    ),
    "a context forgets the family": (
        "test_pages_families",
        "generations_are_one_family",
        [("storage.c", "cowi_family_retain(storage->family));", "NULL);")],
    ),
    "a loan is not paid back": (
        "test_pages_families",
        "what_one_family_has_another_lacks",
        [("family.c", "    cowi_pay_back(of->lender, before - needed);\n", "")],
    ),
    "loans come back at once": (
        "test_pages_families",
        "what_is_lost_comes_back_slowly",
        [("lender.c", "full_at > now ? full_at - now : 0;", "0;")],
    ),
    "lost loans never come back": (
        "test_pages_families",
        "what_is_lost_comes_back_slowly",
        [("lender.c", "return of->is_timeless ? 0 : cowi_clock();", "return 0;")],
    ),
    "nothing is lent beyond the allowance": (
        "test_pages_families",
        "the_largest_family_gets_a_loan_too",
        [("lender.c", "(lent > 0 && lent + time > most)", "lent + time > most")],
    ),
    "a family borrows without bound": (
        "test_pages_families",
        "a_family_borrows_one_copy",
        [
            ("family.c", "cowi_load_relaxed(&of->borrowed) + nbytes <= with_a_quarter(copy);", "nbytes <= copy * 100;"),
            ("family.c", "+ nbytes > with_a_quarter(copy)) {", "+ nbytes > copy * 100) {"),
        ],
    ),
    "loans save steals": (
        "test_pages_families",
        "nobody_borrows_to_save_a_steal",
        [("policy.c", "sharing->instead_of_steal ? COWI_OWN_MONEY : COWI_LOANS_TOO;", "COWI_LOANS_TOO;")],
    ),
    "windows at rest keep what is reserved": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("policy.c", "        cowi_window_rest(how->from);\n", "")],
    ),
    "windows that wake reserve nothing": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("windows.c", "        wake(of, now);\n", "        (void)wake;\n")],
    ),
    "slow fills go on": (
        "test_pages_families",
        "slow_fills_stop_for_a_while",
        [("base.c", "    note_fill(count, cowi_thread_clock() - begin);\n", "")],
    ),
    "slow fills refuse who asks": (
        "test_pages_families",
        "slow_fills_stop_for_a_while",
        [("policy.c", "asked = cowi_family_pages_always(how->family) || ", "asked = ")],
    ),
    "slow fills refuse the eager": (
        "test_pages_families",
        "slow_fills_stop_for_a_while",
        [
            (
                "policy.c",
                "asked = cowi_family_pages_always(how->family) || cowi_pages_are_eager()",
                "asked = cowi_family_pages_always(how->family)",
            )
        ],
    ),
    "a give-up is no reason": (
        "test_pages_families",
        "each_refusal_has_a_reason",
        [("policy.c", "    if (cowi_family_skips(how->family) > 0) {", "    if (false) {")],
    ),
    "pages that are written are free": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("windows.c", "return of->reserved - (price < most ? price : most);", "return of->reserved;")],
    ),
    "what a window did not use stays spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "windows.c",
                "    cowi_family_return(of->family, unspent(of));\n    if (!of->gave_up) {",
                "    if (!of->gave_up) {",
            )
        ],
    ),
    "a region that is copied is free": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "policy.c",
                "price += own || cowi_is_dense(how->prices, pages) ? COWI_REGION",
                "price += own || cowi_is_dense(how->prices, pages) ? 0",
            )
        ],
    ),
    "paging begins without a reserve": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("windows.c", "of->reserved = always ? 0 : price_of_writes(of);", "of->reserved = 0;")],
    ),
    "writes are not counted": (
        "test_pages_given_up",
        "who_writes_much_gets_plain_memory",
        [
            (
                "windows.c",
                "return cowi_add_relaxed(&of->counted, pages) + pages >= cowi_load_relaxed(&of->budget);",
                "return pages >= cowi_load_relaxed(&of->budget);",
            )
        ],
    ),
    "nobody looks whether writes fell on the same pages": (
        "test_pages_given_up",
        "same_page_again_and_again_is_no_reason",
        [
            (
                "windows.c",
                "    if (!known || written >= most) {",
                "    if (true) {",
            )
        ],
    ),
    "what was copied at first counts as written": (
        "test_pages_policy",
        "pages_that_were_copied_at_first_do_not_count",
        [
            (
                "windows.c",
                "written = now - of->at_first + more;",
                "written = now + more;",
            )
        ],
    ),
    "regions of plain memory count as written": (
        "test_pages_policy",
        "own_regions_do_not_count",
        [
            (
                "windows.c",
                "count += of->regions[i].base == NULL ? 0 : cowi_dirt_count(pages, i);",
                "count += cowi_dirt_count(pages, i);",
            )
        ],
    ),
    "what is about to be written is not looked at": (
        "test_pages_given_up",
        "try_says_busy_before_a_look",
        [("windows.c", "written = now - of->at_first + more;", "written = now - of->at_first;")],
    ),
    "writes look at a window without end": (
        "test_pages_given_up",
        "rows_that_are_its_own_already_are_no_reason",
        [("windows.c", "return ++of->looks > MOST_LOOKS;", "return false;")],
    ),
    "pages that are its own already count again": (
        "test_pages_given_up",
        "rows_that_are_its_own_already_are_no_reason",
        [
            (
                "windows.c",
                "cowi_mark_pages(box, of->lead, of->count, own.bits) ? split_pages(of, &own) - *before",
                "cowi_tells_pages(NULL) ? split_pages(of, &own) - *before",
            )
        ],
    ),
    "give-ups are not told to the ledger": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("windows.c", "        cowi_family_gave_up(of->family);\n", "")],
    ),
    "a window that was given up went well": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("windows.c", "        of->gave_up = true;\n", "")],
    ),
    "a base is filled for a window that cannot be paid": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [
            (
                "policy.c",
                "return take_money(how, how->paid + made->reserved);",
                "return take_money(how, 0);",
            )
        ],
    ),
    "who says nothing of pages of its own keeps them": (
        "test_pages_policy",
        "who_says_nothing_on_pages_gets_plain_memory",
        [
            (
                "boxes.c",
                "    if (says_nothing(box)) {\n        return all;",
                "    if (says_nothing(box)) {\n        return 0;",
            )
        ],
    ),
    "the system is asked for copies that cannot be paid": (
        "test_pages_ledger",
        "a_single_copy_asks_nothing",
        [("policy.c", "    if (is_soon(how)) {", "    if (false) {"), ("policy.c", "!has_money(how, least) || ", "")],
    ),
    "boxes have room for any number of dimensions": (
        "test_pages_policy",
        "boxes_of_too_many_dimensions_say_nothing",
        [("boxes.c", "return box == NULL || box->ndim > MOST_DIMENSIONS;", "return box == NULL;")],
    ),
    "a base that a write will fill is not foreseen": (
        "test_pages",
        "what_a_write_will_take_is_said_before",
        [("policy.c", "        sharing->takes += cowi_source_regions(&how) * COWI_REGION;\n", "")],
    ),
    "pages that a write will copy at once are not foreseen": (
        "test_pages",
        "what_a_write_will_take_is_said_before",
        [("policy.c", "        sharing->takes += cowi_window_own_bytes(NULL, &sharing->source, NULL, NULL);\n", "")],
    ),
}
