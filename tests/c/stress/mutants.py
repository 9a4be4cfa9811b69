#!/usr/bin/env python3
"""Check that the stress program finds the faults it is there for, each within seconds; with --fuzz, the fuzzer.

usage: mutants.py [--fuzz] [--seconds S] [word ...]     only mutants whose name has one of the words

The faults: those of tests/model/mutants.py that show on any machine, and some more. Left to the models: memory orders,
a window of two instructions (reference released before the unlock), and a copy too many (last share not refused).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build" / "stress"
CC = os.environ.get("CC", "cc").split()
FLAGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-w", "-O1", "-pthread", "-DCOWI_YIELD_POINTS"]

sys.path.insert(0, str(ROOT / "tests" / "model"))
from mutants import CORE  # noqa: E402

# The end of a copy, as scope.c has it.
_PUT = "    cowi_storage_lock(storage);\n    (void)put_in_place(storage, fresh);\n    cowi_storage_unlock(storage);\n"
_UNLOCK = "    (void)pthread_rwlock_unlock(&context->lock);\n"
_LOCK = "    if (pthread_rwlock_tryrdlock(&context->lock) != 0) {"
_GIVE_UP = "    if (!cowi_context_give_up_share(context, keep)) {"
_GAVE = "    const bool gave = cowi_context_give_up_share(context, keep);\n"

OWN = {
    "decrement before the shared lock": [
        ("scope.c", _LOCK, _GAVE + _LOCK),
        ("scope.c", _GIVE_UP, "    if (!gave) {"),
    ],
    "share given up before the allocation": [
        ("scope.c", '    COWI_YIELD("shared lock");\n', _GAVE),
        ("scope.c", _GIVE_UP, "    if (!gave) {"),
    ],
    "const scope without a reference": [
        ("scope.c", "    cowi_context_retain(storage->context);\n", ""),
        ("scope.c", "unuse(storage);\n    cowi_context_release(context);", "unuse(storage);"),
    ],
    "steal ignores readers left behind": [
        ("scope.c", "            if (cowi_load_acquire(&context->left) == 0) {", "            if (true) {")
    ],
    "readers left behind after the unlock": [("scope.c", _PUT + _UNLOCK, _UNLOCK + _PUT)],
    "a moved Storage takes its readers along": [
        ("storage.c", "    if (storage->scopes > 0) {\n        (void)", "    if (false) {\n        (void)")
    ],
    "an ended scope stays left behind": [("scope.c", "        (void)cowi_sub_release(&context->left, 1);\n", "")],
    "a freed Storage takes its struct along": [
        ("storage.c", "    if (cowi_sub_acq_rel(&storage->uses, 1) == 1) {", "    if (true) {")
    ],
    "fresh bytes of a clone are not copied": [
        ("storage.c", "    made->allocator->clone(", "    if (false) made->allocator->clone(")
    ],
    "commit leaves the old share": [("scope.c", "    cowi_context_drop(context); /* the Storage's share */\n", "")],
}
FAULTS = CORE | OWN

# What shows without threads; fuzzed from nothing, not from the corpus.
FUZZED = {
    "clone ignores pins": FAULTS["clone ignores pins"],
    "steal ignores readers left behind": OWN["steal ignores readers left behind"],
    "overwrite without a share": FAULTS["overwrite without a share"],
    "clone checks the offset alone": [
        ("storage.c", "offset > source->nbytes || nbytes > source->nbytes - offset", "offset > source->nbytes")
    ],
    "end of a window wraps": [
        ("storage.c", "offset > source->nbytes || nbytes > source->nbytes - offset", "offset + nbytes > source->nbytes")
    ],
    "refused clone leaks its Storage": [
        (
            "storage.c",
            "        return COW_OK;\n    }\n    storage_dealloc(source->allocator, made);",
            "        return COW_OK;\n    }\n",
        )
    ],
}

NAMES = [
    *OWN,
    "no wait before the steal",
    "bytes freed with the last share",
    "wrap without looking again",
    "second writer does not wait",
    "clone ignores busy",
    "clone ignores pins",
    "clone leaves its source sole",
    "failure leaves the Storage busy",
    "overwrite without a share",
    "commit ignores the context",
]


def build(name, faults, fuzz):
    """Compile the program against a copy of the core, with the fault put in."""
    directory = BUILD / re.sub(r"\W+", "-", name)
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "core", directory)
    for file, text, replacement in faults:
        content = (directory / file).read_text()
        if content.count(text) != 1:
            sys.exit(f"stress {name}: {content.count(text)} places in {file} instead of one:\n{text}")
        (directory / file).write_text(content.replace(text, replacement))
    sources = [*directory.glob("*.c"), HERE.parent / "harness.c", *HERE.glob("*.c")]
    compiler, more = CC, []
    if fuzz:
        compiler, more = ["clang"], ["-fsanitize=fuzzer,address", f"-I{HERE}"]
        sources = [source for source in sources if source.name != "stress.c"] + [ROOT / "tests" / "fuzz" / "core.c"]
    includes = [f"-I{directory}", f"-I{ROOT / 'include'}", f"-I{HERE.parent}"]
    program = directory / "program"
    subprocess.run([*compiler, *FLAGS, *more, *includes, *sources, "-o", program], check=True)
    return program


def finding(program, seconds, fuzz):
    """Run until something is found: a line that tells what and when, or None."""
    arguments = [f"-max_total_time={seconds:.0f}", "-max_len=600"] if fuzz else [str(seconds), "5"]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [program, *arguments], cwd=program.parent, capture_output=True, text=True, timeout=seconds + 60
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode == 0:
        return None
    said = re.search(r"FOUND: (.*)|ERROR: (AddressSanitizer.*)", done.stderr)
    what = said[0] if said else f"status {done.returncode}"
    return f"{what}, after {time.monotonic() - begin:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fuzz", action="store_true")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    faults = FUZZED if options.fuzz else {name: FAULTS[name] for name in NAMES}
    faults = {
        name: fault
        for name, fault in faults.items()
        if not options.words or any(word in name for word in options.words)
    }
    missed = 0
    for name, fault in faults.items():
        found = finding(build(name, fault, options.fuzz), options.seconds, options.fuzz)
        print(f"{name}: {found or f'NOT FOUND in {options.seconds} s'}", flush=True)
        missed += found is None
    print(f"{len(faults) - missed} of {len(faults)} faults found")
    return 1 if missed or not faults else 0


if __name__ == "__main__":
    sys.exit(main())
