"""`aliasing`: where it holds, what gives an alias there, and that no copy notices, whenever it was made.

It is one file because each part is a table of ways and one test over it. Each section can be read alone.
"""

import asyncio
import concurrent.futures
import contextvars
import copy
import ctypes
import functools
import gc
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest

import cowarray as ca


def holds():
    x = ca.zeros((2, 2))
    return ca.aliases(x, x.reshape(4))


# ---- where it holds --------------------------------------------------------------------------------------------------


def test_nothing_aliases_outside():
    x = ca.zeros((2, 2))
    assert not holds()
    with ca.aliasing():
        assert holds()
        export = np.asarray(x)
    assert not holds()
    assert export.flags.writeable
    assert not np.asarray(x).flags.writeable


def test_blocks_nest():
    with ca.aliasing():
        with ca.aliasing():
            assert holds()
        assert holds()
    assert not holds()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_ends_the_block(error):
    with pytest.raises(error), ca.aliasing():
        raise error
    assert not holds()


def test_a_decorated_function_is_a_block():
    @ca.aliasing()
    def doubled(values, /, *, times=2):
        """Doc."""
        values.ravel()[:] *= times
        return holds()

    x = ca.ones((2, 2))
    assert doubled(x, times=3)
    assert not holds()
    assert x.tolist() == [[3, 3], [3, 3]]
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Doc.")


def test_tasks_made_in_the_block_have_it():
    async def main():
        with ca.aliasing():
            task = asyncio.create_task(asyncio.sleep(0, None))
            inner = asyncio.create_task(asyncio.to_thread(holds))
            await task
            return await inner

    assert asyncio.run(main())


def test_a_thread_is_not_in_the_block_unless_its_context_is():
    with concurrent.futures.ThreadPoolExecutor(1) as pool, ca.aliasing():
        assert not pool.submit(holds).result()
        assert pool.submit(contextvars.copy_context().run, holds).result()


def test_start_is_for_each_thread_and_context():
    ca.aliasing.start()
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            assert pool.submit(holds).result()
        assert contextvars.Context().run(holds)
        ca.aliasing.start()
        ca.aliasing.stop()
        assert holds()
        with ca.aliasing():
            pass
        assert holds()
    finally:
        ca.aliasing.stop()
    assert not holds()
    with pytest.raises(RuntimeError, match="has not been started"):
        ca.aliasing.stop()
    assert not holds()


def test_start_and_stop_in_many_threads():
    def work():
        for _ in range(200):
            ca.aliasing.start()
            assert holds()
            ca.aliasing.stop()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work) for _ in range(4)]:
            each.result()
    assert not holds()


# ---- what aliases ----------------------------------------------------------------------------------------------------


class Has:
    """Has nothing but the interface, and keeps whose it is, as NumPy's arrays of it do."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


EXPORTS = {
    "asarray": lambda x: np.asarray(x),
    "memoryview": lambda x: np.asarray(memoryview(x)),
    "data": lambda x: np.asarray(x.data),
    "__array__": lambda x: x.__array__(),
    "frombuffer": lambda x: np.frombuffer(x, x.dtype).reshape(x.shape),
    "interface": lambda x: np.asarray(Has(x)),
    "dlpack": lambda x: np.from_dlpack(x),
    "ctypes": lambda x: np.ctypeslib.as_array(ctypes.cast(x.ctypes, ctypes.POINTER(ctypes.c_double)), x.shape),
    "lists": lambda x: np.asarray(memoryview(memoryview(x))),
    "picklebuffer": lambda x: np.asarray(pickle.PickleBuffer(memoryview(x))),
}


@pytest.mark.parametrize("way", EXPORTS)
def test_an_export_is_an_alias_on_both_sides(way):
    x = ca.arange(6.0).reshape(2, 3)
    with ca.aliasing():
        export = EXPORTS[way](x)
        assert export.flags.writeable
        export[0, 0] = 7
        x[1, 2] = 8
        assert x[0, 0] == 7
        assert export[1, 2] == 8
    export[0, 1] = 9
    assert x[0, 1] == 9


@pytest.mark.parametrize("way", ["asarray", "memoryview", "data", "__array__", "frombuffer", "interface"])
@pytest.mark.parametrize("dtype", ["f8", "i1", "?", "c16", ">i4", "M8[s]", "S3", "i4,f8", "f2", "O", "g"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 1, 2, 1, 3), (0, 2)])
def test_every_export_is_as_numpys(way, dtype, shape):
    n = np.zeros(shape, dtype)
    for view in (
        lambda x: x,
        lambda x: x.T,
        lambda x: x[..., ::2] if x.ndim else x,
        lambda x: x[::-1] if x.ndim else x,
    ):
        with ca.aliasing():
            x = view(ca.array(n))
            expected, found = outcome(way, view(n)), outcome(way, x)
            if dtype == "M8[s]" and way in ("frombuffer", "interface"):
                continue  # which take NumPy's arrays' bytes without a format; ours have no buffer, and so no interface
            assert type(found) is type(expected)
            if type(found) is np.ndarray:
                assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
                assert steps(found) == steps(expected)
                assert found.flags.writeable == expected.flags.writeable


def outcome(way, x):
    try:
        return EXPORTS[way](x)
    except (ValueError, TypeError, BufferError, AttributeError) as error:
        return ValueError(error)


def steps(array):
    return [step for n, step in zip(array.shape, array.strides, strict=True) if n > 1 and array.size]


POINTERS = {
    "__array_interface__": lambda x: x.__array_interface__["data"][0],
    "ctypes": lambda x: x.ctypes.data,
}


@pytest.mark.parametrize("way", POINTERS)
@pytest.mark.parametrize("part", [lambda x: x, lambda x: x[1:], lambda x: x.reshape(2, -1), lambda x: x.T, np.ravel])
def test_a_pointer_is_valid_as_long_as_an_array_on_its_bytes_lives(way, part):
    x = ca.arange(1 << 16)
    earlier = x.copy()
    with ca.aliasing():
        for _ in range(3):
            pointer = POINTERS[way](part(x))  # of a view that has gone
    assert pointer - x.storage.data_ptr in (0, 8)
    words = (ctypes.c_int64 * (x.size - 1)).from_address(x.storage.data_ptr + 8)
    later = x.copy()
    x[1] = 77
    assert words[0] == 77
    words[1] = 88
    assert x[2] == 88
    for other in (earlier, later):
        assert (other == np.arange(1 << 16)).all()
    last = x[5:]
    del x, words, later
    assert not last.copy().storage.is_cow
    pinned, last = last, ca.arange(1 << 16)
    del pinned
    assert last.copy().storage.is_cow


def test_outside_a_pointer_pins_while_its_object_lives():
    x = ca.arange(1 << 16)
    assert "data" not in x.__array_interface__
    held = x.ctypes
    assert not x.copy().storage.is_cow
    del held
    assert x.copy().storage.is_cow


def test_pointers_keep_no_memory_that_an_array_has_left():
    x = ca.zeros(1 << 17)
    with ca.aliasing():
        for n in range(40):
            x.__array_interface__  # noqa: B018
            storage = weakref.ref(x.storage)
            x.resize((1 << 17) + n + 1, refcheck=False)
            assert storage() is None


def test_a_pointer_of_an_array_that_moves_is_of_the_new_place():
    x = ca.arange(8.0)
    with ca.aliasing():
        first = x.__array_interface__["data"]
        x.resize(1 << 16, refcheck=False)
        second = x.__array_interface__["data"]
        assert np.asarray(Has(x)).size == 1 << 16
    assert first != second
    x[9] = 4.0
    assert ctypes.c_double.from_address(second[0] + 72).value == 4.0


def test_a_read_only_array_goes_out_read_only_and_sees_writes():
    base = ca.zeros(4)
    x = base[:]
    x.flags.writeable = False
    with ca.aliasing():
        export = np.asarray(x)
        view = memoryview(x)
        assert not export.flags.writeable
        assert view.readonly
        with pytest.raises(ValueError, match="read-only"):
            export[0] = 1
        with pytest.raises(TypeError, match="not writable"):
            (ctypes.c_char * 8).from_buffer(x)
    base[1] = 5
    assert export[1] == view[1] == 5


def test_memory_of_others_is_aliased():
    n = np.arange(4.0)
    with ca.aliasing():
        x = ca.asarray(n)
        n[0] = 9
        x[1] = 8
        assert (x[0], n[1]) == (9, 8)
        y = ca.asarray(n[::-1])
        y[0] = 7
        assert x[3] == 7
    n[2] = 6
    assert x[2] == 6
    assert ca.asarray(n)[2] == 6
    outside = ca.asarray(n)
    n[0] = 1
    assert outside[0] == 9


@pytest.mark.parametrize("dtype", ["f8", object, "S3", [("a", "i4"), ("b", "f8")]])
def test_arrays_on_memory_of_others_say_what_they_alias(dtype):
    n = np.zeros(6, dtype)
    with ca.aliasing():
        x, y, part = ca.asarray(n), ca.asarray(n), ca.asarray(n[:2])
        copy = x.copy()
        assert np.shares_memory(np.asarray(x), n)
    for a, b in ((x, n), (n, x), (x, n[1:]), (x, y), (x[:3], part), (part, n[:1])):
        assert ca.aliases(a, b)
        assert np.shares_memory(a, b)
        assert np.may_share_memory(a, b)
    for a, b in (
        (x[2:], part),
        (part, n[2:]),
        (copy, x),
        (copy, n),
        (x, ca.asarray(n)),
        (x, n.copy()),
        (x, x.to_numpy()),
    ):
        assert not ca.aliases(a, b)
        assert not np.shares_memory(a, b)
        assert not np.may_share_memory(a, b)


def test_a_read_only_view_of_writable_memory_is_aliased_and_refuses_writes():
    n = np.arange(4.0)
    shown = n[:]
    shown.flags.writeable = False
    with ca.aliasing():
        x = ca.asarray(shown)
        n[0] = 9
        assert x[0] == 9
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
    assert n[0] == 9


def test_memory_that_nobody_can_write_comes_in_as_ever():
    n = np.arange(4.0)
    n.flags.writeable = False
    with ca.aliasing():
        x = ca.asarray(n)
        assert x.flags.writeable
        x[0] = 5
        y = ca.asarray(np.frombuffer(b"abcdefgh", "u1"))
        np.asarray(y)[0] = 0
        assert y[0] == 0
    assert n[0] == 0


def test_an_alias_that_comes_back_lies_in_the_same_storage():
    x = ca.arange(6.0)
    with ca.aliasing():
        for export in (np.asarray(x), np.asarray(memoryview(x)), x.to_numpy(writable=True), np.asarray(x)[1:][::-1]):
            assert ca.asarray(export).storage is x.storage
            assert ca.shares_bytes(export, x)
        back = ca.asarray(np.asarray(x)[2:4])
        back[0] = 9
        assert x[2] == 9
    assert ca.asarray(np.asarray(x)).storage is not x.storage


def test_where_numpy_gives_its_argument_it_is_the_argument():
    x = ca.ones((2, 3))
    with ca.aliasing():
        for each in (
            ca.ascontiguousarray(x),
            ca.asanyarray(x),
            ca.atleast_1d(x),
            x.conj(),
            ca.require(x, None, "WO"),
            ca.asarray(x),
            np.atleast_2d(x),
        ):
            assert each is x
        for each in (x.reshape(6), x.ravel(), x.reshape(2, 3), x.view()):
            assert each is not x
            assert each.storage is x.storage
        for each in (x.copy(), x.flatten(), ca.array(x), x.astype(float), np.copy(x), ca.lazy_clone(x)):
            assert each.storage is not x.storage


def test_requirements_are_numpys():
    with ca.aliasing():
        for words in ("W", "O", "F", "C", "WO", "A", ["W", "F"]):
            for part in (slice(None), slice(1)):
                n, x = np.zeros((2, 2))[part], ca.zeros((2, 2))[part]
                n.flags.writeable = x.flags.writeable = False
                expected, found = np.require(n, None, words), ca.require(x, None, words)
                assert found.flags.writeable == expected.flags.writeable
                assert ca.aliases(found, x) == np.shares_memory(expected, n), (words, part)


@pytest.mark.parametrize("size", [3, 600_000])
@pytest.mark.parametrize("mode", [ca.aliasing, ca.simulate])
def test_arrays_whose_elements_overlap_are_written_as_numpys(mode, size):
    """As scikit-image's graphs do: they write what nobody reads to one element that is broadcast."""

    def program(xp, strided):
        x = xp.arange(float(size))
        kept = x.copy()
        one = xp.broadcast_to(x[:1], (2, 3))
        readonly = one.flags.writeable
        one.setflags(write=True)
        one[1] = [7, 8, 9]
        twice = strided(x, (size - 1, 2), (8, 8))
        twice[1] = -1.0
        twice += 1
        box = xp.ndarray((2, 2), float, x, 0, (8, 8))
        box[0, 1] = 5.0
        box.flags.writeable = True
        again = twice.copy()
        again[:] = 0
        return [np.asarray(each) for each in (x, kept, one, twice, again)], readonly, box.flags.writeable

    expected, *flags = program(np, np.lib.stride_tricks.as_strided)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ca.AliasingWarning)
        with mode():
            found, *ours = program(ca, ca.lib.stride_tricks.as_strided)
            assert ours == flags
            for mine, theirs in zip(found, expected, strict=True):
                np.testing.assert_array_equal(mine, theirs)
    with ca.aliasing():
        x = ca.lib.stride_tricks.as_strided(ca.zeros(3), (2, 2), (8, 8))
    x.flags.writeable = x.flags.writeable  # which changes nothing
    assert x.flags.writeable
    x = ca.broadcast_to(ca.zeros(1), (2,))
    with pytest.raises(ValueError, match="elements of the array overlap"):
        x.setflags(write=True)
    assert not ca.lib.stride_tricks.as_strided(ca.zeros(3), (2, 2), (8, 8)).flags.writeable


# ---- bases -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [ca.aliasing, ca.simulate])
def test_bases_are_arrays(mode):
    with mode():
        x = ca.zeros((3, 4))
        assert x.base is None
        y = x[1:]
        assert (y.base.size, y.base.dtype, y.base.base) == (12, np.dtype(float), None)
        assert mode is ca.simulate or y.base.shape == (3, 4)
        z = y.T[1:]
        assert z.base is y.base
        y.base.flat[11] = 5
        assert x[2, 3] == 5
        ends = 0
        while z.base is not None:
            z = z.base
            ends += 1
        assert ends == 1
        part = ca.arange(10)[2:5]
        assert part.base.size == 10
        assert x.copy().base is None
        other = ca.ones((3, 4))[1:]
        assert other.base is not y.base
    assert isinstance(ca.zeros((3, 4))[1:].base, ca.Storage)


def test_bases_of_views_of_another_dtype_and_of_written_arrays():
    with ca.aliasing():
        x = ca.zeros(3, "u1")
        y = x.copy()
        y[0] = 1
        assert y[1:].base.shape == (3,)
        odd = ca.zeros(6, "u1")[1:5].view("u2")
        assert odd.base.nbytes == 6
        record = ca.zeros(3, "u1,u4")["f1"]
        assert record.base.nbytes == 15


def test_a_base_keeps_its_bytes():
    with ca.aliasing():
        base = ca.arange(10.0)[2:5].base
    gc.collect()
    assert base.sum() == 45


# ---- isolation -------------------------------------------------------------------------------------------------------


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


# ---- callbacks, and other modes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [ca.aliasing, ca.simulate])
def test_callbacks_may_write_to_their_arguments(mode):
    def clip(row):
        row[row > 0.5] = 0.5
        return row

    n = np.linspace(0, 1, 32).reshape(4, 8)
    with mode(), warnings.catch_warnings(action="ignore"):
        for shape in (lambda a: a, lambda a: a.reshape(2, 2, 8), lambda a: a.T):
            mine, theirs = ca.array(n), n.copy()
            found, expected = np.apply_along_axis(clip, -1, shape(mine)), np.apply_along_axis(clip, -1, shape(theirs))
            assert found.tolist() == expected.tolist()
            assert mine.tolist() == theirs.tolist()
    x = ca.array(n)
    with pytest.raises(ValueError, match="read-only"):
        np.apply_along_axis(clip, -1, x)


def test_simulation_reports_inside_and_stays_silent_outside():
    def program():
        x = ca.zeros((3, 3))
        x.reshape(-1)[::4] += 2
        return x.sum()

    with warnings.catch_warnings(action="ignore"):
        with ca.aliasing(), ca.simulate() as found:
            assert program() == 6
        assert len(found) == 1
        with ca.simulate() as found, ca.aliasing():
            assert program() == 6
        assert len(found) == 1
        ca.aliasing.start()
        try:
            with ca.simulate() as found:
                assert program() == 6
        finally:
            ca.aliasing.stop()
        assert len(found) == 1
    assert program() == 0


def test_libraries_that_ask_for_the_class_get_numpys():
    x = ca.zeros(3)
    with ca.aliasing():
        assert isinstance(x, np.ndarray)
        assert isinstance(x, ca.ndarray)
        assert not isinstance(x, (list, np.generic))
        assert x.__class__ is np.ndarray
        assert type(x) is ca.ndarray
        for each in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert type(each) is ca.ndarray
    assert not isinstance(x, np.ndarray)
    assert x.__class__ is ca.ndarray
    with pytest.raises(AttributeError):
        x.__class__ = np.ndarray


@pytest.mark.parametrize("package", ["h5py", "jax", "numba", "pandas", "polars"])
def test_libraries_whose_compiled_code_asks_for_the_type_are_told_whose_it_is(package):
    x = ca.zeros(3)
    theirs = {"np": np, "x": x, "functools": functools, "__name__": f"{package}.part"}
    exec("is_numpys = lambda: isinstance(x, np.ndarray)", theirs)
    exec("chosen = functools.singledispatch(lambda x: 'any')\nchosen.register(np.ndarray)(lambda x: 'NumPy')", theirs)
    exec("asked = lambda: chosen(x)", theirs)
    with ca.aliasing():
        assert not theirs["is_numpys"]()
        assert theirs["asked"]() == "any"
        theirs["__name__"] = "another"
        assert theirs["is_numpys"]()
        assert theirs["asked"]() == "NumPy"


# But what tells addresses, or has any values.
MASKED = sorted(
    name
    for name in set(np.ma.__all__) - {"ids", "empty", "empty_like"}
    if callable(getattr(np.ma, name)) and not isinstance(getattr(np.ma, name), type)
)


@pytest.mark.parametrize("name", MASKED)
def test_masked_arrays_are_made_of_ours_as_of_numpys(name):
    function = getattr(np.ma, name)
    x = np.array([[1.0, 2, 0], [3, -1, 4]])
    for operands in ((x,), (x, x), (x > 1, x)):
        theirs = printed(function, *[each.copy() for each in operands])
        if theirs is not TypeError:
            with ca.aliasing():
                assert printed(function, *map(ca.array, operands)) == theirs


# What takes its one array as it is only if it is told so.
UNCOPIED = {
    "array": {}, "fix_invalid": {}, "masked_array": {}, "masked_invalid": {}, "masked_equal": {"value": 3},
    "masked_values": {"value": 3}, "masked_object": {"value": 3}, "masked_greater": {"value": 3},
    "masked_inside": {"v1": 3, "v2": 4},
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MASKED if name != "diag"])  # NumPy's diagonals are read-only
def test_a_write_to_what_numpy_ma_makes_reaches_what_it_reaches_with_numpys(name):
    calls = [functools.partial(getattr(np.ma, name))]
    if name in UNCOPIED:
        calls.append(functools.partial(getattr(np.ma, name), copy=False, **UNCOPIED[name]))
    for call in calls:
        x = np.array([[1.0, 2, 0], [3, -1, 4]])
        theirs = written_through(call, x.copy())
        with ca.aliasing():
            assert written_through(call, ca.array(x)) == theirs


def written_through(function, x):
    """What becomes of x by a write to all that a function gives of it; None if it gives nothing to write to."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(x)
            getattr(result, "_data", result)[...] = 7
    except Exception as error:
        return type(error)
    return x.tolist()


def printed(function, *args):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(function(*args))
    except Exception as error:
        return type(error)


def test_what_pandas_takes_is_its_own_as_numpys_arrays_are():
    pandas = pytest.importorskip("pandas")
    x, times = ca.arange(3.0), ca.asarray(np.arange(3).astype("M8[ns]"))
    with ca.aliasing():
        series, index = pandas.Series(x), pandas.DatetimeIndex(times)
        assert np.asarray(x).flags.writeable
        x[0] = times[0] = 5
        series.iloc[1] = 7
    assert (x.tolist(), series.tolist()) == ([5, 1, 2], [0, 7, 2])
    assert index[0] == pandas.Timestamp(0)


def test_fakes_keep_their_doors_shut():
    with ca.fake(), ca.aliasing():
        x = ca.zeros((2, 2))
        for each in (x.reshape(4), x.ravel(), np.ravel(x), np.atleast_3d(x), x.conj(), ca.ascontiguousarray(x)):
            assert ca.aliases(each, x)
        for each in (x.copy(), x.flatten(), x.flatten("F"), np.copy(x)):
            assert not ca.aliases(each, x)
        with pytest.raises(ca.FakeError):
            np.asarray(x)


@pytest.mark.parametrize("mode", [ca.deferred, ca.fake])
def test_outside_of_aliasing_no_copy_in_meaning_of_a_real_array_is_an_alias(mode):
    with mode():
        x = ca.array(np.arange(12.0))
        for each in (ca.atleast_2d(x), ca.atleast_3d(x), ca.atleast_1d(x), x.reshape(3, 4), np.ravel(x)):
            assert not ca.aliases(each, x)


def test_what_a_deferred_array_reads_is_no_alias_of_an_input_from_outside():
    n = np.arange(4.0)
    with ca.deferred(), ca.aliasing():
        x = ca.zeros(4) + n
        n[:] = 100
        shown = n[:]
        shown.flags.writeable = False
        y = ca.zeros(4) + shown
        n[:] = 7
    assert x.tolist() == [0, 1, 2, 3]
    assert y.tolist() == [100] * 4


def test_recorded_copies_in_meaning_stay_copies_when_they_are_made_inside():
    with ca.deferred():
        x = ca.zeros(4)
        y = x.reshape(2, 2)
        z = np.ravel(y)
    ca.aliasing.start()
    try:
        np.asarray(z)[0] = 5
        np.asarray(y)[0, 1] = 6
        assert (x.tolist(), y.tolist(), z.tolist()) == ([0] * 4, [[0, 6], [0, 0]], [5, 0, 0, 0])
    finally:
        ca.aliasing.stop()


def test_a_budget_lets_go_of_nothing_that_is_out():
    with ca.budget(20_000, small=0, cost="model"), ca.aliasing():
        x = ca.ones(500)
        export = np.asarray(x)
        for _ in range(10):
            y = ca.tanh(ca.ones(500) + 1)
            y.sum()
        export[0] = 9
        assert x[0] == 9
    assert export[0] == 9


def test_no_copy_and_trace_see_what_an_export_copies():
    x = ca.zeros(100)
    y = x.copy()
    with ca.no_copy(), ca.aliasing(), pytest.raises(ca.CopyError):
        np.asarray(y)
    with ca.trace() as seen, ca.aliasing():
        np.asarray(y)
    assert [each.kind for each in seen][:1] == ["copy"]


@pytest.mark.parametrize("own", [bytes(32), memoryview(bytearray(32)).toreadonly()], ids=["bytes", "a read-only view"])
def test_memory_that_is_read_only_behind_a_buffer_is_written_by_nobody(own):
    with ca.aliasing():
        x = ca.asarray(np.frombuffer(own))
        x.flags.writeable = True
        x[0] = 1
    assert bytes(own) == bytes(32)


def test_lists_beside_arrays_alias_nothing():
    ours = ca.array([None, 1])
    assert not ca.aliases(ours, [[1], [2, 3]])
    assert not ca.aliases([1.0], ca.array([1.0]))
