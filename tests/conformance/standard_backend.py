"""Inside pytest: runs the array API tests of SciPy and scikit-learn on `cowarray.array_api`, and on nothing else.

Both have lists of the namespaces that they test: SciPy in the fixture `xp`, scikit-learn by name. Each test's fate is a
line of JSON in the file `--fates`; one that only began has ended the process.
"""

import json
from pathlib import Path

import pytest

import cowarray
from cowarray import array_api

NAME = array_api.__name__


def add_to_scipy():
    import scipy.conftest as theirs

    theirs.xp_known_backends.add(NAME)
    given = pytest.param(array_api, id=NAME, marks=pytest.mark.array_api_backends)
    theirs.xp = pytest.fixture(params=[given])(theirs.xp._get_wrapped_function())

    @pytest.fixture
    def devices(xp):
        return [*xp.__array_namespace_info__().devices(), None]

    theirs.devices = devices  # SciPy's takes a list, which the standard gave before 2025.12


def add_to_sklearn():
    from sklearn.utils import _array_api as theirs

    theirs.yield_namespaces = lambda include_numpy_namespaces=True: iter([NAME])


class Fates:
    def __init__(self, path):
        self.lines = path.open("w")
        self.fate = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.fate = {"id": name_of(item), "outcome": "passed"}
        self.write(id=name_of(item), outcome="began")
        result = yield
        self.write(**self.fate)
        return result

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(id=report.nodeid, outcome="failed", error=str(report.longrepr)[-600:])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.fate.update(outcome="failed", error=(crash.message if crash else str(report.longrepr))[:600])
        elif report.skipped:
            self.fate["outcome"] = "xfailed" if hasattr(report, "wasxfail") else "skipped"

    def write(self, **line):
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()


def name_of(item):
    """The dotted name of a test's module, and its own, wherever the library is installed."""
    return "::".join([item.module.__name__, *item.nodeid.split("::")[1:]])


def pytest_addoption(parser):
    parser.addoption("--fates", type=Path, required=True, help="file for each test's fate, as lines of JSON")
    parser.addoption("--library", choices=["scipy", "sklearn"], required=True)
    parser.addoption("--aliasing", action="store_true", help="run in cowarray.aliasing")


def pytest_configure(config):
    if config.getoption("aliasing"):
        cowarray.aliasing.start()
    add_to_scipy() if config.getoption("library") == "scipy" else add_to_sklearn()
    config.pluginmanager.register(Fates(config.getoption("fates")), "fates")
