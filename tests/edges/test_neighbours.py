"""Types written as those of SciPy, torch, astropy and dask are compute with our arrays as with NumPy's.

Whoever declines ours is asked with a snapshot.
"""

import operator

import numpy as np
import pytest
from all_operators import COMPARISONS, OPERATORS, outcome

import cowarray


def plain(result):
    """A result with NumPy's arrays in place of ours, and the types of all others."""
    if type(result) is cowarray.ndarray:
        return plain(result.to_numpy())
    if isinstance(result, tuple):
        return tuple(plain(item) for item in result)
    if isinstance(result, Told):
        return (type(result).__name__, *(plain(item) for item in result.of))
    return type(result).__name__, repr(result)


class Told:
    """A result that says what it was computed from; it keeps what it was shown."""

    def __init__(self, *of):
        self.of = of


class Knowing:
    """Computes with NumPy's own arrays and with nothing else, as torch's tensors and SciPy's matrices do."""

    __array_priority__ = 10.1

    def __init__(self, suits=lambda value: type(value) is np.ndarray):
        self.suits = suits
        self.declined = []


class Refusing(Knowing):
    """As LinearOperator: no ufunc may be applied to it."""

    __array_ufunc__ = None


def method(name):
    def asked(self, other):
        if self.suits(other):
            return Told(name, other)
        self.declined.append(other)
        return NotImplemented

    return asked


NAMES = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor".split()  # noqa: SIM905
for _name in [*NAMES, *(f"r{name}" for name in NAMES), "eq", "ne", "lt", "le", "gt", "ge"]:
    setattr(Knowing, f"__{_name}__", method(_name))
Knowing.__hash__ = None


class Applying:
    """Has ufuncs of its own, and declines what is neither NumPy's nor its own, as astropy's and dask's types do."""

    def __init__(self, suits=lambda value: type(value) in (np.ndarray, float, int, bool, Applying)):
        self.suits = suits
        self.declined = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        for value in (*inputs, *kwargs.get("out", ()), kwargs.get("where", True)):
            if not self.suits(value):
                self.declined.append(value)
                return NotImplemented
        if "out" in kwargs:
            kwargs["out"][0][...] = -1
            return kwargs["out"][0]
        return Told(ufunc.__name__, method, *(value for value in inputs if not isinstance(value, Applying)))


class Mixed(np.lib.mixins.NDArrayOperatorsMixin, Applying):
    """As dask's: the operators are the ufuncs, and decline what has an `__array_ufunc__` that it does not know."""

    def __init__(self):
        super().__init__(lambda value: type(value) in (np.ndarray, float, int, bool, Mixed))


STRANGERS = {"knowing": Knowing, "refusing": Refusing, "applying": Applying, "mixed": Mixed}


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("function", [*OPERATORS, *COMPARISONS], ids=lambda function: function.__name__)
def test_a_type_that_knows_numpys_arrays_alone_computes_with_ours(function, stranger):
    n = np.arange(1, 5)
    x = cowarray.array(n)
    for sides in (lambda array, other: (array, other), lambda array, other: (other, array)):
        ours = outcome(function, *sides(x, STRANGERS[stranger]()))
        theirs = outcome(function, *sides(n, STRANGERS[stranger]()))
        assert ours[1] is theirs[1]
        assert plain(ours[0]) == plain(theirs[0])
        assert ours[1] is not None or isinstance(ours[0], (Told, tuple))


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("function", [*OPERATORS, *COMPARISONS], ids=lambda function: function.__name__)
def test_the_array_itself_is_offered_first(function, stranger):
    x = cowarray.array([1, 2, 3])
    other = STRANGERS[stranger]()
    other.suits = lambda value: True
    assert any(item is x for item in function(x, other).of)
    assert other.declined == []
    other = STRANGERS[stranger]()
    outcome(function, x, other)
    assert all(item is x for item in other.declined)


def test_what_a_stranger_was_shown_in_our_place_never_changes():
    for other in (Knowing(), Applying()):
        x = cowarray.array(np.arange(10.0))
        told = x * other
        shown = told.of[-1]
        x[...] = -1
        assert (shown == np.arange(10.0)).all()
        assert not shown.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            shown.flags.writeable = True


class Giving(Knowing):
    """Gives NumPy's arrays, as a sparse matrix does that is added to a dense one."""

    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    def __radd__(self, other):
        return self.kept if self.suits(other) else NotImplemented

    def __add__(self, other):
        return self.kept if self.suits(other) else NotImplemented

    def __eq__(self, other):
        return self.kept if self.suits(other) else NotImplemented

    def __rdivmod__(self, other):
        return (self.kept, 1) if self.suits(other) else NotImplemented

    __hash__ = None


@pytest.mark.parametrize(
    "function",
    [lambda x, other: x + other, lambda x, other: other + x, lambda x, other: x == other, lambda x, other: other == x],
)
def test_numpys_array_from_a_stranger_comes_back_as_ours_and_is_not_its_memory(function):
    x, kept = cowarray.array([1.0, 2.0]), np.array([3.0, 4.0])
    result = function(x, Giving(kept))
    assert type(result) is cowarray.ndarray
    kept[0] = -1
    assert result.tolist() == [3, 4]


def test_each_of_several_results_comes_back_as_ours():
    quotient, rest = divmod(cowarray.array([1.0, 2.0]), Giving(np.array([3.0, 4.0])))
    assert type(quotient) is cowarray.ndarray
    assert (quotient.tolist(), rest) == ([3, 4], 1)


def test_what_comes_back_for_the_standards_array_is_the_standards():
    xp = cowarray.array_api

    x = xp.asarray([1.0, 2.0])
    for result in (x + Giving(np.array([3.0, 4.0])), x + Giving(np.array(3.0)), np.add(x, Summing())):
        assert result.__array_namespace__() is xp


class Summing:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.float64(3) if type(inputs[0]) is np.ndarray else NotImplemented


class Never(Knowing):
    """Declines everybody."""

    def __init__(self):
        super().__init__(lambda value: False)


class Bare:
    """Has nothing to compare with, and forbids ufuncs."""

    __array_ufunc__ = None


class Equal:
    """Forbids ufuncs, and compares with its own kind alone."""

    __array_ufunc__ = None
    __hash__ = None

    def __eq__(self, other):
        return True if isinstance(other, Equal) else NotImplemented


@pytest.mark.parametrize("xp", [np, cowarray])
def test_what_compares_with_nothing_equals_nothing(xp):
    x, other = xp.ones(3), Bare()
    assert (x == other, other == x, x != other, other != x) == (False, False, True, True)


@pytest.mark.parametrize("kind", [Never, Equal])
@pytest.mark.parametrize("function", [operator.eq, operator.ne], ids=["==", "!="])
def test_equality_never_falls_through_to_identity(function, kind):
    x, other = cowarray.array([1, 2]), kind()
    for sides in ((x, other), (other, x)):
        with pytest.raises(TypeError, match=f"arrays compare by elements, and {kind.__name__} declines"):
            function(*sides)
    assert x.tolist() == [1, 2]


def test_an_order_that_nobody_knows_is_pythons_error():
    with pytest.raises(TypeError, match="not supported between instances"):
        _ = cowarray.array([1, 2]) < Never()


UFUNC_CALLS = {
    "left": lambda x, other: np.multiply(x, other),
    "right": lambda x, other: np.multiply(other, x),
    "ours": lambda x, other: cowarray.multiply(x, other),
    "outer": lambda x, other: np.multiply.outer(x, other),
    "where": lambda x, other: np.multiply(other, 2, where=x),
    "both": lambda x, other: np.multiply(x, other, where=x),
    "gufunc": lambda x, other: np.matmul(x, other),
    "out": lambda x, other: np.multiply(x, other, out=x),
    "out alone": lambda x, other: np.negative(other, out=x),
    "at": lambda x, other: np.add.at(x, np.array([0]), other),
    "in place": lambda x, other: operator.imul(x, other),
}


@pytest.mark.parametrize("call", UFUNC_CALLS)
def test_a_ufunc_with_a_type_that_declines_ours(call):
    n = np.arange(1, 5)
    x = cowarray.array(n)
    lazy = x.copy()
    ours, theirs = outcome(UFUNC_CALLS[call], x, Applying()), outcome(UFUNC_CALLS[call], n, Applying())
    assert ours[1] is theirs[1] is None
    assert (ours[0] is x) == (theirs[0] is n)
    assert plain(ours[0]) == plain(theirs[0])
    assert x.tolist() == n.tolist()
    assert lazy.tolist() == [1, 2, 3, 4]
    del ours
    assert cowarray.shares_bytes(x, x.copy())  # nothing pins it any more


@pytest.mark.parametrize("call", ["out", "out alone", "at", "in place"])
def test_a_read_only_array_is_not_written_for_a_stranger(call):
    x = cowarray.array([1, 2, 3])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        UFUNC_CALLS[call](x, Applying())
    assert x.tolist() == [1, 2, 3]


def test_where_all_decline_numpy_says_so():
    other = Applying(lambda value: False)
    for call in (np.add, lambda a, b: np.add(b, a)):
        with pytest.raises(TypeError, match="returned NotImplemented"):
            call(cowarray.array([1]), other)
    assert {type(value) for value in other.declined} <= {cowarray.ndarray, np.ndarray, Applying}


def test_each_type_is_asked_in_turn():
    asked = []

    def stranger(name, suits):
        def override(self, ufunc, method, *inputs, **kwargs):
            asked.append((name, type(inputs[1])))
            return "done" if suits(inputs[1]) else NotImplemented

        return type(name, (), {"__array_ufunc__": override})()

    first = stranger("first", lambda value: False)
    second = stranger("second", lambda value: False)
    third = stranger("third", lambda value: type(value) is np.ndarray)
    assert np.frompyfunc(lambda *args: args, 4, 1)(first, cowarray.array([1]), second, third) == "done"
    assert asked == [(name, kind) for kind in (cowarray.ndarray, np.ndarray) for name in ("first", "second", "third")]


class Holding:
    """Has an array of its own, as a tensor does, and notes how it is asked for it."""

    def __init__(self, array):
        self.array = array
        self.asked = []

    def __array__(self, dtype=None, copy=None):
        self.asked.append(copy)
        return self.array


@pytest.mark.parametrize("key", [..., slice(None), slice(2, 6), [0, 2, 3, 5], np.arange(8) % 2 == 0], ids=str)
@pytest.mark.parametrize("is_shared", [False, True])
def test_what_a_stranger_brings_is_read_where_it_lies(key, is_shared):
    n, x = np.zeros(8), cowarray.array(np.zeros(8))
    lazy = x.copy() if is_shared else None
    other = Holding(np.arange(1.0, 1 + n[key].size))
    x[key] = other
    n[key] = other.array
    assert other.asked == [None]
    assert x.tolist() == n.tolist()
    assert lazy is None or lazy.tolist() == [0] * 8
    x[...] = -1
    assert other.array.min() == 1


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_stranger_may_bring_the_memory_that_is_assigned_to(is_shared):
    x = cowarray.array(np.arange(8.0))
    alias = x.to_numpy(writable=True)
    lazy = x.copy() if is_shared else None
    x[...] = Holding(alias[::-1])
    assert x.tolist() == alias.tolist() == list(range(8))[::-1]
    assert lazy is None or lazy.tolist() == list(range(8))
    x = cowarray.array(np.arange(8.0))
    lazy = x.copy()
    x[...] = Holding(np.asarray(x)[::-1])
    assert (x.tolist(), lazy.tolist()) == (list(range(8))[::-1], list(range(8)))
