"""A writable export is an alias: it pins for as long as it lives. (DLPack: test_dlpack; snapshots: test_snapshots.)"""

import ctypes
import gc
import io
import socket
import weakref

import numpy as np
import pytest
from exporting import STRIDES, WRITABLE, N, is_free, is_pinned, request

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]


@pytest.fixture
def x():
    return cowarray.array(np.arange(1.0, N + 1))


def with_buffer(x):
    return np.asarray(WritableView(x))


class WritableView:
    """Holds a WRITABLE request open."""

    def __init__(self, x):
        self.view, _ = request(x, WRITABLE | STRIDES)
        self.__array_interface__ = {
            "data": (self.view.buf, False), "shape": x.shape, "strides": x.strides, "typestr": x.dtype.str,
            "version": 3,
        }  # fmt: skip

    def __del__(self):
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self.view))


def with_ctypes(x):
    return np.ctypeslib.as_array(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), x.shape)


EXPORTS = {
    "to_numpy": lambda x: x.to_numpy(writable=True),
    "buffer": with_buffer,
    "ctypes": with_ctypes,
    "dlpack": np.from_dlpack,
    "view": lambda x: x.view(np.ndarray),
}


@pytest.fixture(params=EXPORTS)
def export(request):
    return EXPORTS[request.param]


def test_a_writable_export_aliases_the_array_and_its_views_and_no_copy(x, export):
    view, lazy, shown = x[10:], x.copy(), x.to_numpy()
    before = x.tolist()
    alias = export(x)
    alias[20] = -1
    assert x[20] == view[10] == -1
    x[30] = -2
    assert alias[30] == view[20] == -2
    assert lazy.tolist() == shown.tolist() == before
    assert alias.ctypes.data == x.storage.data_ptr


def test_a_writable_export_pins_until_it_is_gone(x, export):
    alias = export(x)
    assert is_pinned(x)
    copies = [x.copy(), x.reshape(8, 8), x.ravel(), x.lazy_clone(), cowarray.array(x), cowarray.asarray(memoryview(x))]
    alias[...] = -1
    assert all(copy.sum() == N * (N + 1) / 2 for copy in copies)
    part = alias[3:]
    del alias
    assert is_pinned(x)
    part[...] = -2
    del part
    gc.collect()
    assert is_free(x)


def test_several_writable_exports_pin_until_the_last_is_gone(x):
    exports = [make(x) for make in EXPORTS.values()]
    while exports:
        assert is_pinned(x)
        exports.pop()[0] = len(exports)
    gc.collect()
    assert is_free(x)


def test_a_writable_export_of_a_view_reaches_the_views_elements_only(x):
    x[8:16].to_numpy(writable=True)[...] = 0
    expected = np.arange(1.0, N + 1)
    expected[8:16] = 0
    assert x.tolist() == expected.tolist()


def test_a_writable_export_outlives_the_array(export):
    x = cowarray.array(np.arange(1.0, N + 1))
    alias = export(x)
    del x
    gc.collect()
    alias += 1
    assert alias.sum() == N * (N + 1) / 2 + N


def test_a_pointer_of_ctypes_keeps_the_array(x):
    """Which is what NumPy says of `data_as`."""
    for make in (lambda x: x.ctypes, lambda x: x.ctypes.data_as(ctypes.c_void_p), lambda x: x.ctypes._as_parameter_):
        y = x.copy()
        there, pointer = weakref.ref(y), make(y)
        del y
        gc.collect()
        assert there() is not None
        del pointer
        gc.collect()
        assert there() is None


def test_ctypes_pins_while_it_or_a_pointer_lives(x):
    access = x.ctypes
    assert (access.data, list(access.shape)) == (x.storage.data_ptr, [N])
    pointer = access.data_as(ctypes.POINTER(ctypes.c_double))
    del access
    assert is_pinned(x)
    pointer[2] = 50
    assert x[2] == 50
    del pointer
    gc.collect()
    assert is_free(x)


@pytest.mark.parametrize("receive", ["readinto", "recv_into", "recv_into of a view"])
def test_io_writes_into_the_array_and_into_no_copy_of_it(x, receive):
    lazy, shown, view = x.copy(), np.asarray(x), x[4:]
    sent = np.arange(100.0, 100 + N)
    expected = list(sent)
    if receive == "readinto":
        assert io.BytesIO(sent.tobytes()).readinto(x) == x.nbytes
    else:
        target = view if receive == "recv_into of a view" else x
        near, far = socket.socketpair()
        with near, far:
            near.sendall(sent.tobytes())
            assert far.recv_into(target) == target.nbytes
        expected = list(x.to_numpy()[: N - target.size]) + expected[: target.size]
    assert x.tolist() == expected
    assert view.tolist() == expected[4:]
    assert lazy.tolist() == shown.tolist() == list(range(1, N + 1))
    del lazy, shown
    assert is_free(x)


def test_readinto_a_file(x, tmp_path):
    (tmp_path / "data").write_bytes(np.zeros(N).tobytes())
    lazy = x.reshape(8, 8)
    with open(tmp_path / "data", "rb", buffering=0) as file:
        file.readinto(x)
    assert not x.any()
    assert lazy.sum() == N * (N + 1) / 2


def test_a_view_as_a_class_of_numpys_is_one(x):
    square = cowarray.asarray(np.zeros((2, 2)))
    for view in (square.view(np.matrix), square.view(type=np.matrix), square.view("f8", np.matrix)):
        assert type(view) is np.matrix
        view[0, 0] += 1
    assert square[0, 0] == 3
    assert square.view("i8", np.matrix).dtype == "i8"
    for own in (square.view(cowarray.ndarray), square.view("i8", cowarray.ndarray), square.view(type=None)):
        assert own.storage is square.storage
    for wrong in (("i8", int), (np.matrix, np.matrix)):
        with pytest.raises(ValueError, match="type"):
            square.view(*wrong)


def test_a_read_only_array_seen_as_a_class_of_numpys_is_a_snapshot(x):
    view = x[...]
    view.setflags(write=False)
    shown = view.view(np.recarray)
    x[0] = 5
    assert shown[0] == 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        shown.setflags(write=True)


def test_read_only_arrays_are_not_exported_for_writing(x):
    view = x[...]
    view.setflags(write=False)
    for array in (view, np.broadcast_to(x, (2, N))):
        with pytest.raises(ValueError, match="read-only"):
            array.to_numpy(writable=True)
        with pytest.raises((ValueError, BufferError)):
            request(array, WRITABLE | STRIDES)
    with pytest.raises(TypeError):
        io.BytesIO(bytes(8 * N)).readinto(view)
    assert is_free(x)
    assert x[0] == 1
