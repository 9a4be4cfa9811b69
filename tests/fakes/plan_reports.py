"""Runs ``python -m cowarray plan`` for tests."""

import json
import subprocess
import sys
import textwrap

from support.limits import LONGEST

COMMAND = [sys.executable, "-m", "cowarray", "plan"]


def command(folder, *arguments, **options):
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": LONGEST} | options
    return subprocess.run([*COMMAND, *map(str, arguments)], cwd=folder, **options)


def script(folder, text, name="script.py"):
    (folder / name).write_text(textwrap.dedent(text))
    return name


def report(folder, text, *options, status=0):
    """The JSON report on a script, and what the program printed."""
    result = command(folder, "--json", "--output", "report.json", *options, script(folder, text))
    assert result.returncode == status, result.stderr
    return json.loads((folder / "report.json").read_text()), result.stdout
