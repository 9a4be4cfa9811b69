"""A pytest plugin that runs each test several times and finds what grows: `make leaks`.

After each run of a test, with garbage collected, it counts the core's live blocks (all memory comes from a tracing
allocator) and the interpreter's (sys.getallocatedblocks: every small Python object counts, our arrays, Storages and
Holds, and NumPy's). What the first runs fill, caches for example, may stay; what each of the last runs raises is a
leak. At the end the test modules are emptied, and no block of the core may be left.
"""

import gc
import sys
import time
from array import array
from itertools import pairwise
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.tracing import TracingAllocator

WARM = 2
RUNS = 3  # that are compared
AGAIN = (10, 40)  # runs of a test that grew: caches can fill slowly, and one block more or less can be chance

KINDS = ("blocks of the core", "blocks of the interpreter")


def figures(memory):
    for _ in range(2):
        gc.collect()
    return memory.report()["live_blocks"], sys.getallocatedblocks()


def by_hypothesis(item):
    """Hypothesis remembers examples: with it, only the core's figure counts."""
    function = getattr(item, "obj", None)
    return (
        getattr(function, "is_hypothesis_test", False) or "TestCase" in type(getattr(item, "instance", None)).__name__
    )


class Leaks:
    def __init__(self):
        self.memory = TracingAllocator()
        self.memory.__enter__()
        self.tests, self.found, self.left = 0, [], None
        self.modules = set()
        self.began = time.monotonic()

    def grows(self, item, runs):
        """The kinds of figures that each of the runs has raised."""
        seen = [array("q", bytes(8 * runs)) for _ in KINDS]  # which holds no objects: these would be counted
        for run in range(runs):
            item._initrequest()
            runtestprotocol(item, log=False, nextitem=item)
            seen[0][run], seen[1][run] = figures(self.memory)
        rises = [min(b - a for a, b in pairwise(figure)) for figure in seen]
        return [(kind, rise) for kind, rise in enumerate(rises) if rise > 0 and not (kind and by_hypothesis(item))]

    def pytest_collection_finish(self):
        gc.collect()
        gc.freeze()  # what is there before the tests: each collection would look through all of it

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.modules.add(getattr(item, "module", None))
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, log=True, nextitem=item)
        if all(report.passed for report in reports):
            self.tests += 1
            for _ in range(WARM - 1):
                item._initrequest()
                runtestprotocol(item, log=False, nextitem=item)
            grown = self.grows(item, RUNS)
            for runs in AGAIN:
                grown = grown and self.grows(item, runs)
            self.found += [f"{item.nodeid}: {rise} {KINDS[kind]} more by each run" for kind, rise in grown]
        item._initrequest()
        item.session._setupstate.teardown_exact(nextitem)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        gc.unfreeze()
        session.items.clear()
        for module in self.modules - {None}:
            vars(module).clear()
        self.left = figures(self.memory)[0]
        self.memory.__exit__(None, None, None)
        if self.found or self.left or not self.tests:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("leaks")
        for line in self.found:
            terminalreporter.line(f"LEAK {line}")
        terminalreporter.line(
            f"leaks: {self.tests} tests run {WARM + RUNS} times: {len(self.found)} leaks, {self.left} blocks of the "
            f"core left at the end, {time.monotonic() - self.began:.0f} s"
        )


def pytest_configure(config):
    config.pluginmanager.register(Leaks(), "cowarray-leaks")
