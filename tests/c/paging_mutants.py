"""Faults of Storages that have pages, and of ledgers and plans: for mutants.py and in its form.

In the files above the pages, and in mode.c, family.c, lender.c, foretold.c and account.c. The rest is in
pages_mutants.py and bases_mutants.py.
"""

PAGING = {
    "no small pages even on request": (
        "test_pages_failures",
        "small_pages_are_taken_on_request",
        [("base.c", "filled_file(&piece, 1, small, &open);", "filled_file(&piece, 1, false, &open);")],
    ),
    "eager asks the ledger": (
        "test_pages_policy",
        "boxes_cost_what_they_touch",
        [("family.c", "return cowi_pages_are_eager() || cowi_family", "return cowi_family")],
    ),
    "the ledger has no bound": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [
            (
                "family.c",
                "return spent + nbytes > limit ? spent + nbytes - limit : 0;",
                "return 0 * limit * spent * nbytes;",
            )
        ],
    ),
    "the ledger allows twice what was earned": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("family.c", "return nbytes + nbytes / 4;", "return nbytes + nbytes;")],
    ),
    "the allowance is not asked": (
        "test_pages_ledger",
        "an_allowance_is_risked",
        [("lender.c", "if (most == 0 ||", "if (true ||")],
    ),
    "off is on": (
        "test_pages_ledger",
        "paging_begins_when_it_is_earned",
        [("mode.c", "return cowi_load_relaxed(&mode) == COW_PAGING_OFF;", "return false;")],
    ),
    "copies of windows are not spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "family.c",
                "    (void)cowi_add_relaxed(&of->spent, nbytes);\n"
                "    (void)cowi_add_relaxed(&of->lender->spent, nbytes);\n",
                "    (void)of;\n    (void)nbytes;\n",
            )
        ],
    ),
    "the streak of give-ups does not grow": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("family.c", "before < LONGEST_STREAK ? before + 1 : before", "before")],
    ),
    "the streak of give-ups does not end": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("family.c", "cowi_store_relaxed(&of->streak, before - 1);", "cowi_store_relaxed(&of->streak, before);")],
    ),
    "one give-up ends paging": (
        "test_pages_policy",
        "give_ups_are_followed_by_plain_copies",
        [("family.c", "cowi_cas_acq_rel(&of->skips, &left, left - 1)", "cowi_cas_acq_rel(&of->skips, &left, left)")],
    ),
    "foreign bytes are paged": (
        "test_pages_policy",
        "only_aligned_windows_of_ours_are_paged",
        [
            (
                "materialize.c",
                "        (context->foreign && (flags & COWI_ON_REQUEST) == 0)) {",
                "        false) {",
            )
        ],
    ),
    "small windows are paged": (
        "test_pages",
        "off_is_off_and_small_windows_are_copied",
        [
            (
                "materialize.c",
                "allocator->paging == NULL || storage->nbytes < allocator->paging->least ||",
                "allocator->paging == NULL ||",
            ),
            ("context.c", "nbytes >= context->allocator->paging->least;", "nbytes > 0;"),
        ],
    ),
    "a paged copy counts as a whole one": (
        "test_pages",
        "one_byte_costs_a_page",
        [("materialize.c", "        *copied = sharing.copied;\n", "")],
    ),
    "a steal keeps the shadow": (
        "test_pages",
        "last_sharer_keeps_its_address_and_drops_the_shadow",
        [("materialize.c", "                cowi_context_unshadow(context);\n", "")],
    ),
    "the last share keeps the shadow": (
        "test_pages",
        "one_byte_costs_a_page",
        [
            (
                "context.c",
                "        cowi_context_unshadow(context);\n        original = context->original;\n",
                "        original = context->original;\n",
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
                "rest.c",
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
                (
                    "        if (writer->flags & COW_TRY) {\n"
                    "            return cowi_fail(err, COW_EBUSY, \"the Storage's pages"
                ),
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
                "        if (!(writer->flags & COW_NO_COPY)) {\n            cowi_settle",
                "        if (true) {\n            cowi_settle",
            )
        ],
    ),
    "a give-up does not copy": (
        "test_pages_given_up",
        "who_writes_much_gets_plain_memory",
        [("rest.c", "        (void)cowi_copy(storage, true, NULL, 0, &status, NULL);\n", "        (void)status;\n")],
    ),
    "pages that were looked at belong to nobody": (
        "test_pages_given_up",
        "same_page_again_and_again_is_no_reason",
        [
            (
                "rest.c",
                "    if (storage->context == context) {\n        cowi_storage_own(storage, own);\n",
                "    if (storage->context == context) {\n"
                "        storage->sole = true;\n        storage->paged = false;\n",
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
                "    *by_page = cowi_has_pages_at_rest(storage);\n    if (!*by_page) {",
                "    *by_page = false;\n    if (!*by_page) {",
            )
        ],
    ),
    "pinned pages are left by who overwrites": (
        "test_pages_given_up",
        "pinned_pages_are_overwritten_in_place",
        [("rest.c", " &&\n           cowi_load_acquire(&storage->pins) == 0;\n}", ";\n}")],
    ),
    "a copy is not spent": (
        "test_pages_ledger",
        "the_ledger_knows_each_price",
        [
            (
                "materialize.c",
                "        cowi_family_spend(family, storage->nbytes);\n",
                "        (void)0;\n",
            )
        ],
    ),
    "a lazy copy is earned at once": (
        "test_pages_ledger",
        "copies_that_nobody_wrote_to_are_earned",
        [
            (
                "clone.c",
                "            cowi_context_owe(made->context, nbytes);\n",
                "            cowi_context_owe(made->context, nbytes);\n"
                "            if (cowi_context_family(made->context) != NULL) {\n"
                "                cowi_family_earn(cowi_context_family(made->context), nbytes);\n            }\n",
            ),
            ("context.c", "    before = cowi_load_relaxed(&context->owed);\n", "    before = 0;\n"),
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
    "what a drop saved is not earned": (
        "test_pages_ledger",
        "copies_that_nobody_wrote_to_are_earned",
        [
            (
                "context.c",
                "        earn(context, (cow_family *)cowi_load_relaxed(&context->family)); /*",
                "        /*",
            )
        ],
    ),
    "a stolen window is written unnoticed": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [
            (
                "scope.c",
                "            if (is_unsettled(storage, writer) && (writer->flags",
                "            if (false && (writer->flags",
            )
        ],
    ),
    "the pages of a source are not foretold": (
        "test_foretold",
        "windows_have_the_pages_of_real_ones",
        [
            (
                "foretold.c",
                "            memcpy(&made->bits[i * COWI_REGION_WORDS], &how->own.bits[i * COWI_REGION_WORDS],\n"
                "                   COWI_REGION_WORDS * sizeof *made->bits);\n",
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
                "            memset(&from->bits[(how->first + i) * COWI_REGION_WORDS], 0, "
                "COWI_REGION_WORDS * sizeof *from->bits);\n",
                "",
            )
        ],
    ),
    "a plan spends what the process has": (
        "test_foretold",
        "plans_borrow_from_nobody_else",
        [
            (
                "foretold.c",
                "cowi_family_new(cowi_account_lender(plan), plan);",
                "cowi_family_new(&cowi_process_lender, NULL);",
            )
        ],
    ),
    "a foretold window stays on its account": (
        "test_foretold",
        "accounts_have_bases_and_pages",
        [("foretold.c", "    cowi_account_shrink(gone->account, gone->taken);\n", "")],
    ),
    "foretold copies are not counted": (
        "test_foretold",
        "accounts_have_bases_and_pages",
        [("foretold.c", "    cowi_account_count_copy(how->sharing->copied);\n", "")],
    ),
    "pages that nobody names are not drawn": (
        "test_foretold",
        "pages_that_nobody_names_are_drawn",
        [("foretold.c", "left > 0; left--) {", "left > SIZE_MAX - 1; left--) {")],
    ),
    "what is on no account is planned": (
        "test_foretold",
        "nobody_plans_on_no_account",
        [("account.c", "return account == &nobodys ? NULL : account;", "return account;")],
    ),
}
