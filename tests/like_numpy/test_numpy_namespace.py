"""NumPy's whole public namespace, given our arrays: every name has a case, and each call does as is said.

Functions that ask an array who computes have cases of their own; what they give is compared in
`test_numpy_functions.py` and `test_table.py`, and ufuncs are called by `test_isolation.py`. Here are the rest, under
the tags of `cases/numpy_only.py`; what is not ours of itself is in the documentation, with what to do
instead.
"""

import fnmatch
import re
from pathlib import Path

import numpy as np
import pytest
from support.calls import Run
from support.numpy_namespace import CALLS, WITHOUT_ARRAYS, case, first_names, identity, names, without_arrays
from support.numpy_versions import absent, unasked
from support.oracle import agree, native, subject

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.numpy_versions]

# ---- every name ------------------------------------------------------------------------------------------------------


def test_every_name_is_called_or_takes_no_array():
    found = {}
    for name in names():
        found.setdefault(case(name), []).append(name)
    missing = set(found.get(None, [])) - {f"numpy.{name}" for name in unasked()}
    assert missing == set(), "public names of NumPy's without a case: see tests/support/numpy_namespace.py"
    assert len(found["a ufunc"]) >= 200
    assert len(found["asks the array"]) >= 550
    assert len(found["called"]) >= 600


def test_nothing_is_excused_that_is_called_or_that_is_not_there():
    assert [name for name in without_arrays() if identity(names()[name]) in first_names()] == []
    listed = {f"numpy.{name}" for text in WITHOUT_ARRAYS.values() for name in text.split()}
    assert sorted(listed - names().keys() - {f"numpy.{name}" for name in absent()}) == []


# ---- what does not ask -----------------------------------------------------------------------------------------------


def run_both(call, layout="contiguous", ownership="lazy copy"):
    held = subject(layout, ownership)
    theirs = Run(call.source, held.n)()
    ours = Run(call.source, held.x)
    cowarray.reset_stats()
    ours()
    return held, ours, theirs


def of(*outcomes):
    chosen = [call for call in CALLS if call.outcome in outcomes]
    assert chosen
    return pytest.mark.parametrize("call", chosen, ids=[call.source for call in chosen])


def check_read(held, ours, theirs):
    stats = ours.stats()
    assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0
    assert stats["bytes_copied"] == 0 or (".resize(" in ours.source and stats["bytes_copied"] <= ours.result.nbytes)
    held.check()
    ours.check(theirs)


@of("gives-ours", "gives-view")
def test_results_are_numpys_and_ours_where_numpys_are_arrays(call):
    held, ours, theirs = run_both(call)
    assert theirs.error in (None, AssertionError)
    check_read(held, ours, theirs)
    agree((ours.result, ours.error), (theirs.result, theirs.error))


@of("gives-numpys")
def test_results_are_equal_and_numpys(call):
    held, ours, theirs = run_both(call)
    assert (ours.error, theirs.error) == (None, None)
    check_read(held, ours, theirs)
    np.testing.assert_equal(native(ours.result), theirs.result)


@of("refuses")
def test_what_refuses_ours_raises(call):
    _, ours, theirs = run_both(call)
    assert theirs.error is None
    assert ours.error in (TypeError, ValueError, AttributeError, KeyError)  # the last: no ``data`` in the interface
    assert ours.stats()["copies"] == 0 or ".std" in call.source  # which fails in the middle


@of("differs")
def test_what_computes_something_else_is_known(call):
    held, ours, theirs = run_both(call)
    assert (ours.error, theirs.error) == (None, None)
    with pytest.raises(AssertionError):
        np.testing.assert_equal([native(ours.result), native(held.x)], [theirs.result, held.n], strict=True)


@of("lenient")
def test_what_numpy_refuses_of_its_own(call):
    held, ours, theirs = run_both(call)
    assert theirs.error is not None
    assert ours.error is None
    check_read(held, ours, theirs)


@of("writes")
def test_what_writes_is_seen_by_views_and_by_no_copy(call):
    for ownership in ("owner", "view", "lazy copy", "source", "imported"):
        held, ours, theirs = run_both(call, ownership=ownership)
        assert (ours.error, theirs.error) == (None, None)
        assert (ours.result is held.x) == (theirs.result is held.n)
        held.check()
        ours.check(theirs)


# ---- the documentation -----------------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "numpy.md"
HEADINGS = {
    "Return NumPy arrays": "gives-numpys",
    "Refuse cowarray arrays": "refuses",
    "Compute something else": "differs",
}


def documented():
    """Heading -> the patterns of names in the first column of its table."""
    found = {}
    for section in PAGE.read_text().split("\n### ")[1:]:
        heading, _, text = section.partition("\n")
        rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")][2:]
        found[heading] = re.findall(r"`(numpy\.[\w.*]+)`", " ".join(rows))
    return found


def called_names(outcome):
    """The names of what has a call with that outcome; of methods that are no public names, those of Python."""
    for call in CALLS:
        if call.outcome == outcome:
            special = re.search(r"__\w+__", call.source)
            yield first_names().get(call.function) or f"numpy.ndarray.{special[0]}"


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_documentation_lists_what_is_not_ours_of_itself(heading):
    patterns = documented()[heading]
    listed = set(called_names(HEADINGS[heading]))
    assert listed
    assert sorted(name for name in listed if not any(fnmatch.fnmatchcase(name, each) for each in patterns)) == []
    assert [each for each in patterns if not fnmatch.filter(listed, each)] == [], "listed, but not so"


def test_the_documentation_lists_nothing_that_gives_ours():
    others = set().union(*(called_names(outcome) for outcome in HEADINGS.values()))
    ours = set().union(*(called_names(outcome) for outcome in ("gives-ours", "gives-view", "writes"))) - others
    named = [each for patterns in documented().values() for each in patterns if not each.endswith(".*")]
    assert {name: each for each in named for name in fnmatch.filter(ours, each)} == {}


def test_every_table_of_the_documentation_is_checked():
    assert documented().keys() == HEADINGS.keys()
