"""A pytest plugin that runs NumPy's own tests on our arrays: `make conformance-numpy`.

A test module that is imported sees, where it asks for `numpy`, a stand-in: NumPy, except that what creates arrays
gives ours, and that the comparisons of `numpy.testing` look at ours through `numpy.asarray`. NumPy itself keeps its own
names, so that what is tested is a program that uses our arrays with NumPy's functions. Random
numbers come from `cowarray.random`, also those of the legacy functions, `as_strided` is `cowarray.lib`'s, and `nditer`
and `nested_iters`, which ask no array, are `cowarray`'s.

A test counts as touched if it built one of our arrays. Each test's fate is a line of JSON in the file `--fates`; one
that only began has ended the process.
"""

import contextlib
import functools
import importlib
import json
import pkgutil
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import cowarray as ca
from cowarray._chapters import legacy_random
from cowarray._ops.creation import fresh

# What a program makes arrays with. Those of them that cowarray has itself are taken from there, the others are NumPy's,
# and what they give is converted.
CREATORS = """
    arange array asanyarray asarray ascontiguousarray asfortranarray copy diag diagflat empty empty_like eye
    frombuffer fromfile fromfunction fromiter fromstring full full_like geomspace identity indices linspace
    logspace meshgrid ones ones_like tri tril_indices triu_indices vander zeros zeros_like
"""

NUMPY = Path(np.__file__).parent

# Take arrays, and give NumPy's: cowarray has them too, and they let arrays be written to.
ITERATORS = ("nditer", "nested_iters")

NOTHING = 10**6  # no integer that Python keeps: tests count the references to 0 and to 1
built = NOTHING  # and one more for each array of ours that the swapped creators have given, since the test began


def ours(value):
    """What a creator of NumPy's gave, as ours; arrays of a subclass stay what they are."""
    if type(value) in (tuple, list):
        return type(value)(map(ours, value))
    return ca.asarray(value) if type(value) is np.ndarray else value


def is_subclass(value):
    return isinstance(value, np.ndarray) and type(value) is not np.ndarray


def swapped(numpys, own=None):
    """The creator that a test module sees instead of one of NumPy's."""

    @staticmethod  # as an attribute of a class, NumPy's own is no method
    @functools.wraps(numpys)
    def create(*args, **kwargs):
        global built
        # Not about our arrays: subclasses of NumPy's, and arrays like those of somebody else.
        foreign = kwargs.get("like") is not None or any(map(is_subclass, args))
        given = ours(numpys(*args, **kwargs)) if own is None or foreign else own(*args, **kwargs)
        built += isinstance(given, ca.ndarray) or (
            isinstance(given, tuple | list) and any(isinstance(item, ca.ndarray) for item in given)
        )
        return given

    return create


def drawn(value):
    """What a method of our Generator gives: its arrays count as built, too."""
    global built
    given = fresh(value)
    built += isinstance(given, ca.ndarray)
    return given


def numpys(value):
    """A value as NumPy's comparisons take it: our arrays as NumPy's, in containers too."""
    if type(value) is ca.ndarray:
        return np.asarray(value)
    if type(value) in (tuple, list):
        return type(value)(map(numpys, value))
    if type(value) is dict:
        return {key: numpys(item) for key, item in value.items()}
    return value


def comparing(function):
    """A comparison of NumPy's that converts both sides."""

    @functools.wraps(function)
    def compare(*args, **kwargs):
        return function(*map(numpys, args), **numpys(kwargs))

    return compare


class StandIn(types.ModuleType):
    """A module with some of its names replaced; what is set is set in the module, too."""

    def __init__(self, module, replaced):
        super().__init__(module.__name__)
        vars(self).update(vars(module))
        vars(self).update(replaced)
        vars(self)["_stands_for"] = module

    def __getattr__(self, name):  # what the module makes when it is asked for
        return getattr(vars(self)["_stands_for"], name)

    def __setattr__(self, name, value):
        setattr(vars(self)["_stands_for"], name, value)
        vars(self)[name] = value

    def __delattr__(self, name):
        delattr(vars(self)["_stands_for"], name)
        del vars(self)[name]

    def __dir__(self):
        return dir(vars(self)["_stands_for"])


# These take what is to be run, or text.
NO_COMPARISONS = ("assert_raises", "assert_warns", "assert_no_warnings", "assert_string_equal", "assert_no_gc_cycles")


def comparisons(module):
    return {
        name: comparing(value)
        for name, value in vars(module).items()
        if name.startswith("assert_") and callable(value) and not name.startswith(NO_COMPARISONS)
    }


def stand_ins():
    """What test modules find in sys.modules while they are imported."""
    found = {}
    for name in ("numpy.testing", "numpy.testing._private.utils", "numpy.ma.testutils"):
        module = importlib.import_module(name)
        found[name] = StandIn(module, comparisons(module))
    generators = {name: getattr(ca.random, name) for name in ("Generator", "RandomState", "default_rng")}
    legacy = {name: swapped(getattr(np.random, name), getattr(ca.random, name)) for name in legacy_random.NAMES}
    found["numpy.random"] = StandIn(np.random, generators | legacy)
    strided = {"as_strided": swapped(np.lib.stride_tricks.as_strided, ca.lib.stride_tricks.as_strided)}
    found["numpy.lib.stride_tricks"] = StandIn(np.lib.stride_tricks, strided)
    found["numpy.lib"] = StandIn(np.lib, {"stride_tricks": found["numpy.lib.stride_tricks"]})
    modules = {"testing": found["numpy.testing"], "random": found["numpy.random"], "lib": found["numpy.lib"]}
    creators = {name: swapped(getattr(np, name), getattr(ca, name, None)) for name in CREATORS.split()}
    iterators = {name: getattr(ca, name) for name in ITERATORS}
    found["numpy"] = StandIn(np, creators | iterators | modules)
    return found


# Need compilers, or are about building, packaging and types: no arrays.
LEFT_OUT = {"f2py", "distutils", "typing", "_pyinstaller", "tests", "__main__", "__config__"}


def import_all(package=np):
    """All of NumPy that test modules may import: what were imported beside them would see the stand-ins."""
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if found.name.rpartition(".")[2] not in LEFT_OUT:
            with warnings.catch_warnings(), contextlib.suppress(ImportError):  # of what a built NumPy lacks
                warnings.simplefilter("ignore")
                module = importlib.import_module(found.name)
                if found.ispkg:
                    import_all(module)


def line_of(failure):
    """The line of a test module where it failed."""
    entries = getattr(getattr(failure, "reprtraceback", None), "reprentries", ())
    for entry in reversed(entries):
        place = getattr(entry, "reprfileloc", None)
        if place is not None and Path(place.path).name.startswith("test_"):
            source = [line for line in entry.lines if line[:1] not in ("E", "")]
            return f"{Path(place.path).name}:{place.lineno}: {source[-1].strip('> ') if source else ''}"
    return ""


class Swap:
    def __init__(self, fates):
        self.fates = fates
        self.fate = {}
        import_all()
        self.modules = stand_ins()
        ca.random.fresh = drawn

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        if not isinstance(collector, pytest.Module):
            return (yield)
        saved = {name: sys.modules[name] for name in self.modules}
        sys.modules.update(self.modules)
        try:
            report = yield
        finally:
            sys.modules.update(saved)
        if report.failed:
            self.write(id=name_of(collector), outcome="failed", built=0, error=str(report.longrepr)[-600:], line="")
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, config, items):
        not_run = config.getoption("--not-run")
        yield
        items[:] = [item for item in items if name_of(item) not in not_run]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        global built
        built = NOTHING
        self.fate = {"id": name_of(item), "outcome": "passed"}
        self.write(id=name_of(item), outcome="began")
        result = yield
        self.write(**self.fate, built=built - NOTHING)
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            error = crash.message if crash else str(report.longrepr)
            self.fate.update(outcome="failed", error=error[:600], line=line_of(report.longrepr))
        elif report.skipped:
            self.fate["outcome"] = "xfailed" if hasattr(report, "wasxfail") else "skipped"

    def write(self, **line):
        self.fates.write(json.dumps(line) + "\n")
        self.fates.flush()


def name_of(collected):
    """The dotted name of a test of NumPy's, or of its module, wherever NumPy is installed."""
    path = collected.path.with_suffix("")
    if path.is_relative_to(NUMPY):
        path = path.relative_to(NUMPY.parent)
        return "::".join([".".join(path.parts), *collected.nodeid.split("::")[1:]])
    return "::".join([path.name, *collected.nodeid.split("::")[1:]])


def pytest_addoption(parser):
    parser.addoption("--fates", type=Path, required=True, help="file for each test's fate, as lines of JSON")
    parser.addoption("--not-run", action="append", default=[], help="a test that is left out, by its name")
    parser.addoption("--aliasing", action="store_true", help="run in cowarray.aliasing")


def pytest_configure(config):
    if config.getoption("aliasing"):
        ca.aliasing.start()
    config.pluginmanager.register(Swap(config.getoption("fates").open("w")), "swap")
