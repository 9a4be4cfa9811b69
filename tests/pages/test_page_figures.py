"""What `explain`, `trace`, `stats` and notebooks say of pages is what is shared, what was copied and what is held."""

import gc
from xml.etree import ElementTree

import numpy as np
import pytest
from paged import MIB, PAGE, in_a_process, large

import cowarray as ca

pytestmark = pytest.mark.usefixtures("eager")

SVG = "{http://www.w3.org/2000/svg}"


def test_explain_says_that_the_next_write_costs_pages(pages):
    x = large()
    y = x.copy()
    told = ca.explain(y)
    assert told.by_page
    assert "the pages it touches, 4096 of 8388608 bytes for one element" in str(told)
    y[0] = 1
    told = ca.explain(y)
    assert told.by_page
    assert told.own == PAGE
    assert f"{PAGE} bytes are in memory for it alone" in str(told)
    assert sum(told.regions) == PAGE
    assert "4.0 KiB own, the rest frozen" in told.mermaid()


def test_a_notebook_draws_which_pages_are_its_own(pages):
    x = large(64 * MIB)
    y = x.copy()
    y[9_000_000] = y[60_000_000] = 1
    strip, _ = ElementTree.fromstring(ca.explain(y)._repr_html_()).iter(f"{SVG}svg")
    assert strip.find(f"{SVG}title").text == "Of its pages 8.0 KiB are its own, the others are frozen and shared"
    _, *own = strip.iter(f"{SVG}rect")
    width = float(strip.get("width"))
    assert [round(64 * float(each.get("x")) / width) for each in own] == [9, 57]
    assert len(list(ElementTree.fromstring(ca.explain(x.copy())._repr_html_()).iter(f"{SVG}svg"))) == 1
    ca.paging("off")
    assert not ca.explain(x.copy()).by_page
    assert not ca.explain(ca.array([1.0])).by_page


def test_explain_counts_the_pages_at_the_end_of_a_part(pages):
    x = large(16 * MIB)
    y = x.copy()
    y[-1] = 1
    part = y[y.size // 2 - 1000 :].copy()
    assert part.storage.nbytes < y.nbytes
    assert sum(ca.explain(part).regions) == part.storage.own_nbytes == PAGE
    assert ca.explain(part).next_write_copies == 2 * PAGE


def test_trace_names_pages_with_their_bytes(pages):
    x = large()
    y = x.copy()
    with ca.trace() as seen:
        y[0] = 1
    [event] = [event for event in seen if event.kind != "lost write"]
    assert (event.kind, event.nbytes, event.filename) == ("pages", x.nbytes + PAGE, __file__)


def generations():
    """Writes to copies that share: the first makes a base, those after it copy pages, the last ones are whole."""
    x = large()
    yield x.copy(), lambda y: y.__setitem__(0, 1)
    y = x.copy()
    yield y, lambda y: y.__setitem__(5, 1)
    for at in (3, MIB // 2, MIB - 1):
        y[at] = 2  # in its own page, and in two others
    z = y.copy()
    yield z, lambda z: z.__setitem__(300_000, 1)
    ca.paging("off")
    yield z.copy(), lambda y: y.__setitem__(0, 1)
    yield ca.array(np.zeros(10)).copy(), lambda y: y.__setitem__(0, 1)


def test_stats_and_trace_and_explain_tell_one_figure(pages):
    figures = []
    for y, write in generations():
        foretold = ca.explain(y).next_write_copies
        ca.reset_stats()
        with ca.trace() as seen:
            write(y)
        told = sum(event.nbytes for event in seen if event.kind in ("pages", "copy"))
        figures.append(told)
        assert ca.stats()["bytes_copied"] == told == foretold
    assert figures == [8 * MIB + PAGE, PAGE, 4 * PAGE, 8 * MIB, 0]


def test_memory_is_counted_once(pages):
    x = large(8 * MIB)
    gc.collect()
    before = ca.paging_memory()
    copies = [x.copy() for _ in range(20)]
    for i, y in enumerate(copies):
        y[i] = -1
        float(np.asarray(y).sum())  # every page is in memory
    after = ca.paging_memory()
    assert after["bases"] - before["bases"] == x.nbytes
    assert after["files"] - before["files"] == 1
    assert after["maps"] - before["maps"] == 20
    assert after["resident"] - before["resident"] < 2.5 * x.nbytes
    del copies, y
    x[...] = 1
    assert ca.paging_memory()["bases"] == before["bases"]


def test_stats_count_bases_and_give_ups_and_start_over(pages):
    x = large()
    ca.reset_stats()
    y = x.copy()
    y[0] = 1
    for i in range(0, y.size, 512):
        y[i] = -1
    told = ca.stats()
    assert (told["page_copies"], told["bases"], told["give_ups"]) == (1, 1, 1)
    ca.reset_stats()
    assert ca.stats()["page_copies"] == ca.stats()["bases"] == ca.stats()["give_ups"] == 0


def test_stats_count_no_bases_but_those_of_arrays(pages):
    """Whether the system grants bases is tried on one of its own, which nobody asked for."""
    code = """
import cowarray as ca, numpy as np
ca.paging("eager")
x = ca.array(np.zeros(1 << 20))
y = x.copy()
y[0] = 1
print(ca.stats()["page_copies"], ca.stats()["bases"])
"""
    assert in_a_process(code) == ["1", "1"]
