"""`explain` names and draws who shares an array's bytes: those who do and no others, and nothing changes by it."""

import re
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

import cowarray as ca

SVG = "{http://www.w3.org/2000/svg}"


def family():
    """Arrays that share bytes, in one of each kind, and some that do not."""
    x = ca.array(np.arange(1000.0))
    y = x.copy()
    return {
        "stranger": ca.zeros(3),
        "snapshot": np.asarray(x),
        "tail": np.asarray(y)[500:],
        "y": y,
        "part": y[::2],
        "view": x[:10],
        "x": x,
        "number": 3,
        "history": [x.copy(), ca.ones(2), "text"],
        "table": {"kept": x.copy()},
        "_hidden": x.copy(),
    }


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_those_who_share_are_named_and_no_others():
    names = family()
    found = ca.explain(names["x"], among=names)
    assert [(each.name, each.kind, each.storage) for each in found.relatives] == [
        ("x", "itself", 0),
        ("view", "view", 0),
        ("y", "lazy copy", 1),
        ("part", "lazy copy", 1),
        ("history[0]", "lazy copy", 2),
        ("table['kept']", "lazy copy", 3),
        ("snapshot", "snapshot", 4),
        ("tail", "snapshot", 5),
    ]
    assert found.relatives[3].nbytes == 4000
    assert "part: a lazy copy, 4000 bytes" in str(found).splitlines()


def test_a_list_gives_numbers_and_without_names_there_is_x():
    x = ca.array(np.zeros(100))
    assert [each.name for each in ca.explain(x, among=[x[1:], x]).relatives] == ["[1]", "[0]"]
    assert [each.name for each in ca.explain(x).relatives] == ["x"]
    assert str(ca.explain(x)) == str(ca.explain(x, among=[ca.zeros(3)]))


def test_memory_that_is_somebody_elses_is_named():
    source = np.zeros(1000)
    source.setflags(write=False)
    x = ca.asarray(source)
    export = ca.zeros(1000)
    outside = export.to_numpy(writable=True)
    assert [each[:3] for each in ca.explain(x, among={"source": source}).relatives[1:]] == [
        ("source", "NumPy array", None)
    ]
    assert [each.kind for each in ca.explain(export, among={"outside": outside}).relatives[1:]] == ["NumPy array"]


@pytest.mark.parametrize("wrong", [3, "x", None, {1, 2}])
def test_among_is_a_mapping_or_a_list(wrong):
    with pytest.raises(TypeError, match="among must be a mapping or a list"):
        ca.explain(ca.zeros(3), among=wrong)


def test_to_look_makes_and_copies_and_brings_nothing():
    with ca.deferred():
        waiting = ca.zeros(1000)
        part = waiting[:3]
    with ca.fake():
        nothing = ca.zeros(1000)
    away = ca.checkpoint(ca.arange(1000.0)) * 2
    away.evict()
    shared = ca.array(np.zeros(1000))
    copy, outside = shared.copy(), np.zeros(1000)
    ca.reset_stats()
    for x in (waiting, nothing, away, shared):
        found = ca.explain(x, among=[waiting, part, nothing, away, shared, copy, outside])
        found._repr_html_(), found.svg(), found.mermaid(), found.graphviz()
    assert ca.is_deferred(waiting)
    assert ca.is_deferred(part)
    assert "evicted" in ca.explain(away).away
    assert not any(ca.stats().values())
    assert len(ca.explain(waiting, among=[waiting, part]).relatives) == 2


# ---- pictures --------------------------------------------------------------------------------------------------------


def test_the_picture_has_a_box_for_each_name_and_each_share():
    names = family()
    found = ca.explain(names["x"], among=names)
    svg = ElementTree.fromstring(found.svg())
    shown = texts(found.svg())
    for each in found.relatives:
        assert each.name in shown
    assert "1 other" in shown  # _hidden
    holders = [text for text in shown if re.fullmatch(r"Storage \d|snapshot|1 other", text)]
    assert len(holders) == found.shares + 1  # an array is called snapshot, too
    assert len(svg.findall(f"{SVG}rect")) == len(found.relatives) + found.shares + 1
    assert len(svg.findall(f"{SVG}path")) == len(found.relatives) + found.shares


def test_no_box_covers_another():
    names = family() | {f"more{i}": ca.zeros(3) for i in range(30)}
    boxes = [
        tuple(float(each.get(name)) for name in ("x", "y", "width", "height"))
        for each in ElementTree.fromstring(ca.explain(names["x"], among=names).svg()).iter(f"{SVG}rect")
    ]
    assert len(boxes) > 10
    for i, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, _, _ in boxes[:i]:
            assert abs(x - other_x) >= width or abs(y - other_y) >= height


def test_a_large_family_is_cut():
    x = ca.array(np.zeros(1000))
    found = ca.explain(x, among={"copies": [x.copy() for _ in range(100)]})
    assert len(found.relatives) == 101
    assert "and 77 more" in texts(found.svg())
    assert len(found.svg()) < 30_000


EVIL = '<b>"x"</b> & \'\\n\n' + "long " * 20


def test_names_are_escaped_and_fit():
    x = ca.array(np.zeros(100))
    found = ca.explain(x, among={EVIL: x.copy(), "x": x})
    [name] = [text for text in texts(found.svg()) if text.startswith("<b>")]
    assert len(name) <= 26
    assert "<b>" not in found._repr_html_()
    assert "<b>" not in found.mermaid()
    ElementTree.fromstring(found._repr_html_().replace("<br/>", " "))


def test_mermaids_text_has_the_same_boxes_and_lines():
    names = family() | {EVIL: 3}
    found = ca.explain(names["x"], among=names)
    head, *rest = found.mermaid().splitlines()
    assert head == "flowchart LR"
    boxes = [line for line in rest if re.fullmatch(r'    \w+\["[^"<>]*<br/>[^"<>]*"\]', line)]
    lines = [line for line in rest if re.fullmatch(r"    \w+ --- \w+", line)]
    styles = [line for line in rest if line.startswith("    style ")]
    assert (len(boxes), len(lines)) == (
        len(found.relatives) + found.shares + 1,
        len(found.relatives) + found.shares,
    )
    assert len(boxes) + len(lines) + len(styles) == len(rest)


def test_graphviz_takes_its_text():
    dot = shutil.which("dot")
    if dot is None:
        pytest.skip("Graphviz is not installed")
    names = family() | {EVIL: 3}
    names[EVIL] = names["x"].copy()
    found = ca.explain(names["x"], among=names)
    done = subprocess.run([dot, "-Tplain"], input=found.graphviz(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nnode ") == len(found.relatives) + found.shares + 1


# ---- in a notebook ---------------------------------------------------------------------------------------------------


def page(x):
    """The text of what a notebook shows; it is well-formed."""
    return "".join(ElementTree.fromstring(x._repr_html_()).itertext())


def test_an_array_says_what_its_values_do_not():
    x = ca.array(np.arange(6.0))
    assert "its bytes are its own" in page(x)
    assert repr(x) in page(x)
    y = x.copy()
    assert "a lazy copy · its bytes are shared with 1 other · the next write copies 48 B" in page(y)
    assert "a view of a Storage of 48 B" in page(x[1:])
    y.setflags(write=False)
    assert "read-only" in page(y)
    export = x.to_numpy(writable=True)
    assert "pinned" in page(x)
    del export
    foreign = np.zeros(100)
    foreign.setflags(write=False)
    assert "foreign memory" in page(ca.asarray(foreign))


def test_an_array_without_bytes_says_so_and_stays_so():
    with ca.deferred():
        waiting = ca.ones(10)
    with ca.fake():
        nothing = ca.ones(10)
    away = ca.checkpoint(ca.arange(10.0)) * 2
    away.evict()
    assert "deferred" in page(waiting)
    assert "fake" in page(nothing)
    assert "evicted: 1 operation" in page(away)
    assert ca.is_deferred(waiting)
    assert "evicted" in ca.explain(away).away


def test_a_large_array_is_short_whatever_the_print_options_say():
    with ca.printoptions(threshold=10**9):
        assert len(page(ca.zeros((100, 100, 100)))) < 3000
        assert len(page(ca.array(["x" * 100_000]))) < 5000


def test_html_in_values_and_types_is_escaped():
    assert "<i>" not in ca.array(["<i>"])._repr_html_()
    assert "['<i>']" in page(ca.array(["<i>"]))
    assert "<b>" in page(ca.zeros(2, dtype=[("<b>", "i4")]))


def test_to_show_copies_nothing():
    x = ca.array(np.zeros(1000))
    y = x.copy()
    ca.reset_stats()
    page(x), page(y[1:])
    assert not any(ca.stats().values())
