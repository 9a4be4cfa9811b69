"""What a type checker says of the public names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cowarray

pytest.importorskip("mypy", reason="mypy is not installed; `make types` and `make check` install it")

# Lines that end in `# error: CODE` must be refused, with that code; all others must be accepted.
EXAMPLES = """
import copy
from typing import Any

import numpy as np
from typing_extensions import assert_type

import cowarray
from cowarray import ndarray

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


def functions(source: Vector, listed: list[int]) -> None:
    x = cowarray.asarray(source)
    assert_type(x, ndarray[tuple[int], np.dtype[np.float64]])
    assert_type(cowarray.array(source), ndarray[tuple[int], np.dtype[np.float64]])
    assert_type(cowarray.asarray(x), ndarray[tuple[int], np.dtype[np.float64]])
    assert_type(cowarray.asarray(listed, dtype=np.int16), ndarray[Any, np.dtype[np.int16]])
    assert_type(cowarray.lazy_clone(source), ndarray[tuple[int], np.dtype[np.float64]])
    assert_type(cowarray.aliases(x, x), bool)
    assert_type(cowarray.stats(), dict[str, int])
    assert_type(cowarray.explain(x).next_write_copies, int)
    assert_type(cowarray.__version__, str)
    cowarray.asarray(source, copy="yes")  # error: call-overload
    cowarray.asarray(source, device="cuda")  # error: call-overload
    cowarray.explain(source)  # error: arg-type
    cowarray.ndarrays  # error: attr-defined


def methods(x: ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    assert_type(x.shape, tuple[int, int])
    assert_type(x.dtype, np.dtype[np.float32])
    assert_type(x.copy(), ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(x.lazy_clone(), ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(copy.copy(x), ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(x.ravel(), ndarray[tuple[int], np.dtype[np.float32]])
    assert_type(x.reshape(2, -1), ndarray[Any, np.dtype[np.float32]])
    assert_type(x.astype(np.int8), ndarray[tuple[int, int], np.dtype[np.int8]])
    assert_type(x.T, ndarray[Any, np.dtype[np.float32]])
    assert_type(x[1:].dtype, np.dtype[np.float32])
    assert_type(x.to_numpy(), np.ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(x.materialize(), ndarray[tuple[int, int], np.dtype[np.float32]])
    assert_type(x.storage.data_ptr, int)
    assert_type(x.fill(0), None)
    assert_type(np.asarray(x).dtype, np.dtype[np.float32])
    np.sum(x)
    x += 1
    x[0, 1] = 2
    x.storage = x.storage  # error: misc
    x.reshape(2, order="Z")  # error: arg-type
    x.to_numpy(True)  # error: call-arg


def modes(x: ndarray) -> None:
    with cowarray.trace() as seen, cowarray.no_copy():
        x[0] = 1
    assert_type([event.lineno for event in seen], list[int])
"""


def test_a_type_checker_follows_shapes_and_dtypes_and_refuses_what_is_wrong(tmp_path):
    path = tmp_path / "examples.py"
    path.write_text(EXAMPLES)
    package = Path(cowarray.__file__).parent.parent
    environment = dict(os.environ)
    if package.name != "site-packages":
        environment["MYPYPATH"] = str(package)
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(path)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
    )
    assert result.stderr == ""
    found = []
    for line in result.stdout.splitlines():
        if ": error: " in line:
            found.append((int(line.split(":")[1]), line.rpartition("[")[2].rstrip("]")))
    expected = [
        (number, line.rpartition("# error: ")[2])
        for number, line in enumerate(EXAMPLES.splitlines(), 1)
        if "# error: " in line
    ]
    assert expected
    assert found == expected, result.stdout
