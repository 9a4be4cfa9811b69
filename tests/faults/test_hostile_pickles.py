"""Pickles that lie: unpickling calls our constructor and nothing else, and that believes nothing it has not checked."""

import io
import pickle
import pickletools
import random

import numpy as np
import pytest
from support.limits import little_memory
from support.numpy_versions import happens
from support.oracle import native, outcome, same

import cowarray

pytestmark = pytest.mark.numpy_ends

RECORD = np.dtype((np.record, [("a", "i1"), ("b", ">f8")]))
NESTED = np.dtype([("p", "f4", (2, 3)), ("q", [("r", "<M8[25s]"), ("s", RECORD, (2,))])])
DTYPES = [
    "?", "i1", "<u4", ">i4", "e", "f8", ">f8", "g", "D", "G", "M8[ns]", "m8", "m8[25s]", ">M8[D]", "S3", "U4", ">U2",
    "V5", "S0", "U0", "V0", [], [("a", "i1"), ("b", ">f8")], [(("title", "a"), "i4")], [("\u00e4\u4e2d", "i4")], RECORD,
    NESTED, np.dtype([("a", "i1"), ("b", "f8")], align=True), np.dtype("i4", metadata={"enum": {"a": 1}}),
    np.dtype([("a", np.dtype("i4", metadata={"k": 1}))], metadata={"l": 2}), [("e", "V0"), ("f", "i2")],
    np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [2, 0], "itemsize": 9}),
]  # fmt: skip

LAYOUTS = {
    "C": lambda a: a,
    "Fortran": lambda a: a.T,
    "strided": lambda a: a[::-1, ::2],
    "0-d": lambda a: a[1, 1, ...],
    "empty": lambda a: a[:, :0],
}


def example(dtype):
    dtype = np.dtype(dtype)
    array = np.zeros((2, 3), dtype)
    if dtype.itemsize and dtype.kind != "U" and dtype.kind != "?":
        array.view("u1")[...] = np.arange(array.nbytes, dtype="u1").reshape(2, -1) % 7
    return array


class OnlyOurs(pickle.Unpickler):
    """What a careful receiver writes: one name is allowed."""

    def find_class(self, module, name):
        if (module, name) != ("cowarray", "_unpickle"):
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed")
        return super().find_class(module, name)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_unpickler_that_allows_one_name_loads_every_array_of_bytes(dtype, protocol):
    for layout in LAYOUTS.values():
        source = layout(example(dtype))
        x = cowarray.asarray(source, copy=False)
        results = [OnlyOurs(io.BytesIO(pickle.dumps(x, protocol))).load()]
        if protocol >= 5:
            for kind in (lambda buffer: buffer, bytes, bytearray):
                buffers = []
                payload = pickle.dumps(x, protocol, buffer_callback=buffers.append)
                results.append(OnlyOurs(io.BytesIO(payload), buffers=map(kind, buffers)).load())
        for got in results:
            assert got.dtype.metadata == source.dtype.metadata
            assert got.dtype.isalignedstruct == source.dtype.isalignedstruct
            assert got.dtype.type is source.dtype.type
            same(got, source)


def test_dtypes_that_have_no_description_go_through_numpys_pickle():
    class Mine(np.void):
        pass

    globals()["Mine"] = Mine
    Mine.__qualname__ = "Mine"
    deep = np.dtype("i4")
    for _ in range(60):
        deep = np.dtype([("a", deep)])
    for dtype in (np.dtype((Mine, [("a", "i4")])), deep, np.dtype([("a", (Mine, [("b", "i4")]))]), np.dtype(object)):
        x = cowarray.asarray(np.zeros(3, dtype))
        got = pickle.loads(pickle.dumps(x))
        assert (got.dtype, got.dtype.type, got.shape) == (dtype, dtype.type, (3,))
        with pytest.raises(pickle.UnpicklingError):
            OnlyOurs(io.BytesIO(pickle.dumps(x))).load()


# ---- malformed -------------------------------------------------------------------------------------------------------


def parts(dtype="f8"):
    """The function of a pickle, and good arguments to spoil."""
    function, arguments = cowarray.array(np.zeros((2, 3), dtype)).__reduce_ex__(3)[:2]
    return function, list(arguments)


def test_the_parts_of_a_pickle_are_those_that_are_spoiled_here():
    function, (payload, description, shape, order) = parts()
    assert (len(payload), description, shape, order) == (48, "<f8", (2, 3), "C")
    assert function(payload, description, shape, order).shape == (2, 3)
    structure = parts([("a", "i4"), (("title", "b"), "f4")])[1][1]
    assert structure == ("fields", ("a", "b"), ("<i4", "<f4"), (0, 4), (None, "title"), 8, False, False)


def fields(**changes):
    """The description of a structured dtype of 8 bytes, spoiled."""
    good = {
        "names": ("a", "b"), "formats": ("<i4", "<f4"), "offsets": (0, 4), "titles": (None, None), "itemsize": 8,
        "aligned": False, "record": False,
    }  # fmt: skip
    return {1: ("fields", *(good | changes).values())}


def deep(levels):
    description = "<f8"
    for _ in range(levels):
        description = ("subarray", description, (1,))
    return description


class Text(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class Number(int):
    def __index__(self):
        return 1 << 40


def lying(*state, start="V8"):
    """A dtype that NumPy's own unpickling has made, and that says what is not so."""
    dtype = np.dtype(start)
    dtype.__setstate__(state)
    return dtype


MALFORMED = {
    "too few bytes": {0: bytes(47)},
    "too many bytes": {0: bytes(49)},
    "no bytes": {0: b""},
    "too little text": {0: "x" * 47},
    "text of more than bytes": {0: "\u4e2d" * 48},
    "no text": {0: ""},
    "nothing": {0: None},
    "a number": {0: 48},
    "bytes far apart": {0: memoryview(bytes(96))[::2]},
    "larger items": {0: memoryview(bytes(48 * 8)).cast("d")},
    "a dtype": {1: np.dtype("f8")},
    "a dtype whose field is elsewhere": {1: lying(3, "|", None, ("a",), {"a": (np.dtype("f8"), 1000)}, 8, 1, 0)},
    "a dtype that denies its objects": {1: lying(3, "|", None, ("a",), {"a": (np.dtype("O"), 0)}, 8, 1, 0)},
    "a dtype of negative size": {1: lying(3, "|", None, None, None, -8, 1, 0)},
    "no description": {1: None},
    "a native name": {1: "f8"},
    "a name of other size": {1: "<f4"},
    "a name of no size": {1: "<f9"},
    "a name of huge size": {1: "|V4294967304"},
    "a name of negative size": {1: "|V-8"},
    "a name of bits": {1: "<f64"},
    "an unknown unit": {1: "<M8[xyz]"},
    "a unit beyond integers": {1: "<M8[9999999999s]"},
    "objects": {1: "|O8"},
    "StringDType": {1: "T"},
    "names with commas": {1: "<f4,<f4"},
    "a subclass of str": {1: Text("<f8")},
    "an empty description": {1: ()},
    "an unknown kind": {1: ("np.dtype", "<f8")},
    "an unhashable kind": {1: ([], "<f8")},
    "a list": {1: ["fields"]},
    "too short a description": {1: ("fields", ("a",))},
    "too long a description": {1: ("metadata", "<f8", {}, {})},
    "a subarray": {0: bytes(96), 1: ("subarray", "<f8", (2,))},
    "a subarray of one": {1: deep(1)},
    "nested deeply": {1: deep(49)},
    "nested too deeply": {1: deep(10_000)},
    "fields: objects": fields(formats=("|O8", "<f4")),
    "fields: beyond the element": fields(offsets=(0, 5)),
    "fields: far beyond": fields(offsets=(0, 2**31 - 1)),
    "fields: wraps around": fields(offsets=(0, 2**64 - 4)),
    "fields: before the element": fields(offsets=(0, -4)),
    "fields: a larger element": fields(itemsize=16),
    "fields: a smaller element": fields(itemsize=4),
    "fields: a negative element": fields(itemsize=-8),
    "fields: an element beyond integers": fields(itemsize=2**70),
    "fields: twice the same": fields(names=("a", "a")),
    "fields: a number for a name": fields(names=("a", 1)),
    "fields: a title that is a name": fields(titles=("b", None)),
    "fields: one name": fields(names=("a",)),
    "fields: one string for names": fields(names="ab"),
    "fields: a huge subarray": fields(formats=("<i4", ("subarray", "<f4", (2**31, 2**31)))),
    "fields: a huge empty subarray": fields(formats=("<i4", ("subarray", "<f4", (2**30, 2**30, 0)))),
    "fields: a negative subarray": fields(formats=("<i4", ("subarray", "<f4", (-1,)))),
    "fields: a subarray of lists": fields(formats=("<i4", ("subarray", "<f4", [1]))),
    "fields: misaligned": fields(offsets=(0, 3), itemsize=8, aligned=True, formats=("<i2", "<f4")),
    "fields: numbers of other types": fields(offsets=(0, Number(4))),
    "metadata of another type": {1: ("metadata", "<f8", [])},
    "negative": {2: (-2, -3)},
    "one negative": {2: (2, -1)},
    "other lengths": {2: (2, 4)},
    "no elements, and bytes": {2: (0, 3)},
    "a list of lengths": {2: [2, 3]},
    "floats": {2: (2.0, 3)},
    "booleans": {0: bytes(8), 2: (True, True)},
    "a subclass of int": {2: (Number(2), 3)},
    "huge": {2: (2**62, 2**62)},
    "beyond an integer": {2: (2**70, 3)},
    "beyond patience": {2: (1 << 10**8,) * 64},
    "wraps around to 48 bytes": {2: (2**61, 8, 6)},
    "huge and empty": {0: b"", 2: (2**62, 2**62, 0)},
    "huge and of nothing": {0: b"", 1: "|V0", 2: (2**62, 2**62)},
    "beyond an integer and empty": {0: b"", 2: (2**70, 0)},
    "too many axes": {2: (1,) * 63 + (2, 3)},
    "order K": {3: "K"},
    "order of another type": {3: 1},
    "an unhashable order": {3: ["C"]},
    "an order that is everything": {3: Text("A")},
    "no order": {3: None},
    "an order of one axis": {3: (0,)},
    "an order of three axes": {3: (0, 1, 2)},
    "an axis twice": {3: (0, 0)},
    "an axis from the end": {3: (0, -1)},
    "an axis that is true": {3: (0, True)},
    "axes in a list": {3: [1, 0]},
}


@pytest.mark.parametrize("spoil", MALFORMED.values(), ids=MALFORMED)
def test_malformed_pickles_raise(spoil):
    function, arguments = parts()
    for index, value in spoil.items():
        arguments[index] = value
    with pytest.raises((ValueError, TypeError, BufferError)):
        function(*arguments)


def test_text_and_bytes_and_empty_things_are_the_payloads_of_some_protocol():
    function, arguments = parts()
    assert function("\x00" * 48, *arguments[1:]).sum() == 0
    assert function("", "<f8", (2, 0), "C").shape == (2, 0)
    assert function("", "|V0", (2**40, 2**20), "F").shape == (2**40, 2**20)


def test_malformed_buffers_raise():
    buffers = []
    payload = pickle.dumps(cowarray.array(np.arange(6.0)), 5, buffer_callback=buffers.append)
    for bad in (b"", bytes(47), memoryview(bytes(96))[::2], "text", 3):
        with pytest.raises((ValueError, TypeError, BufferError)):
            pickle.loads(payload, buffers=[bad])
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(payload, buffers=[])
    buffers[0].release()
    with pytest.raises(ValueError, match="released"):
        pickle.loads(payload, buffers=buffers)


def test_malformed_pickles_of_objects_raise():
    function, arguments = parts(object)
    assert function(*arguments).tolist() == [[0, 0, 0], [0, 0, 0]]
    for bad in (None, [1, 2], b"", np.float64(1), np.ma.zeros(3)):
        with pytest.raises((ValueError, TypeError)):
            function(bad)


def test_state_set_afterwards_passes_the_setters_of_the_array():
    """BUILD of the pickle language sets attributes."""
    x = cowarray.array(np.arange(6.0))

    def built(**state):
        class Reduced:
            def __reduce__(self):
                function, arguments = x.__reduce_ex__(5)
                return function, arguments, (None, state)

        return pickle.loads(pickle.dumps(Reduced(), 5))

    assert built(shape=(2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    bad = [
        {"shape": (2**40,)}, {"shape": (7,)}, {"dtype": np.dtype(object)}, {"dtype": "V100"}, {"storage": 1}, {"nd": 3},
        {"strides": (10**9,)}, {"header": np.zeros(3)}, {"__class__": int}, {"T": 1}, {"data": b"x" * 48},
    ]  # fmt: skip
    for state in bad:
        with pytest.raises((ValueError, TypeError, AttributeError)):
            built(**state)


@pytest.mark.parametrize("name", ["ndarray", "Snapshot", "Flags", "FlatIterator"])
def test_no_class_of_ours_can_be_made_without_its_constructor(name):
    def payload(new):
        return b"\x80\x02ccowarray\n%s\n%s" % (name.encode(), new)

    for new in (b")\x81.", b"N\x85\x81.", b")R."):  # NEWOBJ, NEWOBJ with an argument, REDUCE
        with pytest.raises((TypeError, AttributeError)):
            pickle.loads(payload(new))


def test_damaged_pickles_raise_or_give_an_array():
    """Bytes changed at random, loaded by the careful receiver."""
    rng = random.Random(11)
    sources = [cowarray.asarray(example(dtype)) for dtype in ("f8", ">i4", "S3", "M8[ns]", NESTED, RECORD)]
    whole = [pickle.dumps(x, protocol) for x in sources for protocol in (2, 3, 4, 5)]
    loaded = refused = 0
    for _ in range(4000):
        data = bytearray(rng.choice(whole))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
        try:
            with little_memory():
                got = OnlyOurs(io.BytesIO(data)).load()
        except RecursionError:
            raise
        except Exception:  # pickle's own opcodes raise what they like
            refused += 1
            continue
        loaded += 1
        if type(got) is cowarray.ndarray:
            assert len(got.tobytes()) == got.nbytes
            if "U" not in str(got.dtype):  # of what is not Unicode, NumPy raises SystemError
                error = outcome(got.tolist)[1]
                assert error is outcome(native(got).tolist)[1]
                assert error is None or happens("tolist of a damaged datetime in a record is a SystemError"), error
            got[...] = np.zeros((), got.dtype)
    assert loaded > 200
    assert refused > 1000


def test_truncated_pickles_raise():
    payload = pickle.dumps(cowarray.array(np.arange(6.0)), 5)
    for length in range(len(payload)):
        with pytest.raises((pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError)):
            pickle.loads(payload[:length])


def test_a_pickle_names_one_function():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for dtype in ("f8", NESTED):
            payload = pickletools.optimize(pickle.dumps(cowarray.array(example(dtype)), protocol))
            names = [op.name for op, _, _ in pickletools.genops(payload)]
            assert names.count("GLOBAL") + names.count("STACK_GLOBAL") == 1
            assert names.count("REDUCE") == 1


def test_a_pickle_that_may_name_our_function_cannot_change_it():
    build = b"\x80\x02ccowarray\n_unpickle\n}X\x08\x00\x00\x00__name__X\x01\x00\x00\x00asb."
    before = dict(getattr(cowarray._unpickle, "__dict__", {}))
    with pytest.raises(AttributeError):
        OnlyOurs(io.BytesIO(build)).load()
    assert dict(getattr(cowarray._unpickle, "__dict__", {})) == before
