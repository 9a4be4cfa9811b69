"""What `fake` promises: no byte anywhere, real metadata, writes and copies counted, and no way to a value."""

import contextlib
import copy
import ctypes
import io
import operator
import os
import pickle
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from support.programs import run
from support.threads import together

import cowarray as cw
from cowarray import FakeError, aliases, fake, fake_like, is_fake

TIB = 1 << 40


def memory_of(start):
    """Resident bytes of the mapping that begins at an address, as the system counts them."""
    found = None
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(" ")[0] and not line[0].isupper():
            low, _, high = line.split(" ")[0].partition("-")
            found = int(low, 16) <= start < int(high, 16)
        elif found and line.startswith("Rss:"):
            return int(line.split()[1]) << 10
    return None


@pytest.fixture
def x():
    with fake():
        made = cw.zeros((1 << 17, 1 << 10, 1 << 10))
    return made


def test_a_tebibyte_takes_no_memory(x):
    assert is_fake(x)
    assert x.nbytes == TIB
    assert x.strides == (8 << 20, 8 << 10, 8)
    y = x[::2].T.reshape(-1)
    assert (y.shape, y.strides) == ((1 << 36,), (8,))
    assert y.storage is not x.storage
    assert is_fake(y)
    assert (x + 1).dtype == np.float64
    assert (x > 0).dtype == bool
    assert np.mean(x, axis=(0, 2)).shape == (1 << 10,)
    assert np.linalg.svd(x, full_matrices=False)[0].shape == (1 << 17, 1 << 10, 1 << 10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_page_of_the_region_is_touched():
    from cowarray._modes.fake.fakes import region

    with fake() as plan:
        for _ in range(100):
            x = cw.zeros((1 << 17, 1 << 10, 1 << 10))
            y = (x - x.mean(0)) / x.std(0)
            y[::2] += 1
            z = y.T.copy().reshape(-1)
            z[0] = 5
            np.fft.rfft(y, axis=1)
            y @ y.swapaxes(1, 2)
            np.concatenate([x, y])[:, np.arange(5)]
    start, nbytes = region()
    assert plan.peak_bytes > TIB
    assert nbytes > 0
    assert memory_of(start) == 0


def test_what_a_copy_would_cost_is_counted(x):
    with fake() as plan:
        a = cw.zeros(1000)
        before = cw.stats()["bytes_copied"]
        b = a.copy()
        assert plan.bytes_copied == 0
        assert plan.live_bytes == 8000
        b[0] = 1
        assert plan.bytes_copied == 8000
        assert plan.live_bytes == 16000
        assert cw.stats()["bytes_copied"] - before == 8000
        c = a.copy()
        c[...] = 0  # replaces every byte: nothing is copied
        assert plan.bytes_copied == 8000
        assert plan.peak_bytes == 24000
        del a, b, c
        assert plan.live_bytes == 0


def test_no_copy_and_trace_hold_for_fakes():
    with fake():
        a = cw.zeros(1000)
        b = a.copy()
        with cw.no_copy(), pytest.raises(cw.CopyError):
            b[0] = 1
        with cw.trace() as events:
            b[0] = 1
    assert [event.kind for event in events] == ["copy"]


LEAKS = {
    "bool": bool,
    "float": lambda x: float(x[0, 0]),
    "int": lambda x: int(x[0, 0]),
    "complex": lambda x: complex(x[0, 0]),
    "index": lambda x: range(3)[x[0, 0].astype("i8")],
    "iter of elements": lambda x: [float(value) for value in x[0]],
    "item": lambda x: x.item(0, 0),
    "tolist": lambda x: x.tolist(),
    "tobytes": lambda x: x.tobytes(),
    "tofile": lambda x: x.tofile(os.devnull),
    "nonzero": np.nonzero,
    "mask": lambda x: x[x > 0],
    "mask of a real one": lambda x: cw.ones(x.shape)[x > 0],
    "where": lambda x: np.where(x),
    "unique": np.unique,
    "numpy.array": np.array,
    "numpy.asarray": np.asarray,
    "numpy.array in a list": lambda x: np.array([x, x]),
    "numpy.copyto": lambda x: np.copyto(np.ones(x.shape), x),
    "numpy.put": lambda x: np.put(np.ones(3), [0], x),
    "numpy assignment": lambda x: np.ones(x.shape).__setitem__(..., x),
    "numpy out": lambda x: np.add(x, 1, out=np.ones(x.shape)),
    "numpy index": lambda x: np.arange(5)[x[0].astype("i8")],
    "memoryview": memoryview,
    "bytes": bytes,
    "ctypes": lambda x: x.ctypes.data,
    "data": lambda x: x.data,
    "to_numpy": lambda x: x.to_numpy(),
    "to_numpy(writable)": lambda x: x.to_numpy(writable=True),
    "from_buffer": lambda x: (ctypes.c_char * 8).from_buffer(x),
    "dlpack": np.from_dlpack,
    "pickle": pickle.dumps,
    "pickle 5": lambda x: pickle.dumps(x, 5, buffer_callback=[].append),
    "save": lambda x: cw.save(os.devnull, x),
    "numpy.save": lambda x: np.save(os.devnull, x),
    "nditer": lambda x: list(np.nditer(x)),
    "ndenumerate": lambda x: [float(value) for _, value in np.ndenumerate(x)],
    "flat": lambda x: [float(value) for value in x.flat],
    "frombuffer": np.frombuffer,
    "allclose": lambda x: np.allclose(x, x),
    "array_equal": lambda x: bool(np.array_equal(x, x)),
    "normal": lambda x: np.random.default_rng(0).normal(x),
    "permutation": lambda x: np.random.default_rng(0).permutation(x),
    "choice": lambda x: np.random.default_rng(0).choice(x[0]),
    "our choice": lambda x: float(cw.random.default_rng(0).choice(x[0])),
    "format": lambda x: f"{x[0, 0]:.3f}",
    "contains": lambda x: 3 in x,
    "lexsort": lambda x: np.asarray(np.lexsort((x[0], x[1]))),
    "array view": lambda x: x.view(np.ndarray),
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_no_value_comes_out(leak):
    with fake():
        x = cw.zeros((4, 5))
    with pytest.raises((FakeError, BufferError, TypeError)) as caught:
        leak(x)
    if caught.type is FakeError:
        assert "test_fakes.py:" in str(caught.value)


def test_the_error_names_what_was_asked_and_what_to_do():
    with fake():
        x = cw.zeros((4, 5))
    with pytest.raises(FakeError, match=r"nonzero: .*depends on (its|their) values|nonzero: .*depends on"):
        np.nonzero(x)
    assert issubclass(FakeError, TypeError)


def test_a_fake_does_not_go_into_a_real_array(x):
    real = cw.ones(1 << 10)
    for write in (
        lambda: real.__setitem__(..., x[0, 0]),
        lambda: np.copyto(real, x[0, 0]),
        lambda: real.__iadd__(x[0, 0]),
        lambda: np.add(x[0, 0], 1, out=real),
        lambda: np.add.at(real, [0], x[0, 0, :1]),
    ):
        with pytest.raises(FakeError):
            write()
    assert real.tolist() == [1] * (1 << 10)
    assert not is_fake(real)
    assert is_fake(real + x)
    x[0, 0] = real
    assert is_fake(x)


def test_a_view_of_a_real_array_is_not_the_blocks_own():
    real = cw.ones(5)
    with fake(real=4096):
        views = [real[1:], real.T, cw.asarray(real)[:3], np.squeeze(real), real.view()]
        value = cw.zeros(10_000).sum()
        for view in views:
            with pytest.raises(FakeError):
                view[...] = value
    assert not is_fake(real)
    assert real.tolist() == [1] * 5


@pytest.mark.parametrize("dtype", ["f8", "f2", "i4", "?", "c16"])
def test_small_arrays_have_their_values(dtype):
    """Whatever takes an array alone, or with an axis, gives what it gives outside of the block, and writes no other."""
    numbers = np.arange(1, 10).reshape(3, 3).astype(dtype)
    functions = {name: getattr(np, name) for name in dir(cw) if hasattr(np, name)}
    functions |= {f"linalg.{name}": getattr(np.linalg, name) for name in dir(cw.linalg) if name in np.linalg.__all__}
    functions |= {f"ndarray.{name}": getattr(np.ndarray, name) for name in dir(np.ndarray) if name[0] != "_"}
    done = set()
    for name, function in functions.items():
        if not callable(function) or isinstance(function, type) or name == "empty_like":
            continue
        for kwargs in {}, {"axis": 0}, {"axis": 0, "keepdims": True}:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                own = operator.attrgetter(name)(cw)
                try:
                    function(numbers.copy(), **kwargs)
                    wanted = own(cw.asarray(numbers), **kwargs)
                except Exception:
                    continue
                x = cw.asarray(numbers)
                kept = x.copy()
                with fake(real=1 << 20):
                    found = own(x, **kwargs)
                assert kept.tolist() == numbers.tolist(), (name, kwargs)
                assert repr(found) == repr(wanted) or " at 0x" in repr(wanted), (name, kwargs)
                done.add(name)
    assert len(done) > 150, len(done)


WRITES = {
    "a write that copies": lambda x: x.__setitem__(slice(None, None, 3), 2.0),
    "a write of one page": lambda x: x.__setitem__(0, 2.0),
    "an overwrite": lambda x: x.__setitem__(..., 2.0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_array_that_another_thread_is_in_does_not_become_a_fake(write):
    value = fake_like(np.ones(1))
    with fake(real=1 << 40):
        for wait in (0.0, 0.001, 0.003, 0.01):
            x = cw.ones(1 << 23)
            kept = x.copy()
            writer = threading.Thread(target=write, args=(x,))
            writer.start()
            time.sleep(wait)
            with contextlib.suppress(BufferError):
                x[...] = value
            became = is_fake(x)
            writer.join()
            assert became or x[0] == 2
            assert kept[0] == kept[-1] == 1


def test_an_array_that_is_about_to_be_overwritten_does_not_become_a_fake():
    """Even while the overwrite asks a mode, which runs Python code and lets other threads go on."""
    printed = run("""
        import contextvars
        from cowarray._modes.copies import copies

        value = ca.fake_like(np.ones(1))
        with ca.fake(real=1 << 40):
            x = ca.ones(4096)
            kept = x.copy()
            block = contextvars.copy_context()
        asked, told = copies.forbids_copy, []

        def become_fake():
            try:
                x[...] = value
            except BufferError as error:
                told.append(error)
            told.append(x.copy())

        def ask():
            if not told:
                block.run(become_fake)
            return asked()

        copies.forbids_copy = ask
        with ca.trace():
            x[...] = np.arange(4096.0)
        print(type(told[0]).__name__, ca.is_fake(x), x[5], kept[5])
    """)
    assert printed == "BufferError False 5.0 1.0\n"


def test_twins_alias_as_the_arrays_do():
    p = cw.arange(10.0)
    a, b, c = fake_like(p, p[1:], p.copy())
    assert aliases(a, b)
    assert not aliases(a, c)
    assert [each.shape for each in (a, b, c)] == [(10,), (9,), (10,)]
    assert type(fake_like(p)) is cw.ndarray
    assert is_fake(fake_like(np.ones(3)))
    assert not is_fake(p)
    with pytest.raises(TypeError, match="fake_like"):
        fake_like()


@pytest.mark.parametrize("mode", [fake, cw.deferred])
def test_what_the_standards_arrays_are_written_into_is_the_result(mode):
    with mode():
        x, y, more = cw.zeros(3), cw.array_api.ones(3), cw.zeros(3)
        same = x
        same += y
        results = [same, np.add(y, 1, out=x), cw.add(y, 1, out=x), np.cumsum(y, out=x), np.clip(y, 0, 1, x)]
        assert all(each is x for each in results)
        assert np.modf(y, x, more)[1] is more
        assert isinstance(np.add(y, 1).sum(), cw.ndarray)


def test_in_place_operations_give_the_same_object(x):
    y = x
    y += 1
    y -= x
    assert y is x


def test_printing():
    with fake():
        x = cw.zeros((131072, 3))
        assert repr(x) == str(x) == "array(..., shape=(131072, 3), dtype=float64, fake)"
        assert str(cw.zeros((2,), "i4,f8")).endswith("fake)")


def test_real_arrays_can_be_read_inside():
    real = cw.arange(6).reshape(2, 3)
    with fake():
        assert str(real) == "[[0 1 2]\n [3 4 5]]"
        assert real.tolist() == [[0, 1, 2], [3, 4, 5]]
        assert int(real[1, 2]) == 5
        assert real[:, 1].tolist() == [1, 4]
        assert not is_fake(real.T)
        assert bool(real[0, 1])
        real += 1
        assert is_fake(real + 1)
    assert real.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_what_is_small_and_real_is_computed():
    real = cw.arange(6)
    with fake(real=4096):
        assert (real + 1).tolist() == [1, 2, 3, 4, 5, 6]
        assert is_fake(cw.zeros(1000))
        total = 0
        for i in cw.arange(3):
            total += int(i)
        assert total == 3
        out = cw.zeros(3)
        view = out[1:]
        out[0] = cw.zeros(1000).sum()
        assert is_fake(out)
        assert is_fake(view)
        assert aliases(out, view)


def test_the_block_is_for_its_context():
    made = []

    def work():
        made.append(cw.zeros(3))

    with fake():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    inherits = getattr(sys.flags, "thread_inherit_context", 0)
    assert is_fake(made[0]) == bool(inherits)


def test_what_is_computed_from_a_fake_is_fake_in_any_thread(x):
    assert together(lambda: is_fake(x + 1)) == [True]


def test_copies_of_fakes(x):
    for made in (copy.copy(x), copy.deepcopy(x), x.copy(), x.lazy_clone(), x.reshape(-1), cw.array(x)):
        assert is_fake(made)
        assert not aliases(made, x)
    assert cw.asarray(x) is x


def test_a_read_only_fake_stays_so():
    with fake():
        x = cw.broadcast_to(cw.zeros(3), (4, 3))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1


def test_bad_shapes_raise_as_numpy_does():
    with fake():
        x, y = cw.zeros((3, 4)), cw.zeros((5,))
        for operation in (
            lambda: x + y,
            lambda: x @ y,
            lambda: x.reshape(5),
            lambda: x[7],
            lambda: np.concatenate([x, y]),
            lambda: x.sum(axis=3),
            lambda: cw.zeros(-1),
            lambda: x.__setitem__(0, y),
        ):
            with pytest.raises((ValueError, IndexError)):
                operation()


@pytest.mark.parametrize("real", [-1, 1.5, "4", None])
def test_bad_options_are_refused(real):
    with pytest.raises(ValueError, match="fake: "):
        fake(real=real)


EXPORTS = [
    lambda x: cw.save(io.BytesIO(), x),
    lambda x: cw.changes(x, x + 0),
    lambda x: cw.merge(x, x + 1, x + 2),
    pickle.dumps,
    np.asarray,
    lambda x: np.zeros(x.shape).__setitem__(..., x),
]


@pytest.mark.parametrize("export", EXPORTS)
def test_an_export_says_what_to_do_whatever_it_is_for(export):
    with fake():
        x = cw.zeros(5)
    with pytest.raises(cw.FakeError) as found:
        export(x)
    needed, _, when = found.value.advice.partition("; if ")
    assert needed == "compute it from real arrays: only the library's own functions take arrays without bytes"
    assert when == "it is written into NumPy's array x, take that in first, by x = cowarray.fake_like(x)"
