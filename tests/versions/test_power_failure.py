"""The last durable version of a folder is whole after the power failed at any call, whatever was not synchronized is
lost or not: what `record` has seen of a process, `Disk` loses in many ways."""

import hashlib
import json
import random
import shutil

import numpy as np
import pytest
from recorded_disk import Disk, record
from support.seeds import all_or, chosen_seed

import cowarray as ca

# Creates a history and changes it. Says after each step, by a file in the same folder, what the history is, and whether
# that is durable.
PROGRAM = """
import hashlib, json, os, random
import numpy as np
import cowarray as ca

folder, seed, steps = {folder!r}, {seed}, {steps}
chooser = random.Random(seed)
marks = os.open(folder + "/marks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def say(durable=True):
    digest = hashlib.sha1(repr((history.state["k"], [np.asarray(x).tobytes() for x in history.state["x"]])).encode())
    versions = sorted(version.number for version in history.log())
    what = [history.version, history.branch_name, history.branches, versions, digest.hexdigest()]
    os.write(marks, json.dumps([durable, what]).encode() + b"\\n")

def edit():
    state["k"] += 1
    array = chooser.choice(state["x"])
    array[chooser.randrange(len(array))] = state["k"]
    if chooser.random() < 0.15:
        state["x"].append(np.arange(chooser.randrange(1, 2000)))

history = ca.History(folder + "/history", {{"k": 0, "x": [np.zeros(3000), np.arange(10)]}})
state = history.state
say()
for _ in range(steps):
    kind = chooser.choices(["commit", "background", "flush", "undo", "checkout", "branch", "keep", "compact", "reopen"],
                           [6, 4, 2, 2, 2, 1, 1, 1, 1])[0]
    if kind in ("commit", "background"):
        edit()
        history.commit(durable="background" if kind == "background" else True)
    elif kind == "flush":
        history.flush()
    elif kind == "undo" and history.version != min(version.number for version in history.log()):
        history.undo()
    elif kind == "checkout":
        history.checkout(chooser.choice(history.log()).number)
    elif kind == "branch":
        history.branch(str(state["k"]) + "-" + str(len(history.branches)))
    elif kind == "keep":
        history.keep(last=3)
    elif kind == "compact":
        history.compact()
    elif kind == "reopen":
        history.close()
        history = ca.History(folder + "/history")
        state = history.state
    say(durable=kind != "background")
history.flush()
say()
history.close()
"""


def digest_of(state):
    whole = repr((state["k"], [np.asarray(x).tobytes() for x in state["x"]]))
    return hashlib.sha1(whole.encode()).hexdigest()


def outcome_of(history):
    versions = sorted(version.number for version in history.log())
    return [history.version, history.branch_name, history.branches, versions, digest_of(history.state)]


def is_mark(call):
    return call.op == "write" and call.path.endswith("/marks")


def marks_of(calls):
    """What the program said: after how many calls, whether it was durable, and what the history was."""
    return [(at + 1, *json.loads(call.data)) for at, call in enumerate(calls) if is_mark(call)]


def allowed(marks, at):
    """What a history may be when `at` calls were made: as of the last durable step, or of one after it."""
    durable = [index for index, (_, is_durable, _) in enumerate(marks) if is_durable]
    first = max((index for index in durable if marks[index][0] <= at), default=-1)
    last = min((index for index in durable if marks[index][0] > at), default=len(marks) - 1)
    return first, [what for *_, what in marks[max(first, 0) : last + 1]]


def look_after(place, marks, at):
    """Open what is left, look at all of it, and go on with it."""
    first, outcomes = allowed(marks, at)
    if first < 0 and not list((place / "history").glob("history-*.sqlite")):
        return
    digests = {what[0]: what[4] for *_, what in marks}
    with ca.History(place / "history") as history:
        assert outcome_of(history) in outcomes
        assert history.verify() == []
        for version in history.log():
            assert digest_of(history[version.number]) == digests[version.number]
        history.state["k"] = -1
        number = history.commit()
        history.compact()
    with ca.History(place / "history", mode="r") as history:
        assert (history.version, history.state["k"]) == (number, -1)
        assert history.verify() == []


def fail_everywhere(work, seed, steps, points, times):
    """Let the power fail after some of the calls, at each as many times; how often that is."""
    folder, chooser = work / "recorded", random.Random(seed)
    folder.mkdir()
    calls = record(PROGRAM.format(folder=str(folder), seed=seed, steps=steps), folder, work)
    marks = marks_of(calls)
    assert len(marks) == steps + 2
    chosen = set(chooser.sample(range(1, len(calls) + 1), min(points, len(calls))))
    disk = Disk(folder)
    for at, call in enumerate(calls, 1):
        if not is_mark(call):
            disk.take(call)
        if at in chosen:
            for _ in range(times):
                place = work / "left"
                place.mkdir()
                disk.leave(place, chooser, chooser.choice(["none", "all", "some", "some"]))
                look_after(place, marks, at)
                shutil.rmtree(place)
    return len(chosen) * times


def test_a_power_failure_at_any_call(tmp_path):
    assert fail_everywhere(tmp_path, chosen_seed(), 12, all_or(10**6, 60), 1) > 50


@pytest.mark.long
def test_power_failures_of_many_programs(tmp_path):
    seed = chosen_seed()
    for number in range(all_or(20, 4)):
        work = tmp_path / str(number)
        work.mkdir()
        fail_everywhere(work, seed + number, 25, 10**6, 4)


# ---- in which order --------------------------------------------------------------------------------------------------

EACH_KIND = """
import numpy as np
import cowarray as ca

with ca.History({folder!r} + "/new/history", {{"a": np.zeros(3000)}}) as history:
    for k in range(6):
        history.state["a"][k * 500] = 1.0
        history.state[str(k)] = np.arange(k)
        history.commit(durable=True if k % 2 else "background")
        history.flush()  # else the next base may come while a transaction is written that does not name it
    history.undo()
    history.keep(last=3)
    history.compact()
"""


def test_files_are_synchronized_before_a_transaction_names_them(tmp_path):
    folder = tmp_path / "recorded"
    folder.mkdir()
    disk, home, seen = Disk(folder), f"{folder}/new/history", set()
    named = False  # the last base, by a transaction
    for call in record(EACH_KIND.format(folder=str(folder)), folder, tmp_path):
        at_risk = {path.removeprefix(home) for path in disk.at_risk()}
        data = {path for path in at_risk if path.startswith(("/bases", "/pages"))}
        path = call.path.removeprefix(home)
        if call.op == "write" and path.startswith("/history-") and path.endswith(".sqlite"):
            seen.add("a transaction")
            named = True
            assert not data, "a transaction may be on the disk before what it names"
        elif call.op == "rename" and path.endswith(".sqlite.part"):
            seen.add("a history has its name")
            named = True
            assert not data | {path} & at_risk
        elif call.op == "rename":
            seen.add("a base has its name")
            named = False
            assert path not in at_risk, "a base has its name before its bytes"
        elif call.op == "unlink" and path.startswith(("/bases", "/pages", "/history-0")):
            seen.add(f"old {path[1:8]} lose their names")
            assert named, "old files are gone before new ones are named"
            assert not data | {""} & at_risk
        disk.take(call)
    assert len(seen) == 6
    assert not {path for path in disk.at_risk() if "lock" not in path and "journal" not in path}
