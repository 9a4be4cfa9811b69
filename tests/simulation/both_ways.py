"""Runs a program by Python and under ``python -m cowarray simulate``, and compares."""

import json
import re
import subprocess
import sys
import textwrap

from support.limits import LONGEST

PLAIN = [sys.executable]
COMMAND = [sys.executable, "-m", "cowarray", "simulate", "--json", "--output"]


def python(*arguments, folder, **options):
    """What a process wrote, and its status. Its standard input is empty."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": LONGEST} | options
    return subprocess.run([str(each) for each in arguments], cwd=folder, **options)


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__in__", "/").replace("__py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def both(folder, *arguments, **options):
    """A program's result with plain Python and with the command, and the command's report."""
    plain = python(*PLAIN, *arguments, folder=folder, **options)
    ours = python(*COMMAND, folder / "report.json", *arguments, folder=folder, **options)
    return plain, ours, (folder / "report.json").read_text()


def without_addresses(text):
    return re.sub("0x[0-9a-f]+|refcount : [0-9]+", "...", text)


def same(folder, *arguments, **options):
    """Run both ways; hold output and status to plain Python's. Gives that result and the report."""
    plain, ours, report = both(folder, *arguments, **options)
    assert ours.stdout == plain.stdout
    assert without_addresses(ours.stderr) == without_addresses(plain.stderr)
    assert ours.returncode == plain.returncode
    return plain, json.loads(report)


def same_script(folder, text, *arguments, **options):
    write(folder, script__py=text)
    return same(folder, "script.py", *arguments, **options)
