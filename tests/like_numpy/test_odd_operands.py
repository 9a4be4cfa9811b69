"""Operators with whatever Python has on the other side: what NumPy's arrays give, or raise, or warn of, ours do."""

import contextlib
import datetime
import decimal
import enum
import fractions
import itertools
import operator
import uuid
import warnings

import numpy as np
import pytest
from support.numpy_versions import happens

import cowarray


class Text(str):
    """A string of a class of its own."""


class Bytes(bytes):
    """Bytes of a class of its own."""


class Number(float):
    """A number of a class of its own."""


class Items(list):
    """A list of a class of its own."""


class Plain:
    """Has no operators."""


class Agreeing:
    """Is equal to anything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


class Declining:
    """Has operators that decline."""

    def __eq__(self, other):
        return NotImplemented

    __ne__ = __lt__ = __add__ = __radd__ = __eq__
    __hash__ = None


class Forbidding:
    """Takes part in no ufunc."""

    __array_ufunc__ = None


class Foremost:
    """Asks to be asked before NumPy's arrays, and has no operators."""

    __array_priority__ = 10


class Whole(enum.IntEnum):
    """Is an integer, too."""

    ONE = 1


OTHERS = {
    "bytes": b"a",
    "no bytes": b"",
    "str": "a",
    "no str": "",
    "bytearray": bytearray(b"abc"),
    "memoryview": memoryview(b"abc"),
    "a str's class": Text("a"),
    "a bytes' class": Bytes(b"a"),
    "a float's class": Number(1),
    "a list's class": Items([1, 1, 1]),
    "None": None,
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
    "set": {1},
    "frozenset": frozenset([1]),
    "dict": {1: 2},
    "object": object(),
    "plain": Plain(),
    "agreeing": Agreeing(),
    "declining": Declining(),
    "forbidding": Forbidding(),
    "foremost": Foremost(),
    "type": int,
    "matrix's class": np.matrix,
    "function": len,
    "module": operator,
    "error": ValueError("x"),
    "date": datetime.date(2020, 1, 1),
    "datetime": datetime.datetime(2020, 1, 1),
    "timedelta": datetime.timedelta(1),
    "Decimal": decimal.Decimal(1),
    "Fraction": fractions.Fraction(1),
    "enum": Whole.ONE,
    "UUID": uuid.UUID(int=1),
    "range": range(3),
    "slice": slice(1),
    "list": [1, 1, 1],
    "short list": [1, 2],
    "list of str": ["a", "b", "c"],
    "list of bytes": [b"a"] * 3,
    "nan": float("nan"),
    "complex": 1j,
    "huge int": 10**40,
    "bytes_": np.bytes_(b"a"),
    "str_": np.str_("a"),
    "void": np.void(b"a"),
    "datetime64": np.datetime64("2020"),
    "0-d bytes": np.array(b"a"),
    "array of str": np.array(["a", "b", "c"]),
    "array of StringDType": np.array(["a", "b", "c"], np.dtypes.StringDType()),
    "array of records": np.zeros(3, "i4,f4"),
}
ARRAYS = {
    "float": np.ones(3),
    "no axes": np.array(1.0),
    "empty": np.ones(0),
    "int": np.arange(3),
    "bool": np.array([True, False]),
    "str": np.array(["a", "b", "c"]),
    "bytes": np.array([b"a", b"b", b"c"]),
    "StringDType": np.array(["a", "b", "c"], np.dtypes.StringDType()),
    "datetime64": np.array(["2020", "2021"], "M8[Y]"),
    "object": np.array([1, "a", None], dtype=object),
    "records": np.zeros(3, "i4,f4"),
}
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.ge]
OTHER_OPERATORS = [operator.add, operator.sub, operator.mul, operator.mod, operator.pow, operator.matmul, divmod]
OTHER_OPERATORS += [operator.and_, operator.lshift]
IN_PLACE = [operator.iadd, operator.imul, operator.ipow]
MODES = {
    "aliasing": cowarray.aliasing,
    "simulate": cowarray.simulate,
    "deferred": cowarray.deferred,
    "budget": lambda: cowarray.budget("64 MiB", small=0),
}


def seen(value):
    """A result in a form that compares."""
    if isinstance(value, tuple):
        return tuple(map(seen, value))
    if isinstance(value, (np.ndarray, cowarray.ndarray)):
        return "array", value.shape, str(value.dtype), repr(value.tolist())
    return type(value), repr(value)


def outcome(function, *args):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = seen(function(*args))
        except Exception as error:
            result = type(error)
    return result, [each.category for each in warned]


def assert_the_same(functions, mode, names=tuple(ARRAYS)):
    for name, function, other in itertools.product(names, functions, OTHERS.values()):
        if function is operator.imul and name in ("str", "bytes") and happens("letters times numbers overflow"):
            continue
        n = ARRAYS[name]
        with mode():
            ours = outcome(function, cowarray.array(n), other)
        assert ours == outcome(function, n.copy(), other), (name, function, other)
        if function not in IN_PLACE:
            with mode():
                ours = outcome(function, other, cowarray.array(n))
            assert ours == outcome(function, other, n.copy()), (name, function, other)


@pytest.mark.parametrize(
    "functions", [COMPARISONS, OTHER_OPERATORS, IN_PLACE], ids=["comparisons", "others", "in place"]
)
def test_ours_give_what_numpys_give(functions):
    assert_the_same(functions, contextlib.nullcontext)


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_changes_no_comparison(mode):
    # What is deferred is an array, with axes or without.
    assert_the_same(COMPARISONS[:2], MODES[mode], [name for name in ARRAYS if name != "no axes"])


@pytest.mark.parametrize("function", COMPARISONS[:2])
@pytest.mark.parametrize("other", [b"a", "a", Text("a"), None, {1}, [b"a"] * 3])
def test_a_plan_knows_what_no_elements_are_equal_to(other, function):
    wanted = function(np.ones(3), other)
    with cowarray.fake():
        made = function(cowarray.ones(3), other)
    assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
