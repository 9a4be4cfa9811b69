"""Every operator, in its three forms, with ours on either side of anything: what NumPy's arrays give, ours give.

Operands are lazy copies and stay that; in-place forms write into the array and its views, and into no copy.
"""

import itertools
import operator
import warnings

import numpy as np
import pytest
from support.oracle import Subject, ours_of, outcome, same, typed, value

import cowarray

pytestmark = pytest.mark.numpy_ends

OTHERS = {
    "int": 3,
    "float": 2.5,
    "bool": True,
    "complex": 1j,
    "huge int": 2**70,  # not an exponent of Python's integers
    "numpy scalar": np.float32(2),
    "0-d": np.array(3),
    "numpy": typed("d", seed=2),
    "row": typed("l", (4,)),
    "column": typed("f", (4, 1)),
    "list": [1, 2, 3, 4],
    "nested tuple": ((1.5,), (2,), (3,), (4,)),
    "wrong shape": [1, 2, 3],
    "string": "text",
    "None": None,
    "object": object(),
    "dict": {},
    "range": range(1, 5),
    "masked": np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0]),
    "timedelta": np.timedelta64(1, "s"),
}
OPERATORS = [
    getattr(operator, name)
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "lt",
        "le",
        "eq",
        "ne",
        "gt",
        "ge",
    ]
] + [divmod]
INPLACE = [
    getattr(operator, name)
    for name in [
        "iadd",
        "isub",
        "imul",
        "itruediv",
        "ifloordiv",
        "imod",
        "ipow",
        "imatmul",
        "iand",
        "ior",
        "ixor",
        "ilshift",
        "irshift",
    ]
]


def explodes(function, dtype, other):
    return other == "huge int" and function.__name__ in ("pow", "lshift", "ipow", "ilshift") and dtype == "O"


def as_numpy(outcome):
    result, error = outcome
    if isinstance(result, cowarray.ndarray):
        result = value(result)
    if isinstance(result, tuple):
        result = tuple(value(item) if isinstance(item, cowarray.ndarray) else item for item in result)
    return result, error


def equal_outcomes(ours, theirs):
    assert (ours[1] is None) == (theirs[1] is None), (ours, theirs)
    if theirs[1] is not None:
        assert issubclass(ours[1], theirs[1]) or issubclass(theirs[1], ours[1])
        return
    ours, theirs = as_numpy(ours)[0], theirs[0]
    if not isinstance(theirs, tuple):
        ours, theirs = (ours,), (theirs,)
    for one, other in zip(ours, theirs, strict=True):
        assert type(one) is type(other)
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype
        if isinstance(other, np.ma.MaskedArray):
            np.testing.assert_array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other))
            if other.mask.shape == other.shape:  # np.ma's matmul gives another
                one, other = one.filled(0), other.filled(0)
            else:
                continue
        np.testing.assert_array_equal(one, other, strict=isinstance(other, np.ndarray))


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_operators(function, other):
    for dtype in "dl?OFe":
        if explodes(function, dtype, other) or (other == "huge int" and function.__name__ in ("pow", "lshift")):
            continue
        for shape in ((4, 4), (4,), ()):
            n = typed(dtype, shape)
            x, witness = ours_of(n)
            if isinstance(x, cowarray.ndarray):
                equal_outcomes(outcome(function, x, OTHERS[other]), outcome(function, n, OTHERS[other]))
                equal_outcomes(outcome(function, OTHERS[other], x), outcome(function, OTHERS[other], n))
                equal_outcomes(outcome(function, x, cowarray.array(n.T)), outcome(function, n, n.T))
                same(x, n)
                witness.check()


@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_operators_give_ours(function):
    n = typed("l")
    x = cowarray.array(n)
    pairs = [(x, x), (x, n), (n, x)]
    if function is not operator.matmul:
        pairs += [(x, 2), (2, x)]
    for pair in pairs:
        result = function(*pair)
        for item in result if isinstance(result, tuple) else (result,):
            assert type(item) is cowarray.ndarray
            assert item.storage is not x.storage
            assert item.flags.writeable


@pytest.mark.parametrize("other", [name for name in OTHERS if name != "masked"])
@pytest.mark.parametrize("function", INPLACE, ids=lambda function: function.__name__)
def test_inplace_operators(function, other):
    for dtype, ownership in itertools.product("dl?O", ("owner", "view", "lazy copy", "source", "imported")):
        for view in (
            lambda base: base[...],
            lambda base: base[::-1],
            lambda base: base.T,
            lambda base: base[:, :1],
            lambda base: base[0, 0, ...],
        ):
            if explodes(function, dtype, other) or (dtype == "O" and ownership == "imported"):
                continue
            held = Subject(typed(dtype), view, ownership)
            x, n = held.x, held.n
            ours = outcome(function, x, OTHERS[other])
            theirs = outcome(function, n, OTHERS[other])
            assert (ours[1] is None) == (theirs[1] is None), (ours, theirs)
            if theirs[1] is None:
                assert (ours[0] is x) == (theirs[0] is n), (type(ours[0]), type(theirs[0]))
            else:
                assert issubclass(ours[1], theirs[1]) or issubclass(theirs[1], ours[1]), (ours, theirs)
            held.check()


def test_power_with_a_modulus_is_refused_as_numpy_does():
    for array in (np.arange(3), cowarray.array([0, 1, 2])):
        with pytest.raises(TypeError):
            pow(array, 2, 3)


# ---- strangers -------------------------------------------------------------------------------------------------------


def answering(name, **attributes):
    """A type that says which of its methods was asked."""

    def method(which):
        return lambda self, *args: (name, which)

    names = ("radd", "rsub", "rmul", "rmatmul", "rpow", "rdivmod", "rand", "eq", "lt", "gt", "iadd", "add")
    return type(name, (), {**{f"__{which}__": method(which) for which in names}, **attributes})


STRANGERS = {
    "refuses": answering("refuses", __array_ufunc__=None),
    "computes": answering(
        "computes", __array_ufunc__=lambda self, ufunc, method, *args, **kwargs: (ufunc.__name__, method)
    ),
    "declines": answering("declines", __array_ufunc__=lambda *args, **kwargs: NotImplemented),
    "priority": answering("priority", __array_priority__=1000),
    "low priority": answering("low priority", __array_priority__=-1000),
    "no priority": answering("no priority"),
    "plain": type("plain", (), {}),
    "only array": type("only array", (), {"__array__": lambda self, dtype=None, copy=None: np.arange(1.0, 4.0)}),
}


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("function", [*OPERATORS, *INPLACE], ids=lambda function: function.__name__)
def test_strangers_are_asked_as_by_numpy(function, stranger):
    other = STRANGERS[stranger]()
    n = np.arange(1, 4)
    x, witness = ours_of(n)
    for swap in (False, True):
        ours = outcome(function, *((other, x) if swap else (x, other)))
        theirs = outcome(function, *((other, n) if swap else (n, other)))
        assert theirs[1] is ours[1], (ours, theirs)
        if theirs[1] is None:
            np.testing.assert_equal(as_numpy(ours)[0], theirs[0])
    same(x, n)
    if function not in INPLACE:
        witness.check()


class Sub(np.ndarray):
    pass


def test_a_stranger_computes_ufuncs_with_ours():
    other = STRANGERS["computes"]()
    x = cowarray.array([1.0])
    assert np.add(x, other) == ("add", "__call__")
    assert np.add(other, x) == ("add", "__call__")
    assert np.add.outer(x, other) == ("add", "outer")
    assert np.add(x, x, out=(other,)) == ("add", "__call__")
    with pytest.raises(TypeError):
        np.add(x, STRANGERS["declines"]())
    with pytest.raises(TypeError):
        np.add(x, STRANGERS["refuses"]())


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.truediv, operator.matmul, operator.eq])
def test_numpys_subclasses_compute_as_with_numpys_arrays(function):
    n = typed("d", (3, 3))
    x = cowarray.array(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        others = [np.matrix(n), np.ma.masked_greater(n, 3), n.view(Sub)]
    for other in others:
        equal_outcomes(outcome(function, x, other), outcome(function, n, other))
        equal_outcomes(outcome(function, other, x), outcome(function, other, n))
