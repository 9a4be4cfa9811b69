"""Every dtype in every memory layout: ours make, index, write, copy, show, iterate and fail as NumPy's."""

import copy
import itertools

import numpy as np
import pytest
from support.numpy_versions import happens
from support.oracle import Witness, agree, outcome, same, value

import cowarray

pytestmark = pytest.mark.numpy_ends


def filled(dtype, *values):
    n = np.empty(len(values), dtype)
    for i, item in enumerate(values):
        n[i] = item
    return n


RECORD = np.dtype([("a", "i2"), ("b", "f8", (2,)), ("c", [("d", "S2")])])
PADDED = np.dtype({"names": ["x", "y"], "formats": ["u1", "f4"], "offsets": [1, 8], "itemsize": 16})
TITLED = np.dtype([(("title", "a"), "i4")])

# Name -> twelve elements, of which the first is the largest and none is the dtype's zero.
SAMPLES = {
    **{char: np.arange(12, 0, -1).astype(char) for char in "?bBhHiIlLqQefdgFDG"},
    **{char: np.arange(12, 0, -1).astype(char) for char in (">i4", ">u8", ">f2", ">f8", ">c16")},
    "M8[D]": np.arange(12, 0, -1).astype("M8[D]"),
    "M8[ns]": np.array([*range(12, 1, -1), "NaT"], "M8[ns]"),
    ">M8[s]": np.arange(12, 0, -1).astype(">M8[s]"),
    "m8[s]": np.arange(12, 0, -1).astype("m8[s]"),
    "m8": np.arange(12, 0, -1).astype("m8"),
    "S5": np.array([b"end", *[b"x" * (i % 4 + 1) for i in range(11)]], "S5"),
    "U5": np.array(["zürich"[:5], *[chr(97 + i) for i in range(11)]], "U5"),
    ">U3": np.array([chr(110 - i) for i in range(12)], ">U3"),
    "string": np.array([f"text {i}" * (i % 3 * 8 + 1) for i in range(12)], np.dtypes.StringDType()),
    "string with missing": np.array([None, *"abcdefghijk"], np.dtypes.StringDType(na_object=None)),
    "record": filled(RECORD, *[(12 - i, (i, -i), (b"%d" % i,)) for i in range(12)]),
    "padded": filled(PADDED, *[(12 - i, i / 2) for i in range(12)]),
    "titled": filled(TITLED, *[(12 - i,) for i in range(12)]),
    "subarray record": filled(np.dtype([("m", "u1", (2, 2))]), *[(np.full((2, 2), i + 1),) for i in range(12)]),
    "object record": filled(np.dtype([("o", "O"), ("i", "i4")]), *[(str(i), i) for i in range(12)]),
    "void": np.arange(60, dtype="u1").view("V5"),
    "object": filled("O", None, "text", 3, 2.5, (1, 2), [3], {4}, b"5", int, 7, 8, 2**70),
}
STRANGE = object()
PLAIN = [name for name in SAMPLES if not name.startswith(("object", "string"))]


def unaligned(n):
    """Equal to n, in memory that starts at an odd address."""
    raw = np.empty(n.nbytes + 1, "u1")[1:]
    shifted = raw.view(n.dtype) if n.dtype.itemsize > 1 else raw
    shifted[:] = n
    return shifted


# Name -> the array, made from one with an axis of twelve: the same function for both kinds.
LAYOUTS = {
    "contiguous": lambda a: a.reshape(3, 4, copy=False),
    "fortran": lambda a: a.reshape(3, 4, copy=False).T,
    "1-d": lambda a: a,
    "sliced": lambda a: a.reshape(3, 4, copy=False)[:, 1::2],
    "negative": lambda a: a[::-1].reshape(3, 4, copy=False)[:, ::-1],
    "3-d": lambda a: a.reshape(2, 3, 2, copy=False).swapaxes(0, 2),
    "broadcast": lambda a: np.broadcast_to(a[:4], (3, 4)),
    "0-d": lambda a: a[0, ...],
    "empty": lambda a: a[:0].reshape(0, 3, copy=False),
}

every_dtype = pytest.mark.parametrize("name", SAMPLES)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


def pair(name, layout="1-d", start=None):
    """Equal arrays in both kinds, each on a base of its own."""
    sample = SAMPLES[name] if start is None else start(SAMPLES[name])
    return LAYOUTS[layout](cowarray.array(sample)), LAYOUTS[layout](sample.copy())


def alike(function, name, layout="1-d", **kwargs):
    x, n = pair(name, layout)
    agree(outcome(function, x), outcome(function, n), **kwargs)
    same(x, n)


@every_dtype
@every_layout
def test_arrays_are_made_with_numpys_dtype_and_values(name, layout):
    n = LAYOUTS[layout](SAMPLES[name].copy())
    for made in (cowarray.array(n), cowarray.asarray(n), cowarray.array(n, order="F"), cowarray.array(n, ndmin=4)):
        same(made, np.array(n, ndmin=made.ndim))
        assert made.flags.writeable
    x, n = pair(name, layout)
    same(x, n)
    if n.size:
        assert [x.strides[axis] for axis in range(n.ndim)] == [*n.strides]
    frozen = n.copy()
    frozen.setflags(write=False)
    same(cowarray.asarray(frozen), n)
    if n.dtype.names is None and name != "void":
        same(cowarray.array(n.tolist(), dtype=n.dtype), np.array(n.tolist(), dtype=n.dtype))


@every_dtype
def test_scalars_become_0_d_arrays(name):
    scalar = SAMPLES[name][1]
    if name == "object":
        scalar = 5
    same(cowarray.asarray(scalar, dtype=SAMPLES[name].dtype), np.asarray(scalar, dtype=SAMPLES[name].dtype))


@pytest.mark.parametrize("name", PLAIN)
def test_unaligned_arrays(name):
    n = unaligned(SAMPLES[name])
    n.setflags(write=False)
    x = cowarray.asarray(n.copy() if n.base is None else n, copy=False)
    same(x, n)
    assert x.flags.aligned == n.flags.aligned
    duplicate, before = x.copy(), value(x)
    duplicate[2] = duplicate[0]
    changed = n.copy()
    changed[2] = changed[0]
    same(duplicate, changed)
    same(x, before)
    agree(outcome(lambda: duplicate == x), outcome(lambda: changed == n))


INDICES = {
    "integer": 1,
    "negative": -1,
    "numpy integer": np.int8(1),
    "tuple": (1, 0),
    "long tuple": (0, 0, 1),
    "slice": slice(1, None),
    "backwards": slice(None, None, -2),
    "empty slice": slice(2, 1),
    "ellipsis": ...,
    "ellipsis and integer": (..., 0),
    "newaxis": (None, slice(None), None),
    "none": None,
    "all integers and ellipsis": (0, 0, ...),
    "empty tuple": (),
    "list": [0, 1],
    "empty list": [],
    "integers": np.array([[1, 0], [0, 0]]),
    "integers and slice": (np.array([1, 0]), slice(0, 1)),
    "two lists": ([0, 1], [1, 0]),
    "slice between": ([0, 1], slice(None), [1, 0]),
    "true": True,
    "false": np.False_,
    "mask of rows": np.array([True, False, True]),
    "list of bools": [True, False, True],
    "mask": np.arange(12).reshape(3, 4) % 2 == 0,
    "0-d integer": np.array(1),
    "range": range(2),
    "out of range": 12,
    "list out of range": [0, 12],
    "too many": (0, 0, 0, 0, 0),
    "wrong mask": np.array([True] * 5),
    "float": 1.0,
    "string": "no such field",
    "two ellipses": (..., ...),
    "float array": np.array([1.0]),
    "object": object(),
    "strings": ["a", "b"],
    "field": "a",
    "field x": "x",
    "fields": ["x", "y"],
    "huge": 2**70,
}


def ours_key(key):
    if isinstance(key, np.ndarray):
        return cowarray.array(key)
    return tuple(map(ours_key, key)) if isinstance(key, tuple) else key


@every_dtype
@every_layout
def test_indexing_gives_what_numpy_gives(name, layout):
    worked = 0
    for label, key in INDICES.items():
        x, n = pair(name, layout)
        theirs = outcome(lambda n=n, key=key: n[key])
        for ours_form in (key, ours_key(key)):
            ours = outcome(lambda x=x, key=ours_form: x[key])
            agree(ours, theirs)
            if type(theirs[0]) is np.ndarray and theirs[0].size and type(ours[0]) is cowarray.ndarray:
                shares = np.shares_memory(theirs[0], n)
                assert (ours[0].storage is x.storage) == shares, label
        worked += theirs[1] is None
    assert worked >= 4


@every_dtype
@every_layout
def test_assignment_writes_what_numpy_writes_and_no_copy_sees_it(name, layout):
    sample = SAMPLES[name]
    for key, source in itertools.product(INDICES.values(), ("scalar", "array", "list", "wrong", "ours")):
        x, n = pair(name, layout)
        witness = Witness(x)
        new = {
            "scalar": sample[1],
            "array": sample[1:2],
            "list": [sample[2]],
            "wrong": sample[:5],
            "ours": sample[3:4],
        }[source]
        given = cowarray.array(new) if source == "ours" else new
        theirs = outcome(n.__setitem__, key, new)
        ours = outcome(x.__setitem__, ours_key(key), given)
        assert (ours[1] is None) == (theirs[1] is None), (key, source, ours, theirs)
        wrong_twice = outcome(n.__getitem__, key)[1] and (source == "wrong" or theirs[1] is not IndexError)
        if theirs[1] and not wrong_twice:
            assert issubclass(ours[1], theirs[1]) or issubclass(theirs[1], ours[1]), (key, source, ours, theirs)
        if theirs[1]:
            n = pair(name, layout)[1]  # NumPy may leave half a record; with us a failed conversion changes nothing
        same(x, n)
        witness.check()


@every_dtype
@every_layout
def test_copies_are_isolated(name, layout):
    for make in (
        lambda a: a.copy(),
        lambda a: a.copy("F"),
        lambda a: a.reshape(-1),
        lambda a: a.ravel("K"),
        lambda a: a.flatten(),
        lambda a: a.astype(a.dtype),
        copy.copy,
        np.copy,
    ):
        x, n = pair(name, layout)
        before = value(x)
        duplicate, eager = make(x), make(n).copy(order="K")
        same(duplicate, eager)
        assert duplicate.storage is not x.storage
        assert duplicate.flags.writeable
        if name in PLAIN and layout == "1-d":
            assert cowarray.shares_bytes(duplicate, x)
        duplicate[...] = SAMPLES[name][1]
        same(x, before)
        if x.flags.writeable:
            duplicate = make(x)
            x[...] = SAMPLES[name][1]
            same(duplicate, eager)


@every_dtype
@every_layout
def test_text_is_numpys(name, layout):
    for show in (repr, str, format, lambda a: f"{a!r:>80}", lambda a: format(a, ".3")):
        alike(show, name, layout)


@every_dtype
@every_layout
def test_iteration_and_conversion(name, layout):
    for read in (
        lambda a: [*a],
        lambda a: [*a.flat],
        lambda a: repr(a.tolist()),
        lambda a: repr(a.item(0)),
        lambda a: repr(a.item()),
        len,
        bool,
        int,
        float,
        complex,
        lambda a: a.__index__(),
        lambda a: a.T[0],
        lambda a: a[()],
        lambda a: a.flat[0],
    ):
        alike(read, name, layout)
    if not (name.startswith("string") and happens("a slice of flat of strings is damaged")):
        alike(lambda a: a.flat[1:3], name, layout)
    if name in PLAIN and name != "padded":  # the bytes of others are addresses, or padding that no copy keeps
        alike(lambda a: a.tobytes(), name, layout)
        alike(lambda a: a.tobytes("F"), name, layout)


@every_dtype
def test_elements_are_numpys_scalars_and_do_not_see_later_writes(name):
    x, n = pair(name)
    assert type(x[0]) is type(n[0])
    assert getattr(x[0], "dtype", None) == getattr(n[0], "dtype", None)
    kept, before = x[0], repr(n[0])
    x[0] = x[3]
    assert repr(kept) == before


@pytest.mark.parametrize("name", ["record", "padded", "titled", "subarray record", "object record"])
def test_fields_are_views(name):
    x, n = pair(name)
    witness = Witness(x)
    for field in n.dtype.names:
        part = x[field]
        assert part.storage is x.storage
        same(part, n[field])
        part[1:] = n[field][0]
        n[field][1:] = copy.copy(n[field][0])
        same(x, n)
        x[field] = n[field][2:3]
        n[field] = n[field][2:3]
        same(x, n)
    several = x[[*n.dtype.names]]
    assert several.storage is x.storage
    same(several, n[[*n.dtype.names]])
    x[0] = n[0] = n[5]
    same(x, n)
    witness.check()


COMPUTE = {
    "equal": lambda a: a == a[::-1],
    "less": lambda a: a < a[::-1],
    "add": lambda a: a + a,
    "max": lambda a: a.max(),
    "argmax": lambda a: a.argmax(0),
    "sum": lambda a: a.sum(),
    "mean": lambda a: a.mean(),
    "sort": lambda a: np.sort(a),
    "argsort": lambda a: a.argsort(kind="stable"),
    "unique": lambda a: np.unique(a),
    "concatenate": lambda a: np.concatenate([a, a]),
    "where": lambda a: np.where(np.arange(len(a)) % 2, a, a[::-1]),
    "nonzero": lambda a: a.nonzero(),
    "byteswap": lambda a: a.byteswap(),
    "newbyteorder": lambda a: a.view(a.dtype.newbyteorder()),
    "astype object": lambda a: a.astype(object),
    "astype str": lambda a: a.astype(str),
    "astype swapped": lambda a: a.astype(a.dtype.newbyteorder("S")),
    "astype bytes": lambda a: a.view("u1"),
    "view wider": lambda a: a.view("V3"),
    "zeros_like": lambda a: np.zeros_like(a),
    "full_like": lambda a: np.full_like(a, a[0]),
    "take": lambda a: a.take([2, 1]),
    "repeat": lambda a: a.repeat(2),
    "fill": lambda a: a.fill(a.flat[2]),
    "put": lambda a: a.put([0, 2], a[:2].copy()),
    "in-place sort": lambda a: a.sort(),
    "in-place swap": lambda a: a.__setitem__([0, 1], a[[1, 0]]),
    "full overwrite": lambda a: a.__setitem__(..., a[::-1]),
    "inplace add": lambda a: a.__iadd__(a[1:2]),
    "contains": lambda a: a[1] in a,
    "getfield": lambda a: a.getfield("u1", 0),
}


# With StringDType.
CRASHING = {"byteswap": "byteswap of strings crashes", "inplace add": "adding strings in place crashes"}


@every_dtype
@pytest.mark.parametrize("operation", COMPUTE)
@pytest.mark.parametrize("layout", ["1-d", "sliced", "negative", "empty"])
def test_operations(name, operation, layout):
    if name.startswith("string") and operation in CRASHING and happens(CRASHING[operation]):
        return
    if operation in ("astype bytes", "getfield") and name == "padded":
        return  # padding is copied by nobody
    x, n = pair(name, layout)
    witness = Witness(x)
    agree(outcome(COMPUTE[operation], x), outcome(COMPUTE[operation], n))
    same(x, n)
    witness.check()


@every_dtype
@every_layout
def test_errors_are_numpys_and_change_nothing(name, layout):
    failing = {
        "wrong shape": lambda a: a.__setitem__(..., np.zeros((7, 9), a.dtype)),
        "wrong shape of a slice": lambda a: a.__setitem__(slice(0, 2), np.zeros((5, 9), a.dtype)),
        "wrong list": lambda a: a.__setitem__(..., [[1, 2], [3]]),
        "unsafe value": lambda a: a.__setitem__(..., "no number"),
        "unsafe object": lambda a: a.__setitem__(..., np.array([STRANGE])),
        "unsafe cast": lambda a: np.copyto(a, np.array([1j]), casting="safe"),
        "unsafe ufunc": lambda a: np.add(a, 1j, out=a, casting="safe"),
        "missing index": lambda a: a[99],
        "bad reshape": lambda a: a.reshape(7, 11),
        "bad axis": lambda a: a.sum(axis=9),
        "bad transpose": lambda a: a.transpose(0, 0),
        "bad squeeze": lambda a: a.squeeze(axis=-9),
        "bad take": lambda a: a.take(99),
        "bad put": lambda a: a.put(99, a.flat[0]),
        "bad dtype": lambda a: a.astype("no such dtype"),
        "bad order": lambda a: a.copy("X"),
        "bad view": lambda a: a.view("V7"),
        "no such attribute": lambda a: a.nothing,
        "deletion": lambda a: a.__delitem__(0),
        "hash": hash,
    }
    errors = 0
    for function in failing.values():
        x, n = pair(name, layout)
        witness = Witness(x)
        theirs = outcome(function, n)
        agree(outcome(function, x), theirs)
        errors += theirs[1] is not None
        same(x, n)
        witness.check()
    assert errors >= 12
    if layout == "broadcast":
        return
    for function in (
        lambda a: a.__setitem__(..., a.flat[0]),
        lambda a: a.fill(a.flat[0]),
        lambda a: a.sort(),
        lambda a: a.__iadd__(a),
        lambda a: a.put(0, a.flat[0]),
        lambda a: a.partition(0),
        lambda a: np.copyto(a, a),
        lambda a: a.flat.__setitem__(0, a.flat[0]),
    ):
        x, n = pair(name, layout)
        witness = Witness(x)
        x.setflags(write=False)
        n.setflags(write=False)
        agree(outcome(function, x), outcome(function, n))
        same(x, n)
        assert x.storage.share_count == witness.copy.storage.share_count
        witness.check()


def test_what_has_been_viewed_as_a_dtype_of_somebody_elses_can_be_viewed_back():
    scaled = np._core._multiarray_umath._get_sfloat_dtype()  # one that NumPy has for its tests
    x = cowarray.array([1.0, 2.0])
    back = x.view(scaled(1.0)).view(float)
    assert back.storage is x.storage
    assert back.tolist() == [1, 2]
    for refusing in (cowarray.array([None]), cowarray.array(["a"], dtype=np.dtypes.StringDType())):
        with pytest.raises(TypeError, match="Cannot change data-type"):
            refusing.view("V8")
