"""A copy made while a write is running is never changed by the rest of that write.

Writes call back: an object's cast, a function of the user's in `np.frompyfunc`. What these callbacks copy, keep, write
and drop is as safe as between two statements. Other threads come in by the same door.
"""

import copy
import gc
import pickle
import threading
import warnings

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray as ca

N = 8

# Every way to keep values.
COPIES = {
    "copy": lambda x: x.copy(),
    "lazy_clone": ca.lazy_clone,
    "reshape": lambda x: x.reshape(-1),
    "ravel": lambda x: x.ravel(),
    "np.copy": np.copy,
    "copy.copy": copy.copy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x, protocol=5)),
    "snapshot": lambda x: x.to_numpy(),
    "np.asarray": np.asarray,
    "memoryview": lambda x: np.asarray(memoryview(x)),
    "taken back": lambda x: ca.asarray(np.asarray(x)),
    "view of it": lambda x: x[:].copy(),
    "snapshot of a view": lambda x: np.asarray(x[1:]),
}


class Value:
    """A number whose conversion and arithmetic tell somebody first."""

    def __init__(self, number, tell):
        self.number, self.tell = number, tell

    def __float__(self):
        self.tell()
        return float(self.number)

    def __add__(self, other):
        self.tell()
        return float(self.number) + float(other)

    __radd__ = __add__


def objects(tell, n=N):
    array = np.empty(n, dtype=object)
    array[:] = [Value(i + 100, tell) for i in range(n)]
    return array


def by_function(x, tell):
    def step(value):
        tell()
        return value + 100.0

    np.frompyfunc(step, 1, 1)(np.arange(float(N)), out=x, casting="unsafe")


# Writes of x that tell before each element; each ends with 100, 101, ... in x.
WRITES = {
    "x[...] = objects": lambda x, tell: x.__setitem__(..., objects(tell)),
    "x[:] = objects": lambda x, tell: x.__setitem__(slice(None), objects(tell)),
    "x[0:] = objects": lambda x, tell: x.__setitem__(slice(0, None), objects(tell)),
    "mask": lambda x, tell: x.__setitem__(np.ones(N, bool), objects(tell)),
    "index": lambda x, tell: x.__setitem__(np.arange(N), objects(tell)),
    "through a view": lambda x, tell: x[::-1].__setitem__(slice(None), objects(tell)[::-1]),
    "copyto": lambda x, tell: np.copyto(x, objects(tell), casting="unsafe"),
    "frompyfunc": by_function,
    "np.add": lambda x, tell: np.add(objects(tell), np.zeros(N), out=x, casting="unsafe"),
    "np.add, reflected": lambda x, tell: np.add(np.zeros(N), objects(tell), out=x, casting="unsafe"),
    "flat": lambda x, tell: setattr(x, "flat", objects(tell)),
    "where": lambda x, tell: np.copyto(x, objects(tell), casting="unsafe", where=np.ones(N, bool)),
    "put": lambda x, tell: x.put(np.arange(N), objects(tell)),
    "to_numpy": lambda x, tell: x.to_numpy(writable=True).__setitem__(..., objects(tell)),
}
FINAL = [100.0 + i for i in range(N)]


def start(shared):
    x = ca.array(np.arange(float(N)))
    return x, (x.copy() if shared else None)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("shared", [False, True], ids=["sole", "shared"])
def test_copy_made_by_a_callback_keeps_its_values(write, way, shared):
    x, other = start(shared)
    kept = []

    def tell():
        taken = COPIES[way](x)
        kept.append((taken, taken.tolist()))

    WRITES[write](x, tell)
    assert len(kept) == N
    assert x.tolist() == FINAL
    for taken, values in kept:
        assert taken.tolist() == values
    # Every value is an old or a new one: nothing uninitialized.
    offset = 1 if way == "snapshot of a view" else 0
    for _, values in kept:
        assert all(value in (i, 100.0 + i) for i, value in enumerate(values, offset))
    if shared:
        assert other.tolist() == list(range(N))
    # The write has ended: copies are lazy again.
    x.materialize()
    ca.reset_stats()
    x.copy()
    assert ca.stats()["lazy_clones"] == 1


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("shared", [False, True], ids=["sole", "shared"])
def test_copy_made_and_written_by_a_callback_reaches_nobody_else(write, shared):
    x, other = start(shared)
    kept = []

    def tell():
        mine = x.copy()
        mine[...] = -1
        kept.append(mine)

    WRITES[write](x, tell)
    assert x.tolist() == FINAL
    assert all(mine.tolist() == [-1] * N for mine in kept)
    if shared:
        assert other.tolist() == list(range(N))


@pytest.mark.parametrize("write", WRITES)
def test_other_sharer_written_by_a_callback_reaches_nobody_else(write):
    x, other = start(True)
    third = other.copy()
    count = iter(range(1000))

    def tell():
        other[...] = -1.0 - next(count)
        third[next(count) % N] = -5

    WRITES[write](x, tell)
    assert x.tolist() == FINAL
    assert len(set(other.tolist())) == 1
    assert all(value in (i, -5) for i, value in enumerate(third.tolist()))


@pytest.mark.parametrize("write", WRITES)
def test_sharers_dropped_by_a_callback(write):
    x, other = start(True)
    sharers = [other, x.copy(), np.asarray(x)]
    del other

    def tell():
        if sharers:
            sharers.pop()
        gc.collect()

    WRITES[write](x, tell)
    assert x.tolist() == FINAL
    assert x.storage.share_count == 1


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("shared", [False, True], ids=["sole", "shared"])
def test_array_written_by_a_callback_ends_with_defined_values(write, shared):
    """Either write may be the later one, element by element; what nobody wrote does not appear; no copy is touched."""
    x, other = start(shared)
    kept = []

    def tell():
        x[2] = -7.0
        kept.append((x.copy(), x.tolist()))
        assert x[2] == -7.0

    WRITES[write](x, tell)
    for i, value in enumerate(x.tolist()):
        assert value == FINAL[i] or (i == 2 and value == -7.0)
    for taken, values in kept:
        assert taken.tolist() == values
    if shared:
        assert other.tolist() == list(range(N))
    x[0] = 1
    assert x[0] == 1


@pytest.mark.parametrize("inner", WRITES)
@pytest.mark.parametrize("outer", WRITES)
def test_nested_writes_of_one_array(outer, inner):
    x, other = start(True)
    depth = []
    kept = []

    def inside():
        kept.append((x.copy(), x.tolist()))

    def tell():
        if not depth:
            depth.append(1)
            WRITES[inner](x, inside)
            assert x.tolist() == FINAL
        kept.append((x.copy(), x.tolist()))

    WRITES[outer](x, tell)
    assert x.tolist() == FINAL
    assert other.tolist() == list(range(N))
    assert len(kept) == 2 * N
    for taken, values in kept:
        assert taken.tolist() == values


def test_array_exported_by_a_callback_during_an_overwrite_stays_aliased():
    x, other = start(True)
    exports = []

    def tell():
        if not exports:
            exports.append(x.to_numpy(writable=True))

    x[...] = objects(tell)
    assert x.tolist() == FINAL
    assert exports[0].tolist() == FINAL
    exports[0][0] = -3
    assert x[0] == -3
    assert other.tolist() == list(range(N))


def test_view_made_by_a_callback_sees_the_end_of_the_write():
    x, other = start(True)
    views = []
    x[...] = objects(lambda: views.append(x[2:4]))
    assert all(view.tolist() == FINAL[2:4] for view in views)
    assert all(view.storage is x.storage for view in views)
    views[0][0] = 1
    assert x[2] == 1
    assert other[2] == 2


def test_array_dropped_by_a_callback_while_it_is_written():
    holder = [ca.array(np.arange(float(N)))]
    copies = [holder[0].copy()]

    def tell():
        copies.append(holder[0].copy()) if holder else None
        holder.clear()

    holder[0][...] = objects(tell)
    assert len(copies) == 2
    assert copies[0].tolist() == copies[1].tolist() == list(range(N))


@pytest.mark.parametrize("where", ["x", "view", "copy"])
def test_reductions_and_reads_by_callbacks_see_no_torn_copy(where):
    x, other = start(True)
    source = {"x": x, "view": x[:], "copy": other}[where]

    def step(value):
        taken = source.copy()
        source[int(value) % N] = -1.0
        assert taken.tolist() != source.tolist()
        return taken.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.frompyfunc(step, 1, 1)(np.arange(float(N)), out=ca.array(np.zeros(N)), casting="unsafe")
    assert source.tolist() == [-1.0] * N
    assert (x if where == "copy" else other).tolist() == list(range(N))


@pytest.mark.parametrize("how", ["frompyfunc", "objects", "out", "reduce"])
def test_function_of_the_users_never_reads_another_arrays_write(how):
    """The callback writes x, which leaves the shared bytes, then the last sharer; the running call reads x alone."""
    n = 20_000
    x = ca.array(np.arange(float(n)))
    other = x.copy()
    first = [True]

    def tell():
        if first:
            first.clear()
            x[n - 1] = 7.0
            other[...] = -1.0

    def step(value, *rest):
        tell()
        return value

    if how == "objects":
        values = np.empty(n, dtype=object)
        values[:] = Value(0, tell)
        result = np.add(values, x)
    elif how == "out":
        result = np.frompyfunc(step, 1, 1)(x, out=ca.array(np.zeros(n)), casting="unsafe")
    elif how == "reduce":
        result = np.frompyfunc(lambda a, b: step(b), 2, 1).accumulate(x, dtype=object)
    else:
        result = np.frompyfunc(step, 1, 1)(x)
    result = np.asarray(result).astype(float)
    assert np.array_equal(result[:-1], np.arange(n - 1.0))
    assert result[-1] in (7, n - 1)
    assert (x[n - 1], other[0], other[n - 1]) == (7, -1, -1)


# ---- from another thread ---------------------------------------------------------------------------------------------


@pytest.mark.threads
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("shared", [False, True], ids=["sole", "shared"])
def test_copy_made_by_another_thread_between_two_elements(write, shared):
    x, other = start(shared)
    asked, done = threading.Semaphore(0), threading.Semaphore(0)
    kept = []

    def clone():
        for _ in range(N):
            asked.acquire()
            taken = x.copy()
            kept.append((taken, taken.tolist()))
            done.release()

    def tell():
        asked.release()
        assert done.acquire(timeout=LONGEST)

    thread = threading.Thread(target=clone)
    thread.start()
    try:
        WRITES[write](x, tell)
    finally:
        asked.release(N)
        thread.join()
    assert x.tolist() == FINAL
    assert len(kept) == N
    for taken, values in kept:
        assert taken.tolist() == values
    if shared:
        assert other.tolist() == list(range(N))


@pytest.mark.threads
@pytest.mark.parametrize("shared", [False, True], ids=["sole", "shared"])
def test_copy_made_by_another_thread_during_a_long_ufunc(shared):
    """A copy is what it was when it was made: its bytes are hashed at once and at the end."""
    n = 1 << 20
    x = ca.array(np.ones(n))
    other = x.copy() if shared else None
    running = threading.Event()
    running.set()
    kept = []

    def clone():
        while running.is_set() or not kept:
            for taken in (x.copy(), np.asarray(x), x.reshape(2, -1)):
                kept.append((taken, hash(taken.tobytes())))
                if len(kept) > 30:
                    kept.pop(0)

    thread = threading.Thread(target=clone)
    thread.start()
    for _ in range(15):
        np.sin(x, out=x)
        x += 1
        x[: n // 2] *= 2
        np.add(x, 1, out=x, where=x > 0)
    running.clear()
    thread.join()
    assert len(kept) >= 3
    for taken, value in kept:
        assert hash(taken.tobytes()) == value
    if shared:
        assert other.min() == other.max() == 1
