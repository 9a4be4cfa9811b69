"""What NumPy has and the namespace has not is missing, and the error says what to use."""

import re

import numpy as np
import pytest

import cowarray

ABSENT = sorted(name for name in np.__all__ if not name.startswith("_") and name not in dir(cowarray))


@pytest.mark.parametrize("name", ABSENT)
def test_an_absent_name_tells_the_way_out(name):
    assert not hasattr(cowarray, name)
    with pytest.raises(AttributeError, match=f"^module 'cowarray' has no attribute '{name}'; use .") as raised:
        getattr(cowarray, name)
    assert raised.value.name == name
    # What is named is there.
    text = str(raised.value).partition("; use ")[2]
    named = re.findall(r"\b(cowarray|numpy)((?:\.\w+)+)", text)
    for space, path in named:
        value = {"cowarray": cowarray, "numpy": np}[space]
        for each in path.strip(".").split("."):
            value = getattr(value, each)
    assert named or "x." in text


def test_some_are_absent():
    assert {"matrix", "memmap", "poly1d", "ma"} <= set(ABSENT)


def test_what_numpy_has_not_either_is_only_missing():
    for name in ("nothing", "_private", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"^module 'cowarray' has no attribute '{name}'$"):
            getattr(cowarray, name)


def test_import_errors_stay_import_errors():
    with pytest.raises(ImportError, match="cannot import name 'matrix' from 'cowarray'"):
        exec("from cowarray import matrix")


def test_asking_warns_of_nothing(recwarn):
    for name in (*ABSENT, "row_stack", "in1d", "trapz", "bool8", "nothing"):
        assert not hasattr(cowarray, name)
    assert not recwarn.list
