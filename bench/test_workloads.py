"""Three whole programs, each compared with the way it is written today: time, memory, bytes copied. See workloads/."""

import importlib
import sys
from pathlib import Path

import pytest
from paired import Way, setting

sys.path.append(str(Path(__file__).with_name("workloads")))

from workload import in_a_process, run

NAMES = ("cache", "undo", "ensemble")
WORKLOADS = {name: importlib.import_module(name) for name in NAMES}
ROUNDS = {"cache": 5, "undo": 3, "ensemble": 5}  # of a process each


# What each workload gave when it was first run: every other run must give the same.
RESULTS = {}


class Workload(Way):
    """One way of a workload, in a new process each time. Every result must be that of the first."""

    def __init__(self, name, way):
        super().__init__("pass", once=True)
        self.name, self.way = name, way
        self.figures = {}

    def seconds(self, calls):
        found = in_a_process(self.name, self.way)
        assert RESULTS.setdefault(self.name, found["result"]) == found["result"], f"{self.name}: {self.way} differs"
        self.figures = {"peak_bytes": found["peak_bytes"], "bytes_copied": found["bytes_copied"]}
        return found["seconds"]


@pytest.mark.parametrize(
    ("name", "who"), [(name, way) for name, workload in WORKLOADS.items() for way in workload.WAYS]
)
def test_workload(compare, name, who):
    def ways():
        if setting.smoke:
            return {way: Small(name, way) for way in (who, "numpy")}
        return {way: Workload(name, way) for way in WORKLOADS[name].WAYS}

    skip = WORKLOADS[name].missing() if name == "undo" else None
    least = ROUNDS[name] if setting.seconds >= 1.0 else 1
    compare(who, ways, question="workloads", case=name, seconds=0.0, least=least, skip=skip)


class Small(Way):
    """A few kilobytes, in this process."""

    def __init__(self, name, way):
        super().__init__("pass")
        self.name, self.way = name, way

    def result(self):
        found = run(WORKLOADS[self.name], self.way, small=True)["result"]
        expected = run(WORKLOADS[self.name], "numpy", small=True)["result"]
        assert found == expected, f"{self.name}: {self.way} differs from numpy"
