"""Arrays of `cowarray.array_api` stay arrays: results without axes, where NumPy gives scalars, are arrays too.

All else about them is as it is in `cowarray`. `array_api.asarray(x) is x` says that an array is one of these.
"""

import copy
import inspect
import io
import pickle
import re

import numpy as np
import pytest
from standard_names import NAMES, SIGNATURES, WITHOUT_ARRAYS, named, sample
from support.cases.registry import select
from support.oracle import native, numbers, outcome, value
from support.prepared import PreparedCall

import cowarray
from cowarray import array_api


def is_standard(x):
    return type(x) is cowarray.ndarray and array_api.asarray(x) is x


def flat(result):
    """The arrays and scalars of a result."""
    if isinstance(result, (list, tuple)):
        return [each for item in result for each in flat(item)]
    return [result] if isinstance(result, (cowarray.ndarray, np.generic)) else []


# ---- the namespace ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["", "linalg.", "fft."])
def test_the_names_are_the_standards_and_nothing_else(space):
    listed = {name.removeprefix(space) for name in NAMES if name.startswith(space)}
    listed = {name for name in listed if "." not in name}
    if not space:
        listed |= {"linalg", "fft", "__array_api_version__"}
    module = getattr(array_api, space.rstrip("."), array_api)
    assert set(module.__all__) == listed
    assert {name for name in vars(module) if not name.startswith("_")} == {n for n in listed if not n.startswith("_")}


FUNCTIONS = [name for name in SIGNATURES if not name.startswith(("ndarray.", "info.", "__"))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_parameters_are_the_standards(name):
    ours, wanted = inspect.signature(named(name, array_api)), SIGNATURES[name]
    untyped = [each.replace(annotation=each.empty) for each in ours.parameters.values()]
    assert untyped == list(wanted.parameters.values())


def agree(ours, theirs):
    """Assert that a result of the standard's door is that of NumPy's face, with arrays in place of scalars."""
    if isinstance(theirs, (list, tuple)):
        assert (type(ours), len(ours)) == (type(theirs), len(theirs))
        for one, other in zip(ours, theirs, strict=True):
            agree(one, other)
    elif isinstance(theirs, (cowarray.ndarray, np.generic)):
        assert is_standard(ours)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_array_equal(value(ours), native(theirs))
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("way", ["ours", "standard", "numpy"])
def test_functions_give_what_those_of_cowarray_give_as_the_standards(name, way):
    kind = {"ours": lambda x: x, "standard": array_api.asarray, "numpy": native}[way]
    args = tuple(
        [kind(each) for each in given] if type(given) is list else kind(given) if flat(given) else given
        for given in sample(name)
    )
    with np.errstate(all="ignore"):
        stable = {"stable": True} if name == "argsort" else {}
        theirs, result = named(name)(*sample(name), **stable), named(name, array_api)(*args)
    if name in ("empty", "empty_like"):
        assert is_standard(result)
        assert (result.shape, result.dtype) == (theirs.shape, theirs.dtype)
    elif name in WITHOUT_ARRAYS:
        assert str(result) == str(theirs)
    else:
        agree(result, theirs)


def test_functions_take_what_numpy_takes():
    agree(array_api.sum([1, 2, 3]), np.int64(6))
    agree(array_api.add(1, 2.5), np.float64(3.5))
    agree(array_api.max(range(4)), np.int64(3))
    agree(array_api.asarray(5), cowarray.array(5))
    agree(array_api.from_dlpack(np.arange(3)), cowarray.arange(3))
    with pytest.raises(TypeError, match="keyword"):
        array_api.sum([1], out=None)


# ---- all operations --------------------------------------------------------------------------------------------------


def facts(result, depth=0):
    """What a result is; an array without axes is as a scalar."""
    if depth > 4:
        return "..."
    if isinstance(result, (cowarray.ndarray, np.ndarray)) and result.ndim:
        shown = native(result)
        writeable = result.flags.writeable
        return type(result).__name__, shown.dtype, shown.shape, result.strides, writeable, repr(shown.tolist())
    if isinstance(result, (cowarray.ndarray, np.ndarray, np.generic)):
        return "no axes", result.dtype, re.sub("0x[0-9a-f]+", "0x", repr(result.item()))
    if isinstance(result, (list, tuple)):
        return [type(result).__name__, *[facts(item, depth + 1) for item in result]]
    if isinstance(result, (int, float, complex, str, bytes, type(None))):
        return re.sub("0x[0-9a-f]+", "0x", repr(result))
    return type(result).__name__


def run(case, x):
    """A case's result; what it, the array and the error are; whether something was made of the array."""
    with PreparedCall(case, x) as prepared:
        if prepared.refusal is not None:
            return None
        given = flat([prepared.owner, *prepared.args, *prepared.kwargs.values()])
        done, error = outcome(prepared.action)
        told = None if error is None else re.sub("0x[0-9a-f]+", "0x", f"{type(error)} {error}")
        is_made = any(each is x for each in given) and not any(each is one for one in flat(done) for each in given)
        return done, (facts(done), facts(x), told), is_made


# The way back, and what is no longer of these arrays: masked arrays, the draws of a generator, text. Polynomials at
# points that are not the standard's.
LEAVES = re.compile(
    r"cowarray\.(asarray|asanyarray|array|ascontiguousarray|asfortranarray|from_dlpack|frombuffer|random\.\w+)\(|np\.ma\."
    r"|np\.(str_|bytes_)\(|np\.polynomial\.\w+\.\w+\(A\("
)
# They tell of the bit.
TELLS = ("x.__reduce_ex__(", "x.dumps(")


def test_all_operations_give_what_they_give_and_keep_arrays():
    different, plain, looked_at, scalars = [], [], 0, 0
    for case in select("isolation"):
        before = [run(case, cowarray.array(numbers((4, 4)))) for _ in range(2)]
        now = run(case, array_api.asarray(numbers((4, 4))))
        if None in (*before, now) or before[0][1] != before[1][1]:
            continue
        looked_at += 1
        scalars += any(isinstance(each, np.generic) for each in flat(before[0][0]))
        if now[1] != before[0][1] and not case.source.startswith(TELLS):
            different.append(case.source)
        if now[2] and not LEAVES.match(case.source) and not all(map(is_standard, flat(now[0]))):
            plain.append(case.source)
    assert looked_at > 2000
    assert scalars > 100
    assert different == []
    assert plain == []


# ---- without axes ----------------------------------------------------------------------------------------------------

ELEMENTS = [
    np.float64(2.5),
    np.float32(-0.0),
    np.int8(-3),
    np.uint64(2**63),
    np.bool(True),
    np.complex64(1 - 2j),
    np.longdouble("0.1"),
    np.str_("text"),
    np.datetime64("2026-01-02", "D"),
    np.array((1, 2.5), "i4,f8")[()],
]
USES = {
    "format": lambda x: [format(x), f"{x}", str(x), repr(x)],
    "format with a width": lambda x: format(x, "8.2f"),
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "index": lambda x: "abc"[x],
    "slice": lambda x: list(range(9))[:x],
    "hash": lambda x: re.sub(r"[\w.]*ndarray", "ndarray", str(outcome(lambda: hash(x))[1])),
    "len": len,
    "iterate": list,
    "x[()]": lambda x: native(x[()]),
    "x[...]": lambda x: native(x[...]),
    "x[None]": lambda x: native(x[None]).tolist(),
    "x[0]": lambda x: x[0],
    "item": lambda x: x.item(),
    "equal": lambda x: native(x == x),
}


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: str(element.dtype))
def test_an_array_without_axes_is_used_as_numpys(element):
    ours, theirs = array_api.asarray(np.array([element]))[0], np.array(element)
    assert is_standard(ours)
    assert (ours.dtype, ours.shape) == (theirs.dtype, ())
    for name, use in USES.items():
        (one, refused), (other, refusal) = outcome(lambda use=use: use(ours)), outcome(lambda use=use: use(theirs))
        assert type(refused) is type(refusal), name
        assert facts(one) == facts(other), name
    assert outcome(lambda: hash(ours))[1] is not None


def test_an_element_is_a_copy_as_numpys_scalars_are():
    x = array_api.asarray([1.0, 2.0])
    first = x[0]
    x[0] = 5.0
    assert float(first) == 1.0
    first[...] = 7.0
    assert float(x[0]) == 5.0
    assert x[..., 0].storage is x.storage  # the way to a view, as in NumPy


# ---- who carries it --------------------------------------------------------------------------------------------------


def test_iterating_gives_arrays():
    x = array_api.asarray([[1, 2], [3, 4]])
    assert all(is_standard(row) and all(map(is_standard, row)) for row in x)
    assert all(map(is_standard, x.flat))
    assert is_standard(x.flat[0])
    assert [int(each) for each in x.flat] == [1, 2, 3, 4]


@pytest.mark.parametrize("dtype", ["f8", "O", "T", "i4,O"])
def test_pickles_and_copies_carry_it(dtype):
    plain = cowarray.array(np.zeros(3, dtype))
    x = array_api.asarray(plain)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert is_standard(again)
        np.testing.assert_array_equal(value(again), value(x))
        assert not is_standard(pickle.loads(pickle.dumps(plain, protocol)))
    file = io.BytesIO()
    x.dump(file)
    for made in (pickle.loads(file.getvalue()), pickle.loads(pickle.dumps(x[:0])), copy.copy(x), copy.deepcopy(x)):
        assert is_standard(made)
    for made in (x.copy(), x.lazy_clone(), cowarray.lazy_clone(x), np.copy(x), x.reshape(3, 1), x.view(), x[...]):
        assert is_standard(made)
        assert not any(is_standard(each) for each in (copy.copy(plain), copy.deepcopy(plain), plain.copy()))


def test_a_pickle_says_what_is_allowed():
    function, args = array_api.asarray([1.0]).__reduce_ex__(2)
    with pytest.raises(ValueError, match=r"unpickle: standard must be True or False \(got 1\)"):
        function(*args[:-1], 1)


def test_exports_do_not_carry_it():
    x = array_api.asarray([1.0, 2.0])
    assert type(np.asarray(x)) is type(x.to_numpy()) is np.ndarray
    for made in (np.asarray(x), memoryview(x), x.to_numpy()):
        assert not is_standard(cowarray.asarray(made))
    assert not is_standard(cowarray.from_dlpack(x))
    assert not is_standard(cowarray.from_dlpack(x, copy=False))
    assert is_standard(array_api.from_dlpack(x))


def test_elements_of_object_arrays_come_out_as_they_are():
    inner, number = cowarray.array([1.0]), np.float64(2)
    objects = np.fromiter([inner, number, "text", array_api.asarray([3.0])], object).reshape(2, 2)
    x = array_api.asarray(objects)
    assert x[0, 0] is inner
    assert x[0, 1] is number
    assert x.flat[0] is x[0][0] is x.ravel()[0] is inner
    assert is_standard(x[1, 1])
    assert not is_standard(x[0, 0])
    assert is_standard(x[0])
    assert is_standard(x.flat[:2])
    one = array_api.asarray(objects[0, :1].reshape(()))
    assert one[()] is inner
    assert is_standard(one[...])
    assert array_api.asarray(np.array([number], object)).max() is number


def test_mixed_operands_give_the_standards():
    plain, x = cowarray.array([1.0, 2.0]), array_api.asarray([3.0, 4.0])
    numpys = np.array([5.0, 6.0])
    for one, other in ((plain, x), (x, plain), (numpys, x), (x, numpys), (2, x), (x, 2), (np.float64(2), x)):
        for made in (one + other, one == other, np.add(one, other), np.hypot(one, other), cowarray.add(one, other)):
            assert is_standard(made)
    assert all(map(is_standard, (plain @ x, x @ plain, np.dot(plain, x), np.where(plain > 1, x, 0)[0])))
    assert all(map(is_standard, (np.concatenate([plain, x]), cowarray.stack([x, plain]), *divmod(plain, x))))
    assert not is_standard(plain + plain)
    assert isinstance(plain[x > 3.5][0], np.float64)  # the array decides, not the index


def test_what_is_written_keeps_its_own():
    plain, x = cowarray.zeros(2), array_api.zeros(2)
    for target, other in ((plain, x), (x, plain)):
        own = is_standard(target)
        assert np.add(other, 1, out=target) is target
        assert np.sum([other, other], 0, out=target) is target
        before = target
        target += other
        target **= 2
        target[0] = other[1]
        target.sort()
        target.shape = (2, 1)
        target.shape = (2,)
        assert target is before
        assert is_standard(target) is own
    assert isinstance(plain.sum(), np.float64)
    assert is_standard(x.sum())


def test_numpys_creators_make_what_like_names():
    x = array_api.zeros(2)
    made = [np.zeros(3, like=x), np.array([1, 2], like=x), np.asarray(cowarray.ones(2), like=x), np.arange(3, like=x)]
    assert all(map(is_standard, made))
    assert not is_standard(np.zeros(3, like=cowarray.ones(2)))


# ---- in and out ------------------------------------------------------------------------------------------------------


def test_in_and_out_are_views_or_the_array_itself():
    plain = cowarray.array([[1.0, 2.0], [3.0, 4.0]])[:, ::-1]
    x = array_api.asarray(plain)
    assert is_standard(x)
    assert x.storage is plain.storage
    assert (x.shape, x.strides, x.dtype) == (plain.shape, plain.strides, plain.dtype)
    assert array_api.asarray(x) is array_api.astype(x, x.dtype, copy=False) is x.astype(x.dtype, copy=False) is x
    assert cowarray.asarray(plain) is plain
    back = cowarray.asarray(x)
    assert back is not x
    assert back.storage is x.storage
    assert isinstance(back[0, 0], np.float64)
    x[0, 0] = 9.0
    assert plain[0, 0] == back[0, 0] == 9.0
    plain.flags.writeable = False
    assert not array_api.asarray(plain).flags.writeable
    assert array_api.asarray(x, copy=True).storage is not x.storage
    assert not is_standard(cowarray.array(x))
    assert not is_standard(cowarray.array(x, copy=None))
    assert is_standard(array_api.asarray(plain, dtype="f4"))
    assert not is_standard(cowarray.asarray(x, dtype="f4"))


def test_what_cannot_be_done_changes_nothing():
    x = array_api.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match=r"^copy=False cannot convert dtype .* \(Unable to avoid copy\)"):
        array_api.asarray(x, dtype="f4", copy=False)
    with pytest.raises(ValueError, match="device must be 'cpu'"):
        array_api.asarray(x, device="gpu")
    with pytest.raises(IndexError):
        x[2]
    assert x.tolist() == [1.0, 2.0]
    assert is_standard(x)
