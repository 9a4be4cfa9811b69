"""A log is replayed as the paper says: within the budget, its results there at the end, at a plain simulator's cost.

The plain one, below, is recursive, keeps no sums, and looks for what is alive and connected anew each time. It is one
file because all of it stands beside that one.
"""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import chains
import pytest
from support.seeds import all_or, chosen_seed

from cowarray.__main__ import main
from cowarray._modes.budget import replaying, run_log
from cowarray._modes.budget.replaying import replay
from cowarray._modes.budget.run_log import (
    Annotate,
    Call,
    Constant,
    Copy,
    CopyFrom,
    Mutate,
    Pin,
    Release,
    Result,
    RunLog,
)

HEURISTICS = ("dtr", "local", "lru", "size")
GONE_TAKES = 8  # how many times what is gone counts, for what was made of it
REREAD = 0.1  # what is left of the time since a use, when an array is read to make another again

# ---- the plain simulator ---------------------------------------------------------------------------------------------


class NoRoom(Exception):
    pass


class Storage:
    def __init__(self, nbytes, cost, serial):
        self.nbytes = nbytes
        self.cost = cost
        self.serial = serial
        self.present = self.constant = self.pinned = False
        self.locks = self.references = 0
        self.used = 0
        self.label = None
        self.values = []
        self.parents = []
        self.has_handed_down = self.is_gone = False
        self.inherited = 0


class Value:
    def __init__(self, storage, call):
        self.storage = storage
        self.call = call
        self.defined = False
        storage.values.append(self)


class Operation:
    def __init__(self, args, sizes, time):
        self.args = args
        self.sizes = sizes
        self.time = time
        self.results = []


class Plain:
    def __init__(self, budget, heuristic):
        self.budget = budget
        self.heuristic = heuristic
        self.names = {}
        self.storages = []
        self.running = []
        self.going = []
        self.clock = self.remat = self.base = self.peak = self.evictions = 0
        self.labels = 0

    def values(self):
        """What a name or an operation under way needs to be made again."""
        stack = [*self.names.values(), *self.going]
        for call in self.running:
            stack += call.args
        found = set()
        while stack:
            value = stack.pop()
            if value not in found:
                found.add(value)
                stack += value.call.args if value.call else []
        return found

    def alive(self):
        """Storages that count."""
        return {value.storage for value in self.values()}

    def present(self):
        """Storages with bytes; those that nobody needs lose them here, and connect nobody: they are not made again."""
        alive = self.alive()
        for storage in self.storages:
            if storage.present and storage not in alive:
                self.lose(storage)
        return [storage for storage in self.storages if storage.present]

    def live(self):
        return sum(storage.nbytes for storage in self.present())

    def neighbours(self, storage):
        children = [other for other in self.storages if storage in other.parents]
        return {*storage.parents, *children} - {storage}

    def score(self, storage, alive):
        cost = storage.cost
        if self.heuristic == "dtr":
            labels = {each.label for each in self.neighbours(storage) & alive if each.label is not None}
            cost += sum(each.cost for each in alive if each.label in labels)
        stale = self.clock - storage.used
        score = {
            "dtr": cost / (storage.nbytes * stale) if stale > 0 else math.inf,
            "local": cost / (storage.nbytes * stale) if stale > 0 else math.inf,
            "lru": storage.used,
            "size": -storage.nbytes,
        }[self.heuristic]
        return score, storage.used, storage.serial

    def lose(self, storage):
        storage.present = False
        for value in storage.values:
            value.defined = False

    def join(self, label, each):
        if label is not None and each.label is not None:
            old = each.label
            for other in self.storages:
                if other.label == old:
                    other.label = label

    def leave(self, storage):
        """The bytes go, and the storage is connected with its absent neighbours."""
        self.lose(storage)
        if storage.label is None and not storage.constant and not storage.has_handed_down:
            self.labels += 1
            storage.label = self.labels
            for each in self.neighbours(storage) & self.alive():
                self.join(storage.label, each)

    def go(self, storage):
        """Nobody refers to a storage: what it costs, and what it is made of, it hands down."""
        self.lose(storage)
        storage.is_gone = True
        if storage.has_handed_down:
            return
        storage.label = None
        storage.has_handed_down = True
        alive = self.alive()
        heirs = [other for other in alive if storage in other.parents and not other.has_handed_down]
        for child in heirs:
            self.hand_down(storage, child, self.legacy(storage) / len(heirs))

    def legacy(self, storage):
        return GONE_TAKES * (storage.cost - storage.inherited) + storage.inherited

    def hand_down(self, storage, child, share):
        child.cost += share
        child.inherited += share
        alive = self.alive()
        near = [parent for parent in storage.parents if parent in alive and not parent.has_handed_down]
        for parent in near[:8]:
            self.join_as_family(parent, child)

    def join_as_family(self, parent, child):
        if parent is child or parent in child.parents:
            return False
        child.parents.append(parent)
        self.join(parent.label, child)
        return True

    def make_room(self, need):
        while self.live() + need > self.budget:
            alive = self.alive()
            candidates = [
                storage for storage in self.present() if storage.nbytes and not storage.locks and not storage.constant
            ]
            if not candidates:
                raise NoRoom
            self.evictions += 1
            self.leave(min(candidates, key=lambda storage: self.score(storage, alive)))

    def make(self, call, first=False):
        self.running.append(call)
        for arg in call.args:
            is_use = first or self.heuristic != "dtr"
            arg.storage.used = self.clock - (0 if is_use else REREAD * (self.clock - arg.storage.used))
        there = [arg for arg in call.args if arg.defined]
        for arg in there:
            arg.storage.locks += 1
        for arg in [arg for arg in call.args if arg not in there]:
            if not arg.defined:
                self.make(arg.call)
            arg.storage.locks += 1
        need = sum(call.sizes)
        self.make_room(need)
        self.peak = max(self.peak, self.live() + need)
        self.clock += call.time
        values = self.values()
        for value, nbytes in zip(call.results, call.sizes, strict=True):
            if value in values and not value.defined:
                value.defined = True
                if nbytes is not None and value is value.storage.values[0]:
                    value.storage.present = True
                    value.storage.label = None
                    if value.storage.is_gone:
                        value.storage.is_gone = False
                        value.storage.used = value.storage.used if self.heuristic != "dtr" else 0
        if first:
            self.base += call.time
        else:
            self.remat += call.time
        for arg in call.args:
            arg.storage.locks -= 1
        # What came back for this call alone goes again, if it is no smaller and took at most half the time.
        for arg in dict.fromkeys(call.args):
            storage = arg.storage
            kept = not storage.present or storage.references or storage.constant or storage.pinned
            if not kept and 2 * arg.call.time <= call.time and storage.nbytes >= need and self.readers(storage) == 1:
                self.go(storage)
        self.running.pop()

    def readers(self, storage):
        calls = {value.call for value in self.values() if value.call} | {*self.running}
        return sum(storage in {arg.storage for arg in call.args} for call in calls)

    def add(self, nbytes, cost):
        self.storages.append(Storage(nbytes, cost, len(self.storages)))
        return self.storages[-1]

    def first(self, args, sizes, origins, time):
        call = Operation(args, sizes, time)
        for nbytes, origin in zip(sizes, origins, strict=True):
            storage = self.add(nbytes, time) if origin is None else origin.storage
            call.results.append(Value(storage, call))
        self.going = call.results
        self.make(call, first=True)
        for storage in {origin.storage for origin in origins if origin is not None}:
            storage.cost += time
        for value, origin in zip(call.results, origins, strict=True):
            if origin is None:
                for arg in args:
                    if self.join_as_family(arg.storage, value.storage) and arg.storage.has_handed_down:
                        self.hand_down(arg.storage, value.storage, self.legacy(arg.storage))
            value.storage.used = self.clock
        return call.results

    def drop(self, value):
        value.storage.references -= 1
        if value.storage.references == 0 and not value.storage.constant and not value.storage.pinned:
            self.going = [*self.going, value]
            self.go(value.storage)
            self.going = self.going[:-1]

    def name(self, name, value):
        old = self.names.get(name)
        value.storage.references += 1
        self.names[name] = value
        if old is not None:
            self.drop(old)

    def hold(self, value):
        if not value.defined:
            self.make(value.call)
        if not value.storage.pinned:
            value.storage.pinned = True
            value.storage.locks += 1

    def step(self, record):
        kind = type(record)
        if kind is Constant:
            self.make_room(record.nbytes)
            storage = self.add(record.nbytes, 0)
            storage.present = storage.constant = True
            value = Value(storage, None)
            value.defined = True
            self.name(record.name, value)
            self.peak = max(self.peak, self.live())
        elif kind is Call:
            args = [self.names[name] for name in record.args]
            sizes = [0 if result.alias >= 0 else result.nbytes for result in record.results]
            origins = [args[result.alias] if result.alias >= 0 else None for result in record.results]
            for result, value in zip(record.results, self.first(args, sizes, origins, record.time), strict=True):
                self.name(result.name, value)
        elif kind is Mutate:
            args = [self.names[name] for name in record.args]
            sizes = [args[index].storage.nbytes for index in record.written]
            for index, value in zip(
                record.written, self.first(args, sizes, [None] * len(sizes), record.time), strict=True
            ):
                self.name(record.args[index], value)
        elif kind in (Copy, CopyFrom):
            self.name(record.to, self.names[record.source])
        elif kind is Release:
            self.drop(self.names.pop(record.name))
        elif kind is Pin:
            self.hold(self.names[record.name])
        self.going = []


def plainly(records, budget, heuristic):
    run = Plain(budget, heuristic)
    try:
        for _, record in records:
            run.step(record)
        for value in run.names.values():
            run.hold(value)
    except NoRoom:
        return None
    return run


# ---- random logs -----------------------------------------------------------------------------------------------------


# Shares of such times are whole numbers, so sums are exact, in whatever order.
UNIT = 720_720**2


def random_log(rng, n):
    """Records of any kind. Sizes and times are whole numbers."""
    records = []
    alive = []
    born = 0

    def fresh():
        nonlocal born
        born += 1
        return f"x{born}"

    for _ in range(n):
        kind = rng.random()
        if kind < 0.05 or not alive:
            records.append(Constant(fresh(), rng.randrange(4)))
            alive.append(records[-1].name)
        elif kind < 0.6:
            args = tuple(rng.choice(alive[-8:]) for _ in range(rng.randrange(1, 4)))
            results = tuple(
                Result(fresh(), rng.randrange(1, 9), rng.choice([-1, -1, -1, 0])) for _ in range(rng.choice([1, 1, 2]))
            )
            records.append(Call("f", results, args, UNIT * rng.randrange(1, 20)))
            alive += [result.name for result in results]
        elif kind < 0.7:
            args = tuple(rng.sample(alive, min(len(alive), 2)))
            written = tuple(rng.sample(range(len(args)), rng.choice([1, len(args)])))
            records.append(Mutate("g", args, written, UNIT * rng.randrange(20)))
        elif kind < 0.76:
            records.append(Copy(fresh(), rng.choice(alive)))
            alive.append(records[-1].to)
        elif kind < 0.78:
            records.append(CopyFrom(rng.choice(alive), rng.choice(alive)))
        elif kind < 0.79:
            records.append(Pin(rng.choice(alive)))
        else:
            records.append(Release(alive.pop(rng.randrange(len(alive)))))
    while len(alive) > 3:
        records.append(Release(alive.pop(rng.randrange(len(alive)))))
    return list(enumerate(records, 1))


def test_the_cost_is_that_of_the_plain_simulator():
    rng = random.Random(chosen_seed())
    remade = stopped = 0
    for _ in range(150):
        records = random_log(rng, rng.randrange(5, 60))
        ample = replay(records, None)
        for heuristic in HEURISTICS:
            budget = int(ample.peak_bytes * rng.uniform(0.4, 1))
            found = replay(records, budget, heuristic)
            expected = plainly(records, budget, heuristic)
            assert (found.stopped is None) == (expected is not None)
            if expected is None:
                stopped += 1
                continue
            assert (found.base_time, found.remat_time) == (expected.base, expected.remat)
            assert found.evictions == expected.evictions
            assert (found.peak_bytes, found.live_bytes) == (expected.peak, expected.live())
            remade += found.remat_time > 0
    assert remade > 30
    assert stopped > 30


@pytest.mark.parametrize("heuristic", [*HEURISTICS, "random"])
def test_the_budget_is_kept_and_results_are_there_at_the_end(heuristic, monkeypatch):
    rng = random.Random(chosen_seed())
    runs = []
    tell = replaying._Run.result
    monkeypatch.setattr(replaying._Run, "result", lambda run, stopped: (runs.append(run), tell(run, stopped))[1])
    whole = 0
    for _ in range(60):
        records = random_log(rng, 100)
        ample = replay(records, None, heuristic)
        assert ample.stopped is None
        assert ample.compute_ratio == 1
        assert replay(records, ample.peak_bytes, heuristic).evictions == 0
        for share in (0.9, 0.7, 0.5):
            budget = int(ample.peak_bytes * share)
            found = replay(records, budget, heuristic, sample=rng.random() < 0.3, small=rng.choice([0, 2]), seed=1)
            assert found.peak_bytes <= budget
            assert found.compute_ratio >= 1
            if found.stopped is None:
                whole += 1
                names = runs[-1].names
                assert all(value.is_defined() for value in names.values())
                storages = {value.storage for value in names.values()}
                assert found.live_bytes >= sum(storage.pool.nbytes for storage in storages)
                assert found.live_bytes == runs[-1].pools.live <= budget
    assert whole > 60


# ---- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "memory"), [(64, 16), (256, 32), (1024, 64), (1024, 512), (1024, 40)])
def test_dtr_computes_what_is_published(n, memory):
    assert chains.ratio(n, memory, "dtr") == pytest.approx(chains.PUBLISHED[n, memory][0], abs=0.006)


@pytest.mark.parametrize("n", [64, 256])
def test_with_two_roots_of_memory_half_as_much_again_is_computed(n):
    memory = 2 * math.isqrt(n)
    assert chains.ratio(n, memory, "dtr") <= 1.5
    for heuristic, published in zip(chains.HEURISTICS, chains.PUBLISHED[n, memory], strict=True):
        assert chains.ratio(n, memory, heuristic) <= published + 0.006


def test_a_chain_of_100_000_comes_back_without_recursion():
    n = all_or(100_000, 40_000)
    records = [Constant("x0", 1)]
    for i in range(n):
        records.append(Call("f", (Result(f"x{i + 1}", 1, -1),), (f"x{i}",), 1))
        if i:
            records.append(Release(f"x{i}"))
    records += [Copy("y", f"x{n}"), Call("g", (Result("z", 4, -1),), ("x0",), 1), Release("z")]
    found = replay(list(enumerate(records, 1)), 4 + 1)
    # z takes all but the constant, so the last of the chain had to leave, and is made of the first again.
    assert found.stopped is None
    assert (found.remat_time, found.repeats) == (n, n)
    assert found.peak_bytes == 5


# ---- logs and options ------------------------------------------------------------------------------------------------


def call(name, args, nbytes=4, time=10):
    return Call("f", (Result(name, nbytes, -1),), tuple(args), time)


def numbered(*records):
    return list(enumerate(records, 1))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (call("y", ["z"]), "no array is called 'z'"),
        (call("x", ["x"]), "another array is called 'x'"),
        (Constant("x", 1), "another array is called 'x'"),
        (Copy("x", "x"), "another array is called 'x'"),
        (Copy("y", "z"), "no array is called 'z'"),
        (CopyFrom("y", "x"), "no array is called 'y'"),
        (CopyFrom("x", "y"), "no array is called 'y'"),
        (Mutate("g", ("y",), (0,), 1), "no array is called 'y'"),
        (Pin("y"), "no array is called 'y'"),
    ],
)
def test_a_name_that_means_nothing_is_refused_by_line(record, reason):
    with pytest.raises(ValueError, match=f"^line 2: {reason}$"):
        replay(numbered(Constant("x", 1), record), 100)


def test_what_is_before_the_start_does_not_count():
    before = [Constant("w", 50), call("v", ["w"])]
    records = numbered(*before, Annotate("START"), Constant("x", 1), Release("w"), call("y", ["x"]))
    found = replay(records, 10)
    assert (found.stopped, found.operations, found.peak_bytes) == (None, 1, 5)


def test_where_it_stops_is_told():
    records = numbered(Constant("x", 2), call("y", ["x"]), call("z", ["y"]), call("w", ["y", "z"]))
    found = replay(records, 13)
    assert (found.stopped.line, found.stopped.operation) == (4, "f")
    assert (
        found.stopped.reason == "needs 4 B beside 10 B that cannot leave (2 B of it constants), and the budget is 13 B"
    )
    assert found.peak_bytes <= 13
    assert replay(records, 14).stopped is None


def test_more_than_there_is_anywhere_does_not_fit():
    assert replay(numbered(Constant("x", 2**63)), 2**70).stopped.operation == "the constant 'x'"
    beyond = Call("f", tuple(Result(f"y{i}", 2**62, -1) for i in range(5)), ("x",), 1)
    assert replay(numbered(Constant("x", 1), beyond), None).stopped.line == 2


def test_the_limit_of_what_is_run_again_is_kept():
    records = chains.chain(64)
    assert replay(records, 3, remat_limit=20).stopped is None
    found = replay(records, 3, remat_limit=1)
    assert "reached the limit" in found.stopped.reason
    assert found.remat_time == 129


def test_what_is_pinned_stays():
    records = [Constant("x", 1), *(call(f"y{i}", ["x"]) for i in range(3))]
    last = [call("z", ["y2"]), call("w", ["y0"])]
    assert replay(numbered(*records, *last), 13, "lru", end="keep").remakes == 1
    assert replay(numbered(*records[:2], Pin("y0"), *records[2:], *last), 13, "lru", end="keep").remakes == 0


def test_at_the_end_results_are_remade_or_kept_as_they_are():
    records = numbered(Constant("x", 1), *(call(f"y{i}", ["x"]) for i in range(3)), *(Release(f"y{i}") for i in (1, 2)))
    assert replay(records, 9, end="keep").live_bytes == 1
    assert replay(records, 9).live_bytes == 5
    with pytest.raises(ValueError, match="'remake' or 'keep'"):
        replay(records, 9, end="drop")


def test_a_result_that_nobody_has_is_made_again_and_goes_at_once():
    both = Call("f", (Result("y", 4, -1), Result("z", 4, -1)), ("x",), 10)
    records = numbered(Constant("x", 1), both, Release("z"), call("w", ["x"]), Release("w"), call("v", ["x"], 8))
    found = replay(records, 12)
    # y leaves for v, and at the end y and z take 8 at once, so v leaves for them and does not find room again.
    assert found.stopped is not None
    found = replay(records, 17)
    assert found.stopped is None
    assert found.remat_time == 0
    assert found.live_bytes == 13


# ---- the command -----------------------------------------------------------------------------------------------------


def write(path, records):
    with RunLog(path) as log:
        methods = {Constant: log.constant, Call: log.call, Release: log.release}
        for _, record in records:
            methods[type(record)](*record)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "run.log"
    write(path, chains.chain(64))
    return path


def test_the_command_prints_a_table(log, capsys):
    assert (
        main(["replay", str(log), "--budget", "16", "--budget", "2", "--heuristic", "dtr", "--heuristic", "lru"]) == 1
    )
    out = capsys.readouterr().out.splitlines()
    assert out[0] == (
        f"cowarray replay: {log}: 128 operations in 1.28e-07 s; without a budget they take 64 B, 0 B of it constants"
    )
    assert out[1] == ""
    assert [line.split() for line in out[2:5]] == [
        ["budget", "heuristic", "compute", "peak", "evictions", "remakes"],
        ["16", "B", "dtr", "x", "1.38", "16", "B", "49", "49"],
        ["16", "B", "lru", "x", "1.84", "16", "B", "108", "108"],
    ]
    for line, heuristic in zip(out[5:], ("dtr", "lru"), strict=True):
        assert line.split()[:6] == ["2", "B", heuristic, "stops", "at", "line"]


@pytest.mark.parametrize("times", ["-3", "nan", "-inf", "often"])
def test_the_command_refuses_what_is_no_limit(log, capsys, times):
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(log), f"--remat-limit={times}"])
    assert ended.value.code == 2
    assert f"--remat-limit: must be a number from 0 on (got '{times}')" in capsys.readouterr().err
    assert main(["replay", str(log), "--budget", "16", "--remat-limit", "inf"]) == 0


def test_the_command_says_the_same_as_json(log, capsys):
    arguments = ["--budget", "16", "--sample", "--seed", "3", "--small", "1", "--end", "keep", "--remat-limit", "50"]
    assert main(["replay", str(log), "--json", *arguments]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["format"] == "cowarray replay 1"
    assert report["without_budget"]["compute_ratio"] == 1
    [run] = report["runs"]
    assert (run["budget"], run["heuristic"], run["stopped"]) == (16, "dtr", None)
    found = replay(chains.chain(64), 16, sample=True, seed=3, small=1, end="keep")
    assert (run["compute_ratio"], run["evictions"]) == (found.compute_ratio, found.evictions)
    assert main(["replay", str(log), "--json", "--budget", "2"]) == 1
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert run["stopped"].keys() == {"line", "operation", "reason"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello\n", "line 1: it is no JSON"),
        ('{"INSTRUCTION":"PIN","NAME":"x"}\n', "line 1: no array is called 'x'"),
    ],
)
def test_a_log_that_cannot_be_used_is_refused(tmp_path, capsys, text, reason):
    path = tmp_path / "run.log"
    path.write_text(text)
    assert main(["replay", str(path)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"cowarray replay: {path}, {reason}")
    assert said.out == ""
    assert main(["replay", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_it_runs_as_a_command(log):
    result = subprocess.run(
        [sys.executable, "-m", "cowarray", "replay", log, "--budget", "1KiB"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.count("\n") == 4
    assert result.stderr == ""


# ---- what the guide says ---------------------------------------------------------------------------------------------

GUIDE = (Path(__file__).parents[2] / "docs" / "budget.md").read_text()


def test_the_guide_shows_what_the_command_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(Path("run.log"), chains.chain(256, nbytes=1 << 20, time=10**6))
    [command] = re.findall(r"^python -m cowarray (replay .*)$", GUIDE, re.MULTILINE)
    assert main(command.split()) == 0
    assert f"```text\n{capsys.readouterr().out}```" in GUIDE
    assert main(["replay", "run.log", "--budget", "2MiB"]) == 1
    assert f"```text\n{capsys.readouterr().out.splitlines()[-1]}\n```" in GUIDE


def test_the_guide_has_the_table_of_chains():
    rows = re.findall(r"^\| (\d+) \| [^|\n]*?(\d+) \| ([^a-z\n]*) \|$", GUIDE, re.MULTILINE)
    assert [(int(n), int(memory)) for n, memory, _ in rows] == list(chains.PUBLISHED)
    for n, memory, cells in rows:
        published = chains.PUBLISHED[int(n), int(memory)]
        ours = [chains.ratio(int(n), int(memory), name) for name in chains.HEURISTICS]
        assert cells.split(" | ") == [chains.shown(figure) for figure in (*ours, *published)]


def test_the_guide_names_every_option_and_instruction(capsys):
    with pytest.raises(SystemExit):
        main(["replay", "--help"])
    options = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert options == set(re.findall(r"^\| `(--[a-z-]+)", GUIDE, re.MULTILINE))
    assert set(run_log._KEYS) <= set(re.findall(r"[A-Z_]{3,}", GUIDE))


# ---- beside the authors' simulator -----------------------------------------------------------------------------------


def settled(heuristic):
    """One of theirs that chooses among equals as `Pools` does: those that were locked together are."""

    class Settled(heuristic):
        def choose(self, pool, run, **options):
            return [min(pool, key=lambda each: (self.evaluate(each, run), each.meta["last_access_int"], each.root_id))]

    return Settled()


def test_the_cost_is_that_of_the_authors_simulator(tmp_path):
    parse = pytest.importorskip("simrd.parse", reason="simrd, of uwsampl/dtr-prototype, is not on the path")
    heuristics = pytest.importorskip("simrd.heuristic")
    runtime = pytest.importorskip("simrd.runtime")
    rng = random.Random(chosen_seed())
    path = tmp_path / "run.log"
    compared = 0
    for _ in range(60):
        names = ["x0"]
        records = [Constant("x0", 1000)]
        for i in range(1, 60):
            args = rng.sample(names[-6:], min(len(names), 2))
            records.append(call(f"x{i}", args, rng.randrange(1000, 2000), rng.randrange(1, 100)))
            names.append(f"x{i}")
        records += [Release(name) for name in names[1:-1]]
        write(path, numbered(*records))
        budget = rng.randrange(10_000, 40_000)
        # Their sums for dtr also count what nobody can ask for again.
        for ours, theirs in (
            ("local", heuristics.DTRLocal),
            ("lru", heuristics.LRU),
            ("size", heuristics.LargestStorage),
        ):
            with open(path) as file:
                graph = parse.parse_file(file)
            run = runtime.RuntimeV2EagerOptimized(budget, settled(theirs))
            found = replay(numbered(*records), budget, ours)
            try:
                graph.get_closure()(run)
            except MemoryError:
                assert found.stopped is not None
                continue
            assert found.remat_time == run.telemetry.summary["remat_compute"]
            assert found.peak_bytes == run.telemetry.summary["max_memory"]
            compared += found.remat_time > 0
    assert compared > 60
