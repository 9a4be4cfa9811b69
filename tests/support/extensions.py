"""Extensions for the tests: C and Cython, built here against `cowarray.get_include()` of the package that runs."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cowarray

SOURCES = Path(__file__).parents[1] / "extension"
INCLUDE = Path(cowarray.get_include())
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Werror"]


def compiler(variable, *others):
    """A compiler as a list of words: the environment's, the one that built Python, or the usual ones."""
    for command in (os.environ.get(variable), sysconfig.get_config_var(variable), *others):
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words
    pytest.skip(f"no {variable}: no compiler found")


def run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"


def python_flags():
    return [word for key in ("include", "platinclude") for word in ("-isystem", sysconfig.get_path(key))]


def build(source, target, *flags):
    link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    words = [*compiler("CC", "cc", "gcc", "clang"), "-shared", "-fPIC", "-O1", "-I", INCLUDE, *python_flags()]
    run([*words, *flags, source, "-o", target, *link])


def interrupting(folder):
    """The extension of that name, whose `call` interrupts a function at its n-th bytecode."""
    target = folder / f"interrupting{SUFFIX}"
    build(SOURCES / "interrupting.c", target, "-std=c11", *STRICT)
    specification = importlib.util.spec_from_file_location("interrupting", target)
    made = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(made)
    return made


def is_told_at_first(interrupting):
    """Whether Python tells the bytecodes of code that runs for the first time: 3.13.0 does not."""
    space = {}
    exec(compile("def untraced():\n    pass", __file__, "exec"), space)
    return interrupting.call(space["untraced"], (__file__,), 0)[0] > 0
