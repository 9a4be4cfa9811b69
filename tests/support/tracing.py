"""The library's memory, counted and refused: `TracingAllocator`, for tests.

While one is entered, new Storages and the bytes of new arrays come from an allocator (`c/tracing.c`) that knows every
live block, counts what is cloned, sees wrong frees and overruns, and can refuse the n-th allocation. The library has
no part of it. The extension is built when it is first needed, and kept under ``build/`` for each interpreter, compiler
and source; ``COWARRAY_SANITIZE`` instruments it as it does the library.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from support.sources import load

import cowarray

__all__ = ["TracingAllocator"]

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
SOURCES = [TESTS / "extension" / "tracing_allocator.c", TESTS / "c" / "tracing.c"]
NAME = "tracing_allocator"


def compiler():
    """A C compiler as a list of words: the environment's, the one that built Python, or the usual ones."""
    for command in (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words
    raise RuntimeError("the tests build an extension, and found no C compiler: set CC")


def command():
    """What compiles and links it, but for where the result goes."""
    flags = dict(re.findall(r"^(\w+) := (.*)$", (ROOT / "flags.mk").read_text(), re.M))
    words = [*compiler(), *flags["STANDARD"].split(), *flags["WARNINGS"].split(), "-O2", "-shared", "-fPIC", "-pthread"]
    if sanitizer := os.environ.get("COWARRAY_SANITIZE"):
        words += [f"-fsanitize={sanitizer}", *flags["SANITIZED"].split(), "-O1"]
    if sys.platform == "darwin":
        words += ["-undefined", "dynamic_lookup"]
    for path in {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}:
        words += ["-isystem", path]
    return [*words, "-I", cowarray.get_include(), "-I", str(TESTS / "c"), *map(str, SOURCES)]


def folder(words):
    """Where a build of these words and of what they read is kept."""
    read = [*SOURCES, TESTS / "c" / "tracing.h", Path(cowarray.get_include(), "cowarray", "core.h")]
    told = repr([words, sys.version, sysconfig.get_config_var("EXT_SUFFIX"), [path.read_text() for path in read]])
    key = hashlib.sha256(told.encode()).hexdigest()[:16]
    kept = ROOT / "build" / "tests" / key
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError:  # an unpacked source that others own
        kept = Path(tempfile.mkdtemp())
    return kept


def built():
    """The extension's file. Of two processes that build it at once, each finds a whole one."""
    words = command()
    target = folder(words) / f"{NAME}{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as directory:
            made = Path(directory, target.name)
            environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's
            done = subprocess.run([*words, "-o", str(made)], capture_output=True, text=True, env=environment)
            if done.returncode != 0:
                raise RuntimeError(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
            made.replace(target)
    return target


TracingAllocator = load(built()).TracingAllocator
