"""What the report derives from figures: ratios within rounds, targets, what got slower. These figures are made up."""

import json

from compare import change
from compare import main as compare_runs
from report import main as report
from results import between_runs, condense, load, rows, together, verdict
from targets import TARGETS, in_brief

TEN = "numpy copy of 10 elements"


def run(factor=1.0):
    """As pytest-benchmark writes it. The second round was disturbed, for both sides alike."""
    times = {"cowarray": [1e-7 * factor, 9e-7 * factor, 1.2e-7 * factor], "numpy": [2e-7, 18e-7, 2e-7]}
    times[TEN] = times["numpy"]
    benchmarks = []
    for question, size in (("lazy clone", 80), ("lazy clone", 1 << 30)):
        for who, data in times.items():
            info = {"question": question, "case": "80 B" if size == 80 else "1 GiB", "who": who, "bytes_copied": 0}
            if who == "cowarray":
                targets = dict.fromkeys(("numpy", TEN), 0.5)
                info |= {"targets": targets, "size": size, "copied_limit": 0, "mean_target": 1.0}
            benchmarks.append({"extra_info": info, "stats": {"data": data}})
    figures = [{"name": "memory", "value": 500.0 * factor, "limit": 400, "unit": "B"}]
    benchmarks.append({"extra_info": {"question": "no traps", "figures": figures}, "stats": {"data": [1.0]}})
    machine = {"CPU": "made up", "missing": ["torch is missing: no"], "numpy": "2"}
    return {"machine_info": machine, "commit_info": {}, "datetime": "2025-01-01T00:00:00", "benchmarks": benchmarks}


def test_a_ratio_is_the_median_of_those_within_rounds():
    found = rows(condense(run()))
    assert [(row["case"], row["ratio"]["median"]) for row in found if row["who"] == "numpy"] == [
        ("80 B", 0.5),
        ("1 GiB", 0.5),
        ("geometric mean of 2", 0.5),
    ]


def test_a_figure_is_a_row_of_the_table():
    (memory,) = [row for row in rows(condense(run())) if row["question"] == "no traps"]
    assert (memory["case"], memory["ours"], memory["target"], verdict(memory)) == ("memory", 500.0, 400, "not met")


def test_bytes_copied_beyond_the_limit_are_a_row_of_the_table():
    made = run()
    for benchmark in made["benchmarks"]:
        if benchmark["extra_info"].get("case") == "1 GiB":
            benchmark["extra_info"]["bytes_copied"] = 8
    copied = [row for row in rows(condense(made)) if "bytes copied" in row["case"]]
    assert [(row["case"], row["ours"], verdict(row)) for row in copied] == [("1 GiB: bytes copied", 8, "not met")]


def test_verdicts():
    row = {"ours": 1.0, "ratio": {"median": 1.0, "q1": 0.9, "q3": 1.1}, "runs": []}
    assert [verdict(row | {"target": target}) for target in (None, 1.0, 0.95, 0.8)] == [
        "",
        "met",
        "not met, but within the spread",
        "not met",
    ]
    assert verdict(row | {"target": 0.8, "runs": [0.8, 1.0, 1.2]}) == "not met, but within the spread"


def test_of_several_runs_each_number_is_the_median_of_the_runs():
    runs = [condense(run(factor)) for factor in (1.0, 3.0, 1.2)]
    runs[1]["cases"] = [case for case in runs[1]["cases"] if case["case"] != "1 GiB"]  # it failed there
    found = {(row["case"], row["who"]): row for row in rows(together(runs))}
    assert found["80 B", "numpy"]["ratio"]["median"] == 0.6
    assert found["80 B", "numpy"]["runs"] == [0.5, 1.5, 0.6]
    assert found["1 GiB", "numpy"]["ratio"]["median"] == 0.55
    assert found["1 GiB", "numpy"]["runs"] == [0.5, 0.6]
    assert found["geometric mean of 2", "numpy"]["runs"] == []
    assert (found["memory", ""]["ours"], found["memory", ""]["runs"]) == (600.0, [500.0, 1500.0, 600.0])
    assert [round(part, 2) for part in between_runs([found["80 B", "numpy"], found["1 GiB", "numpy"]])] == [0.18, 1.67]


def test_a_mean_has_the_means_of_the_runs():
    (mean,) = [row for row in rows(together([condense(run()), condense(run(3.0))])) if row["who"] == "numpy"][2:]
    assert mean["runs"] == [0.5, 1.5]


def test_what_the_last_run_no_longer_has_is_left_out():
    before, last = condense(run()), condense(run())
    gone = last["cases"].pop()
    assert gone["case"] not in [row["case"] for row in rows(together([before, last]))]


def test_what_was_not_measured_is_told():
    found = {(target.work, target.against): met for target, _, met in in_brief(condense(run()))}
    assert len(found) == len(TARGETS)
    assert found["x.lazy_clone(), any size", "NumPy's copy of 10 elements"] == "met"
    assert found["x.lazy_clone(), any size", "torch"] == "not measured"


def test_a_change_counts_beyond_the_spread_only():
    before = {"median": 1.0, "q1": 0.9, "q3": 1.1}
    assert change(before, {"median": 1.2, "q1": 1.05, "q3": 1.3}) is None
    assert change(before, {"median": 1.2, "q1": 1.15, "q3": 1.3}) == "slower"
    assert change(before, {"median": 0.8, "q1": 0.7, "q3": 0.85}) == "quicker"


def test_the_report_and_the_comparison(tmp_path, capsys):
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(run()))
    after.write_text(json.dumps(run(1.5)))
    assert report([str(before)]) == 0
    shown = capsys.readouterr().out
    assert "torch is missing" in shown
    assert "5 of 6 measured targets are met" in shown  # four ratios and a mean; not the memory
    assert "runs, which differ" not in shown
    assert report([str(before), str(after)]) == 0
    assert "median of 2 runs; half of them differ by less than 40 % from run to run" in capsys.readouterr().out
    assert compare_runs([str(before), str(after)]) == 0
    shown = capsys.readouterr().out
    assert "slower" in shown
    assert "memory: 500 -> 750" in shown


def test_the_whole_of_a_run_is_written(tmp_path):
    source = tmp_path / "run.json"
    source.write_text(json.dumps(run()))
    assert report([str(source), "--into", str(tmp_path / "out")]) == 0
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["results.json", "results.md"]
    assert load(tmp_path / "out" / "results.json") == load(source)
    assert str(tmp_path) not in (tmp_path / "out" / "results.md").read_text()
