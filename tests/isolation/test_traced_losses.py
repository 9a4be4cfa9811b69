"""Which trace tells a lost write, and when: beside other traces, reads, threads and the collector."""

import gc
import sys
from functools import partial

import pytest
from losses import WRITES, line, lost, matrix
from support.threads import together
from support.tracing import TracingAllocator

import cowarray as ca
from cowarray._modes.copies import copies

HERE = __file__


def test_a_loss_stands_where_it_was_written_once_the_copy_is_dropped():
    x = matrix()
    with ca.trace() as seen:
        y, z = x.copy(), x.copy()
        first = line() + 1
        y[0] = 1
        z[0] = 1
        assert len(seen) == 2
        assert lost(seen) == []
    del z
    assert [event.kind for event in seen] == ["copy", "copy", "lost write"]
    with ca.trace() as other:
        del y
    assert [(event.kind, event.lineno) for event in seen] == [
        ("copy", first), ("lost write", first), ("copy", first + 1), ("lost write", first + 1),
    ]  # fmt: skip
    assert (len(seen), len(other)) == (4, 0)
    assert "4 events" in repr(seen)
    assert str(list(seen)[1]).startswith(f"{HERE}:{first}: lost write, 0 bytes copied: ")


def test_what_is_alive_at_the_end_is_not_lost():
    x = matrix()
    with ca.trace() as seen:
        y = x.copy()
        y[0] = 1
        view, storage = y[2:], y.storage
        del y
    assert len(seen) == 1
    del view
    assert len(seen) == 1
    del storage
    assert len(seen) == 2


def test_a_read_after_the_trace_counts():
    x = matrix()
    with ca.trace() as seen:
        y = x.copy()
        y[0] = 1
    assert y[0, 0] == 1
    del y
    assert lost(seen) == []


def test_a_write_outside_the_trace_is_not_told():
    x = matrix()
    y = x.copy()
    y[0] = 1
    with ca.trace() as seen:
        del y
        with ca.no_copy():
            x.copy()[...] = 3
    assert len(lost(seen)) == 1
    y = x.copy()
    with ca.no_copy():
        y[...] = 1
    del y
    assert len(lost(seen)) == 1


def test_each_trace_in_force_is_told():
    x = matrix()
    with ca.trace() as outer, ca.trace() as inner:
        y = x.copy()
        y[0] = 1
    del y
    assert list(outer) == list(inner)
    assert len(lost(inner)) == 1


def test_a_trace_that_is_gone_leaves_nothing():
    with TracingAllocator():
        x = matrix()
        with ca.trace():
            y = x.copy()
            y[0] = 1
        gc.collect()
        del y, x


def test_a_drop_in_another_thread_is_told_to_the_trace_of_the_write():
    x, held = matrix(), []
    with ca.trace() as seen:
        held.append(x.copy())
        held[0][0] = 1
    together(held.clear)
    assert len(lost(seen)) == 1


def test_threads_lose_what_each_of_them_loses():
    x, counts = matrix(), {}

    def work(number):
        with ca.trace() as seen:
            for i in range(200):
                y = x.copy()
                y[i % 5, number % 5] = 1
                if i % 3 == 0:
                    y.sum()
            del y
        counts[number] = len(lost(seen))

    together(*[partial(work, number) for number in range(6)])
    assert counts == dict.fromkeys(range(6), 133)


def test_threads_that_read_one_copy_take_its_record_once():
    x = matrix()
    for _ in range(50):
        with ca.trace() as seen:
            y = x.copy()
            y[0] = 1
        assert together(*[y.sum] * 4) == [295] * 4
        del y
        assert len(seen) == 1


def test_a_drop_by_the_collector_is_told():
    x = matrix()
    with ca.trace() as seen:
        circle = [x.copy()]
        circle[0][0] = 1
        circle.append(circle)
        del circle
        gc.collect()
    assert len(lost(seen)) == 1


def test_a_write_whose_report_fails_is_not_lost(monkeypatch):
    x, report = matrix(), copies.report

    def fails(*event):
        report(*event)
        raise KeyboardInterrupt

    with ca.trace() as seen:
        for write in ("item", "all"):
            y = x.ravel()
            monkeypatch.setattr(copies, "report", fails)
            with pytest.raises(KeyboardInterrupt):
                WRITES[write](y)
            monkeypatch.undo()
            del y
    assert [event.kind for event in seen] == ["copy", "overwrite"]


def test_nothing_outlives_the_copy_and_the_trace():
    """What notes the loss is the trace's alone, once the copy is read or gone."""
    x = matrix()
    with ca.trace() as seen:
        y = x.copy()
        y[0] = 1
        z = x.copy()
        z[0] = 1

    def held():
        alone = [object()]
        return [sys.getrefcount(seen._events[at]) - sys.getrefcount(alone[0]) for at in (1, 3)]

    assert held() == [1, 1]
    assert z[0, 0] == 1
    assert held() == [1, 0]
    del y, z
    assert held() == [0, 0]


def test_a_write_that_was_refused_is_not_lost():
    x = matrix()
    y = x.copy()
    with ca.trace() as seen:
        with ca.no_copy(), pytest.raises(ca.CopyError):
            y[0] = 1
        with pytest.raises(ValueError, match="broadcast"):
            y[0] = [1, 2]
        del y
    assert lost(seen) == []
