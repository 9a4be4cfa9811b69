"""Faults of bases, of looking for dirty pages and of commits: for mutants.py and in its form.

In base.c, dirty.c, commits.c, windows.c and policy.c (of commits).
"""

BASES = {
    "a region that was committed is still in debt": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("windows.c", "    of->debt = 0;\n", "")],
    ),
    "a region that was committed is copied, too": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "        how->dirty[index] = 0;\n", "")],
    ),
    "the source of a commit keeps its pages": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [
            (
                "commits.c",
                "mapped = cowi_base_map(base, offset, cowi_mapped_region(how->from, how->first + index), COWI_REGION);",
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
        [("commits.c", "    cowi_base_release(base);\n    return true;", "    return true;")],
    ),
    "the base before a commit keeps a reference": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("windows.c", "    if (of->base != NULL) {\n        place->release(of->base);\n    }\n    of", "    of")],
    ),
    "the maps of a commit are never given back": (
        "test_pages_bases",
        "what_is_copied_too_often_gets_a_base",
        [("commits.c", "    of->maps += more;\n", "")],
    ),
    "a page is worth a base": (
        "test_pages_bases",
        "a_few_pages_get_no_base",
        [("prices.c", "return dirty >= LEAST_COMMITTED &&", "return dirty > 0 &&")],
    ),
    "a commit is free": (
        "test_pages_bases",
        "the_ledger_knows_what_a_commit_costs",
        [
            (
                "policy.c",
                "if (count == 0 || !cowi_family_take(how->family, price, how->sharing->allocated, COWI_OWN_MONEY)) {",
                "if (count == 0) {",
            )
        ],
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
                "F_ADD_SEALS, SEALS | F_SEAL_FUTURE_WRITE)",
                "F_ADD_SEALS, SEALS)",
            )
        ],
    ),
    "a base can be cut": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [
            (
                "base.c",
                "(F_SEAL_SHRINK | F_SEAL_GROW)",
                "F_SEAL_GROW",
            )
        ],
    ),
    "a base can be prolonged": (
        "test_pages_bases",
        "nobody_can_change_a_base",
        [
            (
                "base.c",
                "(F_SEAL_SHRINK | F_SEAL_GROW)",
                "F_SEAL_SHRINK",
            )
        ],
    ),
    "pages of a window's own go nowhere": (
        "test_pages_bases",
        "copies_one_after_the_other_take_no_pages",
        [("policy.c", "            fold(made, how);\n", "")],
    ),
    "a window keeps the pages that its base has": (
        "test_pages_bases",
        "copies_one_after_the_other_take_no_pages",
        [("commits.c", "    (void)madvise(from, COWI_REGION, MADV_DONTNEED);", "   ")],
    ),
    "a base is changed that others see": (
        "test_pages_bases",
        "a_base_that_others_see_stays_as_it_is",
        [("policy.c", "how->place->uses(base) == uses;", "how->place->uses(base) >= uses;")],
    ),
    "a base is changed that has travelled": (
        "test_pages_bases",
        "a_base_that_has_travelled_stays_as_it_is",
        [("base.c", "    lock_list();\n    freeze(base);\n", "    lock_list();\n")],
    ),
    "a base is changed that a child sees": (
        "test_pages_bases",
        "a_child_sees_what_was_there",
        [("base.c", "base = base->next) {\n        freeze(base);", "base = base->next) {")],
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
                "    if (descriptor >= 0) {\n        (void)close(descriptor);\n    }\n"
                "    (void)cowi_sub_release(&files, 1);\n    return -1;",
                "    (void)cowi_sub_release(&files, 1);\n    return -1;",
            )
        ],
    ),
    "a base that cannot be filled is used": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [
            (
                "base.c",
                "!fill(map, pieces, count, small) ||",
                "(fill(map, pieces, count, small), false) ||",
            )
        ],
    ),
    "the map that fills a base stays": (
        "test_pages_failures",
        "generations_survive_each_failure",
        [("base.c", "        (void)munmap(map, nbytes);\n        map = NULL;", "        map = NULL;")],
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
    "each commit takes more maps": (
        "test_pages_bases",
        "a_commit_takes_no_more_maps_than_there_are_regions",
        [("commits.c", "return 2 * count < left ? 2 * count : left;", "return 2 * count + 0 * left;")],
    ),
    "scarce maps are split all the same": (
        "test_pages_bases",
        "where_maps_are_scarce_a_window_has_one_base",
        [("policy.c", "2 * count > how->place->most_runs()", "2 * count > how->place->most_runs() + 9")],
    ),
    "where maps are scarce, a base for a few pages": (
        "test_pages_bases",
        "where_maps_are_scarce_a_window_has_one_base",
        [("policy.c", "return pages * COWI_PAGE >= cowi_price", "return pages * COWI_PAGE * 2 >= cowi_price")],
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
    "the file that was tried stays open": (
        "test_pages_failures",
        "first_writes_survive_each_failure",
        [
            (
                "base.c",
                "    drop_file(descriptor, open, COWI_REGION);\n",
                "    (void)cowi_sub_release(&files, 1);\n",
            )
        ],
    ),
    "the first refusal is for good": (
        "test_pages_failures",
        "refusals_are_remembered",
        [("base.c", "#define TRIES 3u", "#define TRIES 1u")],
    ),
    "a system that refuses is asked for ever": (
        "test_pages_failures",
        "refusals_are_remembered",
        [("base.c", "    if (before >= TRIES) {", "    if (before == GRANTED) {")],
    ),
}
