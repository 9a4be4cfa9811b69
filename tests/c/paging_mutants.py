"""Faults of copy-on-write by the page, for mutants.py and in its form."""

PAGING = {
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
    "a region that was committed is still in debt": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "    before->debt = 0;\n", "")],
    ),
    "a region that was committed is copied, too": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "    what->dirty[index] = 0;\n", "")],
    ),
    "the source of a commit keeps its pages": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "commits.c",
                "mapped = cowi_base_map(base, offset, cowi_window_place(what->of, what->first + index), COWI_REGION);",
                "mapped = true;",
            )
        ],
    ),
    "all regions of a commit map the first": (
        "test_pages_bases",
        "regions_of_one_commit_keep_their_places",
        [("commits.c", "base, at++ * COWI_REGION);", "base, 0 * at++);")],
    ),
    "a commit keeps its reference": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "    cowi_base_release(base);\n    return count;", "    return count;")],
    ),
    "the base before a commit keeps a reference": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "commits.c",
                "    if (before->base != NULL) {\n        cowi_base_release(before->base);\n    }\n    before",
                "    before",
            )
        ],
    ),
    "the maps of a commit are never given back": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "    what->of->maps += more;\n", "")],
    ),
    "a commit is free": (
        "test_pages_bases",
        "the_ledger_knows_what_a_commit_costs",
        [("commits.c", "if (cowi_ledger_take(&cowi_books, price)) {", "if (true) {")],
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
    "a file in memory above the limit": (
        "test_pages_hazards",
        "limits_and_strangers_change_no_value",
        [("base.c", "    if (!may_be_so_large(nbytes)) {\n        return -1;\n    }\n", "")],
    ),
    "old kernels have no files in memory": (
        "test_pages_failures",
        "old_kernels_page_all_the_same",
        [("base.c", "    if (descriptor < 0) { /* before Linux 6.3 */", "    if (false) { /* before Linux 6.3 */")],
    ),
    "a base can be written to": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [
            (
                "base.c",
                "F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL",
                "F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL",
            )
        ],
    ),
    "a base can be cut": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [
            (
                "base.c",
                "F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL",
                "F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL",
            )
        ],
    ),
    "a base can be prolonged": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [
            (
                "base.c",
                "F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL",
                "F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL",
            )
        ],
    ),
    "a base takes a low descriptor": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [("base.c", "    descriptor = move_up(descriptor);\n", "")],
    ),
    "a base's first descriptor stays open": (
        "test_pages_failures",
        "first_writes_survive_each_failure",
        [("base.c", "    (void)close(descriptor);\n    return high;", "    return high;")],
    ),
    "a descriptor is not looked at before it is mapped": (
        "test_pages_hazards",
        "limits_and_strangers_change_no_value",
        [("base.c", "return is_itself(base) && mmap(", "return mmap(")],
    ),
    "another's descriptor is closed": (
        "test_pages_failures",
        "another_file_in_our_place_stays_open",
        [
            (
                "base.c",
                "    if (is_itself(base)) {\n        (void)close(base->descriptor);\n    }",
                "    (void)close(base->descriptor);",
            )
        ],
    ),
    "a base that goes keeps its descriptor": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [("base.c", "    if (is_itself(base)) {\n        (void)close(base->descriptor);\n    }\n", "")],
    ),
    "a base that goes is still counted": (
        "test_pages",
        "one_byte_costs_a_page",
        [("base.c", "    (void)cowi_sub_release(&bytes, base->nbytes);\n", "")],
    ),
    "descriptors are taken without bound": (
        "test_pages_failures",
        "budgets_of_the_kernel_are_kept",
        [("base.c", "    if (before < most) {\n        return true;", "    if (true) {\n        return true;")],
    ),
    "a refused descriptor stays counted": (
        "test_pages_failures",
        "budgets_of_the_kernel_are_kept",
        [("base.c", "    (void)cowi_sub_release(&files, 1);\n    return false;", "    return false;")],
    ),
    "a base that cannot be filled keeps its descriptor": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "base.c",
                "        if (descriptor >= 0) {\n"
                "            (void)close(descriptor);\n"
                "        }\n"
                "        (void)cowi_sub_release(&files, 1);",
                "        (void)cowi_sub_release(&files, 1);",
            )
        ],
    ),
    "a base that cannot be filled is used": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [("base.c", "    return good && fcntl(descriptor, F_ADD_SEALS", "    return fcntl(descriptor, F_ADD_SEALS")],
    ),
    "the map that fills a base stays": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [("base.c", "    (void)munmap(map, nbytes);\n    return good", "    return good")],
    ),
    "only the first chunk of a base is filled": (
        "test_pages_bases",
        "windows_at_random_hold_their_bytes",
        [
            (
                "base.c",
                "for (size_t first = 0; first < count; first += CHUNK / COWI_REGION) {",
                "for (size_t first = 0; first < 1; first += CHUNK / COWI_REGION) {",
            ),
            ("base.c", "#define CHUNK (4 * COWI_REGION)", "#define CHUNK (2 * COWI_REGION)"),
        ],
    ),
    "small pages without being asked": (
        "test_pages_failures",
        "small_pages_are_taken_on_request",
        [
            (
                "base.c",
                "    return small ? madvise(start, nbytes, MADV_POPULATE_WRITE) == 0 : madvise",
                "    (void)small;\n    return madvise(start, nbytes, MADV_POPULATE_WRITE) == 0 || madvise",
            )
        ],
    ),
    "no small pages even on request": (
        "test_pages_failures",
        "small_pages_are_taken_on_request",
        [("ledger.c", "    (void)pthread_once(&small_once, measure_small);\n", "")],
    ),
    "clean pages count as dirty": (
        "test_pages_failures",
        "both_roads_find_the_same_pages",
        [("dirty.c", "asked.category_inverted = asked.category_mask = OF_A_FILE;", "")],
    ),
    "a scan ends with its first answer": (
        "test_pages_hazards",
        "more_runs_than_one_answer_holds",
        [("dirty.c", "} while (asked.walk_end < asked.end);", "} while (false);")],
    ),
    "an old kernel tells nothing": (
        "test_pages_failures",
        "both_roads_find_the_same_pages",
        [("dirty.c", "if (!told && (errno == ENOTTY || errno == EINVAL)) {", "if (false) {")],
    ),
    "clean pages count as dirty on old kernels": (
        "test_pages_failures",
        "both_roads_find_the_same_pages",
        [("dirty.c", " && !(entries[i] & ENTRY_OF_A_FILE)", "")],
    ),
    "absent pages count as dirty on old kernels": (
        "test_pages_failures",
        "both_roads_find_the_same_pages",
        [("dirty.c", "if ((entries[i] & (ENTRY_PRESENT | ENTRY_SWAPPED)) && ", "if (")],
    ),
    "all pages have the first entries": (
        "test_pages_failures",
        "both_roads_find_the_same_pages",
        [("dirty.c", "(start / COWI_PAGE + first) * sizeof", "(start / COWI_PAGE) * sizeof")],
    ),
    "a short table is taken as whole": (
        "test_pages_failures",
        "old_kernels_survive_each_failure",
        [("dirty.c", " != (ssize_t)(some * sizeof *entries)) {", " < 0) {")],
    ),
    "the kernel's table stays open": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [("dirty.c", "    (void)close(table);\n", "")],
    ),
    "eager asks the ledger": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("ledger.c", "return cowi_load_relaxed(&mode) == COW_PAGING_EAGER ||", "return")],
    ),
    "the ledger has no bound": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("ledger.c", "spending <= income + income / 4 + cowi_load_relaxed(&allowance);", "spending == spending;")],
    ),
    "the ledger allows twice what was earned": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("ledger.c", "income + income / 4 +", "income + income +")],
    ),
    "the allowance is not asked": (
        "test_pages_ledger",
        "an_allowance_is_risked",
        [("ledger.c", "income / 4 + cowi_load_relaxed(&allowance);", "income / 4;")],
    ),
    "off is on": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("ledger.c", "return cowi_load_relaxed(&mode) == COW_PAGING_OFF;", "return false;")],
    ),
    "copies of windows are not spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [("ledger.c", "    (void)cowi_add_relaxed(&of->spent, nbytes);\n", "    (void)nbytes;\n")],
    ),
    "the streak of give-ups does not grow": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("ledger.c", "before < LONGEST_STREAK ? before + 1 : before", "before")],
    ),
    "the streak of give-ups does not end": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("ledger.c", "cowi_store_relaxed(&of->streak, before - 1);", "cowi_store_relaxed(&of->streak, before);")],
    ),
    "one give-up ends paging": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("ledger.c", "cowi_cas_acq_rel(&of->skips, &left, left - 1)", "cowi_cas_acq_rel(&of->skips, &left, left)")],
    ),
    "foreign bytes are paged": (
        "test_pages_policy",
        "only_aligned_windows_of_ours_are_paged",
        [
            (
                "scope.c",
                "storage->nbytes < allocator->paging->least || context->foreign) {",
                "storage->nbytes < allocator->paging->least) {",
            )
        ],
    ),
    "small windows are paged": (
        "test_pages",
        "off_is_off_and_small_windows_are_copied",
        [("scope.c", "storage->nbytes < allocator->paging->least || context->foreign) {", "context->foreign) {")],
    ),
    "a paged copy counts as a whole one": (
        "test_pages",
        "one_byte_costs_a_page",
        [("scope.c", "        *copied = sharing.copied;\n", "")],
    ),
    "a steal keeps the shadow": (
        "test_pages",
        "last_sharer_keeps_its_address_and_drops_the_shadow",
        [("scope.c", "                cowi_context_unshadow(context);\n", "")],
    ),
    "the last share keeps the shadow": (
        "test_pages",
        "one_byte_costs_a_page",
        [
            (
                "context.c",
                "or a share stays behind */\n        cowi_context_unshadow(context);\n",
                "or a share stays behind */\n",
            )
        ],
    ),
    "an eviction keeps the shadow": (
        "test_pages_given_up",
        "evicted_pages_take_their_base_along",
        [
            (
                "absence.c",
                "        storage->allocator->paging->unshadow(storage->allocator->self, shadow);\n",
                "        (void)0;\n",
            )
        ],
    ),
    "an eviction leaves the shadow in its place": (
        "test_pages_given_up",
        "evicted_bytes_come_back_without_their_shadow",
        [("context.c", "    *shadow = context->shadow;\n    context->shadow = NULL;\n", "    *shadow = NULL;\n")],
    ),
    "bytes that come back are never looked at": (
        "test_pages_given_up",
        "pages_that_come_back_are_given_up_as_before",
        [("absence.c", "        cowi_storage_own(storage, ptr);", "        storage->sole = true;")],
    ),
    "pages are looked at while they are pinned": (
        "test_pages_given_up",
        "nothing_moves_while_it_is_pinned",
        [
            ("storage.c", " &&\n           cowi_load_acquire(&storage->pins) == 0;", ";"),
            (
                "scope.c",
                " &&\n           cowi_load_acquire(&storage->pins) == 0;\n}",
                ";\n}",
            ),
        ],
    ),
    "without waiting, pages are looked at all the same": (
        "test_pages_given_up",
        "try_says_busy_before_a_look",
        [
            (
                "scope.c",
                "        if (flags & COW_TRY) {\n            return cowi_fail(err, COW_EBUSY, \"the Storage's pages",
                "        if (false) {\n            return cowi_fail(err, COW_EBUSY, \"the Storage's pages",
            )
        ],
    ),
    "without copies, pages are looked at all the same": (
        "test_pages_given_up",
        "try_says_busy_before_a_look",
        [
            (
                "scope.c",
                "        if (!(flags & COW_NO_COPY)) {\n            settle",
                "        if (true) {\n            settle",
            )
        ],
    ),
    "a give-up does not copy": (
        "test_pages_given_up",
        "who_writes_much_gets_plain_memory",
        [("scope.c", "        (void)copy(storage, true, NULL, 0, &status, NULL);\n", "        (void)status;\n")],
    ),
    "pages that were looked at belong to nobody": (
        "test_pages_given_up",
        "same_page_again_and_again_is_no_reason",
        [
            (
                "scope.c",
                "    if (!moved) {\n        cowi_storage_own(storage, own);\n",
                "    if (!moved) {\n        storage->sole = true;\n        storage->paged = false;\n",
            ),
            (
                "windows.c",
                "    cowi_store_relaxed(&of->counted, written);\n",
                "    cowi_store_relaxed(&of->budget, 0);\n    (void)next;\n    return 1;\n",
            ),
        ],
    ),
    "a steal forgets that it has pages": (
        "test_pages_given_up",
        "stolen_pages_are_given_up_as_before",
        [
            (
                "scope.c",
                "            cowi_storage_own(storage, context->original);\n",
                "            storage->sole = true;\n            storage->paged = false;\n",
            )
        ],
    ),
    "pages are overwritten in place": (
        "test_pages_given_up",
        "overwriting_pages_copies_none",
        [
            (
                "scope.c",
                "    *by_page = has_pages_at_rest(storage);\n    if (!*by_page) {",
                "    *by_page = false;\n    if (!*by_page) {",
            )
        ],
    ),
    "pinned pages are left by who overwrites": (
        "test_pages_given_up",
        "pinned_pages_are_overwritten_in_place",
        [("scope.c", " &&\n           cowi_load_acquire(&storage->pins) == 0;\n}", ";\n}")],
    ),
    "a copy is not spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "scope.c",
                "        allocator->paging->spend(allocator->self, fresh.data, storage->nbytes);\n",
                "        (void)0;\n",
            )
        ],
    ),
    "a lazy copy is earned at once": (
        "test_pages_ledger",
        "an_adversary_gets_no_more",
        [
            (
                "clone.c",
                "            cowi_context_owe(made->context, nbytes);\n",
                "            cowi_context_owe(made->context, nbytes);\n"
                "            made->context->allocator->paging->earn(made->context->allocator->self, NULL, nbytes);\n",
            ),
            ("context.c", "    uint64_t before = cowi_load_relaxed(&context->owed);\n", "    uint64_t before = 0;\n"),
        ],
    ),
    "no lazy copy is earned": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("clone.c", "            cowi_context_owe(made->context, nbytes);\n", "")],
    ),
    "what other sharers may need is earned": (
        "test_pages_ledger",
        "copies_that_nobody_wrote_to_are_earned",
        [("context.c", "return sharers > 2 ? (uint64_t)(sharers - 2) * context->nbytes : 0;", "return 0 * sharers;")],
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
    "what a drop saved is not earned": (
        "test_pages_ledger",
        "copies_that_nobody_wrote_to_are_earned",
        [
            (
                "context.c",
                "        cowi_context_earn(context, original.data);\n        cowi_dataptr_delete",
                "        cowi_dataptr_delete",
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
    "healing begins before it pays": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [("commits.c", "dirty = at_once || is_paid(of, prices) ?", "dirty = true ?")],
    ),
    "healing begins at half its price": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [
            (
                "commits.c",
                "(uint64_t)of->nbytes * prices->fill / reading;",
                "(uint64_t)of->nbytes * prices->fill / reading / 2;",
            )
        ],
    ),
    "what was read before the last look counts again": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [("commits.c", "        cowi_store_relaxed(&of->read, 0);\n", "")],
    ),
    "reading costs nothing": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [("ledger.c", "    if (whole != 0 && split > whole + whole / NOISE) {", "    if (false) {")],
    ),
    "whole regions are read at the price of split ones": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [("ledger.c", "(split - whole) * 1000 /", "split * 1000 /")],
    ),
    "healing is free": (
        "test_pages_healing",
        "the_ledger_knows_what_healing_costs",
        [
            (
                "commits.c",
                "if (pages == 0 || !cowi_ledger_take(&cowi_books, again)) {",
                "if (pages == 0 || !cowi_ledger_take(&cowi_books, 0)) {",
            )
        ],
    ),
    "healing that fails is spent": (
        "test_pages_healing",
        "healing_that_fails_is_not_spent",
        [("commits.c", "        cowi_ledger_return(&cowi_books, again);\n", "")],
    ),
    "healed pages still count as written": (
        "test_pages_healing",
        "healed_pages_are_given_up_as_before",
        [("commits.c", "    of->at_first = sum(dirty, of->count);\n", "")],
    ),
    "healed pages are paid for when the window ends": (
        "test_pages_healing",
        "the_ledger_knows_what_healing_costs",
        [("commits.c", "    cowi_store_relaxed(&of->counted, 0);\n", "")],
    ),
    "regions of plain memory are healed": (
        "test_pages_healing",
        "own_regions_need_no_healing",
        [
            (
                "commits.c",
                "dirty[i] = of->regions[i].base == NULL ? 0 : (uint32_t)cowi_dirt_count(&dirt, i);",
                "dirty[i] = (uint32_t)cowi_dirt_count(&dirt, i);",
            )
        ],
    ),
    "each commit takes more maps": (
        "test_pages_healing",
        "healing_takes_no_more_maps_than_there_are_regions",
        [("commits.c", "return 2 * count < left ? 2 * count : left;", "return 2 * count + 0 * left;")],
    ),
    "files are healed": (
        "test_pages_ledger",
        "files_cost_the_ledger_nothing",
        [("commits.c", "if (of->of_file || cowi_pages_are_off()", "if (cowi_pages_are_off()")],
    ),
    "healing goes on where pages are off": (
        "test_pages_healing",
        "the_ledger_knows_what_healing_costs",
        [("commits.c", "if (of->of_file || cowi_pages_are_off() || ", "if (of->of_file || ")],
    ),
    "what is pinned is healed": (
        "test_pages_healing",
        "who_is_written_to_is_not_healed",
        [
            (
                "scope.c",
                "busy) || cowi_load_acquire(&storage->pins) != 0) {\n        return false;",
                "busy)) {\n        return false;",
            )
        ],
    ),
    "reads of shared pages are not counted": (
        "test_pages_healing",
        "shared_pages_are_healed_for_all",
        [
            (
                "storage.c",
                "            due = cowi_dataptr_paged(storage->allocator, own) &&",
                "            due = false && cowi_dataptr_paged(storage->allocator, own) &&",
            )
        ],
    ),
    "who was healed alone has to steal": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [
            (
                "scope.c",
                "    if (sole) {\n        cowi_storage_own(storage, own);",
                "    if (false) {\n        cowi_storage_own(storage, own);",
            )
        ],
    ),
    "who was healed with others has the bytes alone": (
        "test_pages_healing",
        "shared_pages_are_healed_for_all",
        [
            (
                "scope.c",
                "    if (sole) {\n        cowi_storage_own(storage, own);",
                "    if (true) {\n        cowi_storage_own(storage, own);",
            )
        ],
    ),
    "healing keeps its reference": (
        "test_pages_healing",
        "what_is_read_often_is_healed",
        [
            (
                "scope.c",
                "        cowi_storage_own(storage, own);\n    }\n    no_longer_busy(storage, context);",
                "        cowi_storage_own(storage, own);\n    }\n    no_longer_busy(storage, NULL);",
            )
        ],
    ),
    "half of a base is on its account": (
        "test_pages",
        "bases_are_on_the_account_of_who_wrote",
        [
            (
                "base.c",
                "    base->account = cowi_account_now();\n",
                "    base->account = cowi_account_now();\n    nbytes /= 2;\n",
            )
        ],
    ),
    "a base that is gone stays on its account": (
        "test_pages",
        "bases_are_on_the_account_of_who_wrote",
        [("base.c", "    cowi_account_take(base->account, base->nbytes);\n", "")],
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
    "a stolen window is written unnoticed": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [("scope.c", "            (void)cowi_storage_unsettled(storage, box); /* counted", "            /* counted")],
    ),
    "the pages of a source are not foretold": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [
            (
                "foretold.c",
                "            memcpy(&made->bits[i * WORDS], &how->from->bits[(how->first + i) * WORDS], "
                "WORDS * sizeof(uint64_t));\n",
                "",
            )
        ],
    ),
    "a foretold commit leaves the source its pages": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [
            (
                "foretold.c",
                "            memset(&how->from->bits[(how->first + i) * WORDS], 0, WORDS * sizeof(uint64_t));\n",
                "",
            )
        ],
    ),
    "no foretold region is dense": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [
            (
                "foretold.c",
                "if (of->from == NULL || cowi_is_dense(how->prices, how->dirty[i] + how->touched[i])) {",
                "if (of->from == NULL) {",
            )
        ],
    ),
    "a foretold base is free": (
        "test_foretold",
        "ledgers_allow_the_same",
        [("foretold.c", "if (!cowi_ledger_take(made->ledger, price)) {", "if (false) {")],
    ),
    "a foretold window that is gone stays paid": (
        "test_foretold",
        "ledgers_allow_the_same",
        [("foretold.c", "of->reserved - (spent < most ? spent : most)", "0")],
    ),
    "a foretold window stays on its account": (
        "test_foretold",
        "accounts_have_bases_and_pages",
        [("foretold.c", "    cowi_account_shrink(of->account, of->taken);\n    cowi_slot", "    cowi_slot")],
    ),
    "foretold copies are not counted": (
        "test_foretold",
        "accounts_have_bases_and_pages",
        [("foretold.c", "    cowi_account_count_copy(sharing->copied);\n", "")],
    ),
    "pages that nobody names are not drawn": (
        "test_foretold",
        "pages_that_nobody_names_are_drawn",
        [("foretold.c", "left > 0; left--) {", "left > SIZE_MAX - 1; left--) {")],
    ),
    "what is on no account is planned": (
        "test_foretold",
        "nobody_plans_on_no_account",
        [("account.c", "return account == &nobodys ? NULL : &account->ledger;", "return &account->ledger;")],
    ),
}
