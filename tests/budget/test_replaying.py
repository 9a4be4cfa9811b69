"""A log is replayed as the paper says: within the budget, its results there at the end, at a plain simulator's cost."""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import chains
import pytest
from modelled_pools import UNIT
from plain_simulator import HEURISTICS, plainly
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
