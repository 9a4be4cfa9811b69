"""The list of lanes is the sources': who touches arrays' headers or bytes above `_array` stands in `_ops/lanes.py`."""

import re
from collections import Counter
from pathlib import Path

import pytest

from cowarray._ops import lanes

PACKAGE = Path(__file__).parents[2] / "src" / "cowarray"

# What gives a header, opens a scope, or makes an array.
PRIMITIVES = """
    const_header located_header header_for open_header guarded_header private_header reader_header writable_header
    overwriting_header begin_write snapshot outgoing export lazy_storage lazy_block lazy_copy eager_copy copy_in_order
    copy_with copy_as_laid fill_buffer bytes_of adopt computed import_array share_foreign copy_foreign view_of
    view_on on_storage storage_adopt storage_new header_beside new_passage viewing_passage Passage
""".split()  # noqa: SIM905
CALL = re.compile(rf"(?<![\w.])(?:{'|'.join(PRIMITIVES)})\(")
CLASS = re.compile(r"(?:cdef|cpdef)\s+class\s+(\w+)")
FUNCTION = re.compile(r"(?:cdef|cpdef|def)\s+(?:inline\s+)?(?:[\w.]+\s+)?\*?(\w+)\(")
METHOD = re.compile(r"    (?:cdef\s+[\w.]+\s+|def\s+)(\w+)\(")


def texts():
    found = {}
    for folder in ("_ops", "_face"):
        for path in sorted((PACKAGE / folder).glob("*.p[yx][xd]")):
            found.setdefault(f"{folder}.{path.stem}", []).append(path.read_text())
    return found


def users(sources):
    """The functions that use a primitive, by module and name."""
    found = set()
    for module, parts in sources.items():
        for text in parts:
            text = re.sub(r"#.*", "", re.sub(r'""".*?"""', "", text, flags=re.DOTALL))
            owner, name = None, None
            for line in text.split("\n"):
                if line and not line[0].isspace():
                    owner = CLASS.match(line) and CLASS.match(line)[1]
                    name = FUNCTION.match(line) and FUNCTION.match(line)[1]
                elif owner and METHOD.match(line):
                    name = f"{owner}.{METHOD.match(line)[1]}"
                elif name and CALL.search(line):
                    found.add(f"{module}.{name}")
    return found


LISTS = (lanes.ROAD, set(lanes.LANES), lanes.PARTS, lanes.VALUES, lanes.OUTSIDE)


def test_the_lists_are_the_sources():
    found = users(texts())
    listed = Counter(name for names in LISTS for name in names)
    assert len(found) > 60
    assert [name for name, times in listed.items() if times > 1] == []
    assert sorted(found - set(listed)) == []
    assert sorted(set(listed) - found) == []


@pytest.mark.parametrize("module", ["_ops.operators", "_ops.road", "_face.ndarray"])
def test_a_new_way_round_the_road_is_found(module):
    sources = texts()
    sources[module][0] += "\ncdef object shortcut(Array x):\n    return computed(const_header(x))\n"
    assert users(sources) - users(texts()) == {f"{module}.shortcut"}


def test_each_lane_says_when_it_is_safe():
    assert all(len(condition) > 6 for condition in lanes.LANES.values())


# What a lane asks before it goes round the road: itself, or in what calls it.
ASKS = re.compile(r"\b(leaves_lane|births_leave_lane|operand|is_handed|relaxed)\(")
ASKED_BY_CALLERS = {
    "_ops.indexing.basic_view": "get_item",
    "_ops.indexing.item_by_numpy": "get_item",
    "_ops.indexing.set_element": "set_item",
    "_ops.indexing.put_part": "set_item",
    "_ops.shapes.quick_reshape": "ndarray.reshape",
    "_ops.protocols.fresh": "born",
    "_ops.road.without_passage": "call_method",
    "_ops.conversion.converted": "ndarray.astype",
    "_face.attributes.flat_get": "FlatIterator.__getitem__",
    "_face.attributes.flat_set": "FlatIterator.__setitem__",
    "_face.ndarray.resize": "ndarray.resize",
}


def bodies():
    """The text of each function, by its name without the module."""
    found = {}
    for parts in texts().values():
        for text in parts:
            owner, name = None, None
            for line in text.split("\n"):
                if line and not line[0].isspace():
                    owner = CLASS.match(line) and CLASS.match(line)[1]
                    name = FUNCTION.match(line) and FUNCTION.match(line)[1]
                elif owner and METHOD.match(line):
                    name = f"{owner}.{METHOD.match(line)[1]}"
                if name:
                    found[name] = found.get(name, "") + line + "\n"
    return found


@pytest.mark.parametrize("lane", lanes.LANES)
def test_each_lane_asks_whether_to_leave_it(lane):
    name = ASKED_BY_CALLERS.get(lane, lane.split(".", 2)[2])
    assert ASKS.search(bodies()[name].partition("\n")[2]), name
