"""A short run of the fuzz targets in tests/fuzz, on their corpora and a fixed series of mutations (long: make fuzz)."""

import importlib
import random
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "fuzz"
MUTATIONS = 400
NAMES = ["constructor", "indexing", "reshape", "pickle", "npy", "dlpack", "buffers"]


@pytest.fixture(scope="module")
def fuzz():
    """The modules fuzz and fuzz_targets."""
    before = [*sys.path]
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("fuzz"), importlib.import_module("fuzz_targets")
    finally:
        sys.path[:] = before


def test_every_target_is_run_here_and_has_a_corpus(fuzz):
    _, targets = fuzz
    assert list(targets.TARGETS) == NAMES
    corpora = {path.name for path in (FOLDER / "corpus").iterdir()} - {"core"}  # that one is libFuzzer's
    assert corpora == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_stored_and_mutated_inputs_hold(fuzz, name, tmp_path, monkeypatch):
    run, targets = fuzz
    monkeypatch.setattr(run, "BUILD", tmp_path)
    stored = run.corpus(name)
    rng = random.Random(7)
    inputs = [b"", *stored, *(run.mutated(stored, rng) for _ in range(MUTATIONS))]
    assert len(set(inputs)) > 0.9 * MUTATIONS
    reports = [run.failing(name, targets.TARGETS[name], data) for data in inputs]
    assert [report for report in reports if report] == []


def test_a_failure_is_reported_with_its_input(fuzz, tmp_path, monkeypatch):
    run, _ = fuzz
    monkeypatch.setattr(run, "BUILD", tmp_path)

    def fails(data):
        assert b"(" not in data, "found"

    done, reports = run.fuzz("npy", fails, random.Random(1), 10)
    assert len(reports) == 5
    assert done >= 5
    assert "found" in reports[0]
    assert any(b"(" in path.read_bytes() for path in tmp_path.glob("npy-*"))
    assert "printed" in run.failing("npy", lambda data: print("printed", file=sys.stderr), b"")


def test_targets_notice_a_wrong_result(fuzz, monkeypatch):
    """Planted faults: each target's oracle is awake."""
    run, targets = fuzz
    import cowarray

    strangers, values = sys.modules["strangers"], sys.modules["values"]
    plants = {
        "constructor": (values.cowarray, "array", lambda *args, **kwargs: cowarray.asarray([1, 2, 3])),
        "reshape": (values, "reshaped", lambda n, shape, order: n.reshape(shape, order=order).copy("K") + 1),
        "indexing": (values, "key_part", lambda choices: BadKey()),
        "pickle": (strangers, "_unpickle", lambda *args: cowarray.asarray([1, 2, 3])),
        "npy": (strangers.cowarray, "load", lambda file: cowarray.asarray([1, 2, 3])),
        "dlpack": (strangers.cowarray, "from_dlpack", lambda producer, copy: cowarray.asarray([1, 2, 3])),
        "buffers": (strangers, "answer", lambda exporter, flags: (type(exporter).__module__, 1, 1, 1)),
    }
    assert sorted(plants) == sorted(NAMES)
    for name, (module, attribute, fault) in plants.items():
        with monkeypatch.context() as patch:
            patch.setattr(module, attribute, fault)
            failures = 0
            for data in run.corpus(name):
                try:
                    targets.TARGETS[name](data)
                except Exception:
                    failures += 1
            assert failures, name


class BadKey:
    """Another index whenever it is asked."""

    asked = 0

    def __index__(self):
        BadKey.asked += 1
        return BadKey.asked % 2
