"""What a write costs by the page, beside NumPy and torch: the programs of page_costs.py."""

import subprocess
import sys
from pathlib import Path

import pytest
from page_costs import PROGRAMS, SMALL, WAYS, in_a_process, mean, measure, missing
from paired import Way, setting

import cowarray

PROGRAM = Path(__file__).with_name("page_costs.py")
NAMES = {"numpy": "numpy", "torch": "torch", "off": "cowarray off", "ledger": "cowarray", "eager": "cowarray eager"}

# The highest ratio to NumPy's time that is acceptable by the ledger; others: what no program may exceed.
TARGETS = {
    "write-256MiB-dropped": 0.02,
    "undo": 0.3,
    "read-0%": 1.05,
}
MOST = 1.25

# What each program gave when it was first run: every other run must give the same.
RESULTS = {}


class Paged(Way):
    """A step of a program in one way, on average, in a new process each time. Every result must be the first's."""

    def __init__(self, program, way):
        super().__init__("pass", once=True)
        self.program, self.way = program, way
        self.figures = {}

    def seconds(self, calls):
        found = in_a_process(self.program, self.way)
        assert RESULTS.setdefault(self.program, found["result"]) == found["result"], f"{self.program}: {self.way}"
        copied = found["stats"].get("bytes_copied", 0) if self.way in ("off", "ledger", "eager") else None
        self.figures = {"peak_bytes": found["peak_bytes"], "bytes_copied": copied}
        return mean(found)


class Small(Way):
    """A few kilobytes, in this process."""

    def __init__(self, program, way):
        super().__init__("pass")
        self.program, self.way = program, way

    def result(self):
        before = cowarray.paging()
        try:
            found = measure(self.program, self.way, SMALL)["result"]
            assert found == measure(self.program, "numpy", SMALL)["result"], f"{self.way} differs from numpy"
        finally:
            cowarray.paging(before)


@pytest.mark.sampled
@pytest.mark.parametrize(("program", "way"), [(program, way) for program in PROGRAMS for way in WAYS])
def test_a_write_by_the_page(compare, program, way):
    kind = Small if setting.smoke else Paged

    def ways():
        return {NAMES[each]: kind(program, each) for each in WAYS if missing(program, each) is None}

    compare(
        NAMES[way],
        ways,
        question="writes by the page",
        case=program,
        targets={"numpy": TARGETS.get(program, MOST)},
        seconds=0.0,
        least=3 if setting.seconds >= 1.0 else 1,
        skip=missing(program, way),
    )


def test_the_table_is_printed():
    command = [sys.executable, PROGRAM, "--small", "--rounds", "2", "--program", "chain-1", "--way", "numpy"]
    done = subprocess.run([*command, "--way", "ledger"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:4]]
    assert [row[:3] for row in rows] == [["chain-1", "numpy", "40"], ["chain-1", "ledger", "40"]]
    assert float(rows[0][4]) == 1
    assert done.stdout.endswith("All results are equal.\n")


def test_results_that_differ_are_told():
    program = (
        "import sys, itertools, page_costs; count = itertools.count()\n"
        "page_costs.in_a_process = lambda *rest: {'seconds': [1.0], 'peak_bytes': 0, 'result': next(count)}\n"
        "sys.exit(page_costs.main(['--program', 'chain-1', '--way', 'numpy', '--rounds', '2']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PROGRAM.parent)
    assert done.returncode == 1, done.stderr
    assert "WRONG" in done.stdout
