"""Programs that a test runs in an interpreter of their own, because they end it, limit it or may crash it."""

import os
import subprocess
import sys
from textwrap import dedent

from support.limits import LONGEST

# What every program may use without saying so.
PRELUDE = """
import gc, os, sys, threading, time
import numpy as np
import cowarray as ca
"""
# For an interpreter that forks while it has threads, of which Python warns from 3.12 on.
FORKS = ("-W", "ignore:This process:DeprecationWarning")
END = "the end of the program"
# A sanitizer's malloc keeps what is freed, and takes no orders from the environment of glibc's.
SANITIZED = "san" in os.environ.get("LD_PRELOAD", "")


def start(program, *args, prelude=PRELUDE, **environment):
    """Start program, a text, with args as sys.argv[1:]; its output goes to pipes."""
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", dedent(prelude) + dedent(program), *map(str, args)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finish(process, *, status=0):
    """What the program has printed. It must end with status, in time, and complain of nothing."""
    try:
        printed, complaints = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        printed, complaints = process.communicate()
        raise AssertionError(f"did not end in {LONGEST} s; printed {printed!r}; {complaints}") from None
    assert (process.returncode, complaints) == (status, ""), f"status {process.returncode}: {printed}\n{complaints}"
    return printed


def run(program, *args, prelude=PRELUDE, **environment):
    """Run program to the end of its text, which it must reach; what it has printed."""
    program = dedent(program) + f"\nprint({END!r})\n"
    printed = finish(start(program, *args, prelude=prelude, **environment))
    assert printed.endswith(END + "\n"), printed
    return printed.removesuffix(END + "\n")
