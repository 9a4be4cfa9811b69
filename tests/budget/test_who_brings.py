"""What is known without bytes brings none back; whoever needs a value has it, and it is the right one."""

import copy
import hashlib
import io
import pickle
import sys
import threading

import numpy as np
import pytest
from support.threads import together

import cowarray
from cowarray._modes.budget.runs import guard

N = 6
PLAIN = np.arange(N) * 2.0


def evicted():
    x = cowarray.checkpoint(cowarray.arange(float(N))) * 2
    cowarray.evict(x)
    assert is_away(x)
    return x


def is_away(x):
    return "evicted" in str(cowarray.explain(x))


def saved(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


# What is asked, of our array and of NumPy's alike.
BRINGING = [
    repr,
    str,
    format,
    pickle.dumps,
    saved,
    list,
    lambda x: pickle.loads(pickle.dumps(x)).tolist(),
    lambda x: hashlib.sha256(x).hexdigest(),
    lambda x: hash(x.tobytes()),
    lambda x: memoryview(x).tolist(),
    lambda x: bytearray(x),
    lambda x: 4.0 in x,
    lambda x: 5.0 in x,
    lambda x: bool(x[1]),
    lambda x: x.item(3),
    lambda x: x[2],
    lambda x: float(x.sum()),
    lambda x: np.from_dlpack(x).tolist(),
    lambda x: np.asarray(x).tolist(),
    lambda x: [row.tolist() for row in x.reshape(2, 3)],
    lambda x: next(iter(x)),
    lambda x: x.flat[1],
    lambda x: (x == PLAIN).all(),
    lambda x: sorted(x, reverse=True),
]
BRINGING_NOTHING = [
    lambda x: (x.shape, x.dtype, x.strides, x.ndim, x.size, x.nbytes, x.itemsize),
    len,
    lambda x: (x.flags.writeable, x.flags.c_contiguous, x.base is None),
    lambda x: sys.getsizeof(x) == sys.getsizeof(x.copy()),
    lambda x: x[1:3].shape,
    lambda x: x.T.shape,
    lambda x: x.view("i8").dtype,
    lambda x: x.reshape(2, 3).shape,
    lambda x: copy.copy(x).shape,
    lambda x: copy.deepcopy(x).shape,
    lambda x: x.copy().shape,
    lambda x: iter(x) is None,
    lambda x: x.flat is None,
    lambda x: np.may_share_memory(x, x),
    lambda x: np.shares_memory(x, x[1:]),
    lambda x: x is x[...],
]


@pytest.mark.parametrize("ask", BRINGING)
def test_who_needs_a_value_has_it(ask):
    x = evicted()
    there = cowarray.asarray(PLAIN)
    wanted = ask(there) if ask in (repr, pickle.dumps) else ask(PLAIN.copy())
    assert ask(x) == wanted
    assert not is_away(x)


@pytest.mark.parametrize("ask", BRINGING_NOTHING)
def test_what_is_known_without_bytes_brings_none(ask):
    x = evicted()
    assert ask(x) == ask(PLAIN.copy())
    assert is_away(x)
    assert x.tolist() == PLAIN.tolist()


def test_a_description_brings_nothing_and_says_so():
    x = evicted()
    for _ in range(2):
        assert "evicted: 1 operation, " in str(cowarray.explain(x))
    assert repr(x.storage) == "<cowarray.Storage of 48 bytes away, shared by 1>"
    assert x.storage.data_ptr == 0
    assert cowarray.aliases(x, x[1:])
    assert is_away(x)
    assert repr(x) == repr(cowarray.asarray(PLAIN))
    assert "evicted" not in str(cowarray.explain(x))
    assert x.storage.data_ptr


def test_copies_and_pickles_of_evicted_arrays_are_arrays_of_their_own():
    x = evicted()
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    loaded = pickle.loads(pickle.dumps(x))
    for each in (deep, shallow, loaded):
        each[0] = 50
    assert x.tolist() == PLAIN.tolist()
    assert deep.tolist() == shallow.tolist() == loaded.tolist() == [50, *PLAIN[1:]]
    assert not cowarray.is_checkpointed(loaded)


def test_threads_that_iterate_make_it_once():
    x = cowarray.checkpoint(cowarray.arange(1000.0))
    with cowarray.budget("1 MiB", small=0) as run:
        y = x * 2
        cowarray.evict(y)
        assert together(*[lambda: sum(y)] * 8) == [999_000.0] * 8
    assert run.remakes == 1


def write_outside(x):
    x.to_numpy(writable=True)[0] = 7


@pytest.mark.parametrize("access", [write_outside, lambda x: x.materialize()], ids=["export", "materialize"])
@pytest.mark.parametrize("shared", [False, True])
def test_bytes_that_leave_between_the_door_and_a_write_come_back(access, shared):
    x = cowarray.checkpoint(cowarray.arange(float(N))) * 2
    y = x.copy() if shared else None
    failed = []

    def write():
        try:
            access(x)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=write)
    with guard:
        thread.start()
        thread.join(0.2)  # it has found the bytes there, and waits for the guard
        assert thread.is_alive() or access is not write_outside
        cowarray.evict(x)
    thread.join()
    assert failed == []
    assert x.tolist() == [7.0 if access is write_outside else 0.0, *PLAIN[1:]]
    if shared:
        cowarray.evict(y)
        assert y.tolist() == PLAIN.tolist()
