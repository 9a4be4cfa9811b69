"""Short ways of `reshape`, ufuncs, `astype`, creation, masks and `out` give what NumPy gives, and alias nothing."""

import itertools
import operator
import warnings

import numpy as np
import pytest
from number_types import NUMBERS, OTHERS
from support.oracle import agree, native, outcome, same

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]


def pair(n):
    return cowarray.array(n), n.copy(order="K")


SHAPES = [
    *(
        (2, 6),
        (6, 2),
        (12,),
        (-1,),
        (-1, 2),
        (2, -1),
        (1, 2, 3, 2),
        (1, 1, 1, 1, 12),
        (True, 12),
        (2, 2, 3),
        (2, 3, -1),
    ),
    *(((2, 6),), ([2, 6],), ((-1,),), ((),), ((2, 6), 1), (12.0,), (5, -1), (-1, -1), (0, -1), (2, -6), (2**62, 4)),
    *(
        (2**64, 2),
        (-(2**64), 2),
        (np.int64(2), 6),
        (-2,),
        (None,),
        ("2", 6),
        (2**63, 2),
        (2**32, 2**32),
        (7, 2),
        (12, 1),
    ),
]
LAYOUTS = {
    "of one axis": lambda a: a,
    "of two axes": lambda a: a.reshape(3, 4),
    "transposed": lambda a: a.reshape(3, 4).T,
    "backwards": lambda a: a[::-1],
    "with axes of length 1": lambda a: a.reshape(3, 4)[:, None, :, None],
    "repeated": lambda a: a[:1],
    "empty": lambda a: a[:0],
}
# A call may reach the method in several ways.
CALLS = {
    "a call": lambda a, shape: a.reshape(*shape),
    "a kept method": lambda a, shape: (lambda method: method(*shape))(a.reshape),
    "by the class": lambda a, shape: type(a).reshape(a, *shape),
    "with a name": lambda a, shape: a.reshape(*shape, order="C"),
    "with another order": lambda a, shape: a.reshape(*shape, order="F"),
    "as a copy": lambda a, shape: a.reshape(*shape, copy=True),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reshape_gives_what_numpy_gives_however_it_is_called(layout, call):
    for shape in SHAPES:
        x, theirs = (LAYOUTS[layout](each) for each in pair(np.arange(12.0)))
        got, expected = outcome(CALLS[call], x, shape), outcome(CALLS[call], theirs, shape)
        agree(got, expected, strides=True)
        if got[1] is None:
            assert not cowarray.aliases(got[0], x)
            got[0][...] = -1
            same(x, theirs)


def test_reshape_of_what_is_no_array():
    for arguments in ((), (np.arange(2), 2), (3, 2), (cowarray.zeros(2),)):
        with pytest.raises(TypeError):
            cowarray.ndarray.reshape(*arguments)


class Name(str):
    pass


@pytest.mark.parametrize("ufunc", [np.add, np.sqrt, np.divmod, np.modf, np.maximum, np.frompyfunc(max, 2, 1)], ids=str)
@pytest.mark.parametrize("method", ["__call__", Name("__call__"), "reduce", "reduceat", "__class_", None])
def test_numpys_call_of_a_ufunc_is_that_of_a_kept_method(ufunc, method):
    n = np.arange(1.0, 7.0)
    x, y = cowarray.array(n), cowarray.array(n[::-1])
    operands = [x, y, n, 2, 1.5, np.float32(3), [1, 2, 3, 4, 5, 6], None, "text", cowarray.array([1, None])]
    given = [(one, other) for one in operands for other in operands if one is x or other is x]
    for inputs in [(), (x,), *(given if ufunc.nin == 2 else ())]:  # one more would be `out`
        quick = outcome(lambda inputs=inputs: type(x).__array_ufunc__(x, ufunc, method, *inputs))
        kept = outcome(lambda inputs=inputs: (lambda call: call(ufunc, method, *inputs))(x.__array_ufunc__))
        assert quick[1] is kept[1], inputs
        if quick[1] is None and quick[0] is not NotImplemented:
            expected = native(kept[0])
            same(quick[0], tuple(expected) if type(kept[0]) is tuple else expected)
        same(x, n)
        same(y, n[::-1])


def values(dtype):
    return (np.arange(12.0).reshape(3, 4) - (3 if np.dtype(dtype).kind in "ifc" else 0)).astype(dtype)


@pytest.mark.parametrize("source", NUMBERS)
def test_astype_converts_numbers_as_numpy_does(source):
    n = values(source)
    for target, layout in itertools.product(
        NUMBERS, [lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[1]]
    ):
        x, theirs = layout(cowarray.array(n)), layout(n)
        with warnings.catch_warnings(record=True) as ours_said:
            warnings.simplefilter("always")
            got = x.astype(target)
        with warnings.catch_warnings(record=True) as numpy_said:
            warnings.simplefilter("always")
            expected = theirs.astype(target)
        same(got, expected, strides=True)
        assert got.dtype.byteorder == expected.dtype.byteorder
        assert [each.category for each in ours_said] == [each.category for each in numpy_said]
        assert got.flags.writeable
        assert not cowarray.aliases(got, x)
        got[...] = 1
        same(x, theirs)


@pytest.mark.parametrize("target", [*NUMBERS, *OTHERS, int, float, bool, complex, str, bytes, object, np.float32])
def test_astype_of_every_kind_and_with_every_argument(target):
    for n in (
        np.arange(6.0).reshape(2, 3),
        np.array(["1", "2"]),
        np.array([1, 2], object),
        np.array(3),
        np.zeros((0, 2)),
    ):
        for named in {}, {"order": "F"}, {"casting": "safe"}, {"casting": "no"}, {"copy": False}, {"order": "x"}:
            x = cowarray.array(n)
            agree(
                outcome(lambda a, k=named: a.astype(target, **k), x),
                outcome(lambda a, k=named: a.astype(target, **k), n),
            )


def test_astype_reports_what_numpy_reports():
    n = np.array([1e300, np.nan])

    def converted(a, target):
        with np.errstate(all="raise"):
            return a.astype(target)

    for target in "f4", "i4":
        theirs = outcome(converted, n, target)
        assert theirs[1] is FloatingPointError
        agree(outcome(converted, cowarray.array(n), target), theirs)


SHAPES = [60, 0, (), (3, 4), (2, 0), [2, 3], np.int64(3), (np.int64(2), 3), True, -1, (2, -1), 2.0, "3", None, 10**30]
SHAPES += [(1,) * 64, (1,) * 65, (2**40, 2**40)]


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "full"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_creation_takes_what_numpy_takes(name, shape):
    more = (7,) if name == "full" else ()
    for args in [(), ("f4",), (int,), ("S3",), ("S",), (object,), (">i2",), ("no such",), ([("a", "i4")],), (np.bool,)]:
        for named in {}, {"order": "F"}, {"order": "K"}, {"device": "cpu"}, {"device": "gpu"}:
            ours = outcome(lambda n=named, a=args: getattr(cowarray, name)(shape, *more, *a, **n))
            theirs = outcome(lambda n=named, a=args: getattr(np, name)(shape, *more, *a, **n))
            if name == "empty" and theirs[1] is None:
                assert ours[1] is None
                assert (ours[0].shape, ours[0].dtype, ours[0].strides) == (
                    theirs[0].shape,
                    theirs[0].dtype,
                    theirs[0].strides,
                )
            else:
                agree(ours, theirs)


@pytest.mark.parametrize(
    "args",
    [
        *((3,), (1, 9, 2), (0.5, 3), (3, None), (0, 5, 1, "f4"), (0, 5, 0), ("a",), (None,), (5, 0, -2), (-3,)),
        *((10**30,), (0, np.inf), (np.nan,), (True,), (0, 1, 0.1), (np.int8(3),), (2, 5.0), ([1],), (0, 3, None)),
    ],
    ids=str,
)
def test_arange_takes_what_numpy_takes(args):
    agree(outcome(cowarray.arange, *args), outcome(np.arange, *args))


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS])
def test_a_mask_picks_what_it_picks_in_numpy(dtype):
    chance = np.random.default_rng(5)
    for shape in [(0,), (1,), (10,), (255,), (256,), (257,), (16, 16), (2, 0, 3), (4, 4, 4)]:
        n = values_of(dtype, shape)
        mask = chance.random(shape) < chance.random()
        for lay in (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[..., ::2], lambda a: a[:, None]):
            for other in (lay, lambda a: a, lambda a: a[:1], lambda a: a.view("i1")):
                for masks in (cowarray.array(mask), mask):
                    x, where = lay(cowarray.array(n)), other(masks)
                    ours, theirs = outcome(operator.getitem, x, where), outcome(operator.getitem, lay(n), other(mask))
                    agree(ours, theirs)
                    if theirs[1] is None and theirs[0].size:
                        ours[0][...] = ours[0][:1].copy()
                        same(x, lay(n))
    mask = cowarray.array(np.array([2, 0, 255], "u1")).view("?")  # true is what is not 0
    assert cowarray.arange(3)[mask].tolist() == [0, 2]


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS])
def test_what_a_mask_or_places_pick_is_assigned_as_in_numpy(dtype):
    chance = np.random.default_rng(6)
    good = itertools.product(
        [chance.random(10) < 0.5, np.array([1, 3, -1]), np.array(3), np.zeros((2, 0), int)],
        [2, 2.5, -1, 300, 1j, "a", None],
    )
    bad = itertools.product([chance.random(9) < 0.5, np.array([10]), np.ones(2)], [2])
    pairs = [*good, *(bad if dtype in NUMBERS else ())]  # of two errors, either may come
    for (key, value), shared in itertools.product(pairs, [False, True]):
        for ours in (key, cowarray.array(key)):
            n, x = values_of(dtype, (10,)), cowarray.array(values_of(dtype, (10,)))
            kept = x.copy() if shared else None
            agree(outcome(operator.setitem, x, ours, value), outcome(operator.setitem, n, key, value))
            same(x, n)
            if shared:
                same(kept, values_of(dtype, (10,)))


def test_a_mask_of_itself():
    x = cowarray.array(np.array([True, False, True]))
    assert x[x].tolist() == [True, True]
    assert x[~x].tolist() == [False]


def values_of(dtype, shape):
    if dtype == "i4,f8":
        return np.zeros(shape, dtype)
    return np.arange(np.prod(shape)).reshape(shape).astype("i8").astype(dtype)


def test_copyto_writes_what_numpy_writes():
    chance = np.random.default_rng(3)
    dtypes = ["f8", "f8", "f8", "i8", "f4", ">f8", "D", "O", "U3"]
    parts = [lambda a: a, lambda a: a[::-1], lambda a: a[2:7], lambda a: a[:5], lambda a: a[:, None], lambda a: a[:1]]
    parts += [lambda a: a[None], lambda a: a[3, ...], lambda a: a.reshape(2, 5, copy=False), lambda a: a[:0]]
    written = 0
    for _ in range(2000):
        (a, m), (b, n) = (pair(chance.integers(0, 9, 10).astype(chance.choice(dtypes))) for _ in range(2))
        if chance.random() < 0.3:
            b, n = a, m
        copies = (a.copy(), b.copy()) if chance.random() < 0.5 else ()
        if chance.random() < 0.1:
            a.setflags(write=False)
            m.setflags(write=False)
        expected = [copy.tolist() for copy in copies]
        to, of = chance.integers(0, len(parts), 2)
        named = [{}, {}, {"casting": "unsafe"}, {"where": True}, {"where": False}, {"casting": "x"}][chance.integers(6)]
        ours = outcome(np.copyto, parts[to](a), parts[of](b), **named)
        theirs = outcome(np.copyto, parts[to](m), parts[of](n), **named)
        agree(ours, theirs)
        same(a, m)
        same(b, n)
        assert [copy.tolist() for copy in copies] == expected
        written += theirs[1] is None
    assert written > 300


@pytest.mark.parametrize("write", [np.copyto, lambda a, b: a.__setitem__(..., b)])
@pytest.mark.parametrize(
    "shapes", [((4, 1), (1, 4)), ((2, 3, 2), (2, 4, 1)), ((4,), (1, 3)), ((4,), (1, 3, 1)), ((4, 1), (0,))], ids=str
)
def test_shapes_that_do_not_fit_are_spelled_as_numpy_spells_them(write, shapes):
    n = [np.ones(shape) for shape in shapes]
    with pytest.raises(ValueError, match="broadcast") as theirs:
        write(*n)
    with pytest.raises(ValueError, match="broadcast") as ours:
        write(*map(cowarray.array, n))
    assert str(ours.value) == str(theirs.value)


OUTS = [
    lambda a, b: np.add(a, b, out=a),
    lambda a, b: np.add(a, b, a),
    lambda a, b: np.add(b[1:], b[:-1], out=b[1:]),
    lambda a, b: np.add(b[:-1], b[1:], out=(b[:-1],)),
    lambda a, b: np.sqrt(a, out=b),
    lambda a, b: np.sqrt(b, out=b[::-1]),
    lambda a, b: np.multiply(a, 2, out=b),
    lambda a, b: np.multiply(a, 1j, out=b),
    lambda a, b: np.add(a, b, out=b[:5]),
    lambda a, b: np.add(a, b, out=None),
    lambda a, b: np.add(a, b, out=(None,)),
    lambda a, b: np.add(a, [1.0] * 10, out=b),
    lambda a, b: np.matmul(a, a, out=b[:1].reshape((), copy=False)),
    lambda a, b: np.divmod(a, 2, out=(a, b)),
    lambda a, b: np.sum(a, axis=0, out=b[:1].reshape((), copy=False)),
    lambda a, b: np.add.reduce(a, out=b[:1].reshape((), copy=False)),
    lambda a, b: a.sum(out=b[:1].reshape((), copy=False)),
    lambda a, b: np.concatenate([a[:5], b[:5]], out=b),
    lambda a, b: np.dot(a, a[:, None], out=b[:1]),
]


@pytest.mark.parametrize("call", OUTS, ids=range(len(OUTS)))
@pytest.mark.parametrize("shared", [False, True])
def test_out_is_written_as_numpy_writes_it_and_no_copy_sees_it(call, shared):
    (a, m), (b, n) = pair(np.arange(10.0)), pair(np.arange(10.0)[::-1])
    copies = (a.copy(), b.copy()) if shared else ()
    ours, theirs = outcome(call, a, b), outcome(call, m, n)
    agree(ours, theirs)
    same(a, m)
    same(b, n)
    for copy, before in zip(copies, (np.arange(10.0), np.arange(10.0)[::-1]), strict=False):
        assert copy.tolist() == before.tolist()


def test_a_read_only_out_is_refused():
    a = cowarray.array(np.arange(10.0))
    a.setflags(write=False)
    for call in lambda: np.add(a, 1, out=a), lambda: np.sqrt(a, a):
        with pytest.raises(ValueError, match="read-only"):
            call()
