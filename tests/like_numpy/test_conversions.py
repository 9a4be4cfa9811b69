"""What asarray and array make of our own arrays, of lists and scalars, of other dtypes and orders; what they refuse."""

import array
import decimal
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from support.numpy_versions import without
from support.oracle import outcome

import cowarray

pytestmark = pytest.mark.numpy_ends

CONVERTERS = [cowarray.asarray, cowarray.array]


@pytest.fixture
def x():
    return cowarray.array(np.arange(12.0).reshape(3, 4))


def frozen(array):
    """Read-only down to its owner, which is the result itself."""
    owner = array.copy(order="K")
    owner.flags.writeable = False
    return owner


def copied():
    return cowarray.stats()["bytes_copied"]


# ---- our own ---------------------------------------------------------------------------------------------------------


def test_asarray_of_ours_is_the_same_object(x):
    for options in (
        {},
        {"copy": False},
        {"dtype": "f8"},
        {"dtype": float, "order": "C"},
        {"order": "K", "device": "cpu"},
    ):
        assert cowarray.asarray(x, **options) is x
    assert cowarray.array(x, copy=None) is x
    assert cowarray.array(x, copy=False) is x
    view = x[1:]
    assert cowarray.asarray(view) is view


@pytest.mark.parametrize("function", [lambda x: cowarray.asarray(x, copy=True), cowarray.array, cowarray.lazy_clone])
def test_a_copy_of_ours_is_lazy(x, function):
    cowarray.reset_stats()
    y = function(x)
    assert y.storage is not x.storage
    assert cowarray.shares_bytes(x, y)
    assert copied() == 0
    y[0] = -1
    assert x[0, 0] == 0


def test_ours_in_another_dtype_or_order_is_a_copy(x):
    for options in ({"dtype": "f4"}, {"dtype": ">f8"}, {"order": "F"}):
        y = cowarray.asarray(x, **options)
        np.testing.assert_array_equal(y, np.asarray(x.to_numpy(), **options))
        assert y.strides == np.asarray(x.to_numpy(), **options).strides
        assert not cowarray.shares_bytes(x, y)
        with pytest.raises(ValueError, match="copy"):
            cowarray.asarray(x, copy=False, **options)


@pytest.mark.parametrize("flag", [True, 1, np.True_, np._CopyMode.ALWAYS])
def test_whatever_is_true_asks_for_a_copy(x, flag):
    for function in CONVERTERS:
        assert not cowarray.aliases(function(x, copy=flag), x)


@pytest.mark.parametrize("flag", [False, 0, np.False_, np._CopyMode.NEVER])
def test_whatever_is_false_refuses_one(x, flag):
    for function in CONVERTERS:
        assert function(x, copy=flag) is x
        with pytest.raises(ValueError, match=r"^copy=False cannot convert dtype"):
            function(x, dtype="f4", copy=flag)
        with pytest.raises(ValueError, match=r"^copy=False cannot share a list"):
            function([1.0], copy=flag)
        with pytest.raises(ValueError, match="strings are not allowed"):
            function(x, copy="always")
        assert function(x, copy=np._CopyMode.IF_NEEDED) is x


def test_the_dtype_is_the_one_that_was_asked_for():
    x, named = cowarray.array([1, 2]), np.dtype(int, metadata={"unit": "m"})
    for y in (cowarray.asarray(x, dtype=named), x.astype(named, copy=False)):
        assert y.dtype is named
        assert cowarray.aliases(x, y)
    for y in (cowarray.array(x, dtype=named), x.astype(named)):
        assert y.dtype is named
        assert not cowarray.aliases(x, y)
        assert y.tolist() == [1, 2]
    text = cowarray.array(["a", "b"], dtype=np.dtypes.StringDType())
    for convert in (cowarray.asarray, cowarray.array, cowarray.ndarray.astype):
        other = np.dtypes.StringDType()
        y = convert(text, dtype=other)
        assert y.dtype is other
        assert y.tolist() == ["a", "b"]


def test_a_class_of_dtypes_is_filled_in_by_numpy():
    x = cowarray.array(["a", "abc"], dtype=object)
    for y in (cowarray.asarray(x, dtype=np.dtypes.BytesDType), x.astype(np.dtypes.BytesDType, copy=False)):
        assert y.dtype == "S3"
    assert y.astype(np.dtypes.BytesDType, copy=False) is y
    assert cowarray.array(y, dtype=np.dtypes.BytesDType).dtype == "S3"


def test_ndmin_puts_axes_in_front(x):
    y = cowarray.array(x, ndmin=4)
    assert y.shape == (1, 1, 3, 4)
    assert cowarray.shares_bytes(x, y)
    assert y.storage is not x.storage
    assert cowarray.array(5, ndmin=2).tolist() == [[5]]
    assert cowarray.array(x, ndmin=3, copy=None).storage is x.storage


# ---- lists and scalars -----------------------------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    y: int


PLAIN = [
    3, 3.5, True, 2j, "text", b"bytes", None, decimal.Decimal("1.5"), np.float32(2), np.int8(-1),
    np.datetime64("2020-01-01"), np.str_("s"), [], (), [1, 2, 3], (1.5, 2), [[1, 2], [3, 4]], [True, False],
    ["a", "bcd"], [1, "a"], [None, 1], Point(1, 2), range(5), np.void(b"abc"),
    [range(3), range(3)], [np.arange(3), np.arange(3)],
]  # fmt: skip


@pytest.mark.parametrize("obj", PLAIN, ids=repr)
@pytest.mark.parametrize("function", CONVERTERS)
def test_lists_and_scalars_become_what_numpy_makes_of_them(function, obj):
    expected = np.array(obj)
    x = function(obj)
    assert (x.dtype, x.shape, x.tolist()) == (expected.dtype, expected.shape, expected.tolist())
    assert x.flags.writeable
    assert function(obj, dtype=object).dtype == object


@pytest.mark.parametrize("obj", PLAIN, ids=repr)
def test_lists_and_scalars_have_no_memory_to_share(obj):
    with pytest.raises(ValueError, match="copy"):
        cowarray.asarray(obj, copy=False)


def test_lists_of_ours(x):
    y = cowarray.asarray([x, x + 1])
    assert y.tolist() == [x.tolist(), (x + 1).tolist()]
    y[...] = 0
    assert x[0, 1] == 1


@pytest.mark.parametrize(
    "element",
    [np.nextafter(np.longdouble(1), 2), np.array("text", object), np.array((1, 2.5), "i4, f8"), np.array("åä")],
    ids=lambda element: str(element.dtype),
)
def test_lists_of_ours_without_axes_have_their_values(element):
    own = cowarray.asarray(element)
    dtype = "S" if own.dtype == object else None
    for function in CONVERTERS:
        for nest in (lambda item: [item], lambda item: ([item], (item,))):
            x = function(nest(own), dtype=dtype)
            n = np.array(nest(np.asarray(element)), dtype=dtype)
            assert x.dtype == n.dtype
            assert np.array_equal(x, n)


@pytest.mark.parametrize("element", [np.datetime64(3, "s"), "text", np.array((1, 2), "i4, i4")], ids=str)
def test_numpys_lists_of_ours_without_axes_are_asked_for_numbers(element):
    x = cowarray.asarray(element)
    with pytest.raises((TypeError, ValueError)):
        np.array([x, x])
    assert np.stack([x, x]).tolist() == cowarray.array([x, x]).tolist() == np.array([element, element]).tolist()


def test_fresh_memory_of_numpy_is_taken_over_without_a_copy():
    cowarray.reset_stats()
    x = cowarray.asarray([[1.0] * 1000] * 10)
    address = x.storage.data_ptr
    x[0] = 2
    assert x.storage.data_ptr == address
    assert copied() == 0


def test_a_scalar_of_a_structured_array_is_copied():
    source = np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])
    x = cowarray.asarray(source[0])
    x["a"] = 9
    assert source[0]["a"] == 1


# ---- dtype= and order= of others -------------------------------------------------------------------------------------


def test_what_fits_is_shared():
    source = frozen(np.arange(12.0).reshape(3, 4))
    for options in ({"dtype": "f8"}, {"order": "C"}, {"order": "A"}, {"order": "K"}, {"dtype": "=f8", "order": "C"}):
        for copy in (None, False):
            assert cowarray.shares_bytes(cowarray.asarray(source, copy=copy, **options), source)
    assert cowarray.shares_bytes(cowarray.asarray(source.T, order="F"), source)


SOURCES = {
    "numpy, read-only": lambda: frozen(np.arange(12, dtype="i4").reshape(3, 4)),
    "numpy, writable": lambda: np.arange(12, dtype="i4").reshape(3, 4),
    "numpy, view": lambda: np.arange(12, dtype="i4").reshape(4, 3).T,
    "numpy, strided": lambda: frozen(np.arange(24, dtype="i4").reshape(3, 8))[:, ::2],
    "memoryview": lambda: memoryview(np.arange(12, dtype="i4").tobytes()).cast("i", (3, 4)),
    "array.array": lambda: array.array("i", range(12)),
    "bytearray": lambda: bytearray(range(12)),
    "range": lambda: range(12),
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize(
    "options", [{"dtype": "f8"}, {"dtype": ">i4"}, {"dtype": "f4", "order": "F"}, {"dtype": "S4"}], ids=str
)
def test_a_conversion_is_numpys_and_never_reaches_the_source(make, options):
    source = make()
    before = np.asarray(source).tolist()
    expected = np.asarray(source, **options)
    for copy in (None, True):
        x = cowarray.asarray(source, copy=copy, **options)
        assert (x.dtype, x.strides, x.tolist()) == (expected.dtype, expected.strides, expected.tolist())
        x[...] = x.dtype.type(1)
        assert np.asarray(source).tolist() == before
    with pytest.raises(ValueError, match="copy"):
        cowarray.asarray(source, copy=False, **options)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None, "f"])
@pytest.mark.parametrize("make", list(SOURCES.values())[:5], ids=list(SOURCES)[:5])
def test_orders_are_numpys(make, order):
    source = make()
    expected = np.array(source, order=order)
    for copy in (None, True):
        x = cowarray.asarray(source, order=order, copy=copy)
        if copy or not np.asarray(source).flags.writeable:
            wanted = expected if copy else np.asarray(source, order=order)
            assert x.strides == wanted.strides
        assert x.tolist() == expected.tolist()
    if np.asarray(source, order=order).ctypes.data != np.asarray(source).ctypes.data:
        with pytest.raises(ValueError, match="copy"):
            cowarray.asarray(source, order=order, copy=False)


@pytest.mark.parametrize(
    "kind", [np.asarray, memoryview, lambda a: array.array("i", a)], ids=["numpy", "memoryview", "array"]
)
def test_a_conversion_takes_memory_once(kind):
    source = kind(np.arange(250_000, dtype="i4"))
    cowarray.reset_stats()
    tracemalloc.start()
    try:
        x = cowarray.asarray(source, dtype="f8")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert x.nbytes == 2_000_000
    # By NumPy, or by cowarray: NumPy's memory is traced, cowarray's is counted.
    assert peak + copied() < 1.1 * x.nbytes


@pytest.mark.parametrize(
    "layout",
    [
        np.s_[::-1], np.s_[:, ::2], np.s_[1], np.s_[1, 2, ...], np.s_[..., None], np.s_[:0], np.s_[::-2, ::-1],
        np.s_[1:2, 3:],
    ],
    ids=str,
)  # fmt: skip
def test_every_layout_is_shared_as_it_is(layout):
    source = frozen(np.arange(24.0).reshape(4, 6))
    for view in (source[layout], np.asarray(source[layout]).T):
        x = cowarray.asarray(view)
        assert (x.shape, x.strides) == (view.shape, view.strides)
        assert x.tolist() == view.tolist()
        assert not view.size or cowarray.shares_bytes(x, source)
        x[...] = -1
        assert (x == -1).all()
        assert source.ravel().tolist() == list(range(24))


def test_unaligned_and_field_views_are_shared():
    packed = frozen(np.zeros(5, [("a", "i1"), ("b", "f8")]))
    x = cowarray.asarray(packed["b"])
    assert cowarray.shares_bytes(x, packed)
    assert not x.flags.aligned
    x += 1
    assert x.tolist() == [1] * 5
    assert not packed["b"].any()


def test_overlapping_elements_are_shared_and_read_only():
    source = frozen(np.arange(6.0))
    for view in (np.broadcast_to(source, (3, 6)), np.broadcast_to(source[2:3], (2, 2))):
        x = cowarray.asarray(view)
        assert cowarray.shares_bytes(x, source)
        assert not x.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            x[0, 0] = 1
        y = x.copy()
        y[0] = -1
        assert x.tolist() == view.tolist()


@pytest.mark.parametrize("dtype", ["O", np.dtypes.StringDType(), [("a", "O")]], ids=str)
def test_elements_that_are_more_than_bytes_are_copied(dtype):
    source = frozen(np.zeros(3, dtype))
    x = cowarray.asarray(source)
    assert not cowarray.shares_bytes(x, source)
    assert x.tolist() == source.tolist()
    with pytest.raises(ValueError, match="copy"):
        cowarray.asarray(source, copy=False)


# ---- user code in between --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [object, list, tuple, dict], ids=lambda base: base.__name__)
def test_what_array_hands_out_is_never_written_to(base):
    kept = np.arange(4.0)
    obj = type("Special", (base,), {"__array__": lambda self, dtype=None, copy=None: kept})()
    assert np.asarray(obj) is kept
    x = cowarray.asarray(obj)
    x[0] = 99
    x.sort()
    assert kept.tolist() == [0, 1, 2, 3]
    assert kept.flags.writeable
    kept[1] = 50
    assert 50 not in x


@pytest.mark.parametrize("given", [None, [1, 2], 3])
def test_an_array_method_that_gives_no_array_is_an_error(given):
    obj = type("Wrong", (), {"__array__": lambda self, dtype=None, copy=None: given})()
    with pytest.raises((TypeError, ValueError)):
        cowarray.asarray(obj)


def test_an_object_says_in_its_own_words_that_it_is_no_array_without_a_copy():
    shared = np.arange(4.0)  # as lazy copies share their bytes

    def refuse(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("mine is always a copy")
        return shared

    obj = type("Copied", (), {"__array__": refuse})()
    for function in CONVERTERS:
        for options in ({}, {"dtype": "f4"}, {"order": "F"}):
            with pytest.raises(ValueError, match=r"^mine is always a copy$"):
                function(obj, copy=False, **options)
    kept = np.arange(4.0)
    obj = type("Kept", (), {"__array__": lambda self, dtype=None, copy=None: kept})()
    assert cowarray.shares_bytes(cowarray.asarray(obj, copy=False), kept)
    with pytest.raises(ValueError, match=r"^copy=False cannot share a Kept as dtype"):
        cowarray.asarray(obj, copy=False, dtype="f4")


def test_an_object_that_numpy_asks_for_its_memory_is_not_asked_for_an_array():
    def fail(self, dtype=None, copy=None):
        raise ValueError("not asked")

    shared = np.arange(4.0)
    interface = {"__array__": fail, "__array_interface__": shared.__array_interface__, "kept": shared}
    for obj in (type("Buffered", (bytearray,), {"__array__": fail})(bytes(8)), type("Told", (), interface)()):
        for function in CONVERTERS:
            assert cowarray.shares_bytes(function(obj, copy=False), np.asarray(obj))


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("f() got an unexpected keyword argument 'copy'", False),
        ("f() takes no keyword arguments", False),
        ("mine cannot be shared", True),
    ],
)
def test_an_error_of_type_passes_unless_it_is_of_copy_itself(text, passes):
    shared = np.arange(4.0)

    def array(self, dtype=None, **kwargs):
        if kwargs:
            raise TypeError(text)
        return shared

    obj = type("Kept", (), {"__array__": array})()
    for function in CONVERTERS:
        if passes:
            with pytest.raises(TypeError, match=text):
                function(obj, copy=False)
        else:
            assert cowarray.shares_bytes(function(obj, copy=False), shared)


def test_errors_of_user_code_pass():
    def fail(self, dtype=None, copy=None):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        cowarray.asarray(type("Failing", (), {"__array__": fail})())


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("obj", [[1, 2], np.arange(3), cowarray.asarray([1, 2])], ids=["list", "numpy", "ours"])
@pytest.mark.parametrize(
    ("options", "error"),
    [({"device": "cuda"}, ValueError), ({"order": "Z"}, ValueError), ({"dtype": "no such"}, TypeError)],
    ids=str,
)
def test_unknown_devices_orders_and_dtypes_are_refused(obj, options, error):
    for function in CONVERTERS:
        with pytest.raises(error):
            function(obj, **options)


def test_ragged_lists_and_unreadable_text_are_refused_as_numpy_refuses_them():
    for obj, options in (([[1, 2], [3]], {}), (["a"], {"dtype": float})):
        for function in (np.asarray, *CONVERTERS):
            with pytest.raises(ValueError):  # noqa: PT011
                function(obj, **options)


# ---- a limit on dimensions -------------------------------------------------------------------------------------------

LIMITED = [
    ([[1, 2], [3, 4]], {"ndmax": 2}),
    ([[1, 2], [3, 4]], {"ndmax": 1, "dtype": object}),
    ([[1, 2], [3]], {"ndmax": 1, "dtype": object}),
    ([1, 2], {"ndmax": 0, "dtype": object}),
    ([[1], [2]], {"ndmax": 1}),
    ([1], {"ndmax": 1, "ndmin": 2}),
    ([1], {"ndmax": -1}),
    ([1], {"ndmax": 65}),
    (np.ones((2, 2)), {"ndmax": 1}),
    (np.ones((2, 2)), {"ndmax": 2, "ndmin": 1, "order": "F"}),
]


@pytest.mark.parametrize(("obj", "options"), LIMITED, ids=str)
@pytest.mark.parametrize("own", [False, True])
def test_ndmax_is_numpys(obj, options, own):
    numpys, obj = obj, cowarray.asarray(obj) if own and isinstance(obj, np.ndarray) else obj
    ours, theirs = outcome(lambda: cowarray.array(obj, **options)), outcome(lambda: np.array(numpys, **options))
    assert ours[1] is theirs[1]
    if theirs[1] is not None:
        return
    made, expected = ours[0], theirs[0]
    assert type(made) is cowarray.ndarray
    assert (made.dtype, made.shape, made.strides) == (expected.dtype, expected.shape, expected.strides)
    assert made.tolist() == expected.tolist()
    assert made.flags.writeable


@without("array has no ndmax")
def test_a_limit_on_dimensions_changes_no_rule_of_copying():
    x = cowarray.array(np.arange(6.0))
    assert cowarray.array(x, ndmax=1, copy=None) is x
    y = cowarray.array(x, ndmax=1)
    assert cowarray.shares_bytes(x, y)
    assert not cowarray.aliases(x, y)
    objects = cowarray.array([[x]], ndmax=2, dtype=object)
    assert objects[0, 0] is x
    with pytest.raises(ValueError, match="copy=False"):
        cowarray.array([1, 2], ndmax=1, copy=False)
    with pytest.raises(ValueError, match="strings are not allowed"):
        cowarray.array([1, 2], ndmax=1, copy="no")
