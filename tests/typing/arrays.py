"""What type checkers say of arrays. A line that must be refused has a comment that ignores the error: without an error,
the comment itself is one."""

import copy
from typing import Any, assert_type

import numpy as np

import cowarray
from cowarray import ndarray

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
OurVector = ndarray[tuple[int], np.dtype[np.float64]]
Matrix = ndarray[tuple[int, int], np.dtype[np.float32]]


def made(source: Vector, listed: list[int]) -> None:
    x = cowarray.asarray(source)
    assert_type(x, OurVector)
    assert_type(cowarray.array(source), OurVector)
    assert_type(cowarray.asarray(x), OurVector)
    assert_type(cowarray.asarray(listed, dtype=np.int16), ndarray[Any, np.dtype[np.int16]])
    assert_type(cowarray.lazy_clone(source), OurVector)
    assert_type(cowarray.aliases(x, x), bool)
    assert_type(cowarray.shares_bytes(x, source), bool)
    cowarray.asarray(source, copy="yes")  # type: ignore[call-overload]
    cowarray.asarray(source, device="cuda")  # type: ignore[call-overload]
    cowarray.ndarrays()  # type: ignore[attr-defined]


def lent_and_decorated(x: OurVector, y: OurVector) -> None:
    with cowarray.lend(x) as lent:
        assert_type(lent, OurVector)
    with cowarray.lend(x, y) as several:
        assert_type(several, tuple[OurVector, ...])

    @cowarray.no_copy()
    def first(values: OurVector, /, *, at: int = 0) -> float:
        return float(values[at])

    assert_type(first(x, at=1), float)
    first(x, at="1")  # type: ignore[arg-type]


def copied_and_viewed(x: Matrix) -> None:
    assert_type(x.copy(), Matrix)
    assert_type(x.lazy_clone(), Matrix)
    assert_type(copy.copy(x), Matrix)
    assert_type(copy.deepcopy(x), Matrix)
    assert_type(x.ravel(), ndarray[tuple[int], np.dtype[np.float32]])
    assert_type(x.flatten(), ndarray[tuple[int], np.dtype[np.float32]])
    assert_type(x.reshape(2, -1), ndarray[Any, np.dtype[np.float32]])
    assert_type(x.astype(np.int8), ndarray[tuple[int, int], np.dtype[np.int8]])
    assert_type(x.T, ndarray[Any, np.dtype[np.float32]])
    assert_type(x[1:].dtype, np.dtype[np.float32])
    x.reshape(2, order="Z")  # type: ignore[arg-type]


def described(x: Matrix) -> None:
    assert_type(x.shape, tuple[int, int])
    assert_type(x.dtype, np.dtype[np.float32])
    assert_type(x.nbytes, int)
    assert_type(x.storage, cowarray.Storage)
    assert_type(x.storage.data_ptr, int)
    assert_type(x.storage.is_cow, bool)
    assert_type(x.tobytes(), bytes)
    assert_type(len(x), int)
    x.storage = x.storage  # type: ignore[misc]


def handed_out(x: Matrix) -> None:
    assert_type(x.to_numpy(), np.ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(memoryview(x), memoryview[int])
    assert_type(x.materialize(), Matrix)
    assert_type(np.asarray(x).dtype, np.dtype[np.float32])
    np.sum(x)
    np.add(x, x)
    x.to_numpy(True)  # type: ignore[call-overload]


def written(x: Matrix) -> None:
    x += 1
    x[0, 1] = 2
    x[...] = x
    assert_type(x.fill(0), None)
    assert_type(x.sort(), None)


def watched(x: ndarray, source: Vector) -> None:
    with cowarray.trace() as seen, cowarray.no_copy():
        x[0] = 1
    assert_type([event.lineno for event in seen], list[int])
    assert_type(cowarray.stats(), dict[str, int])
    assert_type(cowarray.explain(x).next_write_copies, int)
    assert_type(cowarray.__version__, str)
    cowarray.explain(source)  # type: ignore[arg-type]
