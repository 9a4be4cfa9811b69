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
SHARED = dict(re.findall(r"^(\w+) := (.*)$", (ROOT / "flags.mk").read_text(), re.M))
FLAGS = [*SHARED["STANDARD"].split(), "-w", "-O1", "-pthread", "-DCOWI_YIELD_POINTS"]

sys.path.insert(0, str(ROOT / "tests" / "model"))
from mutants import CORE  # noqa: E402

_PUT = "    cowi_storage_lock(storage);\n    (void)put_in_place(storage, fresh);\n    cowi_storage_unlock(storage);\n"
_UNLOCK = "    (void)pthread_rwlock_unlock(&context->lock);\n"

OWN = {
    "put in place long after the unlock": [("scope.c", _PUT + _UNLOCK, _UNLOCK + '    COWI_YIELD("late");\n' + _PUT)],
    "an ended scope stays left behind": [("scope.c", "        (void)cowi_sub_release(&context->left, 1);\n", "")],
    "fresh bytes of a clone are not copied": [
        ("clone.c", "    made->allocator->clone(", "    if (false) made->allocator->clone(")
    ],
    "commit leaves the old share": [
        ("scope.c", "    cowi_context_drop(context);             /* the Storage's share */\n", "")
    ],
}
FAULTS = CORE | OWN

# What shows without threads; fuzzed from nothing, not from the corpus.
FUZZED = {
    "clone ignores pins": FAULTS["clone ignores pins"],
    "steal ignores readers left behind": FAULTS["steal ignores readers left behind"],
    "overwrite without a share": FAULTS["overwrite without a share"],
    "clone checks the offset alone": [
        ("clone.c", "offset > source->nbytes || nbytes > source->nbytes - offset", "offset > source->nbytes")
    ],
    "end of a window wraps": [
        ("clone.c", "offset > source->nbytes || nbytes > source->nbytes - offset", "offset + nbytes > source->nbytes")
    ],
    "refused clone leaks its Storage": [
        (
            "clone.c",
            "        return COW_OK;\n    }\n    cowi_storage_dealloc(source->allocator, made);",
            "        return COW_OK;\n    }\n",
        )
    ],
}

NAMES = [
    *OWN,
    "decrement before the shared lock",
    "share given up before the allocation",
    "no wait before the steal",
    "steal ignores readers left behind",
    "readers left not raised",
    "struct freed with the Storage",
    "const scope without a reference",
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
    sources = [*directory.glob("*.c"), HERE.parent / "harness.c", HERE.parent / "tracing.c", *HERE.glob("*.c")]
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
