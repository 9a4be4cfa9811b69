"""Files in NumPy's format, whole and spoiled, and every way to `load` them."""

import gzip
import io
import os
import warnings
import zipfile

import numpy as np

import cowarray

DTYPES = [
    "?", "i1", "<u4", ">i4", "e", "f8", ">f8", "D", "M8[ns]", "m8[D]", "S3", "U4", ">U2", "V5", "S0",
    [("a", "i1"), ("b", ">f8")], [("p", "f4", (2, 3)), ("t", "M8[s]")], [(("title", "a"), "i4")],
    np.dtype([("a", "i1"), ("b", "f8")], align=True), [("\u00e4\u4e2d", "i4")],
]  # fmt: skip

LAYOUTS = {
    "C": lambda a: a,
    "Fortran": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "0-d": lambda a: a[1, 1, 1, ...],
    "empty": lambda a: a[:, :0],
    "1-d": lambda a: a.reshape(-1),
}


def example(dtype):
    dtype = np.dtype(dtype)
    if dtype.itemsize == 0 or dtype.names:
        return np.zeros((2, 3, 4), dtype)
    if dtype.kind == "V":
        return np.arange(24 * dtype.itemsize, dtype="u1").view(dtype).reshape(2, 3, 4)
    return np.arange(24).astype(dtype).reshape(2, 3, 4)


class Unseekable:
    """A stream, as from a socket: it can only be read, and gives less than it is asked for."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size):
        return self.file.read(min(size, 7))


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", data)
    return io.BytesIO(file.getvalue())


WAYS = {
    "mapped": lambda path: cowarray.load(path),
    "read": lambda path: cowarray.load(str(path), mmap_mode=None),
    "bytes path": lambda path: cowarray.load(os.fsencode(path), mmap_mode="c"),
    "BytesIO": lambda path: cowarray.load(io.BytesIO(path.read_bytes())),
    "stream": lambda path: cowarray.load(Unseekable(path.read_bytes())),
    "gzip": lambda path: cowarray.load(gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(path.read_bytes(), 1)))),
    "archive": lambda path: cowarray.load(zipped(path.read_bytes()))["x"],
}


def opened(path):
    with open(path, "rb") as file:
        return cowarray.load(file)


WAYS["file"] = opened


def npy(array, version=None):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of version 3
        np.lib.format.write_array(file, array, version, allow_pickle=True)
    return file.getvalue()
