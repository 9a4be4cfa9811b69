"""What type checkers say of the functions of the public namespace. Results of computations can be NumPy's scalars."""

from types import ModuleType
from typing import Any, Literal, assert_type

import numpy as np

import cowarray as xp

Array = xp.ndarray[Any, Any]


def created() -> None:
    assert_type(xp.zeros((2, 3)), Array)
    assert_type(xp.full(3, 1.5, dtype=np.float32), Array)
    assert_type(xp.arange(3), Array)
    assert_type(xp.eye(3, 4, k=1), Array)
    assert_type(xp.meshgrid([1, 2], [3, 4]), tuple[Array, ...])
    xp.zeros("two")  # type: ignore[arg-type]


def computed(x: Array) -> None:
    xp.add(x, 1)
    xp.clip(x, min=0, max=[1.0, 2.0])
    xp.diff(x, axis=0)
    xp.abs()  # type: ignore[call-arg]


def wrapped() -> None:
    def task(x: Array, times: int = 1) -> float:
        return float(x.sum()) * times

    assert_type(xp.isolated(task)(xp.zeros(3), times=2), float)
    assert_type(xp.isolated()(task)(xp.zeros(3)), float)

    @xp.isolated(as_numpy=True)
    def numpys(x: np.ndarray[Any, Any]) -> float:
        return float(x.sum())

    assert_type(numpys(xp.zeros(3)), float)
    assert_type(xp.isolated(task, as_numpy=True)(xp.zeros(3)), float)
    xp.to_numpy(xp.wrap([xp.zeros(3)]), writable=True)
    xp.to_numpy([], True)  # type: ignore[call-arg]
    xp.isolated(task)("text")  # type: ignore[arg-type]
    xp.isolated(task, as_numpy=1)  # type: ignore[call-overload]
    xp.isolated(5)  # type: ignore[call-overload]


def shaped(x: Array) -> None:
    assert_type(xp.reshape(x, (2, -1)), Array)
    assert_type(xp.concat([x, [1, 2]]), Array)
    assert_type(xp.split(x, 2), list[Array])
    assert_type(xp.unstack(x, axis=1), tuple[Array, ...])
    assert_type(xp.broadcast_shapes((2, 1), (3,)), tuple[int, ...])
    assert_type(xp.shape(x), tuple[int, ...])
    xp.roll(x)  # type: ignore[call-arg]


def indexed(x: Array) -> None:
    assert_type(xp.take_along_axis(x, [[0]], axis=0), Array)
    assert_type(xp.put(x, [0], [1.0]), None)
    assert_type(xp.tril_indices(3), tuple[Array, Array])
    xp.put([1, 2], [0], [1.0])  # type: ignore[arg-type]


def searched_and_sorted(x: Array) -> None:
    assert_type(xp.nonzero(x), tuple[Any, ...])
    assert_type(xp.union1d(x, [1, 2]), xp.ndarray[tuple[int], Any])
    xp.sort(x, descending=True, stable=False)
    xp.where(x, 1, 0)
    xp.sort(x, stable="no")  # type: ignore[arg-type]


def multiplied_and_transformed(x: Array) -> None:
    assert_type(xp.linalg.inv(x), Array)
    assert_type(xp.linalg.lstsq(x, x), tuple[Array, Array, int, Array])
    assert_type(xp.fft.fft(x), Array)
    assert_type(xp.fft.fftfreq(4, dtype=np.float32), Array)
    assert_type(xp.cov(x), Any)
    xp.matmul(x, x)
    xp.linalg.cholesky(x, upper="yes")  # type: ignore[arg-type]


def combined(x: Array) -> None:
    assert_type(xp.add(x, x), Any)
    assert_type(xp.add.nin, int)
    assert_type(xp.absolute.signature, str | None)
    assert_type(xp.multiply.accumulate(x, axis=1), Array)
    xp.add.reduce(x, axis=(0, 1), keepdims=True)
    xp.subtract.at(x, [0, 0], 1)
    xp.add(x)  # type: ignore[call-arg]
    xp.add.diminish(x)  # type: ignore[attr-defined]


def typed(x: Array) -> None:
    assert_type(xp.astype(x, xp.float32), Array)
    assert_type(xp.result_type(x, np.int8), np.dtype[Any])
    assert_type(xp.can_cast(np.int8, np.int16), bool)
    assert_type(xp.float64, type[np.float64])
    assert_type(xp.pi, float)


def standard(x: Array) -> None:
    assert_type(xp.array_api.sum(x, axis=0), Array)
    assert_type(xp.array_api.asarray([1.0]), Array)
    assert_type(xp.array_api.nonzero(x), tuple[Array, ...])
    assert_type(xp.array_api.linalg.inv(x), Array)
    assert_type(xp.array_api.fft.rfft(x, n=4), Array)
    xp.array_api.sum(x, 0)  # type: ignore[call-arg]
    xp.array_api.median(x)  # type: ignore[attr-defined]


def inspected(x: Array) -> None:
    assert_type(x.__array_namespace__(), ModuleType)
    assert_type(x.device, Literal["cpu"])
    assert_type(xp.__array_api_version__, str)
