"""Faults of differences and of grounds: for mutants.py and in its form.

In differences.c, ground.c, and in those files whose windows grounds list.
"""

GROUNDS = {
    "pages of the second window are not looked at": (
        "test_differences",
        "a_page_of_one_is_a_page",
        [("differences.c", " || is_own(b, at_b + at - from)", "")],
    ),
    "a region of the second window is passed over": (
        "test_differences",
        "a_page_of_one_is_a_page",
        [("differences.c", " && !has_own(b, at_b / COWI_REGION)", "")],
    ),
    "places in a base are not compared": (
        "test_differences",
        "parts_lie_where_their_windows_do",
        [("differences.c", "in_a->offset + at_a % COWI_REGION == in_b->offset + at_b % COWI_REGION", "true")],
    ),
    "bases have no identity": (
        "test_differences",
        "a_page_of_one_is_a_page",
        [("base.c", "    set_identity(base);\n", "    memset(base->identity, 0, sizeof base->identity);\n")],
    ),
    "what has no identity is equal": (
        "test_differences",
        "no_difference_is_missed",
        [
            ("base.c", "    set_identity(base);\n", "    memset(base->identity, 0, sizeof base->identity);\n"),
            ("differences.c", "cowi_is_identity(in_a->identity) && ", ""),
        ],
    ),
    "neighbours are runs of their own": (
        "test_differences",
        "a_page_of_one_is_a_page",
        [("differences.c", "if (start > out->end || ", "if (start >= out->end || ")],
    ),
    "one allocation is read": (
        "test_differences",
        "what_is_shared_is_equal",
        [
            (
                "by_page.c",
                "    if (a->bytes.data == b->bytes.data && a->offset == b->offset) {\n        return;\n    }\n",
                "",
            )
        ],
    ),
    "a window may be shorter than what is compared": (
        "test_differences",
        "other_memory_and_other_sizes_are_refused",
        [("by_page.c", "nbytes <= storage->nbytes - start;", "start <= nbytes;")],
    ),
    "a page changes under those who see it": (
        "test_ground",
        "clones_keep_their_values",
        [("ground.c", "    if (!cowi_mapped_all(ground->base, keep_pages, &what)) {", "    if (what.base == NULL) {")],
    ),
    "windows that are made of others are not listed": (
        "test_ground",
        "clones_keep_their_values",
        [
            (
                "pages.c",
                "    cowi_mapped_enlist((cowi_mapped *)(void *)made);\n"
                "    (void)cowi_add_relaxed(&counted.page_copies, 1);",
                "",
            )
        ],
    ),
    "pages that were kept are not told": (
        "test_ground",
        "pages_that_were_kept_are_told",
        [("ground.c", "        cowi_store_relaxed(&of->window.regions[i].touched, 1);\n", "")],
    ),
    "writes on a ground are not noted": (
        "test_ground",
        "what_was_written_is_told_once",
        [("windows.c", "        mark_regions(of, box);\n", "")],
    ),
    "the first write of a new window is not noted": (
        "test_ground",
        "whole_regions_return",
        [("policy.c", "            cowi_store_relaxed(&of->touched, 1);\n", "")],
    ),
    "a pinned Storage is looked at where it was touched": (
        "test_ground",
        "writers_that_say_nothing_are_found",
        [
            (
                "ground.c",
                "        tell(ground, (const cowi_context *)scope.context, true, out);",
                "        tell(ground, (const cowi_context *)scope.context, false, out);",
            )
        ],
    ),
    "settling takes what the ground has not": (
        "test_ground",
        "settling_loses_nothing",
        [
            (
                "ground.c",
                "is_own(&own, page) && memcmp(place + at, under + at, COWI_PAGE) == 0 &&",
                "is_own(&own, page) &&",
            )
        ],
    ),
    "a region with pages left is settled": (
        "test_ground",
        "settling_loses_nothing",
        [("ground.c", "    return left == 0;", "    return true;")],
    ),
    "settling a pinned Storage": (
        "test_ground",
        "writers_that_say_nothing_are_found",
        [
            (
                "by_page.c",
                '            return cowi_fail(err, COW_EBUSY, "the Storage is pinned");',
                '            return cowi_fail(err, COW_EABSENT, "the Storage is pinned");',
            )
        ],
    ),
    "whole regions stay where they are": (
        "test_ground",
        "whole_regions_return",
        [("ground.c", "        return return_region(ground, of, index);", "        return false;")],
    ),
    "who has left the ground seems to be on it": (
        "test_ground",
        "who_has_left_may_differ_anywhere",
        [("ground.c", "        put_run(out, 0, ground->nbytes);\n", "")],
    ),
    "a ground changes after a fork": (
        "test_ground",
        "after_a_fork_a_ground_never_changes",
        [("ground.c", "    if (ground->forks != cowi_forks()) {", "    if (ground->forks > cowi_forks()) {")],
    ),
    "a ground that was dropped keeps its base": (
        "test_ground",
        "what_was_written_is_told_once",
        [("ground.c", "            cowi_base_release(ground->base);\n", "")],
    ),
    "windows keep their ground": (
        "test_ground",
        "what_was_written_is_told_once",
        [("maps.c", "        cowi_base_release(of->window.ground);\n", "")],
    ),
    "the last page is told beyond the end": (
        "test_ground",
        "what_was_written_is_told_once",
        [("ground.c", "out->end < out->nbytes ? out->end : out->nbytes;", "out->end;")],
    ),
}
