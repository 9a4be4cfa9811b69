#!/usr/bin/env python3
"""Check that the C tests find planted faults: each fault must make the test fail that is named beside it.

usage: mutants.py [word ...]     only faults whose name has one of the words

A fault is one or more replacements in copies of src/core; each text must occur exactly once in its file, so that a
change of the core cannot make a fault vanish unseen. What finds it is a test or an assertion of the core. Every
assertion must be known to go red: it stands beside a fault here, or has a row in test_assertions.c.

It is one file because it is one list: whoever changes the core looks there for all that breaks with it.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bases_mutants import BASES
from grounds_mutants import GROUNDS
from pages_mutants import PAGES
from paging_mutants import PAGING
from pasts_mutants import PASTS
from travel_mutants import TRAVEL

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tools"))
from sampling import sampled  # noqa: E402

CORE = ROOT / "src" / "core"
BUILD = ROOT / "build" / "mutants"
CC = os.environ.get("CC", "cc").split()
SHARED = dict(re.findall(r"^(\w+) := (.*)$", (ROOT / "flags.mk").read_text(), re.M))
COMMON = SHARED["STANDARD"].split() + SHARED["NO_PAUSE"].split()
FLAGS = [*COMMON, "-w", "-O0", "-pthread", f"-I{ROOT / 'include'}", f"-I{HERE}"]

_COMMIT_ENTERS = '    COWI_YIELD("commit");\n    (void)cowi_gate_enter(false);\n'
_COMMIT_REFUSES = (
    "        cowi_gate_leave();\n        return cowi_fail(err, COW_EMOVED, \"the Storage's bytes were replaced"
)
_COMMIT_LEAVES = "    cowi_gate_leave();\n    cowi_count(COWI_OVERWRITES, 1);\n"
_COMMIT_DROPS = (
    "    cowi_context_drop(context);             /* the Storage's share */\n"
    "    cowi_context_drop_and_release(context); /* the scope's */\n    return COW_OK;"
)
# Programs for which the calls of these files come to failing.c.
_FAILING_PROGRAMS = {f"test_pages_{name}" for name in ("bases", "failures", "families", "ledger", "pasts", "policy")}
_FAILING_FILES = {
    f"{name}.c"
    for name in (
        "pages",
        "policy",
        "windows",
        "aside",
        "pasts",
        "maps",
        "commits",
        "base",
        "dirty",
        "prices",
        "family",
        "lender",
        "ground",
        "differences",
        "travel",
    )
}
_FAILING = ["-DFAILING_RENAMES", "-include", str(HERE / "failing.h")]

_RELEASE = "    if (moved != NULL) {\n        cowi_context_release(moved);\n    }\n"
_GIVE_BACK = "        cowi_large_give_back();\n        data = "

# name: (program, test, [(file, text, replacement), ...])
FAULTS = {
    "Storages without a context seem to share": (
        "test_scopes",
        "who_shares_an_allocation_can_be_asked",
        [("storage.c", "(context != NULL && context == context_of(other))", "context == context_of(other)")],
    ),
    "a Storage gets a context in two steps that a fork may part": (
        "test_fork",
        "child_finds_a_storage_on_its_way_into_a_context",
        [
            (
                "storage.c",
                "        cowi_keep_order(); /*",
                "        storage->ptr.data = NULL;\n        cowi_keep_order(); /*",
            )
        ],
    ),
    "two blocks nowhere have one address": (
        "test_nowhere",
        "blocks_have_addresses_of_their_own_in_the_region",
        [
            (
                "slots.c",
                "cowi_store_relaxed(&in->hint, (slot + 1) % in->count);",
                "cowi_store_relaxed(&in->table[slot], NULL);",
            )
        ],
    ),
    "what is freed nowhere stays on its account": (
        "test_nowhere",
        "accounts_add_up",
        [("account.c", "    cowi_account_shrink(account, nbytes);\n", "")],
    ),
    "an account is freed below its blocks": (
        "test_nowhere",
        "accounts_add_up",
        [("account.c", "    (void)cowi_add_relaxed(&account->references, 1);\n", "")],
    ),
    "bytes nowhere add up beyond a number": (
        "test_nowhere",
        "sums_stay_numbers",
        [("slots.c", "|| !cowi_account_has_room(account, nbytes)", "")],
    ),
    "a slot that was given back is taken last": (
        "test_nowhere",
        "slots_are_used_again",
        [("slots.c", "    cowi_store_relaxed(&of->hint, (size_t)((char *)data - of->start) / SLOT);\n", "")],
    ),
    "under a limit fakes take the program's addresses": (
        "test_nowhere",
        "under_a_limit_regions_are_small_and_added",
        [("slots.c", "limit() == SIZE_MAX ||", "limit() != 0 ||")],
    ),
    "regions are not added": (
        "test_nowhere",
        "under_a_limit_regions_are_small_and_added",
        [("slots.c", "i < REGIONS; i++) {\n        region *in", "i < 1; i++) {\n        region *in")],
    ),
    "a refused slot names no limit": (
        "test_nowhere",
        "what_failed_is_said",
        [("nowhere.c", "allocator == &nowhere ?", "allocator == NULL ?")],
    ),
    "a clone of nothing is not counted": (
        "test_nowhere",
        "a_storage_costs_what_a_real_one_would",
        [("account.c", "(void)cowi_add_relaxed(&account->copied, nbytes);", "(void)nbytes;")],
    ),
    "a kept block that is too large is used again": (
        "test_allocators",
        "!is_kept(data)",
        [("large.c", "kept[i].mapped == mapped", "kept[i].mapped >= mapped")],
    ),
    "kept blocks stay where a mapping fails": (
        "test_allocators",
        "what_is_kept_is_given_back_when_memory_is_short",
        [("large.c", _GIVE_BACK + "map(mapped);", "        data = map(mapped);")],
    ),
    "kept blocks stay where malloc fails": (
        "test_allocators",
        "what_is_kept_is_given_back_when_memory_is_short",
        [("memory.c", _GIVE_BACK + "small_alloc", "        data = small_alloc")],
    ),
    "a mapping that failed is not tried again": (
        "test_allocators",
        "what_is_kept_is_given_back_when_memory_is_short",
        [("large.c", _GIVE_BACK + "map(mapped);", "        cowi_large_give_back();")],
    ),
    "blocks are kept beyond the bound": (
        "test_allocators",
        "freed_large_blocks_are_kept_up_to_the_bound",
        [("large.c", "trim(mapped <= most ? most - mapped : most);", "trim(most);")],
    ),
    "no more than the bound is kept, whatever is in use": (
        "test_allocators",
        "as_much_is_kept_as_is_in_use",
        [("large.c", "limit == 0 || limit > used ? limit : used", "limit")],
    ),
    "with a bound of 0 blocks are kept": (
        "test_allocators",
        "as_much_is_kept_as_is_in_use",
        [("large.c", "limit == 0 || limit > used", "limit > used")],
    ),
    "a fresh block comes on top of the kept ones": (
        "test_allocators",
        "as_much_is_kept_as_is_in_use",
        [("large.c", "data == NULL && kept_bytes > limit", "false")],
    ),
    "the heap's calloc trusts a used block to be zero": (
        "test_allocators",
        "malloc_of_the_heap_keeps_its_contracts",
        [("memory.c", "memset(data, 0, count * nbytes)", "data")],
    ),
    "the heap's small blocks lie where malloc puts them": (
        "test_allocators",
        "malloc_of_the_heap_keeps_its_contracts",
        [
            ("memory.c", "heap_alloc(NULL, RECORD + nbytes, COW_ALIGNMENT)", "malloc(RECORD + nbytes)"),
            (
                "memory.c",
                "heap_free(NULL, (char *)data - RECORD, RECORD + nbytes, COW_ALIGNMENT)",
                "free((char *)data - RECORD)",
            ),
        ],
    ),
    "the heap's realloc copies nothing": (
        "test_allocators",
        "malloc_of_the_heap_keeps_its_contracts",
        [("memory.c", "memcpy(moved, data, before < nbytes ? before : nbytes);", "")],
    ),
    "blocks are kept under a limit on address space": (
        "test_allocators",
        "nothing_is_kept_under_a_limit_on_memory",
        [("large.c", "getrlimit(RLIMIT_AS, &space) == 0 &&", "false &&")],
    ),
    "blocks are kept under a limit on data": (
        "test_allocators",
        "nothing_is_kept_under_a_limit_on_memory",
        [("large.c", "getrlimit(RLIMIT_DATA, &data) == 0 &&", "false &&")],
    ),
    "a commit outside of the gate": (
        "test_gate",
        "no_storage_gets_other_bytes_while_a_fork_is_under_way",
        [
            ("scope.c", _COMMIT_ENTERS, ""),
            ("scope.c", _COMMIT_REFUSES, _COMMIT_REFUSES.replace("cowi_gate_leave();", "", 1)),
            ("scope.c", _COMMIT_LEAVES, _COMMIT_LEAVES.replace("cowi_gate_leave();", "", 1)),
        ],
    ),
    "the closed gate lets writers in": (
        "test_gate",
        "no_storage_gets_other_bytes_while_a_fork_is_under_way",
        [("gate.c", "(cowi_add_seq_cst(&state, ONE_INSIDE) & CLOSED)", "(cowi_add_seq_cst(&state, ONE_INSIDE) & 0)")],
    ),
    "a write lets go of the old bytes in the gate": (
        "test_gate",
        "deleters_may_fork",
        [
            ("materialize.c", _RELEASE, ""),
            ("materialize.c", "    cowi_wake_busy();\n", _RELEASE + "    cowi_wake_busy();\n"),
        ],
    ),
    "a commit lets go of the old bytes in the gate": (
        "test_gate",
        "deleters_may_fork",
        [
            ("scope.c", _COMMIT_LEAVES, "    cowi_count(COWI_OVERWRITES, 1);\n"),
            ("scope.c", _COMMIT_DROPS, _COMMIT_DROPS.replace("return", "cowi_gate_leave();\n    return")),
        ],
    ),
}

_TAKE_LEAVES = "    cowi_gate_leave();\n    return status;\n"
_EVICT_DELETES = "        cowi_dataptr_delete(&bytes, nbytes);\n    }\n"
_IS_THERE = "    if (context == NULL || !cowi_context_is_gone(context)) {\n"
_REMADE = "return status == COW_EABSENT ? cow_lazy_clone(source, offset, nbytes, flags, out, err) : status;"

FAULTS |= {
    "born absent, and with the bytes of another": (
        "test_absence",
        "born_absent_takes_no_bytes",
        [("absence.c", "    cowi_context_begin_absent(storage->context);\n", "")],
    ),
    "a scope is taken for a sharer": (
        "test_absence",
        "open_scopes_keep_the_bytes",
        [("context.c", "if (shares(counts) != managed || references", "if (references")],
    ),
    "an overwrite scope is taken for a sharer": (
        "test_absence",
        "open_scopes_keep_the_bytes",
        [
            ("context.c", "take(context, SHARE + 2 * REFERENCE,", "take(context, SHARE + REFERENCE,"),
            ("context.c", "give_back(context, SHARE + 2 * REFERENCE);", "cowi_context_drop(context);"),
        ],
    ),
    "an eviction ignores readers": (
        "test_absence",
        "open_scopes_keep_the_bytes",
        [
            (
                "context.c",
                "if (shares(counts) != managed || references(counts) != managed)",
                "if (shares(counts) != managed)",
            )
        ],
    ),
    "an eviction ignores pins": (
        "test_absence",
        "open_scopes_keep_the_bytes",
        [("absence.c", "if (cowi_load_acquire(&storage->pins) != 0) {", "if (false) {")],
    ),
    "an eviction ignores busy": (
        "test_absence",
        "a_busy_storage_is_not_evicted",
        [("absence.c", "if (cowi_load_seq_cst(&storage->busy)) {", "if (false) {")],
    ),
    "an eviction ignores those that read without a scope": (
        "test_absence",
        "readers_left_behind_keep_the_bytes",
        [("absence.c", "if (cowi_load_relaxed(&context->left) != 0) {", "if (false) {")],
    ),
    "foreign bytes are evicted": (
        "test_absence",
        "foreign_bytes_are_not_evicted",
        [("absence.c", "    if (context->foreign) {", "    if (false) {")],
    ),
    "who is evicted keeps its address": (
        "test_absence",
        "eviction_frees_the_bytes_for_all_sharers",
        [("absence.c", "    cowi_store_release(&storage->address, NULL);\n", "")],
    ),
    "absent bytes have readers without a scope": (
        "test_absence",
        "readers_left_behind_keep_the_bytes",
        [("storage.c", " && !cowi_context_absent(storage->context)) { /* absent", ") { /* absent")],
    ),
    "a fill of another size": (
        "test_absence",
        "what_is_no_fill_changes_nothing",
        [("absence.c", "    if (nbytes != context->nbytes) {", "    if (false) {")],
    ),
    "a fill without data": (
        "test_absence",
        "what_is_no_fill_changes_nothing",
        [("absence.c", "    if (ptr.data == NULL) {", "    if (false) {")],
    ),
    "a late filler is told of a wrong size": (
        "test_absence",
        "what_is_no_fill_changes_nothing",
        [
            (
                "absence.c",
                _IS_THERE,
                "    if (nbytes != cow_storage_allocated(storage)) {\n        return COW_EINVAL;\n    }\n" + _IS_THERE,
            )
        ],
    ),
    "a filler is sole among sharers": (
        "test_absence",
        "writes_after_a_fill",
        [("context.c", "*alone = shares(counts) == 1;", "*alone = true;")],
    ),
    "a filler that is alone is not sole": (
        "test_absence",
        "what_was_alone_is_alone_again",
        [("context.c", "*alone = shares(counts) == 1;", "*alone = false;")],
    ),
    "the window of a window starts in the allocation": (
        "test_absence",
        "lazy_clones_share_the_absence",
        [("clone.c", "made->offset = source->offset + offset;", "made->offset = offset;")],
    ),
    "a clone of what has no address has one": (
        "test_absence",
        "lazy_clones_share_the_absence",
        [("clone.c", "if (where == COWI_HERE || address != NULL) {", "if (true) {")],
    ),
    "a fill does not tell its Storage where the bytes are": (
        "test_absence",
        "each_handle_is_deleted_once",
        [("absence.c", "(char *)ptr.data + storage->offset);", "(char *)ptr.data);")],
    ),
    "a clone says that the bytes are absent": (
        "test_absence",
        "an_eager_clone_of_what_is_evicted_meanwhile_is_lazy",
        [("clone.c", _REMADE, "return status;")],
    ),
    "a clone that is read at once shares absent bytes": (
        "test_absence",
        "a_clone_that_is_read_at_once_needs_bytes",
        [("clone.c", "where == COWI_ABSENT && (flags & COW_READS)", "false")],
    ),
    "a clone that is read at once has the address of before": (
        "test_absence",
        "a_clone_that_is_read_at_once_knows_where_the_bytes_are",
        [("clone.c", "        cowi_storage_find(source);\n", "        (void)0;\n")],
    ),
    "a clone that is read at once stays a reader": (
        "test_absence",
        "a_clone_that_is_read_at_once_knows_where_the_bytes_are",
        [
            (
                "storage.c",
                "        cowi_context_drop_and_release(storage->context);",
                "        cowi_context_drop(storage->context);",
            )
        ],
    ),
    "a clone that is read at once and written to stays a reader": (
        "test_absence",
        "a_clone_that_is_read_at_once_knows_where_the_bytes_are",
        [
            (
                "storage.c",
                "        cowi_context_release(context); /* never the last: the caller has the share's */\n",
                "",
            )
        ],
    ),
    "who asks for the allocation stays a reader": (
        "test_absence",
        "sharers_have_one_allocation",
        [
            (
                "storage.c",
                "            first = original.data;\n            cowi_context_release(storage->context);",
                "            first = original.data;",
            )
        ],
    ),
    "bytes that are taken are freed": (
        "test_absence",
        "bytes_that_are_taken_are_the_callers",
        [
            (
                "absence.c",
                "        *out = bytes;\n",
                "        *out = bytes;\n        cowi_dataptr_delete(&bytes, nbytes);\n",
            )
        ],
    ),
    "a Storage is never busy": (
        "test_absence",
        "a_busy_storage_is_not_evicted",
        [("storage.c", "return cowi_load_seq_cst(&storage->busy) != 0;", "return 0;")],
    ),
    "a reader of absent bytes stays counted": (
        "test_absence",
        "eviction_frees_the_bytes_for_all_sharers",
        [("context.c", "        give_back(context, what);\n        return full", "        return full")],
    ),
    "a fill outside of the gate": (
        "test_gate",
        "a_fill_waits_for_a_fork",
        [
            (
                "absence.c",
                "        (void)cowi_gate_enter(false);\n        cowi_storage_lock",
                "        cowi_storage_lock",
            ),
            (
                "absence.c",
                "        cowi_gate_leave();\n        if (status != COW_EBUSY",
                "        if (status != COW_EBUSY",
            ),
        ],
    ),
    "an eviction lets go of the bytes in the gate": (
        "test_gate",
        "deleters_may_fork",
        [
            ("absence.c", _TAKE_LEAVES, _TAKE_LEAVES.partition("\n")[2]),
            ("absence.c", _EVICT_DELETES, _EVICT_DELETES + "    cowi_gate_leave();\n"),
        ],
    ),
}

FAULTS |= PAGES | BASES | GROUNDS | TRAVEL | PAGING | PASTS

# The same, of the assertions that no test can break from outside. The core has the full ones.
ASSERTED = {
    "one block more is kept than there is room for": (
        "test_allocators",
        "count <= SLOTS",
        [
            ("large.c", "if (count == SLOTS) {", "if (count > SLOTS) {"),
            ("large.c", "} kept[SLOTS];", "} kept[2 * SLOTS];"),
        ],
    ),
    "a kept block is not where it began": (
        "test_allocators",
        "kept[i].data != NULL && (uintptr_t)kept[i].data % grain(kept[i].mapped) == 0",
        [("large.c", "kept[count].data = data;", "kept[count].data = (char *)data + 64;")],
    ),
    "a kept block has another size": (
        "test_allocators",
        "kept[i].mapped > 0 && kept[i].mapped % PAGES == 0",
        [("large.c", "kept[count].mapped = mapped;", "kept[count].mapped = nbytes - 1;")],
    ),
    "what is used again still counts as kept": (
        "test_allocators",
        "sum == kept_bytes",
        [("large.c", "    kept_bytes -= kept[index].mapped;\n", "")],
    ),
    "with a bound of 0 what was kept stays": (
        "test_allocators",
        "limit > 0 || kept_bytes == 0",
        [("large.c", "    limit = nbytes;\n    trim(limit);", "    limit = nbytes;")],
    ),
}

# What must not compile: (file, definitions).
REFUSED = {
    "counts that may wrap": ("assertions.c", ["-DCOWI_COUNT_LIMIT=((size_t)1<<29)"]),
    "counts that nobody can share": ("assertions.c", ["-DCOWI_COUNT_LIMIT=((size_t)1)"]),
}


class Missed(Exception):
    pass


def compiled(source, directory, core, *more, failing=False):
    """Where the object is. failing: its calls come to failing.c."""
    if failing and source.name in _FAILING_FILES:
        directory, more = directory / "failing", [*more, *_FAILING]
        directory.mkdir(exist_ok=True)
    made = directory / f"{source.stem}.o"
    subprocess.run([*CC, *FLAGS, *more, f"-I{core}", "-c", source, "-o", made], check=True)
    return made


def refused(file, definitions):
    """Whether the compiler says no, and a static assertion why."""
    command = [*CC, *FLAGS, *definitions, f"-I{CORE}", "-fsyntax-only", CORE / file]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode != 0 and "static assertion failed" in done.stderr.lower().replace("_", " ")


def assertions(known):
    """How many assertions the core has. Each is among the known ones, or in a row of test_assertions.c."""
    text = "\n".join(path.read_text() for path in sorted(CORE.glob("*.c")))
    found = re.findall(r"COWI_ASSERT(?:_FULL)?\((.*)\);", text)
    if len(found) < 30 or len(found) != len(re.findall(r"COWI_ASSERT(?:_FULL)?\(", text)):
        raise Missed("the assertions were not found: each stands in one line")
    table = (HERE / "test_assertions.c").read_text().partition("breakages[] = {")[2]
    rows = re.findall(r'\{(?:FULL|RELEASE),\s*"(.*?)",\s*\w+\}', table)
    red = {*rows, *known}
    if set(found) != red:
        raise Missed(f"not known to go red: {sorted({*found} - red)}; not in the core: {sorted(red - {*found})}")
    return len(found)


def misplaced(replacements):
    """What is wrong with the texts that a fault replaces; empty: each occurs exactly once."""
    for file, text, _ in replacements:
        count = (CORE / file).read_text().count(text)
        if count != 1:
            return f"{count} places in {file} instead of one:\n{text}"
    return ""


def planted(name, replacements):
    """A copy of src/core with the fault, and the files that differ."""
    core = BUILD / re.sub(r"\W+", "-", name)
    shutil.rmtree(core, ignore_errors=True)
    shutil.copytree(CORE, core)
    for file, text, replacement in replacements:
        (core / file).write_text((core / file).read_text().replace(text, replacement))
    return core, {core / file for file, _, _ in replacements}


def run(program, objects, directory, test=""):
    """What the tests say with these objects, or that one test, and their status."""
    made = directory / program
    subprocess.run([*CC, "-pthread", *objects, "-o", made], check=True)
    # What finds the faults is no stress test. An assertion may be anywhere.
    only = test if test.isidentifier() else ""
    environment = {**os.environ, "COWARRAY_TEST_SCALE": "1", "COWARRAY_TEST_ONLY": only}
    try:
        done = subprocess.run([made], env=environment, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired as error:
        raise Missed(f"{program} hangs") from error
    return done.stderr, done.returncode


def main(words):
    every = FAULTS | ASSERTED
    chosen = [name for name in every if not words or any(word in name for word in words)]
    missed = 0
    for name in chosen:  # those that are left out today, too
        if wrong := misplaced(every[name][2]):
            print(f"{name}: NOT FOUND: {wrong}", flush=True)
            missed += 1
    faults = {name: every[name] for name in sampled(chosen, "planted faults of the core")}
    sound = BUILD / "sound"
    shutil.rmtree(BUILD, ignore_errors=True)
    sound.mkdir(parents=True)
    programs = {program for program, _, _ in faults.values()}
    core, tests = {}, {}
    for program in programs:
        failing = program in _FAILING_PROGRAMS
        sources = [program, "harness", "paging", "tracing", *(["failing", "priced"] if failing else [])]
        core[program] = {path.name: compiled(path, sound, CORE, failing=failing) for path in CORE.glob("*.c")}
        tests[program] = [compiled(HERE / f"{name}.c", sound, CORE) for name in sources]
    for program in programs:
        said, status = run(program, [*core[program].values(), *tests[program]], sound)
        if status != 0:
            sys.exit(f"{program} fails without any fault:\n{said}")

    def look(name):
        """Whether the test finds a fault, and what to say of it."""
        program, test, replacements = faults[name]
        try:
            directory, changed = planted(name, replacements)
            full = SHARED["ASSERTIONS"].split() if name in ASSERTED else []
            failing = program in _FAILING_PROGRAMS
            new = {path.name: compiled(path, directory, directory, *full, failing=failing) for path in changed}
            objects = [*(core[program] | new).values(), *tests[program]]
            said, status = run(program, objects, directory, test)
            crashed = status < 0 and test.isidentifier()  # and nothing else was run
            if status == 0 or not (crashed or f"{test}: FAILED" in said or f"broken: {test}\n" in said):
                raise Missed(f"{program} ends with status {status}, and {test} does not fail\n{said}")
        except Missed as what:
            return False, f"{name}: NOT FOUND: {what}"
        return True, f"{name}: {test}"

    with ThreadPoolExecutor(max_workers=2) as pool:
        for found, line in pool.map(look, faults):
            print(line, flush=True)
            missed += not found
    for name, (file, definitions) in REFUSED.items():
        if not refused(file, definitions):
            print(f"{name}: NOT FOUND: it compiles", flush=True)
            missed += 1
    print(f"{assertions({test for _, test, _ in ASSERTED.values()})} assertions are known to go red")
    print(f"{len(faults) - missed} of {len(faults)} faults found by the C tests")
    return 1 if missed or not faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
