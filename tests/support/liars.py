"""Producers made by ctypes that say of memory what they like: DLPack tensors and buffers."""

import ctypes

INT, UINT, FLOAT, COMPLEX, BOOL = 0, 1, 2, 5, 6
HELD = []  # what capsules and views look into, and their deleters; nobody knows when they are done
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p), ("deleter", DELETER),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
is_capsule = ctypes.pythonapi.PyCapsule_IsValid
is_capsule.restype, is_capsule.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def integers(kind, values, room=0):
    """A C array, or NULL for None."""
    return None if values is None else (kind * max(1, len(values), room))(*values)


class Producer:
    """Eight doubles, 0 to 7, with whatever is told of them. `deleted` counts calls of the deleter."""

    def __init__(
        self, *, versioned=True, data=None, offset=0, shape=(8,), strides=(1,), ndim=None, code=FLOAT, bits=64,
        lanes=1, device=(1, 0), flags=0, major=1, minor=0, name=None, deleter=True,
    ):  # fmt: skip
        self.memory = (ctypes.c_double * 9)(*range(9))
        self.deleted = 0
        self.device = device
        self.held = (Versioned if versioned else Managed)()
        if versioned:
            self.held.major, self.held.minor, self.held.flags = major, minor, flags
        if deleter:
            self.held.deleter = DELETER(self.delete)
        tensor = self.held.tensor
        tensor.data = ctypes.addressof(self.memory) if data is None else data
        tensor.device_type, tensor.device_id = device
        tensor.ndim = len(shape or ()) if ndim is None else ndim
        tensor.code, tensor.bits, tensor.lanes, tensor.byte_offset = code, bits, lanes, offset
        self.lists = [integers(ctypes.c_int64, values) for values in (shape, strides)]
        for field, values in zip(("shape", "strides"), self.lists, strict=True):
            if values is not None:
                setattr(tensor, field, values)
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")
        HELD.append(self)
        self.capsule = new_capsule(ctypes.addressof(self.held), self.name, None)

    def delete(self, managed):
        assert managed == ctypes.addressof(self.held)
        self.deleted += 1

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


class Buffer(ctypes.Structure):
    """Py_buffer"""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)), ("internal", ctypes.c_void_p),
    ]  # fmt: skip


view_from = ctypes.pythonapi.PyMemoryView_FromBuffer
view_from.restype, view_from.argtypes = ctypes.py_object, [ctypes.c_void_p]
MEMORY = (ctypes.c_double * 9)(*range(9))


def lying_view(
    *, shape=(8,), strides=(8,), suboffsets=None, nbytes=64, itemsize=8, format=b"d", ndim=None, readonly=1, offset=0
):
    """A memoryview of eight doubles, 0 to 7, with whatever is told of them."""
    buffer = Buffer(ctypes.addressof(MEMORY) + offset, None, nbytes, itemsize, readonly)
    buffer.ndim = len(shape or ()) if ndim is None else ndim
    buffer.format = format
    lists = [integers(ctypes.c_ssize_t, values) for values in (shape, strides, suboffsets)]
    for field, values in zip(("shape", "strides", "suboffsets"), lists, strict=True):
        if values is not None:
            setattr(buffer, field, values)
    HELD.append((buffer, lists))
    return view_from(ctypes.addressof(buffer))


get_buffer = ctypes.pythonapi.PyObject_GetBuffer
release = ctypes.pythonapi.PyBuffer_Release


def answer(exporter, flags):
    """What a request gives: (all that the buffer says, its bytes), or the class of the error."""
    view = Buffer()
    try:
        get_buffer(ctypes.py_object(exporter), ctypes.byref(view), flags)
    except Exception as error:  # compared with NumPy's
        return type(error)
    lists = [pointer[: view.ndim] if pointer else None for pointer in (view.shape, view.strides, view.suboffsets)]
    data = ctypes.string_at(view.buf, view.len) if view.strides and not view.ndim else None
    facts = (view.len, view.itemsize, view.ndim, view.format, *lists, data)
    release(ctypes.byref(view))
    return facts
