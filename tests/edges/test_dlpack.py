"""DLPack. Out, it is a writable export, whatever the consumer asks for; in, the memory is somebody else's."""

import ctypes
import gc
import warnings
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import cowarray

pytestmark = pytest.mark.sanitized

N = 64
VERSIONS = [None, (0, 8), (1, 0), (1, 1), (2, 0)]
READ_ONLY, IS_COPIED = 1, 2


@pytest.fixture
def x():
    return cowarray.array(np.arange(float(N)))


@pytest.fixture(scope="module")
def torch():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torch", reason="torch is not installed; it comes with cowarray[producers]")


def read_only(x):
    view = x[...]
    view.setflags(write=False)
    return view


def is_pinned(x):
    return not cowarray.shares_bytes(x, x.copy())


class Facts(NamedTuple):
    name: str
    flags: int | None  # none before version 1.0
    data: int
    managed: int  # where the struct lies


def capsule_facts(capsule):
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = name_of(capsule)
    at = pointer_of(capsule, name)
    if name == b"dltensor":
        return Facts(name.decode(), None, ctypes.c_void_p.from_address(at).value, at)
    # struct DLManagedTensorVersioned: version, manager_ctx, deleter, flags, dl_tensor (data first)
    flags, data = ctypes.c_uint64.from_address(at + 24), ctypes.c_void_p.from_address(at + 32)
    return Facts(name.decode(), flags.value, data.value, at)


class Consumed:
    """Hands a capsule on, as a producer would."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


# ---- out -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [None, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_capsule_is_an_alias_of_the_version_asked_for(x, version, copy):
    lazy = x.copy()
    capsule = x.__dlpack__(max_version=version, copy=copy)
    name, flags, address, _ = capsule_facts(capsule)
    assert (name, flags) == (("dltensor", None) if version in VERSIONS[:2] else ("dltensor_versioned", 0))
    assert address == x.storage.data_ptr != lazy.storage.data_ptr
    assert is_pinned(x)
    ctypes.c_double.from_address(address).value = 99
    assert x[0] == np.from_dlpack(Consumed(capsule))[0] == 99
    assert lazy[0] == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_copy_true_gives_private_bytes(x, version):
    for source in (x, read_only(x)):
        capsule = source.__dlpack__(max_version=version, copy=True)
        name, flags, address, _ = capsule_facts(capsule)
        assert (name, flags) == (("dltensor", None) if version in VERSIONS[:2] else ("dltensor_versioned", IS_COPIED))
        assert address != x.storage.data_ptr
        assert not is_pinned(x)
        ctypes.c_double.from_address(address).value = 99
        assert np.from_dlpack(Consumed(capsule))[0] == 99
        assert x[0] == 0


def test_a_read_only_array_sets_the_flag(x):
    for version in VERSIONS[2:]:
        for copy in (None, False):
            capsule = read_only(x).__dlpack__(max_version=version, copy=copy)
            assert capsule_facts(capsule)[:3] == ("dltensor_versioned", READ_ONLY, x.storage.data_ptr)
            assert is_pinned(x)
            del capsule
            assert not is_pinned(x)


@pytest.mark.parametrize("version", VERSIONS[:2])
def test_a_read_only_array_does_not_go_where_the_flag_cannot(x, version):
    with pytest.raises(BufferError, match=r"read-?only"):
        read_only(x).__dlpack__(max_version=version)
    assert not is_pinned(x)


def test_a_consumer_that_ignores_the_read_only_flag_reaches_no_copy(x):
    lazy, shown = x.copy(), x.to_numpy()
    capsule = read_only(x).__dlpack__(max_version=(1, 0))
    _, flags, address, _ = capsule_facts(capsule)
    assert flags == READ_ONLY
    ctypes.c_double.from_address(address).value = 99
    assert x[0] == 99
    assert lazy[0] == shown[0] == 0
    later = x.copy()
    ctypes.c_double.from_address(address).value = 100
    assert later[0] == 99


def test_a_pin_lasts_until_the_capsule_or_its_consumer_is_gone(x):
    capsule = x.__dlpack__(max_version=(1, 0))
    assert is_pinned(x)
    consumer = np.from_dlpack(Consumed(capsule))
    del capsule
    gc.collect()
    assert is_pinned(x)
    part = consumer[5:]
    del consumer
    assert is_pinned(x)
    part[0] = -1
    assert x[5] == -1
    del part
    assert not is_pinned(x)


def test_a_consumer_outlives_the_array():
    x = cowarray.array(np.arange(float(N)))
    consumer = np.from_dlpack(x)
    del x
    gc.collect()
    consumer += 1
    assert consumer.sum() == N * (N + 1) / 2


def test_device_and_stream(x):
    assert x.__dlpack_device__() == (1, 0)
    assert capsule_facts(x.__dlpack__(dl_device=(1, 0))).data == x.storage.data_ptr
    for copy in (None, True, False):
        with pytest.raises((BufferError, ValueError)):
            x.__dlpack__(dl_device=(2, 0), copy=copy)
        with pytest.raises((RuntimeError, ValueError)):
            x.__dlpack__(stream=1, copy=copy)
    with pytest.raises(TypeError):
        x.__dlpack__(max_version="1.0")
    assert not is_pinned(x)


@pytest.mark.parametrize(
    "dtype", ["M8[s]", ">f8", "V5", "S3", "U3", "O", [("a", "i4")], np.dtypes.StringDType()], ids=str
)
def test_what_dlpack_does_not_know_is_refused_and_leaves_no_pin(dtype):
    x = cowarray.asarray(np.zeros(3, dtype))
    y = x.copy()
    shares = x.storage.share_count
    for copy in (None, True):
        with pytest.raises(BufferError):
            x.__dlpack__(max_version=(1, 0), copy=copy)
    assert "pinned" not in str(cowarray.explain(x))
    assert shares == 1 or x.storage.share_count <= shares
    del y


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u2", "e", "f", "d", "F", "D"])
def test_every_layout_and_known_dtype_goes_out_and_comes_back(dtype):
    source = np.arange(48).reshape(4, 6, 2).astype(dtype)
    whole = cowarray.array(source)
    for view in (np.s_[...], np.s_[::2, 1:, :], np.s_[::-1], np.s_[1, 2, 1, None], np.s_[:0], np.s_[2, ..., 0]):
        x, expected = whole[view], source[view]
        for y in (x, x.T):
            shown = expected if y is x else expected.T
            got = np.from_dlpack(y)
            assert (got.dtype, got.shape) == (shown.dtype, shown.shape)
            np.testing.assert_array_equal(got, shown)
            np.testing.assert_array_equal(cowarray.from_dlpack(got), shown)
            if got.size:
                assert np.shares_memory(got, whole.to_numpy(writable=True))


# ---- in --------------------------------------------------------------------------------------------------------------


def test_from_dlpack_of_ours_is_a_lazy_copy(x):
    cowarray.reset_stats()
    for source in (x, read_only(x)):
        for copy in (None, True):
            y = cowarray.from_dlpack(source, copy=copy)
            assert y.storage is not x.storage
            assert cowarray.shares_bytes(x, y)
            assert cowarray.stats()["bytes_copied"] == 0
            y[0] = 5
            assert x[0] == 0
            cowarray.reset_stats()
    assert cowarray.aliases(cowarray.from_dlpack(x, copy=False), x)


def test_foreign_memory_is_copied_unless_the_caller_promises():
    source = np.arange(float(N))
    for copy in (None, True):
        cowarray.reset_stats()
        y = cowarray.from_dlpack(source, copy=copy)
        assert not cowarray.shares_bytes(y, source)
        assert cowarray.stats()["bytes_copied"] == y.nbytes
    cowarray.reset_stats()
    y = cowarray.from_dlpack(source, copy=False)
    z = y.reshape(8, 8)
    assert cowarray.shares_bytes(z, source)
    assert cowarray.stats()["bytes_copied"] == 0
    z[0] = -1
    y += 1
    assert source.tolist() == list(range(N))
    assert cowarray.stats()["steals"] == 0


def test_the_producer_is_kept_as_long_as_it_is_shared():
    source = np.arange(float(N))
    alive = weakref.ref(source)
    x = cowarray.from_dlpack(source, copy=False)
    y = x.copy()
    del source
    assert alive() is not None
    x[0] = 1
    assert alive() is not None
    y[0] = 1
    gc.collect()
    assert alive() is None


def test_bad_capsules_and_devices_are_refused(x):
    with pytest.raises((AttributeError, TypeError), match="__dlpack__"):
        cowarray.from_dlpack([1, 2, 3])
    with pytest.raises((TypeError, ValueError, BufferError)):
        cowarray.from_dlpack(Consumed(None))
    with pytest.raises((TypeError, ValueError, BufferError)):
        cowarray.from_dlpack(Consumed(object()))
    used = x.__dlpack__()
    np.from_dlpack(Consumed(used))
    with pytest.raises((ValueError, BufferError)):
        cowarray.from_dlpack(Consumed(used))
    on_another_device = x.__dlpack__()
    device = ctypes.c_int32.from_address(capsule_facts(on_another_device).managed + 8)
    device.value = 2
    with pytest.raises((ValueError, BufferError, RuntimeError)):
        cowarray.from_dlpack(Consumed(on_another_device))
    device.value = 1
    del on_another_device
    with pytest.raises(ValueError, match="device"):
        cowarray.from_dlpack(np.zeros(3), device="cuda")
    assert not is_pinned(x)


# ---- torch -----------------------------------------------------------------------------------------------------------

TO_TORCH = {
    "from_dlpack": lambda torch, x: torch.from_dlpack(x),
    "as_tensor": lambda torch, x: torch.as_tensor(x),
    # These two take the buffer, and have to be told what is in it.
    "asarray": lambda torch, x: torch.asarray(x, dtype=torch.float64),
    "frombuffer": lambda torch, x: torch.frombuffer(x, dtype=torch.float64),
}


@pytest.mark.parametrize("to_torch", TO_TORCH.values(), ids=TO_TORCH)
def test_a_write_through_a_tensor_changes_the_array_and_no_copy_of_it(torch, x, to_torch):
    view, lazy, shown = x[8:], x.copy(), x.to_numpy()
    tensor = to_torch(torch, x)
    assert tensor.data_ptr() == x.storage.data_ptr
    during = x.copy()
    tensor[10] = -1
    assert x[10] == view[2] == -1
    assert lazy.tolist() == shown.tolist() == during.tolist() == list(range(N))
    x[11] = -2
    assert tensor[11] == -2
    del tensor
    gc.collect()
    assert not is_pinned(x)


def test_torch_is_told_of_read_only_and_ignores_it_without_harm(torch, x):
    lazy = x.copy()
    tensor = torch.from_dlpack(read_only(x))
    tensor[0] = 99  # torch 2.13 does not look at the flag
    assert x[0] == 99
    assert lazy[0] == 0
    later = x.copy()
    tensor[0] = 100
    assert later[0] == 99


def test_torch_copies_when_asked(torch, x):
    tensor = torch.from_dlpack(x, copy=True)
    assert not is_pinned(x)
    tensor[0] = 99
    assert x[0] == 0


def test_tensors_come_in(torch):
    tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    for source in (tensor, tensor.T, tensor[::2, 1:], tensor[1, 2]):
        private = cowarray.from_dlpack(source)
        shared = cowarray.from_dlpack(source, copy=False)
        assert private.tolist() == shared.tolist() == source.tolist()
        assert not cowarray.shares_bytes(private, tensor.numpy())
        assert cowarray.shares_bytes(shared, tensor.numpy())
        private[...] = -1
        shared[...] = -1
    assert tensor.flatten().tolist() == list(range(12))


def test_a_tensor_goes_round(torch, x):
    lazy = x.copy()
    tensor = torch.from_dlpack(x)
    back = cowarray.from_dlpack(tensor, copy=False)
    back[0] = 7  # a copy of its own: the tensor's memory, which is x's, is not ours to write to
    assert x[0] == tensor[0] == lazy[0] == 0


def test_tensors_that_cannot_be_shared_raise(torch):
    with pytest.raises((RuntimeError, BufferError, TypeError)):
        cowarray.from_dlpack(torch.zeros(3, requires_grad=True))
    with pytest.raises((RuntimeError, BufferError, TypeError)):
        cowarray.from_dlpack(torch.zeros(3, dtype=torch.bfloat16))
    with pytest.raises((RuntimeError, BufferError, ValueError)):
        cowarray.from_dlpack(torch.zeros(3, device="meta"))
