"""Between a look and an act, no user code, no thread and no collection breaks an array.

Each public call is run with user code in the middle of it that does its worst (`evil`): resizes, retypes, writes,
copies, drops and exports every array in reach. Each run takes a sample, the same one for the same seed, in which every
call, every hook and every deed comes up; the long ones take all. `make check` takes a quarter of the calls.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from evil.cases import CASES
from support import public
from support.forms import forms_of
from support.prepared import names_called
from support.seeds import chosen_seed

pytestmark = pytest.mark.numpy_ends

RUN = Path(__file__).parents[1] / "evil" / "run.py"
sys.path.append(str(Path(__file__).parents[2] / "tools"))
from sampling import sampled  # noqa: E402


def tried(tmp_path, *arguments):
    """What a run tells in its last line; nothing was found."""
    out = tmp_path / "findings"
    command = [sys.executable, str(RUN), "--out", str(out), *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    print(done.stdout)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert not found, "\n".join(f"{kind}: {detail}: --key {json.dumps(key)!r}" for key, kind, detail in found)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    return [int(number) for number in re.findall(r"\d+", last.partition("; found")[0])]


def test_a_sample_of_user_code_in_every_call(tmp_path):
    seed = str(chosen_seed(2026))
    part = os.environ.get("SAMPLE") or "0/1"
    chosen = sampled(CASES, "calls with user code in the middle of them")
    covers = ["--covers"] if len(chosen) == len(CASES) else []
    calls, trials, asked, pairs, _, _ = tried(tmp_path, "--count", "1", "--seed", seed, "--part", part, *covers)
    assert calls == len(chosen)
    assert trials > 2 * calls
    assert asked > calls
    assert pairs > 300


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_all_user_code_in_every_call(tmp_path, part):
    calls, trials, asked, _, _, _ = tried(tmp_path, "--all", "--part", f"{part}/8")
    assert calls >= len(CASES) // 8
    assert trials > 100 * calls
    assert asked > trials // 2


# ---- that nothing is left out ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", public.LISTS)
def test_every_public_name_has_a_case(of):
    cased = {case.name for case in CASES.values() if case.name} | names_called()
    assert [name for name in public.LISTS[of] if name not in cased] == []


def test_arguments_are_slots():
    forms = forms_of("x[A(0), 1:] = y")
    assert [form.labels for form in forms] == [["index", "index", "value"], ["index", "value"]]
    assert sum(len(form.slots) for source in CASES for form in forms_of(source)) > 2 * len(CASES)
