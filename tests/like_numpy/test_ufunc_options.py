"""The options of NumPy's ufuncs, `out`, `where`, `dtype` and `casting`, of every element-wise function that is one."""

import contextlib
import inspect

import numpy as np
import pytest
from support.cases.by_rule import operands as sources
from support.oracle import LAYOUTS, OWNERSHIPS, Witness, agree, outcome, same, subject, value

import cowarray
from cowarray._chapters import elementwise as _elementwise
from cowarray._chapters import elementwise_numpy as _elementwise_numpy

pytestmark = pytest.mark.numpy_ends

NAMES = [
    name for name in (*_elementwise.__all__, *_elementwise_numpy.__all__) if isinstance(getattr(np, name), np.ufunc)
]
OF_ONE_RESULT = [name for name in NAMES if getattr(np, name).nout == 1]
PAIRS = sorted(set(NAMES) - set(OF_ONE_RESULT))


def given(name):
    """NumPy's operands of one of the function's loops."""
    x = np.array([5.0, 2.0, 7.0, 1.5]) if name not in ("arctanh", "atanh", "arccos", "acos") else np.full(4, 0.5)
    found = [eval(source, {"A": np.array, "x": x}) for source in sources(getattr(np, name))]
    return [np.resize(array, 4) for array in found]


def called(name, arrays, **options):
    with np.errstate(all="ignore"):
        return getattr(np, name)(*arrays, **options)


def own(arrays):
    return [cowarray.array(array) for array in arrays]


def test_every_ufunc_of_numpys_namespace_is_here_or_elsewhere():
    elsewhere = {"matmul", "matvec", "vecdot", "vecmat"}  # of linear algebra
    ufuncs = {name for name, item in vars(np).items() if isinstance(item, np.ufunc)}
    assert ufuncs - set(NAMES) == elsewhere & ufuncs
    assert len(NAMES) > 90
    assert PAIRS == ["divmod", "frexp", "modf"]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_numpys(name):
    parameters = list(inspect.signature(getattr(cowarray, name)).parameters.values())
    ufunc = getattr(np, name)
    assert [each.name for each in parameters[-4:]] == ["out", "where", "dtype", "casting"]
    assert [each.default for each in parameters[-4:]] == [None, True, None, "same_kind"]
    operands = parameters[: ufunc.nin]
    assert [each.name for each in operands] == (["x"] if ufunc.nin == 1 else ["x1", "x2"])
    assert {each.kind for each in parameters[:-4]} == {inspect.Parameter.POSITIONAL_ONLY}


def test_aliases_are_those_of_numpy():
    for name in _elementwise_numpy.__all__:
        for other in (*_elementwise.__all__, *_elementwise_numpy.__all__):
            if isinstance(getattr(np, name), np.ufunc):
                assert (getattr(cowarray, name) is getattr(cowarray, other)) == (
                    getattr(np, name) is getattr(np, other)
                ), (name, other)


@pytest.mark.parametrize("name", OF_ONE_RESULT)
def test_out_is_written_and_returned_and_its_sharers_notice_nothing(name):
    function, arrays = getattr(cowarray, name), given(name)
    expected = called(name, arrays)
    for make in (cowarray.array, lambda array: cowarray.array(array).copy(), np.array):
        for wrap in (lambda out: out, lambda out: (out,)):
            for inputs in (own(arrays), arrays, [array.tolist() for array in arrays]):
                if name == "isnat" and inputs is not arrays and type(inputs[0]) is list:
                    continue  # of datetime objects NumPy makes no times by itself
                out = make(np.full_like(expected, 1))
                witness = Witness(out) if type(out) is cowarray.ndarray else None
                cowarray.reset_stats()
                result, error = outcome(function, *inputs, out=wrap(out))
                assert error is None
                assert result is out
                assert cowarray.stats()["copies"] == 0  # all of it is replaced
                np.testing.assert_array_equal(np.asarray(out), expected, strict=True)
                if witness is not None:
                    witness.check()


@pytest.mark.parametrize("name", OF_ONE_RESULT)
def test_where_leaves_the_other_elements(name):
    function, arrays = getattr(cowarray, name), given(name)
    expected = np.full_like(called(name, arrays), 1)
    out = cowarray.array(expected)
    witness = Witness(out)
    mask = np.array([True, False, True, False])
    called(name, arrays, out=expected, where=mask)
    for where in (mask, cowarray.array(mask), mask.tolist()):
        assert outcome(function, *own(arrays), out=out, where=where)[0] is out
        same(out, expected)
        witness.check()


@pytest.mark.parametrize("name", OF_ONE_RESULT)
@pytest.mark.parametrize(
    "options",
    [{"dtype": "f4"}, {"dtype": "f4", "casting": "unsafe"}, {"dtype": "O"}, {"casting": "no"}, {"casting": "equiv"},
     {"casting": "odd"}, {"dtype": "i2", "casting": "unsafe"}],
    ids=str,
)  # fmt: skip
def test_dtype_and_casting_are_numpys(name, options):
    arrays = given(name)
    mixed = [arrays[0], *[array.astype("f4") if array.dtype == "f8" else array for array in arrays[1:]]]
    for inputs in (arrays, mixed):
        expected = outcome(getattr(np, name), *inputs, **options)
        agree(outcome(getattr(cowarray, name), *own(inputs), **options), expected)
        agree(outcome(getattr(cowarray, name), *inputs, **options), expected)


@pytest.mark.parametrize("name", PAIRS)
def test_two_results_go_to_a_pair(name):
    function, arrays = getattr(cowarray, name), given(name)
    expected = called(name, arrays)
    same(function(*own(arrays)), expected)
    outs = [cowarray.array(np.zeros_like(each)) for each in expected]
    witnesses = [Witness(each) for each in outs]
    for options in ((outs, {}), ((), {"out": tuple(outs)})):
        first, second = function(*own(arrays), *options[0], **options[1])
        assert (first is outs[0], second is outs[1]) == (True, True)
        same(tuple(outs), expected)
    first, second = function(*own(arrays), out=(None, outs[1]))
    same(first, expected[0])
    assert second is outs[1]
    for witness in witnesses:
        witness.check()
    with pytest.raises(TypeError, match=name):
        function(*own(arrays), *outs, out=tuple(outs))


@pytest.mark.parametrize("name", PAIRS)
def test_two_results_go_to_nothing_else(name):
    function, arrays = getattr(cowarray, name), given(name)
    out = cowarray.array(np.zeros_like(called(name, arrays)[0]))
    before = out.tolist()
    for wrong in (out, [out, out], (out,), (None,), (), (out, out, out)):
        theirs = outcome(getattr(np, name), *arrays, out=value(wrong) if wrong is out else wrong)[1]
        assert type(outcome(function, *own(arrays), out=wrong)[1]) is type(theirs) is not type(None)
        assert out.tolist() == before


def test_an_out_of_none_alone_is_no_out():
    x = cowarray.array([1.5, 2.5])
    for inputs in ([x], [[1.5, 2.5]]):
        same(cowarray.sqrt(*inputs, out=(None,)), np.sqrt([1.5, 2.5]))
        same(cowarray.add(*inputs, 1, out=(None,)), np.array([2.5, 3.5]))
        same(cowarray.modf(*inputs, out=(None, None)), np.modf([1.5, 2.5]))
    with cowarray.fake():
        assert cowarray.is_fake(cowarray.add(x, 1, out=(None,)))
    same(cowarray.multiply.outer(x, x, out=(None,)), np.multiply.outer([1.5, 2.5], [1.5, 2.5]))


@pytest.mark.parametrize("name", ["add", "sqrt", "hypot", "fmod", "rint"])
def test_out_in_every_layout_and_ownership(name):
    """Also where out is an operand, a view of it, or overlaps with it."""
    nin = getattr(np, name).nin
    for layout in LAYOUTS:
        for ownership in OWNERSHIPS:
            for out_of in (lambda x: x, lambda x: x[...], lambda x: x[::-1] if x.ndim else x):
                held = subject(layout, ownership)
                ours = outcome(getattr(cowarray, name), *[held.x] * nin, out=out_of(held.x))
                theirs = outcome(getattr(np, name), *[held.n] * nin, out=out_of(held.n))
                agree(ours, theirs)
                held.check()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_out_by_its_name_is_handed_on_by_its_name(name):
    """NumPy warns where the third argument of these two has none."""
    x, y, out = cowarray.array([1.0, 5.0]), cowarray.array([3.0, 2.0]), cowarray.empty(2)
    expected = getattr(np, name)(x.tolist(), y.tolist()).tolist()
    for function in (getattr(cowarray, name), getattr(np, name)):
        out[...] = 0
        assert function(x, y, out=out) is out
        assert out.tolist() == expected


def test_a_bad_out_gets_numpys_error():
    x, n = cowarray.array([1.0, 2.0]), np.array([1.0, 2.0])
    locked, locked_n = cowarray.array([1.0, 2.0]), np.array([1.0, 2.0])
    locked.setflags(write=False)
    locked_n.setflags(write=False)
    cases = [
        (locked, locked_n),
        (cowarray.array([1.0]), np.array([1.0])),
        (cowarray.array([1, 2]), np.array([1, 2])),
        (5, 5),
        ([1.0, 2.0], [1.0, 2.0]),
        ((), ()),
        ((x, x), (n, n)),
    ]
    for ours, theirs in cases:
        agree(outcome(cowarray.add, x, x, out=ours), outcome(np.add, n, n, out=theirs))
        agree(outcome(cowarray.add, n, n, out=ours), outcome(np.add, n, n, out=theirs))
    same(x, np.array([1.0, 2.0]))
    assert value(locked).tolist() == [1.0, 2.0]


def test_out_of_the_functions_that_are_no_ufuncs():
    n = np.array([-2.5, np.inf, 0.25, -np.inf])
    for name, args in [
        ("round", (1,)),
        ("around", ()),
        ("clip", (-1, 2)),
        ("fix", ()),
        ("isposinf", ()),
        ("isneginf", ()),
    ]:
        expected = getattr(np, name)(n, *args)
        for inputs in (cowarray.array(n), n, n.tolist()):
            out = cowarray.array(np.zeros_like(expected))
            witness = Witness(out)
            assert outcome(getattr(cowarray, name), inputs, *args, out=out)[0] is out
            same(out, expected)
            witness.check()


def test_a_stranger_among_the_operands_is_asked_with_the_options():
    class Stranger:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return ufunc.__name__, sorted(options)

    x = cowarray.array([1.0])
    assert cowarray.add(Stranger(), 1, out=x, where=[True], dtype="f8") == ("add", ["dtype", "out", "where"])
    assert cowarray.sqrt(x, out=Stranger()) == ("sqrt", ["out"])


def test_a_masked_out_is_numpys():
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    assert cowarray.add(cowarray.array([1.0, 2.0]), 1, out=masked) is masked


@pytest.mark.parametrize("mode", [contextlib.nullcontext, cowarray.aliasing, cowarray.deferred, cowarray.simulate])
def test_another_librarys_ufunc_writes_to_the_operands_that_it_says(mode):
    """As those of numba's guvectorize do that have `writable_args`."""
    add = pytest.importorskip("numpy._core._operand_flag_tests").inplace_add
    source = cowarray.ones(4, dtype="i8")
    with mode():
        x = source + 1
        copy, view = x.copy(), x[1:3]
        add(x, x)
        assert (x.tolist(), view.tolist(), copy.tolist()) == ([4] * 4, [4] * 2, [2] * 4)
        add(view, copy[1:3])
        assert (x.tolist(), copy.tolist(), source.tolist()) == ([4, 6, 6, 4], [2] * 4, [1] * 4)
        x.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            add(x, copy)
    assert x.tolist() == [4, 6, 6, 4]


def test_out_is_given_once():
    x, z = cowarray.ones(3), cowarray.zeros(3)
    for call in (lambda: cowarray.add(x, x, z, out=None), lambda: cowarray.negative(x, z, out=None)):
        with pytest.raises(TypeError, match="out"):
            call()
    assert z.tolist() == [0, 0, 0]
    assert cowarray.add(x, x, out=None).tolist() == [2, 2, 2]
