"""No copy notices what is written through an alias, whenever it was made."""

import gc
import threading
import weakref

import numpy as np
import pytest

import cowarray as ca


def everyone(x):
    """Copies of x of each kind, with what they have to stay."""
    values = np.array(x.to_numpy()).ravel()
    copies = [x.copy(), ca.lazy_clone(x), ca.array(x), x.flatten(), x.astype(x.dtype), np.copy(x), x.to_numpy()]
    return [(each, values) for each in copies]


def values_of(x):
    return np.frombuffer(x.tobytes(), x.dtype)


WRITERS = {
    "asarray": lambda x: np.asarray(x).fill(99),
    "memoryview": lambda x: memoryview(x).cast("B").cast("d").__setitem__(0, 99),
    "ravel": lambda x: x.ravel().fill(99),
    "reshape": lambda x: x.reshape(-1).__setitem__(slice(None), 99),
    "ascontiguousarray": lambda x: ca.ascontiguousarray(x).__iadd__(99),
    "back": lambda x: ca.asarray(np.asarray(x)).fill(99),
    "data": lambda x: np.asarray(x.data).fill(99),
    "callback": lambda x: np.apply_along_axis(lambda row: row.fill(99), -1, x),
    "base": lambda x: x[1:].base.fill(99) if x[1:].base.size == x.size else x.fill(99),
    "dlpack": lambda x: np.from_dlpack(x).fill(99),
    "ufunc": lambda x: np.add(np.asarray(x), 1, out=np.asarray(x)),
}


@pytest.mark.parametrize("size", [8, 40_000, 600_000])
@pytest.mark.parametrize("way", WRITERS)
def test_no_copy_sees_a_write(way, size):
    source = ca.arange(float(size)).reshape(2, -1)
    x = source.copy()
    before = [*everyone(x), *everyone(source), (source, values_of(source))]
    with ca.aliasing():
        inside = everyone(x)
        WRITERS[way](x)
        written = values_of(x)
        after = everyone(x)
    outside = everyone(x)
    with ca.aliasing():
        WRITERS[way](x[:1])
        np.asarray(x)[0, 0] = -1
    assert x[0, 0] == -1
    for each, values in before + inside:
        assert np.array_equal(values_of(each), values)
    for each, _ in after + outside:
        assert np.array_equal(values_of(each), written)


def test_a_copy_made_while_an_alias_is_out_is_made_at_once():
    x = ca.zeros(1000)
    with ca.aliasing():
        export = np.asarray(x)
    copies = [x.copy(), ca.array(x), x.reshape(10, 100)]
    export[:] = 5
    assert x.sum() == 5000
    assert all(each.sum() == 0 for each in copies)
    del export
    gc.collect()
    assert x.copy().storage.share_count == 2


ELEMENTS = {
    "index": lambda x: x[1],
    "index of each axis": lambda x: x.reshape(2, 2)[0, 1],
    "no axes": lambda x: x[1:2].reshape(())[()],
    "flat": lambda x: x.flat[1],
    "iteration": lambda x: list(x)[1],
    "iteration of flat": lambda x: list(x.flat)[1],
}


@pytest.mark.parametrize("way", ELEMENTS)
def test_an_element_with_fields_is_an_alias(way):
    x = ca.zeros(4, [("a", int), ("b", float)])
    copy = x.copy()
    with ca.aliasing():
        element = ELEMENTS[way](x)
        element["a"] = 3
    element["b"] = 4
    x["a"] += 1
    assert x[1].tolist() == (4, 4)
    assert element.item() == (4, 4)
    assert not copy["a"].any()
    outside = ELEMENTS[way](x)
    with pytest.raises(ValueError, match="read-only"):
        outside["a"] = 5


def test_an_element_with_fields_of_a_read_only_array_is_read_only():
    x = ca.zeros(4, [("a", int)])
    x.flags.writeable = False
    with ca.aliasing(), pytest.raises(ValueError, match="read-only"):
        x[1]["a"] = 3


def test_an_export_outlives_the_array_and_the_block():
    with ca.aliasing():
        x = ca.arange(100_000.0)
        gone = weakref.ref(x)
        exports = [np.asarray(x), memoryview(x), np.frombuffer(x), x.data, np.asarray(x)[5:]]
        del x
    gc.collect()
    assert gone() is None
    exports[0][7] = -1
    assert exports[1][7] == exports[2][7] == exports[3][7] == exports[4][2] == -1
    while exports:
        exports.pop(0)
        gc.collect()
        assert all(float(each[3 if len(each) == 100_000 else 0]) in (3, 5) for each in exports)


@pytest.mark.parametrize("part", [slice(10), slice(None)])
def test_what_goes_out_has_its_own_pages(part):
    before = ca.paging("eager")
    try:
        x = ca.ones(8 << 20, "u1")
        if x.copy().by_page().storage.own_nbytes == x.nbytes:
            pytest.skip("the system grants no pages")
        y = x.copy()
        with ca.aliasing():
            np.asarray(y[part])[5] = 2
        assert (int(x[5]), int(y[5]), int(y[6])) == (1, 2, 1)
        # Of all of y all is copied: who writes to all of its pages would wait five times as long.
        assert y.storage.own_nbytes == (y.nbytes if part == slice(None) else 4096)
    finally:
        ca.paging(before)


def test_threads_that_export_and_copy_at_once():
    x = ca.zeros(20_000)
    ca.aliasing.start()
    try:
        stop = threading.Event()
        wrong = []

        def export():
            while not stop.is_set():
                np.asarray(x)[:] += 0
                memoryview(x)

        def copy():
            for _ in range(300):
                y = x.copy()
                y[:] = 7
                z = y.copy()
                np.asarray(y)[0] = 8
                if z.sum() != 140_000 or y.sum() != 140_001:
                    wrong.append("a copy has seen a write")

        threads = [threading.Thread(target=export), *[threading.Thread(target=copy) for _ in range(2)]]
        for each in threads:
            each.start()
        for each in threads[1:]:
            each.join()
        stop.set()
        threads[0].join()
        assert wrong == []
        assert x.sum() == 0
    finally:
        ca.aliasing.stop()


def test_what_was_aliased_stays_so():
    x = ca.zeros((2, 2))
    with ca.aliasing():
        y = x.reshape(4)
    y[0] = 1
    assert x[0, 0] == 1
    z = x.reshape(4)
    z[0] = 2
    assert x[0, 0] == 1
