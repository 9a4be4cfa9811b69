"""Inside `aliasing` exports, pointers, imports and arguments are aliases where NumPy's are, and have NumPy's bases."""

import contextlib
import ctypes
import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest

import cowarray as ca


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


@pytest.mark.parametrize("mode", [contextlib.nullcontext, ca.aliasing, ca.simulate])
def test_bases_are_arrays(mode):
    with mode():
        x = ca.zeros((3, 4))
        assert x.base is None
        y = x[1:]
        assert (y.base.size, y.base.dtype, y.base.base) == (12, np.dtype(float), None)
        assert mode is not ca.aliasing or y.base.shape == (3, 4)
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


@pytest.mark.parametrize("mode", [contextlib.nullcontext, ca.aliasing, ca.simulate])
@pytest.mark.parametrize("make", [lambda: ca.zeros((3, 4)), lambda: ca.asarray(np.zeros((3, 4)), copy=False)])
def test_nobody_writes_to_a_read_only_array_by_its_base(mode, make):
    with mode():
        x = make()
        x.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            x[1:].base[...] = 1
        assert not x.any()
        y = make()
        y[1:].base[...] = 1
        assert y.all()


@pytest.mark.parametrize("mode", [ca.aliasing, lambda: ca.budget("1MiB"), ca.simulate])
@pytest.mark.parametrize("make", [ca.zeros, lambda *given: ca.asarray(np.zeros(*given))])
def test_a_base_never_takes_other_bytes_for_references(mode, make):
    with mode():
        x = make(4, [("i", "i8"), ("o", "O")])
        x["i"] = 5
        np.asarray(x)
        assert x["i"].base.dtype.kind in "iV"
        found = x["o"].base
        assert (found["o"] if found.dtype.names else found).tolist() == [0] * 4
        for name in ("i", "o"):
            x[name].base[...] = x[name].base.copy()
        assert (x["i"].tolist(), x["o"].tolist()) == ([5] * 4, [0] * 4)


def test_a_base_is_of_its_views_kind():
    x = ca.zeros(4)
    x.flags.writeable = False
    base = x[1:].base
    base.flags.writeable = True
    assert not x[1:].base.flags.writeable
    strict = ca.array_api.arange(6.0)
    base = strict[1:].base
    assert type(base.sum()) is ca.ndarray
    assert type(ca.asarray(strict, copy=False)[1:].base.sum()) is np.float64


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


def test_a_strided_export_is_writable_but_refuses_to_be_made_so():
    """As docs/interop.md says: a memoryview gives NumPy no contiguous memory to ask about."""
    with ca.aliasing():
        x = ca.zeros((3, 4))
        n = np.asarray(x[:, 0])
        n[1] = 5
        assert x[1, 0] == 5
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            n.flags.writeable = True
        np.asarray(x[:, 0].copy()).flags.writeable = True
        np.asarray(x).flags.writeable = True


def test_a_base_keeps_its_bytes():
    with ca.aliasing():
        base = ca.arange(10.0)[2:5].base
    gc.collect()
    assert base.sum() == 45


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
