"""Shapes, sizes, strides, offsets and indices about 2^31, 2^32 and 2^63: NumPy's result, or its class of error.

The memory is virtual: zero strides, and maps without pages of which only some are touched.
"""

import ctypes
import math
import mmap
import operator
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import agree, outcome, same
from support.programs import run

import cowarray

pytestmark = pytest.mark.skipif(sys.maxsize < 2**63 - 1, reason="the boundaries of 64 bits")

LARGEST = 2**63 - 1
EDGES = sorted({edge + d for edge in (2**31, 2**32, 2**57, 2**58, 2**62) for d in (-1, 0, 1)} | {LARGEST - 1, LARGEST})


# ---- import_memory of the C API ------------------------------------------------------------------------------------


class Api(ctypes.Structure):
    """CowArray_API of cowarray/python.h."""

    _fields_ = (
        ("version", ctypes.c_int),
        *(
            (name, ctypes.c_void_p)
            for name in ("check", "const_begin", "mutable_begin", "end", "lazy_clone", "import_")
        ),
    )


def import_memory(data, shape, strides, dtype, fresh=False, owner=None, ndim=None):
    """CowArray_FromMemory."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    api = Api.from_address(pointer(cowarray._C_API, b"cowarray._C_API"))
    numbers = ctypes.POINTER(ctypes.c_ssize_t)
    function = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.py_object,
        ctypes.c_void_p,
        ctypes.c_int,
        numbers,
        numbers,
        ctypes.py_object,
        ctypes.c_int,
    )(api.import_)
    lengths = (ctypes.c_ssize_t * max(len(shape), 1))(*shape)
    steps = None if strides is None else (ctypes.c_ssize_t * max(len(strides), 1))(*strides)
    return function(owner, data, len(shape) if ndim is None else ndim, lengths, steps, dtype, fresh)


@st.composite
def layouts(draw):
    shape = draw(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(EDGES)), max_size=4))
    stride = st.one_of(st.integers(-9, 9), st.sampled_from(EDGES), st.sampled_from(EDGES).map(operator.neg))
    strides = draw(st.none() | st.lists(stride | st.just(-LARGEST - 1), min_size=len(shape), max_size=len(shape)))
    return shape, strides, draw(st.sampled_from([0, 1, 2, 8, 2**31 - 1]))


MEMORY = ctypes.create_string_buffer(64)


@settings(max_examples=600, deadline=None, database=None, derandomize=True)
@given(layouts(), st.booleans())
def test_import_takes_what_fits_and_refuses_what_does_not(layout, fresh):
    """Nothing is read: that the memory is there is the caller's word."""
    shape, strides, itemsize = layout
    size = math.prod(length for length in shape if length) * max(itemsize, 1)
    low = high = 0
    if strides is not None and 0 not in shape:
        reach = [(length - 1) * step for length, step in zip(shape, strides, strict=True)]
        low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    address = ctypes.addressof(MEMORY)
    fits = size <= LARGEST and high - low + itemsize <= LARGEST and address + low > 0
    dtype = np.dtype(("V", itemsize))
    if not fits:
        with pytest.raises(ValueError, match=r"too big|before the start"):
            import_memory(address, shape, strides, dtype, fresh)
        return
    x = import_memory(address, shape, strides, dtype, fresh)
    assert (x.shape, x.itemsize) == (tuple(shape), itemsize)
    if strides is not None:
        assert x.strides == tuple(strides)
    assert x.size == math.prod(shape)
    assert x.storage.data_ptr == address + low
    if 0 not in shape:
        span = itemsize * math.prod(shape) if strides is None else high - low + itemsize
        assert x.storage.nbytes == span


@pytest.mark.parametrize("ndim", [-(2**31), -1, 65, 2**31 - 1])
def test_import_of_an_impossible_number_of_axes(ndim):
    with pytest.raises(ValueError, match="axes"):
        import_memory(ctypes.addressof(MEMORY), [1], None, np.dtype("u1"), ndim=ndim)


def test_import_of_negative_lengths():
    for shape in ([-1], [2, -(2**62)], [-LARGEST - 1, 0]):
        with pytest.raises(ValueError, match="negative"):
            import_memory(ctypes.addressof(MEMORY), shape, None, np.dtype("u1"))


def test_asarray_of_strides_that_reach_around_the_address_space():
    for shape, strides in [((3,), (2**62,)), ((2,), (-LARGEST - 1,)), ((5,), (2**62,)), ((2, 2), (2**62, 2**62))]:
        wild = np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), shape, strides, writeable=False)
        with pytest.raises(ValueError, match="address space"):
            cowarray.asarray(wild, copy=False)


# ---- zero strides: sizes up to what a signed number holds ------------------------------------------------------------


def facts(x):
    return x.shape, x.strides, x.size, x.nbytes, x.ndim, x.itemsize


# Each gives something small: facts of the result, an element, or an error.
CALLS = {
    "facts": facts,
    "len": len,
    "first": lambda x: x[0].shape,
    "snapshot": lambda x: facts(np.asarray(x)),
    "memoryview": lambda x: memoryview(x).nbytes,
    "T": lambda x: facts(x.T),
    "newaxis": lambda x: facts(x[None, ..., None]),
    "flip": lambda x: facts(np.flip(x)),
    "reversed": lambda x: facts(x[::-1]),
    "swapaxes": lambda x: facts(x.swapaxes(0, -1)),
    "moveaxis": lambda x: facts(np.moveaxis(x, 0, -1)),
    "squeeze": lambda x: facts(x.squeeze()),
    "reshape view": lambda x: facts(x.reshape(-1, 1, copy=False)),
    "ravel": lambda x: x.ravel().shape,
    "flatten": lambda x: x.flatten().shape,
    "copy": lambda x: x.copy().shape,
    "copy F": lambda x: x.copy(order="F").shape,
    "astype": lambda x: x.astype("f8").shape,
    "view": lambda x: facts(x.view("i1")),
    "view u2": lambda x: facts(x.view("u2")),
    "add": lambda x: (x + 1).shape,
    "negative": lambda x: np.negative(x).shape,
    "equal": lambda x: (x == 0).shape,
    "zeros_like": lambda x: np.zeros_like(x, "f8").shape,
    "repeat": lambda x: np.repeat(x, 2).shape,
    "repeat often": lambda x: np.repeat(x.reshape(-1, copy=False)[:2], 2**62).shape,
    "tile": lambda x: np.tile(x, 2**31).shape,
    "concatenate": lambda x: np.concatenate([x, x]).shape,
    "stack": lambda x: np.stack([x, x, x]).shape,
    "broadcast further": lambda x: facts(np.broadcast_to(x, (2**31, *x.shape))),
    "broadcast a little": lambda x: facts(np.broadcast_to(x, (3, *x.shape))),
    "expand": lambda x: facts(np.expand_dims(x, (0, 3))),
    "windows": lambda x: facts(np.lib.stride_tricks.sliding_window_view(x, 2**31, axis=-1)),
    "array": lambda x: x.__array__(copy=True).shape,
    "write": lambda x: x.__setitem__(0, 1),
    "resize": lambda x: x.resize(2**62),
    "np.resize": lambda x: np.resize(x[:0], 2**62).shape,
    "item": lambda x: x.item(x.size - 1),
    "item beyond": lambda x: x.item(x.size),
    "flat": lambda x: x.flat[x.size - 1],
    "flat beyond": lambda x: x.flat[2**63],
    "take": lambda x: x.take([2**31, 5, -1]).tolist(),
    "take beyond": lambda x: x.take(2**63 - 1),
    "split": lambda x: [part.shape for part in np.split(x, 3)],
    "array_split": lambda x: [part.shape for part in np.array_split(x, 3)],
    "compress": lambda x: x.compress([True], axis=0).ndim,
}
SHAPES = [(2**31,), (2**32 + 1,), (2**31 - 1, 3), (3, 2**31), (2**16, 2**16), (2**48,), (2**31, 2**31), (LARGEST,)]


# These would find memory for a copy that is not too large, and touch it.
COPYING = ["take", "take beyond", "ravel", "flatten", "copy", "copy F", "astype", "add", "negative", "equal"]
COPYING += ["zeros_like", "repeat", "tile", "concatenate", "stack", "array", "compress"]


@pytest.mark.parametrize(
    ("call", "shape"),
    [(call, shape) for call in CALLS for shape in SHAPES if call not in COPYING or math.prod(shape) > 2**40],
    ids=str,
)
def test_broadcast_array_as_numpys(shape, call):
    plain = np.broadcast_to(np.array([7], "u1"), shape)
    x = np.broadcast_to(cowarray.array(np.array([7], "u1")), shape)
    assert type(x) is cowarray.ndarray
    agree(outcome(CALLS[call], x), outcome(CALLS[call], plain))


INDICES = [
    *EDGES,
    *(-edge for edge in EDGES),
    -LARGEST - 1,
    2**63,
    -(2**63) - 1,
    2**64,
    2**64 + 5,
]
SLICES = [
    slice(a, b, c)
    for a in (None, 0, 2**31, -(2**31), 2**63, -(2**64))
    for b in (None, 2**31 + 3, -1, 2**63 - 1, 2**70)
    for c in (None, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1, 2**64)
]


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**32 + 1, 2**62, LARGEST])
def test_index_about_the_edges_as_numpys(length):
    plain = np.broadcast_to(np.array([7], "u1"), (length,))
    x = np.broadcast_to(cowarray.array(np.array([7], "u1")), (length,))
    for index in (*INDICES, length - 1, length, -length, -length - 1):
        agree(outcome(operator.getitem, x, index), outcome(operator.getitem, plain, index))
        for key in ([0, index], (index, None), (Ellipsis, index), np.array([index % LARGEST])):
            agree(outcome(operator.getitem, x, key), outcome(operator.getitem, plain, key))
    for part in SLICES:
        agree(outcome(lambda y, part=part: facts(y[part]), x), outcome(lambda y, part=part: facts(y[part]), plain))


def test_write_at_an_index_out_of_range_as_numpys():
    for shape in ((5,), (1,), (2, 3), (0,)):
        plain = np.arange(float(math.prod(shape))).reshape(shape)
        x = cowarray.array(plain)
        kept = x.copy()
        ends = [index for length in shape for index in (length - 1, length, -length, -length - 1)]
        for index in (*INDICES, *ends):
            for key in (index, (index,), (0, index), (index, 0), [index], slice(index, None, None), slice(0, 3, index)):
                for write in (lambda y, key=key: y.__setitem__(key, 9), lambda y, key=key: y[key]):
                    agree(outcome(write, x), outcome(write, plain))
                agree(outcome(x.put, index, 7), outcome(plain.put, index, 7))
                same(x, plain)
        same(kept, np.arange(float(math.prod(shape))).reshape(shape))


# ---- memory without pages --------------------------------------------------------------------------------------------


HUGE = 2**32 + 2**13 + 64


def reserve_nothing(nbytes=HUGE):
    """A writable map that takes a page where it is touched, and no more."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    return mmap.mmap(-1, nbytes, flags=flags)


@pytest.fixture
def twins():
    """An array of HUGE bytes of its own, and NumPy's."""
    ours, theirs = reserve_nothing(), reserve_nothing()
    address = np.frombuffer(ours, "u1").ctypes.data
    return import_memory(address, [HUGE], None, np.dtype("u1"), True, ours), np.frombuffer(theirs, "u1")


OFFSETS = [0, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 4095, HUGE - 9]


def write_about(x):
    for value, offset in enumerate(OFFSETS, 1):
        x[offset] = value
        x[offset + 1 : offset + 4] = [value, 0, value]
        x[offset + 4 : offset + 6] += value
        x[[offset + 6, offset + 7]] = value
    x[:: 2**31] += 1
    x[:: -(2**32)] = 77
    x[: 2**32].reshape(2, 2**31, copy=False)[1, 2**30 :][:3] = 9
    x.reshape(1, -1, copy=False)[0, 2**32 + 64 :][:3] = 9
    x[1:-7].view("u8")[2**29 :][:2] = 2**60
    np.put(x, [2**32 + 50, -1], [5, 6])
    x[-8:].fill(3)


def test_writes_and_views_far_inside_large_memory(twins):
    x, plain = twins
    storage = x.storage
    for y in twins:
        write_about(y)
    assert x.storage is storage
    for offset in OFFSETS:
        for part in (
            slice(max(offset - 30, 0), offset + 30),
            slice(offset, None, 2**31),
            slice(offset, None, -(2**31)),
        ):
            assert x[part].tolist() == plain[part].tolist()
            copied = x[part].copy()
            assert copied.tolist() == plain[part].tolist()
            assert not cowarray.aliases(copied, x)
            assert np.asarray(x[part]).tolist() == plain[part].tolist()
            assert cowarray.aliases(x, x[part])
    assert x.reshape(2, -1, copy=False)[1, 5] == plain[HUGE // 2 + 5]


def test_lazy_copies_of_large_memory_share_it_until_they_are_dropped(twins, whole_copies):
    x, _ = twins
    cowarray.reset_stats()
    kept = [x.copy(), x.reshape(4, -1), x[2**31 :].copy(), np.asarray(x[2**30 :]), x.view("u8").reshape(-1, 2)]
    figures = cowarray.stats()
    assert (figures["bytes_copied"], x.storage.share_count) == (0, 6)
    assert [k.storage.data_ptr - x.storage.data_ptr for k in kept if type(k) is cowarray.ndarray] == [0, 0, 2**31, 0]
    assert cowarray.explain(x).next_write_copies == HUGE
    assert cowarray.explain(kept[2]).next_write_copies == HUGE - 2**31
    with cowarray.no_copy(), pytest.raises(cowarray.CopyError, match=str(HUGE)):
        x[5] = 1
    del kept
    with cowarray.no_copy():
        x[2**32 + 5] = 1
    assert x[2**32 + 5] == 1


def test_write_to_a_sparse_file_that_does_not_fit_leaves_it_shared(tmp_path):
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.truncate(HUGE)
        file.seek(2**32 + 7)
        file.write(b"\x05")
    run(
        """
        import resource
        mapped = np.memmap(sys.argv[1], "u1", "r")
        x = ca.asarray(mapped)
        y = x.copy()
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), resource.getrlimit(resource.RLIMIT_AS)[1]))
        for write in (
            lambda: x.__setitem__(2**32 + 7, 1), lambda: x.fill(0), lambda: y.__iadd__(1), lambda: y.sort(),
            lambda: x.to_numpy(writable=True), lambda: x[3 * 2**30 :].copy(), lambda: x[::-1].astype("u2"),
        ):
            try:
                write()
            except MemoryError:
                continue
            raise AssertionError("no MemoryError")
        assert x[2**32 + 7] == y[2**32 + 7] == 5 and not x[2**31 - 3 : 2**31 + 3].any()
        assert x.storage.share_count == 2
        small = x[2**32 : 2**32 + 4096].copy()
        small[7] += 1
        assert (small.sum(), x[2**32 + 7]) == (6, 5)
        """,
        path,
    )


def test_elements_of_two_gigabytes():
    dtype = np.dtype(("V", 2**31 - 1))
    calls = (
        facts,
        lambda y: facts(y[::-1]),
        lambda y: facts(y.reshape(2, 2)[:, 1]),
        lambda y: facts(y.view("u1")),
        lambda y: facts(y.view("V2")),
        lambda y: facts(np.broadcast_to(y[:1], (2**31,))),
        lambda y: facts(np.broadcast_to(y[:1], (2**33,))),
        lambda y: int(y.view("u1")[2**32 + 2]),
        lambda y: y.view("u1")[2**32 :][:5].tolist(),
        lambda y: facts(np.asarray(y)),
    )

    def outcomes(y):
        y[1:].view("u1")[2**31 + 3] = 9
        return [outcome(call, y) for call in calls]

    memory = reserve_nothing(2**33)  # one at a time
    found = outcomes(import_memory(np.frombuffer(memory, "u1").ctypes.data, [4], None, dtype, True, memory))
    del memory
    for ours, theirs in zip(found, outcomes(np.frombuffer(reserve_nothing(2**33), dtype, 4)), strict=True):
        agree(ours, theirs)


def test_bound_of_what_is_kept():
    before = cowarray.keep_freed(2**64 - 1)
    try:
        x = cowarray.array(np.zeros(2**20))
        x.copy()[0] = 1
        assert cowarray.keep_freed(2**63) == 2**64 - 1
        for wrong in (-1, 2**64):
            with pytest.raises(OverflowError, match=f"keep_freed: nbytes .* {wrong}"):
                cowarray.keep_freed(wrong)
        for wrong in ("1 MiB", 1.5, None):
            with pytest.raises(TypeError, match="keep_freed: nbytes must be an integer"):
                cowarray.keep_freed(wrong)
    finally:
        cowarray.keep_freed(before)
