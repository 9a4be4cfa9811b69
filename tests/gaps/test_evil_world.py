"""Between a look and an act, no user code, no thread and no collection breaks an array.

Each public call is run with user code in the middle of it that does its worst (`evil`): resizes, retypes, writes,
copies, drops and exports every array in reach. Each run takes a sample, the same one for the same seed, in which every
call, every hook and every deed comes up. `make check` takes a quarter of the calls.

The long ones take each hook in each call, and with each deed on each road; what that is, and what takes turns, says
`evil/plan.py`.
"""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from evil import run
from evil.ambient import AMBIENT
from evil.cases import CASES
from evil.hooks import HOOKS
from evil.plan import Plan, calls_by_road, deeds_of, share_of
from evil.trial import Told
from evil.world import EvilWorld
from sampling import sampled
from support import public
from support.forms import forms_of
from support.prepared import names_called
from support.seeds import chosen_seed

pytestmark = pytest.mark.numpy_ends

RUN = Path(run.__file__)


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


@pytest.mark.sampled
@pytest.mark.parametrize("hook", [*HOOKS, *AMBIENT])
def test_calls_on_a_road_share_out_all_deeds(hook):
    assert {share_of(source)[1] for source in CASES} >= {1, 2, 4}
    for calls in calls_by_road().values():
        plans = [Plan(source, None, None) for source in calls]
        assert {deed for plan in plans for deed in plan.own_deeds_of(hook)} == set(deeds_of(hook)), calls
        assert all(plan.own_deeds_of(hook) for plan in plans), calls


def test_each_place_of_a_hook_is_tried_with_each_deed_of_the_call(monkeypatch):
    """Places and states are turns of one wheel; no deed is left out by it, and no place by many deeds."""
    tried = []
    monkeypatch.setattr("evil.trial.run", lambda key, control=None: tried.append(key) or run_without_a_deed())
    plan = Plan("np.clip(x, 2, 5)", lambda key: None, None)
    plan.all()
    deeds = {(key.hook, key.deed) for key in tried}
    assert {(hook, deed) for _, _, hook in plan.places() for deed in plan.own_deeds_of(hook)} <= deeds
    assert {key[1:4] for key in tried} >= set(plan.places())


def run_without_a_deed():
    return Told(1, 1, "", None, (), False, [])


@pytest.mark.sampled
@pytest.mark.parametrize(("work", "is_found"), [("sleep", True), ("compute", True), ("many", False)])
def test_a_trial_without_an_end_is_found(monkeypatch, work, is_found):
    monkeypatch.setattr(run, "SECONDS", 1)
    begun = time.monotonic()

    def work_on(self, writer, one):
        while work == "sleep":
            time.sleep(60)
        for trial in itertools.count():
            if work == "many":
                self.page[:4] = trial.to_bytes(4)

    monkeypatch.setattr(run.Child, "work", work_on)
    child = run.Child([], {})
    while not child.is_stuck() and time.monotonic() - begun < 5:
        time.sleep(0.1)
    assert child.is_stuck() is is_found
    os.kill(child.pid, signal.SIGKILL)
    assert child.end()[0] == "SIGKILL"


def test_another_thread_may_look_through_a_world_whose_names_change(quick_switches):
    world = EvilWorld("owning", None)

    def name_what_a_call_makes():
        for i in range(50_000):
            world.names[f"new_{i % 8}"] = i
            world.names.pop(f"new_{(i + 4) % 8}", None)

    naming = threading.Thread(target=name_what_a_call_makes)
    naming.start()
    while naming.is_alive():
        world.targets()
    naming.join()


@pytest.mark.parametrize("of", public.LISTS)
def test_every_public_name_has_a_case(of):
    cased = {case.name for case in CASES.values() if case.name} | names_called()
    assert [name for name in public.LISTS[of] if name not in cased] == []


@pytest.mark.sampled
def test_arguments_are_slots():
    forms = forms_of("x[A(0), 1:] = y")
    assert [form.labels for form in forms] == [["index", "index", "value"], ["index", "value"]]
    assert sum(len(form.slots) for source in CASES for form in forms_of(source)) > 2 * len(CASES)
