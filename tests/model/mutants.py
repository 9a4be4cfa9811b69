"""The faults that the models must find: without them, a check that finds nothing says nothing.

`SPIN` maps a fault that spin/protocol.pml knows by -D to the models that must break under it. `CORE` holds faults as
replacements in copies of src/core; each text must occur exactly once in its file, so that a change of the core cannot
make a mutant vanish unseen.

One file, for whoever changes the core looks for all that break with it. docs/models.md has a table of all of it, and
tests/project/test_models.py sees that the two agree.
"""

SPIN = {
    "DECREMENT_BEFORE_LOCK": ["writers", "drop"],
    "NO_WAIT_BEFORE_STEAL": ["writers"],
    "RELEASE_BEFORE_UNLOCK": ["steal_and_free", "last_drop"],
    "WRAP_WITHOUT_LOOKING_AGAIN": ["wrap"],
    "SECOND_WRITER_DOES_NOT_WAIT": ["one_storage"],
    "BYTES_WITH_LAST_SHARE": ["last_drop", "snapshot"],
    "GATE_NOT_DRAINED": ["fork"],
    "CLONE_IGNORES_BUSY": ["clone_or_write"],
    "CLONE_IGNORES_PINS": ["sole"],
    "CLONE_LEAVES_SOLE": ["sole"],
    "CONST_WITHOUT_REFERENCE": ["const_scope"],
    "OVERWRITE_WITHOUT_SHARE": ["overwrite"],
    "COMMIT_WITHOUT_LOOKING": ["overwrite"],
    "SHARE_GIVEN_UP_BEFORE_ALLOCATION": ["failure"],
    "STEAL_IGNORES_LEFT": ["readers_left", "readers_stay"],
    "PLACED_AFTER_UNLOCK": ["readers_left", "readers_stay"],
    "LEFT_NOT_RAISED": ["readers_left", "readers_stay"],
    "STRUCT_FREED_WITH_STORAGE": ["readers_left"],
    "EVICT_IGNORES_READERS": ["evict_readers"],
    "EVICT_IGNORES_BUSY": ["evict_one"],
    "EVICT_IGNORES_PINS": ["evict_one"],
    "COPY_OF_ABSENT": ["evict_writers"],
    "ABSENCE_BEFORE_SHARES": ["evict_and_drop"],
    "FILL_LOOKS_LATE": ["evict_writers"],
    "FILL_WITHOUT_CLAIM": ["fillers"],
    "OVERWRITE_WITHOUT_REFERENCE": ["evict_overwrite"],
    "STEAL_KEEPS_SHADOW": ["pages_stolen"],
    "SHADOW_WITHOUT_ORDER": ["pages_stolen"],
    "SHARE_WITHOUT_REFERENCE": ["pages_evicted"],
    "EVICT_KEEPS_SHADOW": ["pages_evicted"],
    "AT_REST_IGNORES_PINS": ["settle"],
    "AT_REST_IGNORES_BUSY": ["settle", "pages_overwritten"],
    "SETTLE_LEAVES_SOLE": ["settle"],
    "SETTLE_OUTSIDE_GATE": ["settle_fork"],
    "OVERWRITTEN_STAYS_SOLE": ["pages_overwritten"],
    "FILL_IGNORES_BUSY": ["pages_filled"],
    "GROUND_CHANGES_FIRST": ["ground"],
    "GROUND_MADE_WITHOUT_LOCK": ["ground"],
    "GROUND_LISTED_LATE": ["ground"],
    "GROUND_IGNORES_FORKS": ["ground"],
    "FIND_RETAINS_THE_DEAD": ["bases"],
    "PLACE_SEEN_BEFORE_LOCK": ["bases"],
    "FREED_IN_THE_LIST": ["bases"],
    "LEASE_ENDS_WITHOUT_LOCK": ["leases"],
    "GIVEN_WITHOUT_REFERENCE": ["leases"],
    "PASTS_TAKE_OVER_IGNORES_READERS": ["pasts"],
    "PASTS_LISTED_LATE": ["pasts"],
    "PASTS_TOLD_NOT_CHECKED": ["pasts"],
    "PASTS_NUMBER_STAYS": ["pasts"],
    "PASTS_NUMBERS_REPEAT": ["pasts"],
    "PASTS_ASIDE_WITHOUT_LOCK": ["pasts"],
    "PASTS_ASIDE_WITHOUT_SCOPE": ["pasts"],
    "PASTS_RECALL_READS_ASIDE": ["pasts"],
    "PASTS_MOVE_LEAVES_OLDER": ["pasts"],
    "PASTS_FORGET_DROPS_PAGES": ["pasts"],
    "PASTS_LEFT_PAGES_REPLACE": ["pasts_end"],
    "PASTS_HEIR_KEEPS_PAGES": ["pasts_end"],
    "PASTS_FORGOTTEN_LATE": ["pasts_end"],
    "PASTS_LINE_AFTER_HEIR": ["pasts_end"],
    "PASTS_ASKED_WHILE_MOVING": ["pasts_again"],
    "GONE_WITHOUT_REFERENCE": ["gone"],
    "GONE_FILLS_NOT_AWAITED": ["gone"],
}

# The copy, its end, and the steal, as materialize.c has them.
_SHARED_LOCK = "    if (pthread_rwlock_tryrdlock(&context->lock) != 0) {"
_GIVE_UP = "    if (!cowi_context_give_up_share(context, keep)) {\n        (void)pthread_rwlock_unlock(&context->lock);"
_PLACED = (
    "    cowi_storage_lock(storage);\n    (void)cowi_put_in_place(storage, fresh);\n    cowi_storage_unlock(storage);\n"
)
_COPIED = "    (void)pthread_rwlock_unlock(&context->lock);\n    cowi_count(COWI_COPIES, 1);"
_STOLEN = "                cowi_count(COWI_STEALS, 1);\n"
_RELEASED = "    if (moved != NULL) {\n        cowi_context_release(moved);\n    }"
_PINNED = "    cowi_no_longer_busy(storage, moved ? context : NULL);\n    return status;"
_WAIT = "        (void)pthread_rwlock_wrlock(&context->lock);\n    }\n    (void)pthread_rwlock_unlock(&context->lock);"
_DROP_BOTH = "give_back(context, SHARE + 2 * REFERENCE);"
# The three compare-and-swaps of counts.
_GIVEN = "&context->counts, &counts, counts - SHARE)"
_EVICTED = "&context->counts, &counts, counts | STATE)"
_CLAIMED = "&context->counts, &counts, counts | FILLED)"
_LAST = "        last = cowi_context_last_share(context);\n"
_EVICT_ENTERS = (
    "    if (!cowi_gate_enter(true)) {\n"
    '        return cowi_fail(err, COW_EBUSY, "evict: a fork is in progress");\n    }\n'
)
_EVICT_LEAVES = "    cowi_gate_leave();\n    return status;\n"
_ONLY_SHARES = "if (shares(counts) != managed) {"
_ABSENT = (
    "        if (cowi_context_absent(context)) {\n            status = recall_for_write(storage, flags, err);\n"
    "            if (status != COW_OK) {\n                return status;\n            }\n"
    "            continue;\n        }\n"
)
_FINDS = "cowi_storage_find(storage);"
_RETAINED_FINDS = "cowi_context_retain(storage->context);\n    if (where == COWI_FILLED) {\n        " + _FINDS
_SHARED_FINDS = "cowi_context_share_and_retain(context);\n    if (where == COWI_FILLED) {\n        " + _FINDS
_COMMIT = "if (storage->context != context || storage->sole || cowi_load_seq_cst(&storage->busy)) {"

# Pages: what a copier does with them, and who looks at them.
_BY_PAGE = "    by_page = share_pages(storage, box, flags, &fresh, &copied);\n"
_PLAIN = "    by_page = false;\n"
_COPY = '    COWI_YIELD("copy");\n    if (!by_page) {\n'
_LATE_PAGES = (
    "    const cow_dataptr plain = fresh;\n    by_page = share_pages(storage, box, flags, &fresh, &copied);\n"
    "    if (by_page) {\n        cow_dataptr unused = plain;\n        cowi_dataptr_delete(&unused, storage->nbytes);\n"
    "    }\n    if (!by_page) {\n"
)
_EARLY_UNSHADOW = (
    "            cowi_context_unshadow(context);\n            status = wait_for_copies(context, flags, err);\n"
)
_PAGES_RETAIN = "    const cowi_where where = cowi_context_retain(context);\n    return where == COWI_HERE"
_PAGES_RELEASE = "    cowi_context_release(context); /* never the last: the Storage has a share */\n"
_AT_REST = "!cowi_load_seq_cst(&storage->busy) &&\n           cowi_load_acquire(&storage->pins) == 0;\n"
_LOOKS = "    storage->sole = false;\n    cowi_storage_unlock(storage);\n    COWI_YIELD("
_SETTLED = "    cowi_no_longer_busy(storage, storage->context != context ? context : NULL);\n}\n"
_RESTING = "    context = storage->context;\n    if (!cowi_has_pages_at_rest"
_NOT_AT_REST = (
    "    if (!cowi_has_pages_at_rest(storage)) {\n        cowi_storage_unlock(storage);\n        cowi_gate_leave();\n"
)

# name: [(file, text, replacement), ...]
CORE = {
    # memory orders
    "counts lowered relaxed": [
        ("context.c", "cowi_sub_acq_rel(&context->counts, what)", "cowi_sub_relaxed(&context->counts, what)")
    ],
    "last share seen relaxed": [
        (
            "context.c",
            "!context->foreign && shares(cowi_load_acquire(&context->counts)) == 1",
            "!context->foreign && shares(cowi_load_relaxed(&context->counts)) == 1",
        ),
        (  # a look whether the bytes are absent comes next, and is enough
            "context.c",
            "return (cowi_load_acquire(&context->counts) & ABSENT) != 0;",
            "return (cowi_load_relaxed(&context->counts) & ABSENT) != 0;",
        ),
    ],
    "pins lowered relaxed": [
        ("scope.c", "cowi_sub_release(&scope->storage->pins", "cowi_sub_relaxed(&scope->storage->pins")
    ],
    "pins seen relaxed": [("clone.c", "cowi_load_acquire(&source->pins)", "cowi_load_relaxed(&source->pins)")],
    "micro lock left relaxed": [
        ("internal.h", "cowi_store_release(&storage->lock, 0)", "cowi_store_relaxed(&storage->lock, 0)")
    ],
    "micro lock taken relaxed": [
        ("storage.c", "        if (cowi_cas_acquire(&storage->lock", "        if (cowi_cas_take_relaxed(&storage->lock")
    ],
    "waiters seen relaxed": [
        ("gate.c", "if (cowi_load_seq_cst(&waiting) != 0)", "if (cowi_load_relaxed(&waiting) != 0)")
    ],
    "waiter counted relaxed": [("gate.c", "cowi_add_seq_cst(&waiting, 1)", "cowi_add_relaxed(&waiting, 1)")],
    "busy waited for relaxed": [
        ("gate.c", "while (cowi_load_seq_cst(&storage->busy)) {", "while (cowi_load_relaxed(&storage->busy)) {")
    ],
    "busy lowered relaxed": [
        ("materialize.c", "cowi_store_seq_cst(&storage->busy, 0)", "cowi_store_relaxed(&storage->busy, 0)")
    ],
    "gate left relaxed": [("gate.c", "cowi_sub_seq_cst(&state, ONE_INSIDE)", "cowi_sub_relaxed(&state, ONE_INSIDE)")],
    "gate seen drained relaxed": [
        ("gate.c", "while (cowi_load_seq_cst(&state) != CLOSED) {", "while (cowi_load_relaxed(&state) != CLOSED) {")
    ],
    "gate reopened relaxed": [("gate.c", "cowi_and_seq_cst(&state, ~CLOSED)", "cowi_and_relaxed(&state, ~CLOSED)")],
    "gate entered relaxed": [
        (
            "gate.c",
            "while (cowi_add_seq_cst(&state, ONE_INSIDE) & CLOSED) {",
            "while (cowi_add_relaxed(&state, ONE_INSIDE) & CLOSED) {",
        )
    ],
    "readers left lowered relaxed": [
        ("scope.c", "cowi_sub_release(&context->left, 1)", "cowi_sub_relaxed(&context->left, 1)")
    ],
    "readers left seen relaxed": [
        ("materialize.c", "cowi_load_acquire(&context->left) == 0", "cowi_load_relaxed(&context->left) == 0")
    ],
    "share given up relaxed": [("context.c", "cowi_cas_acq_rel(" + _GIVEN, "cowi_cas_relaxed(" + _GIVEN)],
    "bytes evicted relaxed": [("context.c", "cowi_cas_acq_rel(" + _EVICTED, "cowi_cas_relaxed(" + _EVICTED)],
    "eviction ended relaxed": [
        (
            "context.c",
            "    context->shadow = NULL;\n    (void)cowi_sub_release(&context->counts, FILLED)",
            "    context->shadow = NULL;\n    (void)cowi_sub_relaxed(&context->counts, FILLED)",
        )
    ],
    "fill claimed relaxed": [
        ("context.c", "} while (!cowi_cas_acq_rel(" + _CLAIMED, "} while (!cowi_cas_relaxed(" + _CLAIMED)
    ],
    "fill ended relaxed": [
        (
            "context.c",
            "original = bytes;\n    (void)cowi_sub_release(&context->counts, ABSENT)",
            "original = bytes;\n    (void)cowi_sub_relaxed(&context->counts, ABSENT)",
        )
    ],
    "filled bytes seen relaxed": [
        (
            "context.c",
            "    (void)cowi_load_acquire(&context->counts);",
            "    (void)cowi_load_relaxed(&context->counts);",
        )
    ],
    "uses lowered relaxed": [
        ("storage.c", "cowi_sub_acq_rel(&storage->uses, 1)", "cowi_sub_relaxed(&storage->uses, 1)")
    ],
    "only user seen relaxed": [
        ("storage.c", "cowi_load_acquire(&storage->uses) == 1", "cowi_load_relaxed(&storage->uses) == 1")
    ],
    # the order of the steps
    "put in place after the unlock": [
        ("materialize.c", _PLACED + _COPIED, _COPIED.replace("\n", "\n" + _PLACED, 1)),
    ],
    "decrement before the shared lock": [
        (
            "materialize.c",
            _SHARED_LOCK,
            "    const bool gave = cowi_context_give_up_share(context, keep);\n" + _SHARED_LOCK,
        ),
        ("materialize.c", _GIVE_UP, _GIVE_UP.replace("cowi_context_give_up_share(context, keep)", "gave")),
    ],
    "share given up before the allocation": [
        (
            "materialize.c",
            '    COWI_YIELD("shared lock");',
            "    const bool gave = cowi_context_give_up_share(context, keep);",
        ),
        ("materialize.c", _GIVE_UP, _GIVE_UP.replace("cowi_context_give_up_share(context, keep)", "gave")),
    ],
    "no wait before the steal": [("materialize.c", _WAIT, "    }")],
    "reference released before the unlock": [
        ("materialize.c", _COPIED, "    cowi_context_release(context);\n" + _COPIED),
        ("materialize.c", _RELEASED, "    (void)moved;"),
    ],
    "context freed right after the unlock": [
        (
            "materialize.c",
            _STOLEN,
            _STOLEN + "                cowi_storage_lock(storage);\n"
            "                storage->ptr = context->original;\n"
            "                storage->context = NULL;\n"
            "                cowi_storage_unlock(storage);\n"
            "                cowi_context_discard(context);\n",
        ),
        ("scope.c", "    bool sole, moved = false;", "    bool sole, moved = false;\n    void *was;"),
        (
            "scope.c",
            "    status = cowi_materialize(storage, writer->box, writer->flags, err);",
            "    was = cowi_load_relaxed(&storage->address);\n"
            "    status = cowi_materialize(storage, writer->box, writer->flags, err);",
        ),
        (
            "scope.c",
            "        moved = storage->context != context;",
            "        moved = storage->context != context && cowi_load_relaxed(&storage->address) != was;",
        ),
    ],
    "bytes freed with the last share": [
        (
            "context.c",
            "    give_back(context, SHARE + REFERENCE);",
            "    if (shares(cowi_sub_acq_rel(&context->counts, SHARE)) == 1) {\n"
            "        cow_dataptr original = context->original;\n"
            "        cowi_dataptr_delete(&original, context->nbytes);\n"
            "        original.deleter = NULL;\n"
            "        context->original = original;\n    }\n"
            "    give_back(context, REFERENCE);",
        )
    ],
    "wake before busy is lowered": [
        (
            "materialize.c",
            "    cowi_store_seq_cst(&storage->busy, 0);\n",
            "    cowi_wake_busy();\n    cowi_store_seq_cst(&storage->busy, 0);\n",
        ),
        (
            "materialize.c",
            "    cowi_storage_unlock(storage);\n    cowi_wake_busy();",
            "    cowi_storage_unlock(storage);",
        ),
    ],
    # what is looked at
    "steal ignores readers left behind": [
        ("materialize.c", "if (cowi_load_acquire(&context->left) == 0) {", "if (true) {")
    ],
    "readers left not raised": [
        ("storage.c", "        (void)cowi_add_relaxed(&context->left, storage->scopes);\n", "")
    ],
    "struct freed with the Storage": [
        (
            "storage.c",
            "    cowi_storage_unuse(storage);\n}",
            "    cowi_storage_dealloc(storage->allocator, storage);\n}",
        )
    ],
    "wrap without looking again": [("storage.c", "storage->context == NULL && *spare != NULL", "*spare != NULL")],
    "second writer does not wait": [
        (
            "materialize.c",
            "        if (!cowi_load_seq_cst(&storage->busy)) {",
            "        if (cowi_load_seq_cst(&storage->busy) < 2) {",
        )
    ],
    "clone ignores busy": [
        ("clone.c", "if (cowi_load_seq_cst(&source->busy)) {", "if (cowi_load_seq_cst(&source->busy) > 1) {")
    ],
    "clone ignores pins": [("clone.c", "if (cowi_load_acquire(&source->pins) != 0) {", "if (false) {")],
    "clone leaves its source sole": [("clone.c", "        source->sole = false;\n", "")],
    "last share not refused": [
        ("context.c", "if ((shares(counts) == 1 && !last_too) ||", "if ((shares(counts) == 0) ||")
    ],
    "failure leaves the Storage busy": [
        (
            "scope.c",
            _PINNED,
            "    if (status != COW_OK) {\n        cowi_storage_unlock(storage);\n        cowi_gate_leave();\n"
            "        return status;\n    }\n" + _PINNED,
        )
    ],
    "const scope without a reference": [
        ("scope.c", "where = cowi_context_retain(storage->context);", "where = COWI_HERE;"),
        (
            "scope.c",
            "    cowi_storage_unuse(storage);\n    cowi_context_release(context);",
            "    cowi_storage_unuse(storage);",
        ),
    ],
    "overwrite without a share": [
        (
            "scope.c",
            "    out->old = cowi_load_relaxed(&storage->address);",
            "    (void)cowi_context_give_up_share(context, true);\n"
            "    out->old = cowi_load_relaxed(&storage->address);",
        ),
        ("context.c", _DROP_BOTH, "give_back(context, 2 * REFERENCE);"),
    ],
    "commit ignores busy": [("scope.c", _COMMIT, "if (storage->context != context || storage->sole) {")],
    "commit ignores the context": [("scope.c", _COMMIT, "if (storage->context == NULL) {")],
    # absence
    "eviction ignores references": [
        ("context.c", "if (shares(counts) != managed || references(counts) != managed) {", _ONLY_SHARES)
    ],
    "eviction ignores busy": [
        ("absence.c", "if (cowi_load_seq_cst(&storage->busy)) {", "if (cowi_load_seq_cst(&storage->busy) > 1) {")
    ],
    "eviction ignores pins": [("absence.c", "if (cowi_load_acquire(&storage->pins) != 0) {", "if (false) {")],
    "pins seen relaxed by an eviction": [
        ("absence.c", "if (cowi_load_acquire(&storage->pins)", "if (cowi_load_relaxed(&storage->pins)")
    ],
    "eviction leaves its Storage sole": [("absence.c", "    storage->sole = false;\n", "")],
    "eviction outside of the gate": [
        ("absence.c", _EVICT_ENTERS, ""),
        ("absence.c", _EVICT_LEAVES, _EVICT_LEAVES.partition("\n")[2]),
    ],
    "fill outside of the gate": [
        ("absence.c", "        (void)cowi_gate_enter(false);\n        cowi_storage_lock", "        cowi_storage_lock"),
        ("absence.c", "        cowi_gate_leave();\n        if (status != COW_EBUSY", "        if (status != COW_EBUSY"),
    ],
    "two fills at once": [("context.c", "if ((counts & STATE) != ABSENT) {", "if ((counts & ABSENT) == 0) {")],
    "fill looks for sharers when it is done": [
        ("absence.c", "if (alone && !cowi_load_seq_cst(&storage->busy)) {", "if (cowi_context_shares(context) == 1) {")
    ],
    "absent bytes are copied": [
        ("context.c", " || (counts & ABSENT)) {\n            return false;", ") {\n            return false;")
    ],
    "absence looked at before the shares": [
        ("materialize.c", _LAST, ""),
        ("materialize.c", _ABSENT, _ABSENT + _LAST),
    ],
    "absent bytes are read": [("context.c", "(reads && (before & ABSENT))", "(reads && false)")],
    "const scope does not find the bytes": [("scope.c", _RETAINED_FINDS, _RETAINED_FINDS.replace(_FINDS, ";"))],
    "steal does not find the bytes": [
        ("scope.c", "            cowi_storage_find(storage); /* another", "            ; /* another")
    ],
    "copy from where the bytes were": [
        (
            "materialize.c",
            "(const char *)original.data + storage->offset,",
            "cowi_load_relaxed(&storage->address),",
        )
    ],
    "overwrite does not find the bytes": [("scope.c", _SHARED_FINDS, _SHARED_FINDS.replace(_FINDS, ";"))],
    "overwrite without a reference": [
        ("context.c", "take(context, SHARE + 2 * REFERENCE,", "take(context, SHARE + REFERENCE,"),
        ("context.c", _DROP_BOTH, "cowi_context_drop(context);"),
    ],
    # pages
    "steal keeps the shadow": [("materialize.c", "                cowi_context_unshadow(context);\n", "")],
    "pages shared when the shadow may be gone": [
        ("materialize.c", _BY_PAGE, _PLAIN),
        ("materialize.c", _COPY, _LATE_PAGES),
        ("materialize.c", "            status = wait_for_copies(context, flags, err);\n", _EARLY_UNSHADOW),
        ("materialize.c", "                cowi_context_unshadow(context);\n", ""),
    ],
    "pages shared without a reference": [
        ("materialize.c", _PAGES_RETAIN, "    const cowi_where where = COWI_HERE;\n    return where == COWI_HERE"),
        ("materialize.c", _PAGES_RELEASE, ""),
    ],
    "shadow outlives its context": [
        ("context.c", "        cowi_context_unshadow(context);\n        original", "        original")
    ],
    "eviction keeps the shadow": [("context.c", "    *shadow = context->shadow;\n    context->shadow = NULL;\n", "")],
    "evicted shadow is not given back": [("absence.c", "    if (shadow != NULL) {\n", "    if (false) {\n")],
    "pages looked at while pinned": [("rest.c", _AT_REST, "!cowi_load_seq_cst(&storage->busy);\n")],
    "pins seen relaxed by a look at the pages": [("rest.c", _AT_REST, _AT_REST.replace("acquire", "relaxed"))],
    "pages looked at while busy": [("rest.c", _AT_REST, "cowi_load_acquire(&storage->pins) == 0;\n")],
    "pages looked at while sole": [("rest.c", _LOOKS, _LOOKS.partition("\n")[2])],
    "pages looked at outside of the gate": [
        (
            "rest.c",
            "    context = storage->context;\n    if (!cowi_has_pages_at_rest",
            "    cowi_gate_leave();\n" + _RESTING,
        ),
        ("rest.c", _NOT_AT_REST, _NOT_AT_REST.replace("        cowi_gate_leave();\n", "")),
        ("rest.c", _SETTLED, "    (void)cowi_gate_enter(false);\n" + _SETTLED),
    ],
    "pages given up, and nobody takes the old ones back": [
        ("rest.c", _SETTLED, "    cowi_no_longer_busy(storage, NULL);\n}\n")
    ],
    "overwritten pages stay sole": [
        ("scope.c", "        if (*by_page) {\n            storage->sole = false;\n        }\n", ""),
        ("scope.c", "    if (storage->sole || cowi_load_seq", "    if ((storage->sole && !by_page) || cowi_load_seq"),
    ],
    "a steal does not see the pages": [
        (
            "scope.c",
            "            cowi_storage_own(storage, context->original);\n",
            "            storage->sole = true;\n",
        )
    ],
    "a filler takes the bytes from who is busy": [
        ("absence.c", "if (alone && !cowi_load_seq_cst(&storage->busy)) {", "if (alone) {")
    ],
    "gate not drained": [
        ("gate.c", "    while (cowi_load_seq_cst(&state) != CLOSED) {", "    while (cowi_load_seq_cst(&state) == 0) {")
    ],
    "gate entered while closed": [
        (
            "gate.c",
            "    while (cowi_add_seq_cst(&state, ONE_INSIDE) & CLOSED) {",
            "    while (cowi_add_seq_cst(&state, ONE_INSIDE) == 999) {",
        )
    ],
}

# Those of CORE that GenMC runs, too, each under the one client that must break.
GENMC = {
    "counts lowered relaxed": "readers_left",
    "last share seen relaxed": "snapshot",
    "pins lowered relaxed": "pins",
    "pins seen relaxed": "pins",
    "micro lock left relaxed": "const_scope",
    "micro lock taken relaxed": "const_scope",
    "waiters seen relaxed": "waiting_room",
    "readers left lowered relaxed": "readers_left",
    "waiter counted relaxed": "waiting_room",
    "busy waited for relaxed": "waiting_room",
    "gate left relaxed": "fork_gate",
    "gate seen drained relaxed": "fork_gate",
    "gate reopened relaxed": "fork_gate",
    "gate entered relaxed": "fork_gate",
    "readers left seen relaxed": "readers_left",
    "uses lowered relaxed": "struct_lives",
    "only user seen relaxed": "struct_lives",
    "decrement before the shared lock": "drops",
    "share given up before the allocation": "failure",
    "no wait before the steal": "steal_and_free",
    "put in place after the unlock": "readers_left",
    "reference released before the unlock": "steal_and_free",
    "context freed right after the unlock": "steal_and_free",
    "bytes freed with the last share": "last_drop",
    "wrap without looking again": "wrap",
    "second writer does not wait": "one_storage",
    "clone ignores busy": "clone_of_busy",
    "clone ignores pins": "pins",
    "clone leaves its source sole": "pins",
    "last share not refused": "one_storage",
    "failure leaves the Storage busy": "failure",
    "const scope without a reference": "const_scope",
    "overwrite without a share": "overwrite",
    "commit ignores busy": "overwrite",
    "commit ignores the context": "overwrite",
    "steal ignores readers left behind": "readers_left",
    "readers left not raised": "readers_left",
    "struct freed with the Storage": "struct_lives",
    "bytes evicted relaxed": "evict_readers",
    "eviction ignores references": "evict_readers",
    "absent bytes are read": "evict_readers",
    "fill ended relaxed": "evict_readers",
    "filled bytes seen relaxed": "evict_readers",
    "const scope does not find the bytes": "evict_readers",
    "eviction ignores pins": "evict_one",
    "pins seen relaxed by an eviction": "evict_one",
    "eviction leaves its Storage sole": "evict_one",
    "gate not drained": "fork_gate",
    "gate entered while closed": "fork_gate",
}
