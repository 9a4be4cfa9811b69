"""The faults that the models must find: without them, a check that finds nothing says nothing.

`SPIN` maps a fault that spin/protocol.pml knows by -D to the models that must break under it. `CORE` holds faults as
replacements in copies of src/core; each text must occur exactly once in its file, so that a change of the core cannot
make a mutant vanish unseen.
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
}

# The copy, its end, and the steal, as scope.c has them.
_SHARED_LOCK = "    if (pthread_rwlock_tryrdlock(&context->lock) != 0) {"
_GIVE_UP = "    if (!cowi_context_give_up_share(context)) {\n        (void)pthread_rwlock_unlock(&context->lock);"
_COPIED = "storage->nbytes);\n    (void)pthread_rwlock_unlock(&context->lock);\n    cowi_count(COWI_COPIES, 1);"
_WAIT = "        (void)pthread_rwlock_wrlock(&context->lock);\n    }\n    (void)pthread_rwlock_unlock(&context->lock);"
_COMMIT = "if (storage->context != context || storage->sole || cowi_load_seq_cst(&storage->busy)) {"

# name: [(file, text, replacement), ...]
CORE = {
    # memory orders
    "references lowered relaxed": [
        ("context.c", "cowi_sub_acq_rel(&context->references, 1)", "cowi_sub_relaxed(&context->references, 1)")
    ],
    "share given up relaxed": [("context.c", "cowi_cas_acq_rel(", "cowi_cas_relaxed(")],
    "share dropped relaxed": [
        ("context.c", "cowi_sub_acq_rel(&context->shares, 1)", "cowi_sub_relaxed(&context->shares, 1)")
    ],
    "last share seen relaxed": [
        ("scope.c", "cowi_load_acquire(&context->shares)", "cowi_load_relaxed(&context->shares)")
    ],
    "pins lowered relaxed": [
        ("scope.c", "cowi_sub_release(&scope->storage->pins", "cowi_sub_relaxed(&scope->storage->pins")
    ],
    "pins seen relaxed": [("storage.c", "cowi_load_acquire(&source->pins)", "cowi_load_relaxed(&source->pins)")],
    "micro lock left relaxed": [
        ("storage.c", "cowi_store_release(&storage->lock, 0)", "cowi_store_relaxed(&storage->lock, 0)")
    ],
    "micro lock taken relaxed": [
        ("storage.c", "        if (cowi_cas_acquire(&storage->lock", "        if (cowi_cas_take_relaxed(&storage->lock")
    ],
    "waiters seen relaxed": [
        ("gate.c", "if (cowi_load_seq_cst(&waiting) != 0)", "if (cowi_load_relaxed(&waiting) != 0)")
    ],
    # the order of the steps
    "decrement before the shared lock": [
        ("scope.c", _SHARED_LOCK, "    const bool gave = cowi_context_give_up_share(context);\n" + _SHARED_LOCK),
        ("scope.c", _GIVE_UP, _GIVE_UP.replace("cowi_context_give_up_share(context)", "gave")),
    ],
    "share given up before the allocation": [
        ("scope.c", '    COWI_YIELD("shared lock");', "    const bool gave = cowi_context_give_up_share(context);"),
        ("scope.c", _GIVE_UP, _GIVE_UP.replace("cowi_context_give_up_share(context)", "gave")),
    ],
    "no wait before the steal": [("scope.c", _WAIT, "    }")],
    "reference released before the unlock": [
        ("scope.c", _COPIED, _COPIED.replace(";\n    (void)", ";\n    cowi_context_release(context);\n    (void)", 1)),
        ("scope.c", "    if (left != NULL) {\n        cowi_context_release(left);\n    }", ""),
    ],
    "bytes freed with the last share": [
        (
            "context.c",
            "    (void)cowi_sub_acq_rel(&context->shares, 1);",
            "    if (cowi_sub_acq_rel(&context->shares, 1) == 1) {\n"
            "        cowi_dataptr_delete(&context->original, context->nbytes);\n"
            "        context->original.deleter = NULL;\n    }",
        )
    ],
    "wake before busy is lowered": [
        (
            "scope.c",
            "    cowi_store_seq_cst(&storage->busy, 0);\n",
            "    cowi_wake_busy();\n    cowi_store_seq_cst(&storage->busy, 0);\n",
        ),
        ("scope.c", "    cowi_storage_unlock(storage);\n    cowi_wake_busy();", "    cowi_storage_unlock(storage);"),
    ],
    # what is looked at
    "wrap without looking again": [("storage.c", "storage->context == NULL && *spare != NULL", "*spare != NULL")],
    "second writer does not wait": [
        (
            "scope.c",
            "        if (!cowi_load_seq_cst(&storage->busy)) {",
            "        if (cowi_load_seq_cst(&storage->busy) < 2) {",
        )
    ],
    "clone ignores busy": [
        ("storage.c", "if (cowi_load_seq_cst(&source->busy)) {", "if (cowi_load_seq_cst(&source->busy) > 1) {")
    ],
    "clone ignores pins": [("storage.c", "if (cowi_load_acquire(&source->pins) != 0) {", "if (false) {")],
    "clone leaves its source sole": [("storage.c", "        source->sole = false;\n", "")],
    "last share not refused": [("context.c", "if (shares == 1 && !context->foreign) {", "if (shares == 0) {")],
    "failure leaves the Storage busy": [
        (
            "scope.c",
            "    cowi_store_seq_cst(&storage->busy, 0);\n",
            "    if (status == COW_OK) {\n        cowi_store_seq_cst(&storage->busy, 0);\n    }\n",
        )
    ],
    "const scope without a reference": [
        ("scope.c", "    cowi_context_retain(storage->context);\n", ""),
        ("scope.c", "    cowi_context_release((cowi_context *)scope->context);", "    (void)scope;"),
    ],
    "overwrite without a share": [
        (
            "scope.c",
            "    out->old = cowi_load_relaxed(&storage->address);",
            "    (void)cowi_sub_acq_rel(&context->shares, 1);\n    out->old = cowi_load_relaxed(&storage->address);",
        ),
        ("scope.c", "    cowi_context_drop(context); /* the scope's */", "    cowi_context_release(context);"),
        (
            "scope.c",
            "scope->nbytes);\n    cowi_context_drop(context);\n}",
            "scope->nbytes);\n    cowi_context_release(context);\n}",
        ),
    ],
    "commit ignores busy": [("scope.c", _COMMIT, "if (storage->context != context || storage->sole) {")],
    "commit ignores the context": [("scope.c", _COMMIT, "if (storage->context == NULL) {")],
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
