"""`trace` tells each write to a lazy copy that was dropped before anybody read it, and no other write."""

import gc
import inspect
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from losses import WRITES, line, lost, matrix
from support.seeds import chosen_seed

import cowarray as ca

HERE = __file__


def add_to_the_diagonal(x):
    x.reshape(-1)[:: len(x) + 1] += 2


def in_the_standards_namespace(x):
    ca.array_api.reshape(ca.array_api.asarray(x), (-1,))[::6] += 2


# What NumPy programs do, of which NumPy's arrays see something and ours do not.
PATTERNS = {
    "hess.reshape(-1)[::n+1] += l2": add_to_the_diagonal,
    "filter.ravel()[k] = 0": lambda x: x.ravel().__setitem__(7, 0),
    "variable.reshape(-1)[i] = new": lambda x: x.reshape(-1).__setitem__(2, 5),
    "y.reshape(-1)[3] = 99": lambda x: x.reshape(-1).__setitem__(3, 99),
    "y.ravel()[::5] = -1": lambda x: x.ravel().__setitem__(slice(None, None, 5), -1),
    "a mask": lambda x: x.ravel().__setitem__(np.arange(25) > 20, 0),
    "integers": lambda x: x.ravel().__setitem__([1, 2], 0),
    "all": lambda x: x.ravel().__setitem__(..., 0),
    "fill": lambda x: x.ravel().fill(0),
    "sort": lambda x: x.ravel()[::-1].sort(),
    "+=": lambda x: x.ravel().__iadd__(1),
    "**=": lambda x: x.ravel().__ipow__(2),
    "+= its own values": lambda x: (lambda y: y.__iadd__(y))(x.ravel()),
    "np.add": lambda x: (lambda y: np.add(y, 1, out=y))(x.ravel()),
    "np.add where": lambda x: (lambda y: np.add(y, 1, out=y, where=y > 3))(x.ravel()),
    "np.add.at": lambda x: np.add.at(x.ravel(), [1, 1], 1),
    "np.put": lambda x: np.put(x.ravel(), [1], 0),
    "np.place": lambda x: np.place(x.ravel(), np.arange(25) < 3, [1]),
    "np.copyto": lambda x: np.copyto(x.ravel(), 3),
    "np.fill_diagonal": lambda x: np.fill_diagonal(x.reshape(5, 5), 0),
    "flat": lambda x: x.copy().flat.__setitem__(3, 1),
    "a view of it": lambda x: x.copy()[1:, 2].__setitem__(slice(1, 3), 1),
    "the standard's": in_the_standards_namespace,
}


@pytest.mark.parametrize("write", PATTERNS)
def test_what_a_temporary_copy_was_given_is_lost(write):
    x = matrix()
    ca.reset_stats()
    with ca.trace() as seen:
        PATTERNS[write](x)
    events = list(seen)
    assert [event.kind for event in events[1:]] == ["lost write"], events
    assert events[0].kind in ("copy", "overwrite")
    [event] = lost(seen)
    code = PATTERNS[write].__code__
    assert event.filename == HERE
    assert event.lineno in {lineno for *_, lineno in code.co_lines() if lineno} | {
        lineno for inner in code.co_consts if inspect.iscode(inner) for *_, lineno in inner.co_lines()
    }
    assert event[3:] == events[0][3:]  # where it was written, and not where it was dropped
    assert sum(event.nbytes for event in events) == ca.stats()["bytes_copied"]
    assert x.tolist() == matrix().tolist()


@pytest.mark.parametrize("dtype", ["f2", "f4", "c16", "i1", "u8", "g", "m8[s]", ">i4", ">f8"])
def test_in_place_operators_read_nothing_in_any_dtype(dtype):
    x = ca.array(np.zeros(10, dtype))
    step = np.ones((), dtype)[()]
    with ca.trace() as seen:
        x.reshape(-1)[::2] += step
    assert len(lost(seen)) == 1


def test_in_place_operators_read_nothing_in_dates_and_text():
    dates, text = ca.array(np.zeros(10, "M8[s]")), ca.array(np.zeros(10, "U3"))
    with ca.trace() as seen:
        dates.reshape(-1)[::2] += np.timedelta64(3, "s")
        text.reshape(-1)[::2] = "abc"
    assert len(lost(seen)) == 2


READS = {
    "item": lambda y: y[3],
    "float": lambda y: float(y[3]),
    "row": lambda y: y.reshape(5, 5, copy=False)[1].sum(),
    "print": str,
    "repr": repr,
    "tolist": lambda y: y.tolist(),
    "tobytes": lambda y: y.tobytes(),
    "iterate": list,
    "flat": lambda y: next(y.flat),
    "operand": lambda y: y + 1,
    "other operand": lambda y: np.ones(25) * y,
    "operand of an in-place operator": lambda y: matrix().ravel().__iadd__(y),
    "own operand": lambda y: y.__iadd__(y[::-1]),
    "assigned": lambda y: matrix().ravel().__setitem__(slice(1, 26), y[1:]),
    "matmul": lambda y: y @ y,
    "comparison": lambda y: y == 3,
    "method": lambda y: y.sum(),
    "function": lambda y: np.concatenate([y, y]),
    "function of a view": lambda y: np.transpose(y[::2]).max(),
    "where": lambda y: np.add(1, 2, where=y > 3, out=np.zeros(25)),
    "index": lambda y: np.arange(100)[y.astype(int)],
    "mask": lambda y: y[y > 3],
    "two results": lambda y: np.divmod(y, 2, out=(y, None)),
    "median": lambda y: np.median(y, overwrite_input=True),
    "in": lambda y: 3 in y,
    "copy": lambda y: y.copy(),
    "copy of a view": lambda y: y[1:].reshape(2, 12),
    "small copy": lambda y: y[:2].copy(),
    "deepcopy": lambda y: y.__deepcopy__({}),
    "astype": lambda y: y.astype(int),
    "resize": lambda y: y.resize(30),
    "snapshot": np.asarray,
    "snapshot of a view": lambda y: np.asarray(y[1:]),
    "memoryview": memoryview,
    "np.array": np.array,
    "to_numpy": lambda y: y.to_numpy(),
    "alias": lambda y: y.to_numpy(writable=True),
    "ctypes": lambda y: y.ctypes.data,
    "dlpack": np.from_dlpack,
    "lend": lambda y: ca.lend(y).__enter__(),
    "pickle": pickle.dumps,
    "pickle buffers": lambda y: pickle.dumps(y, 5, buffer_callback=id),
    "shuffle": lambda y: ca.random.default_rng(1).shuffle(y),
}


@pytest.mark.parametrize("read", READS)
def test_what_was_read_is_not_lost(read):
    x = matrix()
    with ca.trace() as seen:
        y = x.ravel()
        y[3] = 99
        READS[read](y)
        del y
        gc.collect()
    assert [event.lineno for event in lost(seen) if event.lineno == line() - 4] == []


@pytest.mark.parametrize(
    "read", ["item", "row", "print", "method", "function", "iterate", "flat", "function of a view"]
)
def test_what_was_read_before_it_was_written_is_lost(read):
    """The last sharer's bytes stay where readers know them."""
    x = matrix()
    with ca.trace() as seen:
        y = x.ravel()
        del x
        kept = READS[read](y)
        here = line() + 1
        y[3] = 99
        del y, kept
    assert [event.lineno for event in lost(seen)] == [here]


@pytest.mark.parametrize("read", ["item", "row", "print", "method", "function", "operand", "iterate", "snapshot"])
def test_what_is_read_after_a_steal_is_not_lost(read):
    """The bytes have not moved, and a reader of before would still find them."""
    x = matrix()
    with ca.trace() as seen:
        y = x.ravel()
        del x
        READS[read](y)
        y[3] = 99
        READS[read](y)
        del y
    assert [event.kind for event in seen] == ["steal"]


LOOKS = {
    "shape": lambda y: (y.shape, y.strides, y.dtype, y.nbytes, y.ndim, len(y), y.size),
    "flags": lambda y: repr(y.flags),
    "storage": lambda y: (y.storage.data_ptr, repr(y.storage), y.storage.is_cow),
    "explain": lambda y: repr(ca.explain(y)),
    "aliases": lambda y: (ca.aliases(y, y[1:]), ca.shares_bytes(y, y)),
    "asarray": ca.asarray,
    "slice": lambda y: y[1:][::2][None, ..., None],
    "transpose": lambda y: (y.T, y.transpose()),
    "writeable": lambda y: y.setflags(write=False),
    "write again": lambda y: y.__setitem__(5, 4),
    "add again": lambda y: y.__iadd__(4),
    "add to a part": lambda y: y[3:].__iadd__(4),
    "move": lambda y: y.__setitem__(slice(1, None), y[:-1]),
    "sort": lambda y: y.sort(),
}


@pytest.mark.parametrize("look", LOOKS)
def test_who_looks_but_does_not_read_changes_nothing(look):
    x = matrix()
    with ca.trace() as seen:
        y = x.ravel()
        here = line() + 1
        y[3] = 99
        LOOKS[look](y)
        del y
    assert [event.lineno for event in lost(seen)] == [here]


@pytest.mark.parametrize("read", ["item", "print", "operand", "method", "snapshot", "copy"])
@pytest.mark.parametrize("look", sorted(LOOKS))
def test_who_reads_after_a_look_is_seen(look, read):
    x = matrix()
    with ca.trace() as seen:
        y = x.ravel()
        y[3] = 99
        LOOKS[look](y)
        READS[read](y)
        del y
    assert lost(seen) == []


def test_what_is_exported_or_given_bytes_without_a_write_is_not_lost():
    x = matrix()
    with ca.trace() as seen:
        x.ravel().to_numpy(writable=True)[3] = 99
        x.ravel().materialize()
        x[3:4].copy()[0] = 1  # copied at once: it was never shared
        x[0] = 7  # no copy
        del x
    assert lost(seen) == []


def test_a_copy_of_a_written_copy_is_a_read_and_is_itself_a_copy():
    x = matrix()
    with ca.trace() as seen:
        y = x.copy()
        y[0] = 1
        z = y.copy()
        here = line() + 1
        z[0] = 2
        del y, z
    assert [event.lineno for event in lost(seen)] == [here]


def test_an_array_with_bytes_of_its_own_is_no_lazy_copy_any_more():
    buffer, frames = matrix().copy(), []
    with ca.trace() as seen:
        for _ in range(3):
            buffer += 1
            frames.append(buffer.copy())
        buffer += 1
        del buffer
    assert lost(seen) == []
    assert [event.kind for event in seen] == ["steal"] + 3 * ["overwrite"]


class Model:
    """Storages, with who shares whose bytes, and which write of which copy nobody has read."""

    def __init__(self):
        self.shared = set()  # they have left or stolen no bytes since they shared some
        self.copies = set()  # made as lazy copies, and not written since
        self.unread = {}  # Storage: the step that wrote
        self.lost = []

    def share(self, storage, made):
        self.shared |= {storage, made}
        self.copies.add(made)
        self.unread.pop(storage, None)

    def write(self, storage, number):
        if storage in self.shared and storage in self.copies:
            self.unread[storage] = number
            self.copies.discard(storage)
        self.shared.discard(storage)

    def drop(self, storage):
        if storage in self.unread:
            self.lost.append(self.unread.pop(storage))


COPYING = {
    "copy": lambda y: y.copy(),
    "ravel": lambda y: y.ravel(),
    "reshape": lambda y: y.reshape(-1),
    "lazy_clone": lambda y: y.lazy_clone(),
    "astype": lambda y: y.astype(y.dtype),
    "array": ca.array,
}
READING = ["item", "print", "operand", "snapshot", "tolist", "method", "iterate", "small copy", "comparison"]
LOOKING = ["shape", "storage", "explain", "aliases", "slice", "transpose", "asarray"]
KINDS = ["make", "copy", "copy", "view", "write", "write", "write", "read", "look", "drop", "drop"]
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 20), st.integers(0, 20)), max_size=40)


def run(program, trace):
    """The steps whose writes were lost: as the trace says, and as the model does."""
    model, wrote = Model(), []
    names = []  # the arrays that are alive, each with the number of its Storage
    for number, (kind, at, what) in enumerate(program):
        array, storage = names[at % len(names)] if names else (None, None)
        if kind == "make" or not names:
            names.append((ca.array(np.arange(6.0)), number))
        elif kind == "copy":
            names.append((COPYING[sorted(COPYING)[what % len(COPYING)]](array), number))
            model.share(storage, number)
        elif kind == "view":
            names.append((array[:], storage))
        elif kind == "write":
            WRITES[sorted(WRITES)[what % len(WRITES)]](array)
            model.write(storage, number)
        elif kind == "read":
            READS[READING[what % len(READING)]](array)
            model.unread.pop(storage, None)
        elif kind == "look":
            LOOKS[LOOKING[what % len(LOOKING)]](array)
        else:
            del names[at % len(names)]
            if all(storage != other for _, other in names):
                model.drop(storage)
        array = None
        wrote += [number] * (len(trace._events) - len(wrote))
    known = [number for number, event in zip(wrote, trace._events, strict=True) if getattr(event, "is_lost", False)]
    return known, sorted(model.lost)


@settings(max_examples=1000, deadline=None)
@given(STEPS)
def test_random_programs_lose_what_a_model_loses(program):
    with ca.trace() as seen:
        known, expected = run(program, seen)
        assert known == expected
        assert len(lost(seen)) >= len(known)


def test_random_programs_lose_something():
    """What the property is good for: most long programs lose a write, and most writes are read or alive."""
    rng = random.Random(chosen_seed())
    counts = [0, 0]
    for _ in range(300):
        program = [(rng.choice(KINDS), rng.randrange(21), rng.randrange(21)) for _ in range(40)]
        with ca.trace() as seen:
            known, expected = run(program, seen)
        assert known == expected
        counts[0] += len(known)
        counts[1] += sum(kind == "write" for kind, *_ in program)
    assert counts[0] > 100
    assert counts[1] > 5 * counts[0]
