"""Faults of windows by the page, from the boxes that ask for them to their end: for mutants.py and in its form.

In boxes.c, windows.c and pages.c.
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
        [("pages.c", "<= sharing->nbytes / 2;", "<= sharing->nbytes;")],
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
                "boxes.c",
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
                "pages.c",
                "if (made->regions[i].base == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {",
                "if (made->regions[i].base == NULL) {",
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
        [("windows.c", "most_maps = limit / 4;", "most_maps = limit;")],
    ),
    "maps beyond the budget stay counted": (
        "test_pages_failures",
        "budgets_of_the_kernel_are_kept",
        [("windows.c", "    cowi_maps_return(some);\n    return false;", "    return false;")],
    ),
    "a window that ends keeps its maps": (
        "test_pages",
        "one_byte_costs_a_page",
        [("windows.c", "    cowi_maps_return(of->maps);\n", "")],
    ),
    "a window that ends keeps its base": (
        "test_pages",
        "one_byte_costs_a_page",
        [("windows.c", "    release_all(of);\n", "")],
    ),
    "a window that ends keeps its memory": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("windows.c", "    (void)munmap(of->map, of->count * COWI_REGION);\n    release_all", "    release_all")],
    ),
    "a window has no reference to its base": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "pages.c",
                "how, i);\n        }\n    }\n    cowi_window_retain_bases(made);\n",
                "how, i);\n        }\n    }\n",
            )
        ],
    ),
    "a window that cannot be built keeps its room": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "pages.c",
                "    if (!good) {\n        (void)munmap(made->map, made->count * COWI_REGION);\n",
                "    if (!good) {\n",
            )
        ],
    ),
    "a window that cannot be built keeps its maps": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "pages.c",
                "        cowi_maps_return(made->maps);\n        cowi_ledger_return(&cowi_books, made->reserved);",
                "        cowi_ledger_return(&cowi_books, made->reserved);",
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
        [
            (
                "pages.c",
                "            copy_pages(made, sharing, how, i);\n        }\n    }\n    cowi_window_retain",
                "        }\n    }\n    cowi_window_retain",
            )
        ],
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
        [("pages.c", "            sharing->copied += (end - page) * COWI_PAGE;\n", "")],
    ),
    "a window begins where the allocation does": (
        "test_pages",
        "windows_are_paged_where_they_lie",
        [
            (
                "pages.c",
                "const size_t start = (from != NULL ? from->lead : 0) + sharing->offset;",
                "const size_t start = sharing->offset;",
            )
        ],
    ),
    "unaligned windows are paged": (
        "test_pages_policy",
        "only_aligned_windows_of_ours_are_paged",
        [("pages.c", " && lead % COW_ALIGNMENT == 0", "")],
    ),
    "a file without huge pages is not paged": (
        "test_pages_failures",
        "a_file_is_paged_where_nothing_else_is",
        [("pages.c", "        how->prices = &usual_prices;\n", "        return false;\n")],
    ),
    "a file that cannot be mapped keeps its map": (
        "test_pages_failures",
        "file_maps_survive_each_failure",
        [("windows.c", "    cowi_maps_return(1);\n    return false;", "    return false;")],
    ),
    "a file is mapped beyond its end": (
        "test_pages_hazards",
        "files_are_mapped_and_never_written",
        [("windows.c", "nbytes > (size_t)now.st_size - offset", "nbytes > (size_t)now.st_size")],
    ),
    "each window fills a base of its own": (
        "test_pages_threads",
        "one_base_for_all_that_write_at_once",
        [("pages.c", "    if (*sharing->shadow != NULL) {\n        return true;\n    }\n", "")],
    ),
    "nobody waits for who fills the base": (
        "test_pages_threads",
        "one_base_for_all_that_write_at_once",
        [("pages.c", "    if (sharing->may_wait) {", "    if (!sharing->may_wait) {")],
    ),
    "a base that is not had is spent": (
        "test_pages_ledger",
        "what_was_not_had_is_not_spent",
        [
            (
                "pages.c",
                "    if (*sharing->shadow == NULL) {\n        cowi_ledger_return(&cowi_books, price);",
                "    if (*sharing->shadow == NULL) {",
            )
        ],
    ),
    "a window that is not had is spent": (
        "test_pages_ledger",
        "what_was_not_had_is_not_spent",
        [("pages.c", "        cowi_ledger_return(&cowi_books, how->paid + made->reserved);\n", "")],
    ),
    "a commit is due at half its price": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "boxes.c",
                "(uint64_t)COWI_REGION_PAGES * prices->fill;\n}",
                "(uint64_t)COWI_REGION_PAGES * prices->fill / 2;\n}",
            )
        ],
    ),
    "what was paid for a region is forgotten": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "pages.c",
                "            made->regions[i].debt += cowi_price_of_region(how->prices, how->dirty[i]);\n"
                "            copy_pages",
                "            copy_pages",
            )
        ],
    ),
    "a window is as dear as before its commit": (
        "test_pages_bases",
        "the_ledger_knows_what_a_commit_costs",
        [("pages.c", "        pay_less(how, price_of_window(made, how));\n", "")],
    ),
    "files are paid for": (
        "test_pages_ledger",
        "files_cost_the_ledger_nothing",
        [
            ("pages.c", "    if (!made->of_file) {\n        how->paid", "    if (true) {\n        how->paid"),
            ("pages.c", "return made->of_file || cowi_ledger_take", "return cowi_ledger_take"),
        ],
    ),
    "files are given up": (
        "test_pages_ledger",
        "files_cost_the_ledger_nothing",
        [("windows.c", "of->of_file ? SIZE_MAX : cowi_most_written(", "cowi_most_written(")],
    ),
    "pages that are written are free": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("windows.c", "return price < most ? price : most;", "return 0;")],
    ),
    "what a window did not use stays spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("windows.c", "    cowi_ledger_return(&cowi_books, unspent(of));\n", "")],
    ),
    "a region that is copied is free": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "pages.c",
                "price += own || cowi_is_dense(how->prices, pages) ? COWI_REGION",
                "price += own || cowi_is_dense(how->prices, pages) ? 0",
            )
        ],
    ),
    "paging begins without a reserve": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("pages.c", "cowi_window_budget(made, how->prices) + made->nbytes;", "0;")],
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
                "    if (written == SIZE_MAX || written + cowi_pages_touched(box, of->nbytes) >= most) {",
                "    if (true) {",
            )
        ],
    ),
    "what was copied at first counts as written": (
        "test_pages_policy",
        "pages_that_were_copied_at_first_do_not_count",
        [("windows.c", "        pages -= pages < of->at_first ? pages : of->at_first;\n", "")],
    ),
    "regions of plain memory count as written": (
        "test_pages_policy",
        "own_regions_do_not_count",
        [
            (
                "windows.c",
                "pages += of->regions[i].base == NULL ? 0 : cowi_dirt_count(&dirt, i);",
                "pages += cowi_dirt_count(&dirt, i);",
            )
        ],
    ),
    "what is about to be written is not looked at": (
        "test_pages_given_up",
        "try_says_busy_before_a_look",
        [("windows.c", "written + cowi_pages_touched(box, of->nbytes) >= most", "written >= most")],
    ),
    "give-ups are not told to the ledger": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("windows.c", "        cowi_ledger_gave_up(&cowi_books);\n", "")],
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
                "pages.c",
                "return made->of_file || cowi_ledger_take(&cowi_books, how->paid + made->reserved);",
                "return made->of_file || cowi_ledger_take(&cowi_books, 0);",
            )
        ],
    ),
    "who says nothing of pages of its own keeps them": (
        "test_pages_policy",
        "who_says_nothing_on_pages_gets_plain_memory",
        [("boxes.c", "MOST_DIMENSIONS) {\n        return all;", "MOST_DIMENSIONS) {\n        return 0;")],
    ),
    "prices are measured for copies that cannot be paid": (
        "test_pages_ledger",
        "a_single_copy_measures_nothing",
        [("pages.c", "return false; /* nor for a program that makes a copy or two */", "")],
    ),
    "boxes have room for any number of dimensions": (
        "test_pages_policy",
        "boxes_of_too_many_dimensions_say_nothing",
        [("boxes.c", " || box->ndim > MOST_DIMENSIONS) {", ") {")],
    ),
    "what was read is forgotten": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [
            (
                "windows.c",
                "return cowi_add_relaxed(&of->read, nbytes) + nbytes >= cowi_load_relaxed(&of->dear);",
                "return nbytes >= cowi_load_relaxed(&of->dear);",
            )
        ],
    ),
    "a base that a write will fill is not foreseen": (
        "test_pages",
        "what_a_write_will_take_is_said_before",
        [("pages.c", "        sharing->takes += regions * COWI_REGION;\n", "")],
    ),
    "pages that a write will copy at once are not foreseen": (
        "test_pages",
        "what_a_write_will_take_is_said_before",
        [("pages.c", "        sharing->takes += cowi_window_own_bytes(self, &sharing->source, NULL, NULL);\n", "")],
    ),
}
