"""DLPack producers that lie: a tensor that no memory can be is refused before it is believed, and is not consumed."""

import ctypes
import gc

import numpy as np
import pytest
from support.liars import BOOL, COMPLEX, FLOAT, INT, UINT, Producer, is_capsule

import cowarray

TOP = 2**64 - 1
MAX = 2**63 - 1

LIES = {
    "negative dimensions": {"ndim": -1},
    "the least of dimensions": {"ndim": -(2**31)},
    "65 dimensions": {"shape": (1,) * 65, "strides": (1,) * 65},
    "dimensions beyond counting": {"ndim": 2**31 - 1},
    "no shape": {"shape": None, "ndim": 1},
    "no shape, no strides": {"shape": None, "strides": None, "ndim": 3},
    "a negative length": {"shape": (-1,)},
    "negative lengths that give 8": {"shape": (-2, -4), "strides": (4, 1)},
    "the least length": {"shape": (-(2**63),)},
    "a length beyond memory": {"shape": (2**60,)},
    "the greatest length": {"shape": (MAX,), "strides": (0,)},
    "lengths that wrap around to 8": {"shape": (2**61 + 1, 8), "strides": (8, 1)},
    "lengths that wrap around to 0": {"shape": (2**32, 2**32), "strides": None},
    "lengths beyond memory, and 0": {"shape": (2**40, 2**40, 0), "strides": None},
    "no memory": {"data": 0},
    "no memory, one element": {"data": 0, "shape": (), "strides": None},
    "an offset that wraps around": {"offset": TOP},
    "an offset to the last byte": {"data": 1, "offset": TOP - 1},
    "a stride beyond memory": {"shape": (2,), "strides": (MAX,)},
    "a stride that wraps around": {"shape": (2,), "strides": (2**61,)},
    "a negative stride beyond memory": {"shape": (2,), "strides": (-(2**63),)},
    "strides that add up beyond memory": {"shape": (2, 2, 2), "strides": (2**59, 2**59, 2**59)},
    "strides that leave memory at its start": {"shape": (2,), "strides": (-(2**59),)},
    "memory that ends beyond the end": {"data": TOP - 8},
    "0 bits": {"bits": 0},
    "1 bit": {"bits": 1},
    "4 bits": {"bits": 4, "code": INT},
    "24 bits": {"bits": 24},
    "248 bits": {"bits": 248},
    "2 lanes": {"lanes": 2},
    "0 lanes": {"lanes": 0},
    "all lanes": {"lanes": 2**16 - 1},
    "booleans of 64 bits": {"code": BOOL},
    "floats of 8 bits": {"bits": 8},
    "complex numbers of 32 bits": {"code": COMPLEX, "bits": 32},
    "integers of 128 bits": {"code": INT, "bits": 128},
    "bfloat": {"code": 4, "bits": 16},
    "opaque handles": {"code": 3},
    "an unknown type": {"code": 255},
    "device 0": {"device": (0, 0)},
    "a device of CUDA": {"device": (2, 0)},
    "an unknown device": {"device": (99, 0)},
    "a negative device": {"device": (-1, 0)},
    "a name that is none": {"name": b"tensor"},
    "an empty name": {"name": b"\x00"},
    "used": {"name": b"used_dltensor"},
    "used, versioned": {"name": b"used_dltensor_versioned"},
    "a name that begins well": {"name": b"dltensor_versioned_too"},
}
LIES_OF_VERSIONS = {
    "version 2": {"major": 2},
    "version 0": {"major": 0},
    "the greatest version": {"major": 2**32 - 1, "minor": 2**32 - 1},
    "version 2, and a shape nowhere": {"major": 2, "shape": None, "ndim": 7},
}


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "unversioned"])
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused_and_leaves_the_capsule_to_its_producer(lie, versioned, copy):
    producer = Producer(versioned=versioned, **LIES[lie])
    with pytest.raises(BufferError):
        cowarray.from_dlpack(producer, copy=copy)
    assert is_capsule(producer.capsule, producer.name.rstrip(b"\x00"))
    assert producer.deleted == 0


@pytest.mark.parametrize("lie", LIES_OF_VERSIONS)
def test_versions_that_are_not_known_are_refused(lie):
    producer = Producer(**LIES_OF_VERSIONS[lie])
    with pytest.raises(BufferError, match="version"):
        cowarray.from_dlpack(producer)
    assert is_capsule(producer.capsule, producer.name)


TRUTHS = {
    "plain": ({}, list(range(8))),
    "a later minor version": ({"minor": 2**32 - 1}, list(range(8))),
    "flags beyond those known": ({"flags": TOP}, list(range(8))),
    "no strides": ({"shape": (2, 4), "strides": None}, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "backwards": ({"offset": 56, "strides": (-1,)}, list(range(7, -1, -1))),
    "standing still": ({"shape": (3,), "strides": (0,)}, [0, 0, 0]),
    "a stride of 1 element that matters to nobody": ({"shape": (1, 8), "strides": (MAX, 1)}, [list(range(8))]),
    "no dimensions": ({"shape": (), "strides": None}, 0),
    "no dimensions, an offset": ({"shape": None, "strides": None, "offset": 16}, 2),
    "64 dimensions": ({"shape": (1,) * 64, "strides": (5,) * 64}, np.zeros((1,) * 64).tolist()),
    "nothing, nowhere": ({"shape": (0,), "data": 0}, []),
    "nothing, with strides beyond memory": ({"shape": (4, 0), "strides": (MAX, MAX)}, [[], [], [], []]),
    "bytes": ({"code": UINT, "bits": 8, "shape": (3,)}, [0, 0, 0]),
    "memory of CUDA that the CPU can read": ({"device": (3, 0)}, list(range(8))),
    "no deleter": ({"deleter": False}, list(range(8))),
}


@pytest.mark.parametrize("copy", [None, False])
@pytest.mark.parametrize("versioned", [True, False], ids=["versioned", "unversioned"])
@pytest.mark.parametrize("truth", TRUTHS)
def test_what_is_odd_and_true_is_taken(truth, versioned, copy):
    offer, expected = TRUTHS[truth]
    producer = Producer(versioned=versioned, **offer)
    x = cowarray.from_dlpack(producer, copy=copy)
    assert x.tolist() == expected
    assert not is_capsule(producer.capsule, producer.name)  # it says used_... now
    with pytest.raises(BufferError, match="used"):
        cowarray.from_dlpack(producer)
    assert x.flags.writeable or truth == "standing still"
    x.copy()[...] = 9
    if x.flags.writeable:
        x[...] = 9
    assert list(producer.memory) == list(range(9))
    del x
    gc.collect()
    assert producer.deleted == (0 if truth == "no deleter" else 1)


@pytest.mark.parametrize("copy", [None, False])
def test_misaligned_elements_are_read_as_they_lie(copy):
    producer = Producer(offset=3)
    expected = np.frombuffer(bytes(producer.memory)[3:67], "f8")
    x = cowarray.from_dlpack(producer, copy=copy)
    np.testing.assert_array_equal(x.to_numpy(), expected)
    y = x.reshape(2, 4) + 0
    x += 1
    np.testing.assert_array_equal(y.ravel().to_numpy(), expected)
    assert list(producer.memory) == list(range(9))


@pytest.mark.parametrize("flags", [0, 1, 2, 3])
def test_nothing_depends_on_what_the_flags_say(flags):
    """Read-only or not, copied already or not: what is imported is never written to."""
    producer = Producer(flags=flags)
    private, shared = cowarray.from_dlpack(producer, copy=None), cowarray.from_dlpack(Producer(flags=flags), copy=False)
    producer.memory[0] = 100
    assert private[0] == shared[0] == 0
    private[1] = shared[1] = -1
    assert producer.memory[1] == 1
    assert private.flags.writeable


@pytest.mark.parametrize("answer", [None, 3, "capsule", object(), [1.0]])
def test_what_is_no_capsule_is_refused(answer):
    class Odd(Producer):
        def __dlpack__(self, **kwargs):
            return answer

    with pytest.raises(TypeError, match="not a capsule"):
        cowarray.from_dlpack(Odd())


def test_an_error_of_the_producer_is_the_callers():
    class Failing(Producer):
        def __dlpack__(self, **kwargs):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cowarray.from_dlpack(Failing())

    class Old(Producer):
        def __dlpack__(self, stream=None):
            return self.capsule

    assert cowarray.from_dlpack(Old()).tolist() == list(range(8))


def test_lengths_and_strides_at_random_agree_with_what_numpy_reads():
    """Where a tensor lies within its memory, NumPy and we read the same; where it does not, nothing is read."""
    rng = np.random.default_rng(5)
    taken = refused = 0
    odd = [0, 1, 2, 3, -1, 8, 2**31, 2**32, 2**61, 2**62, MAX, -MAX, -(2**63)]
    for _ in range(2000):
        nd = int(rng.integers(0, 4))
        shape = tuple(int(odd[i]) for i in rng.integers(0, 4 if rng.random() < 0.7 else len(odd), nd))
        strides = tuple(int(odd[i]) for i in rng.integers(0, 4 if rng.random() < 0.7 else len(odd), nd))
        bits = int(rng.choice([8, 16, 32, 64, 64, 0, 7]))
        code = int(rng.choice([INT, UINT, FLOAT, COMPLEX, BOOL]))
        offset = int(rng.choice([0, 0, 1, 8]))
        span = offset + sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True)) * (bits // 8) + bits // 8
        inside = all(n >= 0 for n in shape) and all(s >= 0 for s in strides) and span <= 72
        producer = Producer(shape=shape, strides=strides, bits=bits, code=code, offset=offset)
        try:
            x = cowarray.from_dlpack(producer, copy=False)
        except BufferError:
            refused += 1
            continue
        taken += 1
        assert x.shape == shape
        if inside and 0 < x.size < 1000:
            expected = np.from_dlpack(Producer(shape=shape, strides=strides, bits=bits, code=code, offset=offset))
            assert x.dtype == expected.dtype
            assert x.tobytes() == expected.tobytes()
    assert taken > 200
    assert refused > 500


def test_the_structures_of_this_test_are_numpys():
    producer = np.arange(3.0).__dlpack__(max_version=(1, 0))
    assert is_capsule(producer, b"dltensor_versioned")
    from support.liars import Versioned

    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    held = Versioned.from_address(pointer_of(producer, b"dltensor_versioned"))
    assert (held.major, held.tensor.ndim, held.tensor.shape[0], held.tensor.bits) == (1, 1, 3, 64)
