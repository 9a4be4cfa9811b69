"""The functions of the public namespace, chapter by chapter: NumPy's results, and the table's kind of result.

The calls are those of NumPy's functions, by the names that they have here (`calls.py`): a function that is new in the
namespace is tested by the calls of NumPy's.
"""

import inspect
import itertools

import numpy as np
import pytest
from calls import ATTRIBUTES_OF_RESULTS, NAMESPACE_CALLS, arrays_in, class_of
from oracle import LAYOUTS, OWNERSHIPS
from test_table import both, check_operation, check_writes, writes

import cowarray
from cowarray import (
    _creation,
    _data_types,
    _indexing_functions,
    _manipulation,
    _table,
    _utility,
)

CHAPTERS = {
    "creation": _creation,
    "data types": _data_types,
    "manipulation": _manipulation,
    "indexing": _indexing_functions,
    "utility": _utility,
}


@pytest.mark.parametrize("call", NAMESPACE_CALLS)
def test_functions_give_what_numpys_give_and_as_the_table_says(call):
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        check_operation(call, layout, ownership, float)
    if call in ATTRIBUTES_OF_RESULTS or writes(call) or class_of(call) == _table.SAME:
        return
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held, ours, theirs, _, _ = both(call, layout, ownership, float)
        pairs = zip(arrays_in(ours.result, cowarray.ndarray), arrays_in(theirs.result, np.ndarray), strict=True)
        for result, other in pairs:
            if result is not held.x:
                check_writes(held, result, other)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_function_of_a_chapter_is_called_and_says_what_it_gives(chapter):
    called = {call.partition("(")[0].removeprefix("cowarray.") for call in NAMESPACE_CALLS}
    functions = [name for name in CHAPTERS[chapter].__all__ if inspect.isfunction(getattr(cowarray, name))]
    assert functions
    assert sorted(set(functions) - called) == []
