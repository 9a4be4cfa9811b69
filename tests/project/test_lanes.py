"""The list of lanes is the sources': what touches headers or bytes on the way to NumPy stands in `_ops/lanes.py`."""

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from support.sources import modules, placed

from cowarray._ops import lanes

# What gives a header, opens a scope, or makes an array.
PRIMITIVES = """
    const_header located_header header_for open_header guarded_header private_header reader_header writable_header
    overwriting_header begin_write snapshot outgoing export addressed lazy_storage lazy_block lazy_copy eager_copy
    copy_in_order copy_with copy_as_laid fill_buffer bytes_of adopt computed import_array share_foreign copy_foreign
    view_of view_on on_storage storage_adopt storage_new header_beside new_passage viewing_passage Passage
""".split()  # noqa: SIM905
# The rooms above `_array` and below the modes, which are what is handed operations.
ROOMS = ("_ops", "_face", "_chapters", "_files", "linalg", "fft", "lib", "random", "array_api")


def texts():
    """The files of these rooms, by module."""
    return {name: list(files.values()) for name, files in modules().items() if name.partition(".")[0] in ROOMS}


def calls(sources):
    """The names that each function calls, by its module and name."""
    found = {}
    for module, parts in sources.items():
        for around, tokens in (each for text in parts for each in placed(text)):
            if around and "class" not in around[-1][1][:2]:
                called = {name for name, sign in pairwise(tokens) if sign == "("}
                found.setdefault(".".join([module, *(name for name, _ in around)]), set()).update(called)
    return found


def users(sources):
    """The functions that use a primitive, by module and name."""
    return {name for name, called in calls(sources).items() if called.intersection(PRIMITIVES)}


LISTS = (lanes.ROAD, set(lanes.LANES), lanes.PARTS, lanes.VALUES, lanes.OUTSIDE)


def test_the_lists_are_the_sources():
    found = users(texts())
    listed = Counter(name for names in LISTS for name in names)
    assert len(found) > 60
    assert [name for name, times in listed.items() if times > 1] == []
    assert sorted(found - set(listed)) == []
    assert sorted(set(listed) - found) == []


def test_a_new_way_round_the_road_is_found_in_each_module():
    sources = texts()
    for parts in sources.values():
        parts.append(
            "cdef class Kind:\n    cdef inline Array shortcut(self, Array x):\n        return computed(\n(x))\n"
        )
    assert users(sources) - users(texts()) == {f"{module}.Kind.shortcut" for module in sources}


def test_each_lane_says_when_it_is_safe():
    assert all(len(condition) > 6 for condition in lanes.LANES.values())


# What a lane asks before it goes round the road: itself, or in what calls it.
ASKS = {"leaves_lane", "births_leave_lane", "operand", "is_handed", "relaxed"}
ASKED_BY_CALLERS = {
    "_ops.reading.basic_item": "_ops.reading.get_item",
    "_ops.reading.item_by_numpy": "_ops.reading.get_item",
    "_ops.assigning.set_element": "_ops.assigning.set_item",
    "_ops.assigning.put_part": "_ops.assigning.set_item",
    "_ops.shapes.lazily_shaped": "_face.ndarray.ndarray.reshape _face.ndarray.raveled _face.ndarray.reshape_to_lengths",
    "_ops.creation.taken_over": "_ops.creation.bear",
    "_ops.quick.without_passage": "_ops.road.call_method",
    "_ops.conversion.converted": "_face.ndarray.ndarray.astype",
    "_face.attributes.flat_get": "_face.attributes.flat_part",
    "_face.attributes.flat_set": "_face.attributes.FlatIterator.__setitem__",
    "_face.ndarray.resize": "_face.ndarray.ndarray.resize",
}


@cache
def calls_now():
    return calls(texts())


@pytest.mark.parametrize("lane", lanes.LANES)
def test_each_lane_asks_whether_to_leave_it(lane):
    assert all(ASKS & calls_now()[name] for name in ASKED_BY_CALLERS.get(lane, lane).split())
