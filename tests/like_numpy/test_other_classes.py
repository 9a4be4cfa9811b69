"""Arrays of NumPy's subclasses, and of other libraries, in functions of the namespace."""

import inspect

import numpy as np
import pytest

import cowarray as ca

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


class Own(np.ndarray):
    """A subclass with a note, as programs have them."""

    note = "none"

    def __array_finalize__(self, other):
        self.note = getattr(other, "note", "none")


def masked():
    return np.ma.array([[1.0, 2.0], [3.0, 99.0]], mask=[[0, 0], [0, 1]])


def noted():
    made = np.arange(4.0).reshape(2, 2).view(Own)
    made.note = "kept"
    return made


CLASSES = {
    "masked": masked,
    "matrix": lambda: np.matrix([[1.0, 2.0], [3.0, 4.0]]),
    "records": lambda: np.rec.array([(1, 2.0), (3, 4.0)]).reshape(2, 1),
    "own": noted,
}
CONVERSIONS = {
    "asanyarray": lambda xp, x: xp.asanyarray(x),
    "asanyarray in another order": lambda xp, x: xp.asanyarray(x, order="F"),
    "array": lambda xp, x: xp.array(x),
    "array of its class": lambda xp, x: xp.array(x, subok=True),
    "array of its class, if need be": lambda xp, x: xp.array(x, subok=True, copy=None),
    "array of its class with axes": lambda xp, x: xp.array(x, subok=True, ndmin=3),
    "copy": lambda xp, x: xp.copy(x),
    "copy of its class": lambda xp, x: xp.copy(x, subok=True),
    "reshape": lambda xp, x: xp.reshape(x, -1),
    "reshape by columns": lambda xp, x: xp.reshape(x, (1, -1), order="F"),
    "asarray": lambda xp, x: xp.asarray(x),
    "astype": lambda xp, x: xp.astype(x, x.dtype),
    "flip": lambda xp, x: xp.flip(x, 0),
    "transpose": lambda xp, x: xp.transpose(x),
}


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
@pytest.mark.parametrize("make", CLASSES.values(), ids=CLASSES)
def test_a_subclass_stays_what_it_is_where_it_does_with_numpy(make, convert):
    got, wanted = convert(ca, make()), convert(np, make())
    assert type(got) is (ca.ndarray if type(wanted) is np.ndarray else type(wanted))
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert got.tolist() == wanted.tolist()
    assert getattr(got, "note", None) == getattr(wanted, "note", None)
    if type(wanted) is np.ma.MaskedArray:
        assert got.mean() == wanted.mean() == 2.0


VIEWS = {"flip", "transpose"}


@pytest.mark.parametrize("name", [name for name in CONVERSIONS if name not in VIEWS])
@pytest.mark.parametrize("make", CLASSES.values(), ids=CLASSES)
def test_a_copy_of_a_subclass_is_one(make, name):
    x = make()
    before = x.tolist()
    got = CONVERSIONS[name](ca, x)
    got[...] = 7.0 if got.dtype.names is None else (7, 7.0)
    assert x.tolist() == before
    if type(got) is ca.ndarray:
        return
    with ca.aliasing():
        got = CONVERSIONS[name](ca, x)
        assert np.shares_memory(got, x) == np.shares_memory(CONVERSIONS[name](np, x), x)


@pytest.mark.parametrize("name", ["asanyarray", "array", "reshape"])
def test_a_memory_map_becomes_an_array(tmp_path, name):
    np.arange(6.0).tofile(tmp_path / "x.bin")
    mapped = np.memmap(tmp_path / "x.bin", "f8", "r", shape=(2, 3))
    convert = {
        "asanyarray": ca.asanyarray,
        "array": lambda x: ca.array(x, subok=True, copy=None),
        "reshape": lambda x: ca.reshape(x, (3, 2)),
    }
    got = convert[name](mapped)
    assert type(got) is ca.ndarray
    got[0, 0] = 9
    assert mapped[0, 0] == 0


@pytest.mark.parametrize("name", [name for name in CONVERSIONS if name not in VIEWS])
def test_a_memory_map_keeps_its_class_where_it_is_an_alias(tmp_path, name):
    np.arange(4.0).tofile(tmp_path / "x.bin")
    mapped = np.memmap(tmp_path / "x.bin", "f8", "r+", shape=(2, 2))
    wanted = CONVERSIONS[name](np, mapped)
    with ca.aliasing():
        got = CONVERSIONS[name](ca, mapped)
        assert type(got) is (ca.ndarray if type(wanted) is np.ndarray else type(wanted))
        assert (got is mapped) is (wanted is mapped)
        assert np.shares_memory(got, mapped) == np.shares_memory(wanted, mapped)
    with ca.simulate() as report:  # which watches what becomes of it
        watched = CONVERSIONS[name](ca, mapped)
    assert type(watched) is ca.ndarray
    assert not report


class Other:
    """An array of another library, which notes how it is asked."""

    def __init__(self):
        self.asked = []

    def __array_function__(self, function, types, args, kwargs):
        self.asked.append((function, args, kwargs))
        return "other"


CALLS = {
    "transpose": lambda xp, o: xp.transpose(o),
    "transpose, axes": lambda xp, o: xp.transpose(o, (1, 0)),
    "flip": lambda xp, o: xp.flip(o),
    "copy": lambda xp, o: xp.copy(o),
    "reshape": lambda xp, o: xp.reshape(o, (2, -1)),
    "permute_dims": lambda xp, o: xp.permute_dims(o),
    "all": lambda xp, o: xp.all(o),
    "all, axis": lambda xp, o: xp.all(o, axis=1),
    "sum": lambda xp, o: xp.sum(o, 0),
    "sort": lambda xp, o: xp.sort(o),
    "argsort": lambda xp, o: xp.argsort(o, kind="stable"),
    "concatenate": lambda xp, o: xp.concatenate([o, o]),
    "concatenate, a number first": lambda xp, o: xp.hstack([1.0, o]),
    "concatenate, axis": lambda xp, o: xp.concatenate((np.ones(2), o), axis=1),
    "stack": lambda xp, o: xp.stack([o, o]),
    "vstack": lambda xp, o: xp.vstack([o]),
    "where": lambda xp, o: xp.where(o, 1, 2),
    "where, none": lambda xp, o: xp.where(o, None, 2),
    "zeros_like": lambda xp, o: xp.zeros_like(o),
    "full_like": lambda xp, o: xp.full_like(o, 3.0),
    "histogram": lambda xp, o: xp.histogram(o),
    "histogram, bins": lambda xp, o: xp.histogram(o, bins=5),
    "unique": lambda xp, o: xp.unique(o),
    "linspace": lambda xp, o: xp.linspace(o, 1),
    "clip": lambda xp, o: xp.clip(o, 0, 1),
    "diff": lambda xp, o: xp.diff(o),
    "take": lambda xp, o: xp.take(o, [0]),
    "take, mode": lambda xp, o: xp.take(o, [0], mode="clip"),
    "roll": lambda xp, o: xp.roll(o, 1),
    "tensordot": lambda xp, o: xp.tensordot(o, o),
    "einsum": lambda xp, o: xp.einsum("ij->i", o),
    "searchsorted": lambda xp, o: xp.searchsorted(o, 3),
    "count_nonzero": lambda xp, o: xp.count_nonzero(o),
    "isclose": lambda xp, o: xp.isclose(o, 1.0),
    "nan_to_num": lambda xp, o: xp.nan_to_num(o),
    "pad": lambda xp, o: xp.pad(o, 1),
    "meshgrid": lambda xp, o: xp.meshgrid(o, indexing="ij"),
    "broadcast_to": lambda xp, o: xp.broadcast_to(o, (2, 2)),
}


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy tells few signatures")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_another_library_is_asked_as_by_numpy(call):
    ours, theirs = Other(), Other()
    assert call(ca, ours) == call(np, theirs) == "other"
    (asked,), (wanted,) = ours.asked, theirs.asked
    assert asked[0] is wanted[0]
    signature = inspect.signature(asked[0])
    got, given = (dict(signature.bind(*args, **kwargs).arguments) for _, args, kwargs in (asked, wanted))
    assert repr(got).replace(hex(id(ours)), "") == repr(given).replace(hex(id(theirs)), "")


@pytest.mark.parametrize("mode", [ca.fake, ca.deferred, lambda: ca.budget("1 MiB", small=0), ca.simulate, ca.aliasing])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_another_library_is_asked_inside_a_mode(call, mode):
    other = Other()
    with mode():
        assert call(ca, other) == "other"
    assert len(other.asked) == 1


def test_what_another_library_computes_is_of_the_mode_around():
    class Wrapped:
        def __array_function__(self, function, types, args, kwargs):
            return inside + 1

    inside = ca.ones(3)
    with ca.fake():
        assert ca.is_fake(ca.sum(Wrapped()))
        inside = np.ones(3)
        assert type(ca.sum(Wrapped())) is ca.ndarray


@pytest.mark.parametrize("shapes", [((6,), (6,)), ((3, 3), (3,)), ((6,), (6, 6)), ((3, 3), (3, 3))])
def test_a_product_in_place_with_a_subclass_is_numpys(shapes):
    for priority in (0.0, 10.0):
        x, n, other = ca.ones(shapes[0]), np.ones(shapes[0]), np.ones(shapes[1]).view(Own)
        vars(other)["__array_priority__"] = priority
        kept = x
        if other.ndim == 1:
            for each in (x, n):
                with pytest.raises(ValueError, match="inplace matrix multiplication"):
                    each @= other
        else:
            x @= other
            n @= other
        assert x is kept
        assert x.tolist() == n.tolist()


@pytest.mark.parametrize("shapes", [((6,), (6,)), ((3, 3), (3,)), ((6,), (6, 6)), ((3, 3), (3, 3))])
def test_a_product_in_place_with_a_class_that_hands_on_is_numpys(shapes):
    class Wrapped:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            asked.append(kwargs["axes"])
            return ufunc(*[inside if each is self else each for each in inputs], **kwargs)

    asked = []
    x, n, inside = ca.ones(shapes[0]), np.ones(shapes[0]), np.ones(shapes[1])
    for each in (x, n):
        if inside.ndim == 1:
            with pytest.raises(ValueError, match=r"matrix multiplication|core dimensions"):
                each @= Wrapped()
        else:
            each @= Wrapped()
    assert x.tolist() == n.tolist()
    assert asked[0] == asked[1]
