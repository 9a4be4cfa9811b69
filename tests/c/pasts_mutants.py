"""Faults of pasts, which keep what allocations were whose window was taken over: for mutants.py and in its form."""

PASTS = {
    "what changes is not put aside": (
        "test_pages_pasts",
        "a_kept_generation_costs_what_changed",
        [
            (
                "pasts.c",
                "        missing = count_missing(line->newest, bits, words);",
                "        missing = 0;\n        memset(bits, 0, words * sizeof *bits);\n        (void)count_missing;",
            )
        ],
    ),
    "a page is put aside each time": (
        "test_pages_pasts",
        "a_kept_generation_costs_what_changed",
        [("pasts.c", "    cowi_aside_unmark(&of->aside, bits);\n", "    bits[0] = bits[0];\n")],
    ),
    "a kept clone is a window at once": (
        "test_pages_pasts",
        "a_kept_generation_costs_what_changed",
        [
            (
                "materialize.c",
                "((flags & COW_TRY) == 0 && take_over(storage, box)) ||",
                "(storage == NULL && take_over(storage, box)) ||",
            )
        ],
    ),
    "few pages are taken over, too": (
        "test_pages_pasts",
        "few_pages_are_copied",
        [("pasts.c", "own < LEAST ||", "")],
    ),
    "a family does not learn that its clones are read": (
        "test_pages_pasts",
        "what_is_always_read_is_soon_not_taken_over",
        [("pasts.c", "    cowi_family_recalled(of->line->window->family);\n", "")],
    ),
    "what a family has learned does not fade": (
        "test_pages_pasts",
        "what_is_always_read_is_soon_not_taken_over",
        [
            (
                "family.c",
                "        cowi_family_took_over(of); /* it might have been */\n",
                "",
            )
        ],
    ),
    "bytes are taken over that somebody reads": (
        "test_pages_pasts",
        "readers_keep_the_bytes",
        [("context.c", " || references(counts) != shares(counts) + 1 ||", " ||")],
    ),
    "a clone that is read at once has a share only": (
        "test_pages_pasts",
        "readers_keep_the_bytes",
        [
            ("clone.c", "    if (!reads) {\n", "    if (!reads || source != NULL) {\n"),
            ("clone.c", "        made->reads = (flags & COW_READS) != 0;\n", ""),
        ],
    ),
    "of several pages the oldest one counts": (
        "test_pages_pasts",
        "one_that_ends_leaves_its_pages",
        [("aside.c", "            if (there.was == NULL || wins) {", "            if (true) {")],
    ),
    "the newer one of several pages counts where it has more": (
        "test_pages_pasts",
        "one_that_ends_leaves_its_pages",
        [("aside.c", "    add(from, older, more);", "    add(from, older, false);")],
    ),
    "a past that ends takes its pages along": (
        "test_pages_pasts",
        "one_that_ends_leaves_its_pages",
        [("aside.c", "    add(from, older, more);", "")],
    ),
    "the newest page counts, not the nearest": (
        "test_pages_pasts",
        "one_that_ends_leaves_its_pages",
        [
            (
                "pasts.c",
                (
                    "    for (const past *each = of->line->newest; each != NULL; "
                    "each = each == of ? NULL : each->older) {\n"
                    "        cowi_aside_put_back(&each->aside, (cowi_window *)sharing.made.context);"
                ),
                (
                    "    for (const past *each = of; each != NULL; each = each->newer) {\n"
                    "        cowi_aside_put_back(&each->aside, (cowi_window *)sharing.made.context);"
                ),
            )
        ],
    ),
    "an heir has what the writer left": (
        "test_pages_pasts",
        "the_newest_inherits_the_window",
        [("pasts.c", "        cowi_aside_put_back(&newest->aside, line->window);\n", "")],
    ),
    "nobody inherits a window": (
        "test_pages_pasts",
        "the_newest_inherits_the_window",
        [
            (
                "windows.c",
                "    if (of->line != NULL && of->place->inherit(of)) {\n",
                "    if (of->nbytes == 0 && of->place->inherit(of)) {\n",
            )
        ],
    ),
    "the older ones stay behind a writer who says nothing": (
        "test_pages_pasts",
        "a_writer_who_does_not_say_where_changes_nobody_else",
        [
            (
                "pasts.c",
                "    line->window = to;\n    line->bytes = *bytes;\n    watch(line);\n}",
                (
                    "    watch(line);\n"
                    "    line->window = NULL;\n"
                    "    line->window = line->bytes.context;\n"
                    "    to->line = NULL;\n"
                    "    line_release(line);\n"
                    "    (void)bytes;\n"
                    "}"
                ),
            )
        ],
    ),
    "a writer who says nothing is not watched": (
        "test_pages_pasts",
        "a_writer_who_does_not_say_where_changes_nobody_else",
        [
            (
                "scope.c",
                "    return now != 0 && now != writer->told;",
                "    return now != 0 && now != writer->told && writer->box != NULL;",
            )
        ],
    ),
    "who pins already is not watched": (
        "test_pages_pasts",
        "a_scope_that_is_open_is_no_longer_enough",
        [
            (
                "scope.c",
                "    const uint64_t now = storage->paged ?",
                "    const uint64_t now = storage->paged && cowi_load_acquire(&storage->pins) == 0 ?",
            )
        ],
    ),
    "a past is evicted": (
        "test_pages_pasts",
        "nobody_fills_or_evicts_a_past",
        [("absence.c", "return cowi_context_is_gone(context) ? cowi_fail(err", "return true ? cowi_fail(err")],
    ),
    "a past is filled": (
        "test_pages_pasts",
        "nobody_fills_or_evicts_a_past",
        [
            (
                "absence.c",
                "context == NULL || !cowi_context_is_gone(context)",
                "context == NULL || !cowi_context_absent(context)",
            ),
            # Who comes later than that is asked again when the bytes are claimed.
            ("context.c", "if (cowi_load_acquire(&context->past) != NULL) { /* filled", "if (false) { /* filled"),
        ],
    ),
    "plain memory has no page that was put aside": (
        "test_pages_pasts",
        "without_maps_a_past_is_plain_memory",
        [("pasts.c", "entry->was == NULL ? 0 : part_of_page(", "true ? 0 : part_of_page(")],
    ),
    "what cannot be left is lost": (
        "test_pages_pasts",
        "without_memory_nothing_changes",
        [
            (
                "pasts.c",
                (
                    "    if (of->older != NULL && !cowi_aside_leave(&of->aside, &of->older->aside)) {\n"
                    "        return false;"
                ),
                "    if (of->older != NULL && !cowi_aside_leave(&of->aside, &of->older->aside)) {\n        (void)0;",
            )
        ],
    ),
    "a write goes on without memory to put aside": (
        "test_pages_pasts",
        "without_memory_nothing_changes",
        [
            (
                "pasts.c",
                '    return good ? COW_OK : cowi_fail(err, COW_ENOMEM, "cannot allocate %zu pages',
                '    return true ? COW_OK : cowi_fail(err, COW_ENOMEM, "cannot allocate %zu pages',
            )
        ],
    ),
    "a part counts its pages from its own start": (
        "test_pages_pasts",
        "a_part_of_a_window_puts_the_right_pages_aside",
        [("scope.c", "&bytes, cowi_box_at(writer->box, offset, &room), writer", "&bytes, writer->box, writer")],
    ),
    "a reader who steals stays one": (
        "test_absence",
        "a_clone_that_is_read_at_once_knows_where_the_bytes_are",
        [("storage.c", "    if (storage->reads) { /* it now", "    if (false) { /* it now")],
    ),
}
