"""All of NumPy's ufuncs with ours: values, types and errors as NumPy's, with all their methods and keywords.

Inputs are lazy copies and stay that; outputs are lazy copies too, which the writes must not reach.
"""

import functools
import operator

import numpy as np
import pytest
from support.oracle import Subject, Witness, agree, numbers, ours_of, outcome, same, typed, value

import cowarray
from cowarray._ops.ufuncs import _UfuncJourney, runs_user_code

pytestmark = pytest.mark.numpy_ends

UFUNCS = sorted(
    {found for space in (np, np.strings) for found in vars(space).values() if isinstance(found, np.ufunc)},
    key=lambda ufunc: (ufunc.__name__, ufunc.nin, len(ufunc.types)),
)
SIMPLE = [ufunc for ufunc in UFUNCS if ufunc.signature is None and ufunc.types]
BINARY = [ufunc for ufunc in SIMPLE if (ufunc.nin, ufunc.nout) == (2, 1)]
STRINGS = [ufunc for ufunc in UFUNCS if not ufunc.types]


def named(ufuncs):
    return pytest.mark.parametrize("ufunc", ufuncs, ids=lambda ufunc: ufunc.__name__)


def compare(function, *arrays, **kwargs):
    """The call on ours and on NumPy's agrees, and no input was written to or copied."""
    pairs = [ours_of(n) for n in arrays]
    inputs = [value(x) for x, _ in pairs]
    cowarray.reset_stats()
    ours = outcome(function, *(x for x, _ in pairs), **kwargs)
    stats = cowarray.stats()
    assert stats["copies"] == stats["steals"] == 0
    if not (getattr(function, "signature", None) and any(n.dtype.hasobject for n in arrays)):
        # What a generalized ufunc gives of objects can be an element; it is copied, rather than taken for fresh.
        assert stats["bytes_copied"] == 0
    agree(ours, outcome(function, *arrays, **kwargs))
    for (x, witness), before in zip(pairs, inputs, strict=True):
        same(x, before)
        witness.check()
    return ours[1] is None


@named(SIMPLE)
def test_every_loop_of_every_ufunc(ufunc):
    worked = 0
    for loop in ufunc.types:
        chars = loop.split("->")[0]
        for shape in ((4, 4), (), (0, 3)):
            worked += compare(ufunc, *(typed(char, shape, seed) for seed, char in enumerate(chars)))
    assert worked


@named([ufunc for ufunc in UFUNCS if ufunc.signature])
def test_generalized_ufuncs(ufunc):
    worked = 0
    for loop in ufunc.types:
        one, two = (typed(char, (4, 4), seed) for seed, char in enumerate(loop.split("->")[0]))
        worked += compare(ufunc, one, two)
        worked += compare(ufunc, one, two[0])
        worked += compare(ufunc, one[::-1], two.T[1])
    assert worked


@named(STRINGS)
def test_ufuncs_of_strings(ufunc):
    worked = 0
    for dtype in ("U3", "S3", np.dtypes.StringDType()):
        n = np.array([["ab", "C"], ["1", " "]], dtype=dtype)
        worked += compare(ufunc, *[n, n.T][: ufunc.nin])
    assert worked


def with_out(ufunc, arrays, outs, **kwargs):
    """Both kinds write into views of lazily copied arrays."""
    helds = [Subject(n, lambda base: base[1:-1], "lazy copy") for n in outs]
    pairs = [ours_of(n) for n in arrays]
    for form in (tuple, list) if len(outs) == 1 else (tuple,):
        ours_out, theirs_out = ([getattr(held, name) for held in helds] for name in "xn")
        if form is list:  # not in a tuple at all
            [ours_out], [theirs_out] = ours_out, theirs_out
        else:
            ours_out, theirs_out = tuple(ours_out), tuple(theirs_out)
        ours = outcome(ufunc, *(x for x, _ in pairs), out=ours_out, **kwargs)
        theirs = outcome(ufunc, *arrays, out=theirs_out, **kwargs)
        agree(ours, theirs)
        for held in helds:
            held.check()
        for _, witness in pairs:
            witness.check()
        if ours[1] is None:
            results = ours[0] if ufunc.nout > 1 else (ours[0],)
            assert all(result is held.x for result, held in zip(results, helds, strict=True))
    return ours[1] is None


@named(SIMPLE)
def test_out_where_dtype_and_casting(ufunc):
    loop = next((loop for loop in ufunc.types if not set(loop) & set("mMO") and loop[0] not in "?e"), ufunc.types[0])
    chars, results = loop.split("->")
    arrays = [typed(char, (4, 3), seed) for seed, char in enumerate(chars)]
    outs = [np.zeros((6, 3), char) for char in results]
    mask = np.arange(12).reshape(4, 3) % 3 > 0
    assert with_out(ufunc, arrays, outs)
    assert with_out(ufunc, arrays, outs, where=mask)
    with_out(ufunc, arrays, outs, where=cowarray.array(mask))
    with_out(ufunc, arrays, outs, where=True)
    with_out(ufunc, arrays, outs, dtype="f8")
    with_out(ufunc, arrays, outs, dtype="f8", casting="unsafe")
    with_out(ufunc, arrays, outs, signature=loop)
    with_out(ufunc, arrays, outs, order="F", subok=False)
    with_out(ufunc, arrays, [np.zeros((6, 3), "i1") for _ in outs])
    with_out(ufunc, arrays, [np.zeros((6, 3), "i1") for _ in outs], casting="unsafe")
    with_out(ufunc, arrays, [np.zeros((6, 2)) for _ in outs])
    with_out(ufunc, arrays, [np.zeros((6, 3)) for _ in outs], casting="no such")
    compare(functools.partial(ufunc, dtype="f4", casting="same_kind"), *arrays)


@named(SIMPLE)
def test_positional_out_is_the_same_as_out(ufunc):
    chars, results = ufunc.types[-1].split("->")
    arrays = [typed(char, (4,), seed) for seed, char in enumerate(chars)]
    n = [np.zeros(4, char) for char in results]
    x = [cowarray.array(out) for out in n]
    witnesses = [Witness(out) for out in x]
    ours = outcome(ufunc, *map(cowarray.array, arrays), *x)
    theirs = outcome(ufunc, *arrays, *n)
    assert (ours[1] is None) == (theirs[1] is None)
    for one, other, witness in zip(x, n, witnesses, strict=True):
        same(one, other)
        witness.check()


@named(BINARY)
def test_methods_of_binary_ufuncs(ufunc):
    worked = 0
    for char in "dl?O":
        n = typed(char)
        row = typed(char, (4,), 3)
        for keywords in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1)}, {"keepdims": True}, {"dtype": "f8"}):
            worked += compare(functools.partial(ufunc.reduce, **keywords), n)
        worked += compare(functools.partial(ufunc.reduce, initial=2, where=n > 2), n)
        worked += compare(functools.partial(ufunc.accumulate, axis=1), n)
        worked += compare(functools.partial(ufunc.reduceat, indices=[0, 2, 1]), n)
        worked += compare(ufunc.reduceat, n, np.array([0, 3]))
        worked += compare(ufunc.outer, n, row)
    assert worked


@named(BINARY)
@pytest.mark.parametrize("ownership", ["view", "lazy copy", "source", "imported"])
def test_methods_write_out_and_at(ufunc, ownership):
    n = typed("d")
    x, witness = ours_of(n)
    for method, shape, arguments in (
        ("reduce", (4,), ()),
        ("accumulate", (4, 4), ()),
        ("reduceat", (2, 4), ([0, 2],)),
        ("outer", (4, 4, 4, 4), (n,)),
    ):
        held = Subject(np.zeros(shape), lambda base: base[...], ownership)
        call = getattr(ufunc, method)
        agree(outcome(call, x, *arguments, out=held.x), outcome(call, n, *arguments, out=held.n))
        held.check()
        witness.check()
        if method == "reduce":
            # Along an axis that is written as a position.
            agree(outcome(call, x, 0, None, held.x), outcome(call, n, 0, None, held.n))
            held.check()
    held = Subject(n, lambda base: base[...], ownership)
    for indices, operand in (([0, 0, 3], 2.0), ((slice(None), [1, 1]), 3.0), (np.array([2]), n[:1])):
        ours = cowarray.array(operand) if isinstance(operand, np.ndarray) else operand
        ours_indices = cowarray.array(indices) if isinstance(indices, np.ndarray) else indices
        agree(outcome(ufunc.at, held.x, ours_indices, ours), outcome(ufunc.at, held.n, indices, operand))
        held.check()


@pytest.mark.parametrize(
    "function", [operator.neg, operator.pos, operator.abs, operator.invert], ids=lambda function: function.__name__
)
def test_unary_operators(function):
    for dtype in "dl?OFmM":
        for shape in ((4, 4), (), (0,)):
            compare(function, typed(dtype, shape))


def test_at_of_a_unary_ufunc_and_of_a_read_only_array():
    held = Subject(numbers((4,)), lambda base: base[...], "lazy copy")
    assert np.negative.at(held.x, [0, 1]) is None
    np.negative.at(held.n, [0, 1])
    held.check()
    held.x.setflags(write=False)
    for refused in (lambda: np.add.at(held.x, [0], 1), lambda: np.add(held.x, 1, out=held.x)):
        with pytest.raises(ValueError, match="read-only"):
            refused()  # some NumPys write ("at writes to read-only arrays")
    held.check()


# ---- inputs and outputs that overlap ---------------------------------------------------------------------------------

OVERLAPS = {
    "shift up": lambda x: operator.iadd(x[1:], x[:-1]),
    "shift down": lambda x: operator.isub(x[:-1], x[1:]),
    "reverse": lambda x: np.add(x, x[::-1], out=x),
    "reverse in place": lambda x: operator.imul(x, x[::-1]),
    "transpose": lambda x: np.subtract(
        x.reshape(4, 4, copy=False), x.reshape(4, 4, copy=False).T, out=x.reshape(4, 4, copy=False)
    ),
    "broadcast": lambda x: operator.iadd(x, x[:1]),
    "where": lambda x: np.multiply(x, x[::-1], out=x, where=x % 2 == 0),
    "matmul": lambda x: np.matmul(
        x.reshape(4, 4, copy=False), x.reshape(4, 4, copy=False), out=x.reshape(4, 4, copy=False)
    ),
    "two outputs": lambda x: np.divmod(x, 3, out=(x, x.copy())),
    "swapped outputs": lambda x: np.modf(x[:8] / 3, out=(x[8:], x[:8])),
    "accumulate": lambda x: np.add.accumulate(x[::-1], out=x),
    "reduceat": lambda x: np.add.reduceat(x, [0, 2, 5], out=x[3:6]),
    "assign reversed": lambda x: x.__setitem__(slice(None), x[::-1]),
    "assign shifted": lambda x: x.__setitem__(slice(1, None), x[:-1]),
    "take": lambda x: x.__setitem__(Ellipsis, x[[*range(15, -1, -1)]]),
    "at": lambda x: np.add.at(x, [0, 1], x[14:]),
    "copyto": lambda x: np.copyto(x[2:], x[:-2]),
    "cumsum": lambda x: x.cumsum(out=x),
    "clip": lambda x: x.clip(3, x[::-1], out=x),
    "index by itself": lambda x: operator.iadd(x, x[x.astype(int) % 16]),
}


@pytest.mark.parametrize("ownership", ["owner", "view", "lazy copy", "source", "imported"])
@pytest.mark.parametrize("case", OVERLAPS)
def test_overlapping_inputs_and_outputs(case, ownership):
    held = Subject(numbers((16,)), lambda base: base[...], ownership)
    OVERLAPS[case](held.n)
    OVERLAPS[case](held.x)
    assert not np.array_equal(held.n, numbers((16,)))
    held.check()


def test_the_number_of_ufuncs():
    assert len(UFUNCS) >= 100
    assert len(SIMPLE) >= 80
    assert len(STRINGS) >= 9


def test_all_of_them_are_known_as_numpys_and_no_other():
    """Among them those of numpy.strings, which the library's import does not bring."""
    assert [ufunc for ufunc in UFUNCS if runs_user_code(_UfuncJourney(ufunc, "__call__"))] == []
    assert runs_user_code(_UfuncJourney(np.frompyfunc(abs, 1, 1), "__call__"))
