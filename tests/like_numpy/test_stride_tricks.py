"""Arrays by shape and strides, `lib.stride_tricks` and `ndarray(...)`: NumPy's, inside their memory, or refused."""

import contextlib
import inspect
import warnings

import numpy as np
import pytest
from support.oracle import outcome, same

import cowarray
from cowarray.lib.stride_tricks import as_strided, sliding_window_view

pytestmark = pytest.mark.numpy_ends

numpys = np.lib.stride_tricks


def subjects():
    """Each as ours and as NumPy's: the whole, parts, reversed, transposed, of other dtypes."""
    for dtype in ("f8", "i2", "c16", "M8[s]", [("a", "i4"), ("b", "f8")], object):
        n = np.arange(24).astype(dtype) if not isinstance(dtype, list) else np.zeros(24, dtype)
        x = cowarray.array(n)
        for part in (slice(None), slice(3, 20), slice(None, None, 2), slice(20, 3, -1)):
            yield x[part], n[part]
        yield x.reshape(4, 6).T, n.reshape(4, 6).T


WAYS = {
    "as it is": lambda n: (None, None),
    "its first two": lambda n: ((2,), None) if n.ndim == 1 else ((2, 2), None),
    "one element again and again": lambda n: ((5,), (0,)),
    "windows": lambda n: ((3, 2), (n.strides[0], n.strides[0])),
    "every second": lambda n: ((2,), (2 * n.strides[0],)),
    "none": lambda n: ((0, 7), (1 << 40, 1 << 40)),
    "no axes": lambda n: ((), ()),
}


@pytest.mark.parametrize("way", WAYS)
def test_as_strided_is_numpys_and_a_view(way):
    for x, n in subjects():
        shape, strides = WAYS[way](n)
        ours, theirs = as_strided(x, shape, strides), numpys.as_strided(n, shape, strides)
        same(ours, theirs, strides=True)
        assert ours.storage is x.storage
        overlaps = 0 in theirs.strides and theirs.size > 1
        assert ours.flags.writeable or overlaps or way == "windows"
        assert not (ours.flags.writeable and overlaps)


def set_strides(x, strides):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x.strides = strides
    return [(each.category, each.filename, each.lineno) for each in caught]


STRIDES = [(), 0, 8, (8,), (2,), (16,), (-8,), (-16,), (24,), (0,), (8, 8), (8, 32), (16, 16), (-16, 0), (1 << 40,)]
NO_STRIDES = [None, "8", 1.5, (1.5,), True, (True,), 1 << 64, (-(1 << 64),)]


@pytest.mark.parametrize("strides", STRIDES + NO_STRIDES)
def test_strides_can_be_set_where_numpys_can(strides):
    for x, n in subjects():
        if n.dtype == object and strides == (2,):
            continue  # NumPy takes parts of two references for one
        copy, storage = x.copy(), x.storage
        theirs, ours = outcome(set_strides, n, strides), outcome(set_strides, x, strides)
        assert ours == theirs
        same(x, n, strides=True)
        assert x.storage is storage
        assert not cowarray.aliases(x, copy)
        overlaps = len(np.unique(addresses(n))) < n.size * n.itemsize
        assert x.flags.writeable or overlaps
        assert not (x.flags.writeable and overlaps)


def test_elements_that_overlap_are_read_only_until_they_do_not():
    x = cowarray.arange(4.0)
    copy = x.copy()
    for mode in (contextlib.nullcontext, cowarray.fake, cowarray.deferred):
        with mode():
            y = cowarray.arange(4.0) if mode is cowarray.fake else x
            set_strides(y, 0)
            assert not y.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                y[0] = 1
            with pytest.raises(ValueError, match="overlap"):
                y.flags.writeable = True
            set_strides(y, 8)
            y.flags.writeable = True
            y[0] = 7
    assert copy.tolist() == [0, 1, 2, 3]
    assert x.tolist() == [7, 1, 2, 3]


def test_what_cannot_be_set_is_named_after_the_warning():
    x = cowarray.arange(4.0)
    for strides in (None, "8", True, 1 << 64, (8, 8), 24):
        with pytest.raises((TypeError, ValueError), match=r"^ndarray: strides"):
            set_strides(x, strides)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert outcome(set_all, x, strides)[1] is outcome(set_all, np.arange(4.0), strides)[1]


def set_all(x, strides):
    x.strides = strides


def addresses(n):
    """Where each byte of each element lies."""
    places = np.zeros(n.shape, int)
    for i, length in enumerate(n.shape):
        places += np.arange(length).reshape(-1, *[1] * (n.ndim - 1 - i)) * n.strides[i]
    return places[..., None] + np.arange(n.itemsize)


@pytest.mark.parametrize("mode", [cowarray.fake, cowarray.deferred, cowarray.aliasing, cowarray.simulate])
def test_strides_are_set_in_a_mode(mode):
    with mode():
        x = cowarray.arange(12)
        y = x[:6]
        set_strides(y, 16)
        assert (y.strides, y.shape, cowarray.aliases(x, y)) == ((16,), (6,), True)
        with pytest.raises(ValueError, match="outside"):
            set_strides(y, 24)
    if mode is not cowarray.fake:
        assert y.tolist() == [0, 2, 4, 6, 8, 10]


def test_a_write_is_seen_by_the_array_and_by_no_copy():
    x = cowarray.zeros((3, 3))
    kept = x.copy()
    diagonal = as_strided(x, (3,), (32,))
    diagonal[...] = 1
    assert (x.tolist(), kept.sum()) == (np.eye(3).tolist(), 0)
    assert not as_strided(x, writeable=False).flags.writeable
    x.flags.writeable = False
    assert not as_strided(x).flags.writeable


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((13,), (8,)),
        ((2,), (-8,)),
        ((1, 2), (0, 96)),
        ((2**62, 2**62), (8, 8)),
        ((2,), (2**63 - 1,)),
        ((2,), (-(2**63),)),
        ((3,), None),
        ((1, 1), (8,)),
        ((-1,), (8,)),
        ((1,) * 65, (8,) * 65),
    ],
)
def test_what_lies_outside_the_memory_is_refused(shape, strides):
    x = cowarray.arange(12.0)
    if shape == (3,):
        x = x[8:].reshape(2, 2, copy=False)
    with pytest.raises(ValueError, match=r"as_strided: "):
        as_strided(x, shape, strides)


@pytest.mark.parametrize(
    "shape", [(2**31, 2**31, 4), (2**62, 2**62), (2**60, 3), (2**32, 2**32), (2**63 - 1,), (0, 2**62)]
)
def test_what_is_too_big_to_count_is_refused_as_numpy_refuses_it(shape):
    strides = (0,) * len(shape)
    for function, array in ((as_strided, cowarray.arange(12.0)), (numpys.as_strided, np.arange(12.0))):
        with pytest.raises(ValueError, match="array is too big"):
            function(array, shape, strides)
    counted = as_strided(cowarray.arange(12.0), (2**59, 1), (0, 0))
    assert (counted.size, counted.nbytes, counted.flags.writeable) == (2**59, 2**62, False)


def test_random_strides_stay_inside_or_are_refused():
    random = np.random.default_rng(5)
    x = cowarray.arange(60, dtype="i1")
    inside = 0
    for _ in range(3000):
        begin, ndim = int(random.integers(0, 59)), int(random.integers(0, 4))
        shape = tuple(random.integers(0, 6, ndim).tolist())
        strides = tuple(random.integers(-20, 20, ndim).tolist())
        reach = [(length - 1) * step for length, step in zip(shape, strides, strict=True)]
        low, high = sum(min(each, 0) for each in reach), sum(max(each, 0) for each in reach)
        if 0 in shape or (begin + low >= 0 and begin + high < 60):
            got = as_strided(x[begin:], shape, strides)
            same(got, numpys.as_strided(x.to_numpy()[begin:], shape, strides))
            if got.flags.writeable and got.size:
                every = sum(np.ix_(*(np.arange(n) * s for n, s in zip(shape, strides, strict=True)))) if ndim else 0
                assert len(np.unique(every)) == got.size
            inside += 1
        else:
            with pytest.raises(ValueError, match="outside"):
                as_strided(x[begin:], shape, strides)
    assert 500 < inside < 2500


def test_views_of_the_standards_arrays_are_the_standards():
    x = cowarray.array_api.asarray([1.0, 2.0])
    for view in (
        as_strided(x, (), ()),
        as_strided(x)[0],
        sliding_window_view(x, 1)[0, 0],
        cowarray.ndarray((), "f8", x),
    ):
        assert type(view + 1) is cowarray.ndarray
    assert type(cowarray.ndarray((1,), "f8", x.to_numpy())[0]) is np.float64


def test_references_are_never_cut():
    x = cowarray.array([object(), object()])
    with pytest.raises(ValueError, match="references"):
        as_strided(x, (1,), (4,))
    assert as_strided(x, (2, 2), (0, 8))[1, 1] is x[1]


def test_sliding_windows():
    for x, n in subjects():
        if n.ndim == 1:
            same(sliding_window_view(x, 3), numpys.sliding_window_view(n, 3), strides=True)
            assert not sliding_window_view(x, 3).flags.writeable
            assert sliding_window_view(x, 1, writeable=True).flags.writeable
            assert not sliding_window_view(x, 3, writeable=True).flags.writeable
    assert type(sliding_window_view([1, 2, 3], 2)) is cowarray.ndarray
    with pytest.raises(ValueError, match="window shape"):
        sliding_window_view(cowarray.arange(3), 4)


def test_a_rolling_window_as_xarray_asks_for_it():
    x = cowarray.array(np.arange(5.0))
    space = x.__array_namespace__()
    padded = space.pad(x, [(2, 0)], mode="constant", constant_values=np.nan)
    windows = space.lib.stride_tricks.sliding_window_view(padded, 3, axis=0)
    theirs = numpys.sliding_window_view(np.pad(np.arange(5.0), [(2, 0)], constant_values=np.nan), 3, axis=0)
    same(windows, theirs)
    assert not {"lib", "pad"} & {*dir(space), *space.__all__}
    with pytest.raises(AttributeError, match="beyond the standard"):
        _ = space.hamming


def test_the_others_are_those_of_the_namespace():
    for name in ("broadcast_to", "broadcast_arrays", "broadcast_shapes"):
        assert getattr(cowarray.lib.stride_tricks, name) is getattr(cowarray, name)
    names = set(numpys.__all__ if hasattr(numpys, "__all__") else ["as_strided", "sliding_window_view"])
    assert names <= set(cowarray.lib.stride_tricks.__all__)


# ---- ndarray(...) ----------------------------------------------------------------------------------------------------

CALLS = [
    ((3,), {}),
    (((2, 3), "i4"), {}),
    (((2, 3), "i4", None, 0, None, "F"), {}),
    (((2, 0),), {}),
    (((), "S5"), {}),
    (((3,), object), {}),
    (((2,), "f8", None, 0, (8,)), {}),
    ((), {"shape": (2, 2), "dtype": "c8", "order": "C"}),
    (((-1,),), {}),
    ((None,), {}),
    (("text",), {}),
    (((2,), "no dtype"), {}),
    (((2,), "f8", None, 0, None, "Q"), {}),
    (((2**62, 2**62),), {}),
    ((), {}),
    (((2,), "f8", None, 0, (8, 8)), {}),
]


def test_arguments_that_do_not_fit_are_refused_by_the_name_of_the_class():
    for args, kwargs in [((), {}), ((2,), {"nonsense": 1}), ((2, "f8", None, 0, None, "C", 1), {})]:
        with pytest.raises(TypeError, match=r"^ndarray\(\) "):
            cowarray.ndarray(*args, **kwargs)


@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_an_array_of_a_shape_is_numpys(args, kwargs):
    try:
        theirs = np.ndarray(*args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            cowarray.ndarray(*args, **kwargs)
        return
    ours = cowarray.ndarray(*args, **kwargs)
    assert type(ours) is cowarray.ndarray
    assert (ours.shape, ours.dtype, ours.strides) == (theirs.shape, theirs.dtype, theirs.strides)
    assert ours.flags.writeable
    ours[...] = 0
    if theirs.dtype == object:
        assert cowarray.ndarray(*args, **kwargs).tolist() == [None] * 3


IN_BUFFER = [
    ((3, 4), "f8"),
    ((2, 2), "f8", 16),
    ((4,), "i4", 4),
    ((3, 3), "f8", 0, (8, 8)),
    ((3,), "f8", 0, (32,)),
    ((2, 2), "f8", 0, None, "F"),
    ((2,), "f8", 88),
    ((13,), "f8"),
    ((2,), "f8", 0, (-8,)),
    ((0,), "f8", 0),
    ((2,), "f8", 0, (800,)),
]


@pytest.mark.parametrize("given", IN_BUFFER)
@pytest.mark.parametrize("readonly", [False, True])
def test_an_array_in_the_buffer_of_another_is_a_view(given, readonly):
    x, n = cowarray.arange(12.0), np.arange(12.0)
    x.flags.writeable = n.flags.writeable = not readonly
    shape, dtype, *rest = given
    try:
        theirs = np.ndarray(shape, dtype, n, *rest)
    except Exception as error:
        with pytest.raises(type(error)):
            cowarray.ndarray(shape, dtype, x, *rest)
        return
    ours = cowarray.ndarray(shape, dtype, x, *rest)
    same(ours, theirs, strides=True)
    assert ours.storage is x.storage
    overlaps = shape == (3, 3)
    assert ours.flags.writeable == (not readonly and not overlaps)
    if ours.flags.writeable and ours.size:
        kept = x.copy()
        ours[...] = theirs[...] = 7
        same(x, n)
        assert kept.tolist() == list(range(12))


def test_a_buffer_must_lie_in_c_order():
    with pytest.raises(ValueError, match="contiguous"):
        cowarray.ndarray((2,), "f8", cowarray.arange(12.0)[::2])


@pytest.mark.parametrize("buffer", [cowarray.arange(12.0), bytes(96), None])
def test_nothing_lies_before_a_buffer(buffer):
    with pytest.raises(ValueError, match="offset must be non-negative"):
        cowarray.ndarray((2,), "f8", buffer, -8)


def test_references_and_bytes_do_not_mix():
    things = cowarray.array([object(), object()])
    for make in (
        lambda: cowarray.ndarray((2,), "i8", things),
        lambda: cowarray.ndarray((2,), object, cowarray.arange(2)),
        lambda: cowarray.ndarray((2,), object, bytes(16)),
        lambda: cowarray.ndarray((2,), [("a", object)], bytearray(16)),
        lambda: cowarray.ndarray((2,), np.dtypes.StringDType(), bytes(64)),
    ):
        with pytest.raises(TypeError, match="plain bytes"):
            make()


def test_other_memory_is_taken_as_asarray_takes_it():
    raw = bytes(range(16))
    shared = cowarray.ndarray((4,), "i4", raw)
    assert shared.to_numpy().ctypes.data == np.frombuffer(raw, "i4").ctypes.data
    shared[0] = 1
    assert raw == bytes(range(16))
    writable = bytearray(16)
    copied = cowarray.ndarray((4,), "i4", writable)
    copied[0] = 1
    assert writable == bytes(16)
    x = cowarray.arange(4, dtype="i4")
    snapshot = cowarray.ndarray((4,), "i4", memoryview(x))
    x[0] = 9
    assert snapshot.tolist() == [0, 1, 2, 3]


def test_user_code_in_the_arguments_cannot_take_the_memory_away():
    x = cowarray.arange(1000.0)

    class Length:
        def __index__(self):
            x.resize(0, refcheck=False)
            return 1000

    with pytest.raises((TypeError, ValueError)):
        cowarray.ndarray((Length(),), "f8", x)
    x = cowarray.arange(1000.0)
    with pytest.raises(ValueError, match="outside"):
        as_strided(x, (Length(),), (8,))


def test_the_class_shows_its_parameters():
    assert list(inspect.signature(cowarray.ndarray).parameters) == list(
        inspect.signature(np.ndarray).parameters if np.ndarray.__text_signature__ else
        ["shape", "dtype", "buffer", "offset", "strides", "order"]
    )  # fmt: skip


@pytest.mark.parametrize("function", [cowarray.broadcast_to, cowarray.broadcast_arrays, sliding_window_view])
@pytest.mark.parametrize("kind", [np.matrix, np.recarray, type("Own", (np.ndarray,), {}), np.ma.MaskedArray])
def test_views_of_a_class_that_is_not_kept_are_views_as_of_numpys_array(function, kind):
    numpys_own = getattr(np, function.__name__, None) or getattr(numpys, function.__name__)
    given = {"broadcast_to": ((4, 1, 3),), "broadcast_arrays": (np.ones((4, 1, 3)),), "sliding_window_view": ((1, 2),)}
    source = np.arange(3.0).reshape(1, 3).view(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = function(source, *given[function.__name__]), numpys_own(source, *given[function.__name__])
    for x, n in zip(*(each if isinstance(each, tuple) else (each,) for each in (ours, theirs)), strict=True):
        assert type(x) is cowarray.ndarray
        assert (x.strides, x.tolist()) == (n.strides, n.tolist())
        assert not (x.flags.writeable and 0 in x.strides)
    assert source.tolist() == [[0, 1, 2]]
