"""Faults of bases that travel: for mutants.py and in its form."""

_OTHERS = "    cowi_lists_let_go();\n    cowi_large_let_go();\n"

TRAVEL = {
    "pages of its own do not travel": (
        "test_travel",
        "pages_of_its_own_are_told",
        [("travel.c", "            put_own(of, own, first, i);\n", "            (void)own;\n")],
    ),
    "regions that lie elsewhere do not travel": (
        "test_travel",
        "anything_can_be_made_again",
        [("travel.c", "            put(of, i * COWI_REGION, (i + 1) * COWI_REGION);\n", "")],
    ),
    "the last run does not travel": (
        "test_travel",
        "pages_of_its_own_are_told",
        [("travel.c", "    tell(of);\n}\n\n/* With the window", "}\n\n/* With the window")],
    ),
    "a part lies where its window does": (
        "test_travel",
        "pages_of_its_own_are_told",
        [("travel.c", "    of.start = window->lead + (size_t)(", "    of.start = window->lead + 0 * (size_t)(")],
    ),
    "a ground travels": (
        "test_travel",
        "what_others_may_change_has_no_base",
        [
            ("travel.c", "!base->is_ground && ", ""),
            (
                "base.c",
                "    if (base->is_ground) {\n        return false;\n    }\n",
                "    if (base->is_ground) {\n        return true;\n    }\n",
            ),
        ],
    ),
    "a user's file travels": (
        "test_travel",
        "what_others_may_change_has_no_base",
        [
            ("travel.c", " || of->nbytes > under.base->nbytes - at ||\n", " ||\n"),
            ("base.c", "return cowi_is_frozen(base->descriptor);", "return true;"),
        ],
    ),
    "a Storage may end beyond its base": (
        "test_travel",
        "a_base_has_so_many_bytes",
        [
            (
                "travel.c",
                "nbytes > base->nbytes - start) {\n        return cowi_fail",
                "nbytes == SIZE_MAX) {\n        return cowi_fail",
            )
        ],
    ),
    "seals are not looked at": (
        "test_travel",
        "only_what_nobody_can_change_is_received",
        [("base.c", "(seals & FROZEN) == FROZEN;", "true;")],
    ),
    "the size is not looked at": (
        "test_travel",
        "only_what_nobody_can_change_is_received",
        [("travel.c", "(size_t)now.st_size != nbytes", "now.st_size == 0")],
    ),
    "a base is found that is about to end": (
        "test_travel",
        "a_base_may_end_while_it_is_looked_for",
        [
            (
                "base.c",
                "    while (before > 0 && !cowi_cas_acquire(&base->references, &before, before + 1)) {\n    }\n"
                "    return before > 0;\n",
                "    before = cowi_add_relaxed(&base->references, 1);\n    return true;\n",
            ),
            ("base.c", "    delist(base);\n", "    (void)usleep(500); /* a wide gap */\n    delist(base);\n"),
        ],
    ),
    "only what is due gets a base": (
        "test_travel",
        "what_is_dense_gets_a_base_where_it_lies",
        [("policy.c", "return how->whole || cowi_is_due", "return cowi_is_due")],
    ),
    "a part gets a base of its whole window": (
        "test_travel",
        "what_is_dense_gets_a_base_where_it_lies",
        [("travel.c", "commit_all(window, start / COWI_REGION, (start", "commit_all(window, 0, (start")],
    ),
    "what was sole stays shared": (
        "test_travel",
        "what_is_dense_gets_a_base_where_it_lies",
        [
            (
                "by_page.c",
                "    if (was_sole) {\n        cowi_storage_own(storage, storage->context->original);",
                "    if (was_sole) {\n        (void)was_sole;",
            )
        ],
    ),
    "a ground is put on another base": (
        "test_travel",
        "what_cannot_have_a_base_stays_as_it_is",
        [("travel.c", " || window->ground != NULL) {", ") {")],
    ),
    "a base stays in the list": (
        "test_travel",
        "a_base_is_received_and_found",
        [("base.c", "    delist(base);\n", "")],
    ),
    "a child inherits the list's lock": (
        "test_travel",
        "a_child_can_look",
        [
            ("gate.c", "    cowi_bases_hold();\n", ""),
            (
                "gate.c",
                "    cowi_bases_let_go();\n    cowi_lists_let_go();\n    cowi_large_let_go();\n    (void)",
                "    cowi_lists_let_go();\n    cowi_large_let_go();\n    (void)",
            ),
            (
                "gate.c",
                f"    cowi_bases_let_go();\n{_OTHERS}    cowi_store_seq_cst(&state, 0);",
                f"{_OTHERS}    cowi_store_seq_cst(&state, 0);",
            ),
            ("base.c", "    newest = base;\n", "    newest = base;\n    (void)usleep(100); /* a wide gap */\n"),
        ],
    ),
    "a received base has another identity": (
        "test_travel",
        "a_base_is_received_and_found",
        [("base.c", "    memcpy(base->identity, identity, sizeof base->identity);\n    enlist", "    enlist")],
    ),
}
