"""What strangers keep of what they gave, and what they do to what they are shown, changes nothing of ours."""

import gc
import io
import sys
import warnings

import numpy as np
import pytest
from harm import spoil
from support.numpy_versions import without

import cowarray as ca

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

# ---- what others made, and what are elements -------------------------------------------------------------------------


class Keeper:
    """Computes by NumPy, and keeps what it gives."""

    __array_priority__ = 1000

    def __array__(self, dtype=None, copy=None):
        return np.ones(4)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        self.kept = np.array(array)
        return self.kept


@pytest.mark.parametrize("operator", ["__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rmod__", "__rpow__"])
def test_a_result_that_a_stranger_kept_is_not_ours_to_share(operator):
    keeper = Keeper()
    x = ca.array(np.full(4, 2.0))
    result = getattr(x, operator)(keeper)
    assert type(result) is ca.ndarray
    copy = result.copy()
    before = copy.tolist()
    keeper.kept[...] = 0  # raises, had its flag been taken
    assert result.tolist() == copy.tolist() == before


class Whole:
    """A 0-d integer, to NumPy."""

    def __array__(self, dtype=None, copy=None):
        return np.array(0)


def first_of_flat(x, key):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2.4, of truth
        return x.flat[key]


NO_BOOL = without("flat reads other indices")


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.flat[(0,)],
        lambda x: x.flat[np.array(0)],
        lambda x: x.flat[0],
        lambda x: x.flat[np.int64(0)],
        lambda x: first_of_flat(x, True),
        pytest.param(lambda x: first_of_flat(x, np.array(True)), marks=NO_BOOL),
        pytest.param(lambda x: first_of_flat(x, ca.array(True)), marks=NO_BOOL),
        lambda x: next(x.flat),
        lambda x: x[Whole()],
        lambda x: x[(Whole(),)],
        lambda x: x[np.array(0)],
        lambda x: x[ca.array(0)],
        lambda x: x[0],
        lambda x: x.item(0),
    ],
)
def test_an_element_that_is_an_array_is_the_users_own(read):
    own = np.zeros(3)
    x = ca.array(np.empty(2, object))
    x[0] = own
    assert read(x) is own
    own[0] = 5
    assert own.flags.writeable


@pytest.mark.parametrize("read", ["loadtxt", "genfromtxt"])
def test_what_another_library_made_of_text_is_its_own(read):
    class Other:
        made = np.arange(3.0)

        def __array_function__(self, function, types, args, kwargs):
            return self.made

    result = getattr(ca, read)(io.StringIO("1 2 3"), like=Other())
    copy = ca.array(result)
    Other.made[0] = 9
    assert copy[0] == 0
    assert Other.made.flags.writeable


def test_what_another_function_gave_and_kept_is_not_taken_over():
    made = np.arange(3.0)
    shown = []

    def function(x):
        shown.append(x)
        return made

    x = ca.array(np.ones(3))
    x.sum()
    result = x.__array_function__(function, (ca.ndarray,), (x,), {})
    spoil(shown[0])
    made[0] = 9.0
    assert result.tolist() == [0.0, 1.0, 2.0]
    assert x.sum() == 3


class Equal:
    """A callable that says it is another, and gives what it keeps."""

    signature = None

    def __init__(self, other):
        self.other, self.kept = other, np.arange(1000.0)
        self.__name__, self.__module__ = other.__name__, "numpy"

    def __eq__(self, other):
        return other is self.other

    def __hash__(self):
        return hash(self.other)

    def __call__(self, *args, **kwargs):
        return self.kept


def test_a_callable_that_equals_numpys_is_not_taken_for_it():
    x = ca.array(np.ones(1000))
    for function in (np.mean, np.copy):
        same = Equal(function)
        np.mean(x), np.copy(x)
        result = x.__array_function__(same, (ca.ndarray,), (x,), {})
        same.kept[0] = 9.0
        assert result[0] == 0
    ufunc = Equal(np.add)
    result = x.__array_ufunc__(ufunc, "__call__", x)
    ufunc.kept[0] = 9.0
    assert result[0] == 0
    _copy = x.copy()
    x.__array_ufunc__(ufunc, "__call__", x, x, out=(x,))
    assert set(x.tolist()) == {1.0}


def test_the_parts_of_an_element_that_is_an_array_are_not_shared_with_the_user():
    """NumPy 2.5 gives the element's own, and makes it read-only, of arrays of its own, too."""
    own = np.zeros(3)
    x = ca.array(np.empty((), object))
    x[()] = own
    for parts in (lambda: x.real, lambda: x.imag, lambda: np.real(x), lambda: ca.imag(x), lambda: np.isreal(x)):
        result = parts()
        own.flags.writeable = True
        if type(result) is ca.ndarray and result.dtype == float:
            copy, before = result.copy(), result.tolist()
            own[...] += 1.0
            assert result.tolist() == copy.tolist() == before


def test_text_of_any_length_is_read_flat():
    x = ca.array(np.array([["a", "b" * 100], ["c" * 40, ""]], np.dtypes.StringDType()))
    for source in (x, x.T, x[::-1]):
        plain = [item for row in source.tolist() for item in row]
        assert source.flat[...].tolist() == source.flat[:].tolist() == list(source.flat) == plain
        assert source.flat[[0, 3]].tolist() == [plain[0], plain[3]]
        assert source.flat[1] == plain[1]


LONG = ["z" * 60, "q" * 70, ""]


@pytest.mark.parametrize(
    "value",
    [LONG, np.array(LONG), np.array(LONG, object), np.array(LONG, np.dtypes.StringDType()), "w" * 50, 10**40, []],
    ids=["list", "unicode", "objects", "strings", "one", "number", "nothing"],
)
def test_text_of_any_length_is_written_flat(value):
    x = ca.array(np.array([["a" * 40, "b" * 100], ["c" * 40, ""]], np.dtypes.StringDType()))
    kept, before = x.copy(), x.tolist()
    new = np.atleast_1d(value).tolist()
    wanted = [str(new[at % len(new)]) for at in range(x.size)] if new else x.ravel().tolist()
    x.flat = value
    del value
    other = [np.array(["j" * 40] * 6, np.dtypes.StringDType()) for _ in range(4)]  # takes what was freed
    assert x.ravel().tolist() == wanted
    assert kept.tolist() == before
    del other


def test_all_of_an_array_read_flat_is_a_copy():
    x = ca.array(np.arange(3.0))
    for key in ((), Ellipsis, slice(None)):
        got = x.flat[key]
        x.flat[0] = 7.0
        assert got[0] == 0
        x.flat[0] = 0.0
        got[0] = 5.0
        assert x[0] == 0


# ---- headers ---------------------------------------------------------------------------------------------------------


class Spoiler:
    """Changes every NumPy array that it is shown, as far as this can be done to a read-only one."""

    __array_priority__ = 1000

    def __array__(self, dtype=None, copy=None):
        return np.ones(4)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        for shown in context[1]:
            spoil(shown)
        return array


def test_what_user_code_is_shown_of_a_pinned_array_is_not_what_the_array_keeps():
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    np.add(Spoiler(), x)
    assert x.shape == (4,)
    assert x.sum() == 8
    assert (x + 1).tolist() == [3.0] * 4
    del exported


def test_an_array_that_became_an_element_is_not_what_the_array_keeps():
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    y = ca.array(np.empty(2, object))
    y[0] = x
    spoil(y[0])
    assert x.sum() == 8
    z = ca.array(np.empty(2, [("o", "O")]))
    z["o"][0] = x
    spoil(z["o"][0])
    assert x.sum() == 8
    del exported


@pytest.mark.parametrize("read", [np.array_repr, np.array_str, repr, str, np.array2string])
def test_a_printing_function_of_the_user_is_shown_nothing_that_the_array_keeps(read):
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    with np.printoptions(override_repr=lambda shown: spoil(shown) or "", formatter={"all": str}):
        read(x)
    assert x.sum() == 8
    del exported


# ---- what NumPy's own C code does not do ---------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [[("a", "O"), ("b", "i4"), ("c", "O")], [("b", "i4"), ("a", "O")]], ids=str)
@pytest.mark.parametrize("order", [1, -1])
def test_objects_in_fields_are_written_flat(fields, order):
    """NumPy moves one reference of each element."""
    objects = [Counted(at) for at in range(12)]
    width = len(fields)
    rows = [
        tuple(objects[(at * width + i) % 12] if kind == "O" else at for i, (_, kind) in enumerate(fields))
        for at in range(6)
    ]
    x = ca.array(np.array(rows[:3], fields))[::order]
    values = ca.array(np.array(rows[3:], fields))
    counts = [sys.getrefcount(each) for each in objects]
    kept = x.copy()
    x.flat = values
    assert x.tolist() == values.tolist() == rows[3:]
    assert kept.tolist() == rows[:3][::order]
    x.flat = kept
    del kept, x
    gc.collect()
    held = [sum(each is part for row in rows[:3] for part in row) for each in objects]
    assert [sys.getrefcount(each) for each in objects] == [
        count - here for count, here in zip(counts, held, strict=True)
    ]


class Counted:
    def __init__(self, number):
        self.number = number


@pytest.mark.parametrize("mode", ["clip", "wrap", "raise", b"clip", 1])
@pytest.mark.parametrize("kind", ["f8", "O", "i2"])
def test_choose_writes_to_out_alone_however_it_lies(mode, kind):
    """NumPy writes to C order past the end of an `out` in another one, unless mode is raise."""
    index = np.array([[0, 1, 0], [1, 1, 0]])
    choices = [np.arange(6).reshape(2, 3).astype(kind), np.arange(10, 16).reshape(2, 3).astype(kind)]
    wanted = np.choose(index, choices, mode=mode)
    for window in (np.s_[:2, :3], np.s_[1::-1, ::-1], np.s_[::2, ::2], np.s_[:2, 2::-1]):
        base = ca.array(np.zeros((4, 6), kind))
        plain = np.zeros((4, 6), kind)
        plain[window][:2, :3] = wanted
        out = base[window][:2, :3]
        assert np.choose(index, [ca.array(each) for each in choices], out=out, mode=mode) is out
        assert base.tolist() == plain.tolist()
        base[...] = 0
        assert ca.array(index).choose(choices, out=out, mode=mode) is out
        assert base.tolist() == plain.tolist()
    x = ca.array(np.arange(6).astype(kind))[::-1]
    assert ca.choose([0, 1, 0, 1, 0, 1], [x, x[::-1]], out=x, mode=mode).tolist() == [5, 1, 3, 3, 1, 5]
    with pytest.raises(TypeError, match="invalid shape for output"):
        ca.choose([0, 1], [ca.ones(2), ca.ones(2)], out=ca.zeros(6)[::2], mode=mode)


def test_text_is_viewed_by_its_own_dtype_alone():
    """A dtype that is equal has another memory for text."""
    x = ca.array(np.array(["a" * 40, "b" * 50], np.dtypes.StringDType()))
    assert x.view(np.dtypes.StringDType()).tolist() == x.tolist()
    before = x.tolist()
    x.dtype = np.dtypes.StringDType()
    assert x.tolist() == before


def test_elements_of_text_in_modes():
    with ca.deferred():
        x = ca.concatenate([np.array(["ab", "c"]), np.array(["de", "f"])])
        assert [str(x[1]), str(x.flat[3]), *map(str, x)] == ["c", "f", "ab", "c", "de", "f"]
        assert ca.sort(np.array([b"xy", b"a"]))[0] == b"a"
    with ca.fake():
        assert ca.zeros(3, np.dtypes.StringDType())[0].dtype == np.dtypes.StringDType()
        assert [each.dtype.kind for each in ca.zeros(2, np.dtypes.StringDType())] == ["T", "T"]
        y = ca.zeros(3, [("p", "i4", (2,)), ("b", "i4")])
        y[0] = ([1, 2], 3)
        y[1:] = [([1, 2], 3), ([1, 2], 4)]


@pytest.mark.parametrize("shared", [False, True])
def test_an_element_that_is_an_array_is_the_one_that_was_assigned(shared):
    a = ca.ones(2)
    x = ca.array(np.empty((2, 2), object))
    kept = x.copy() if shared else None
    x[0, 1] = a
    x[1, np.int64(0)] = a
    x[-1, -1] = x
    assert x[0, 1] is a
    assert x[1, 0] is a
    assert x[1, 1] is x
    x[1, 1] = None
    a[0] = 7
    assert x[0, 1].tolist() == [7, 1]
    assert kept is None or kept.tolist() == [[None, None], [None, None]]
    alone = ca.array(np.empty((), object))
    alone[()] = a
    assert alone[()] is a
    record = ca.zeros(2, [("f", "O"), ("i", "i4")])
    record["f"][0] = a
    assert record["f"][0] is a
    with pytest.raises(IndexError, match="out of bounds"):
        x[2, 0] = a
