"""The list of what NumPy's versions do differently is true of the NumPy that is installed."""

import contextlib
import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest
from support.numpy_versions import BROUGHT, DEVIATIONS, TAKEN, absent, happens

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.numpy_versions]

PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())


@pytest.mark.parametrize("name", DEVIATIONS)
def test_numpy_does_what_the_list_says_of_its_version(name):
    deviation = DEVIATIONS[name]
    seen = deviation.seen()
    assert seen == happens(name), f"NumPy {np.__version__} {'does' if seen else 'does not do'} this: {deviation.why}"


@pytest.mark.parametrize("name", [name for names in (*BROUGHT.values(), *TAKEN.values()) for name in names.split()])
def test_names_come_and_go_as_the_list_says(name):
    module, _, last = f"numpy.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), last) == (name not in absent())


def test_every_warning_that_is_ignored_is_in_the_list_or_of_hypothesis():
    [first, *ignored, of_hypothesis] = PYPROJECT["tool"]["pytest"]["ini_options"]["filterwarnings"]
    assert first == "error"
    assert sorted(ignored) == sorted(f"ignore:{one.ignored}" for one in DEVIATIONS.values() if one.ignored)
    assert "<function gc_cumulative_time:" in of_hypothesis


def test_no_entry_is_about_versions_that_are_no_longer_allowed():
    [requirement] = PYPROJECT["project"]["dependencies"]
    lowest = np.lib.NumpyVersion(requirement.partition(">=")[2].partition(",")[0])
    for name, deviation in DEVIATIONS.items():
        assert not deviation.until or lowest < deviation.until, f"{name}: every NumPy that is allowed is newer"
        assert not deviation.since or lowest < deviation.since, f"{name}: every NumPy that is allowed does so"
    for version in (*BROUGHT, *TAKEN):
        assert lowest < version, f"names of {version}: every NumPy that is allowed is newer"


def test_what_numpy_gives_back_as_it_is_becomes_a_copy():
    """Before 2.4, `round` of integers gives its argument, and `flat[()]` the array."""
    n = np.arange(6).reshape(2, 3)
    for got in (cowarray.round(n), cowarray.array(n).flat[()]):
        assert type(got) is cowarray.ndarray
        got[...] = 7
        assert n.tolist() == [[0, 1, 2], [3, 4, 5]]
    x = cowarray.array(n)
    whole = x.flat[()]
    x[...] = 7
    assert whole.ravel().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("block", [contextlib.nullcontext, cowarray.fake, cowarray.deferred, cowarray.simulate])
def test_an_assignment_to_flat_without_an_index_is_refused(block):
    """With NumPy before 2.4 its own arrays crash the process."""
    with block():
        x = cowarray.zeros(3)
        with pytest.raises(IndexError, match="0-D index"):
            x.flat[()] = 1
        assert block is cowarray.fake or x.tolist() == [0, 0, 0]
