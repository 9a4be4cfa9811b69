"""What the array API standard names (`standard.txt`), and a call of each function."""

import inspect
from pathlib import Path

import numpy as np

import cowarray

LINES = [line.partition("#")[0].strip() for line in Path(__file__).with_name("standard.txt").read_text().splitlines()]
NAMES = {line.partition("(")[0]: line.partition("(")[2] for line in LINES if line}
SIGNATURES = {name: inspect.signature(eval(f"lambda {rest[:-1]}: 0")) for name, rest in NAMES.items() if rest}

WITHOUT_ARRAYS = {
    "__array_namespace_info__",
    "broadcast_shapes",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
}

# Numbers that come twice, more of them than a sort without a promise leaves in order.
x = cowarray.asarray(np.random.default_rng(5).integers(0, 9, (40, 40)).astype(float))
i = cowarray.asarray(np.random.default_rng(6).integers(0, 9, (40, 40)))
SAMPLES = {
    "arange": "5",
    "asarray": "[1, 2]",
    "astype": "x, cowarray.float32",
    "expand_dims": "x, 0",
    "eye": "3",
    "fft.fftfreq": "5",
    "fft.rfftfreq": "5",
    "full": "(2, 3), 7.0",
    "full_like": "x, 7.0",
    "info.default_dtypes": "",
    "info.dtypes": "",
    "isin": "x, i",
    "linalg.cholesky": "x @ x.T + 9 * cowarray.eye(40)",
    "linalg.cross": "x[:, :3], x[:, 3:6]",
    "linspace": "0, 1, 5",
    "ones": "(2, 3)",
    "repeat": "x, 2",
    "reshape": "x, (1600,)",
    "roll": "x, 3",
    "searchsorted": "cowarray.sort(x[0]), x[1]",
    "take": "x[0], i[0]",
    "take_along_axis": "x, i",
    "zeros": "(2, 3)",
    **dict.fromkeys(["concat", "stack"], "[x, x]"),
    **dict.fromkeys(["cumulative_sum", "cumulative_prod"], "x[0]"),
    **dict.fromkeys(["linalg.tensordot", "linalg.vecdot", "tensordot", "vecdot"], "x, x"),
    **dict.fromkeys(["meshgrid"], "x[0], x[1]"),
    **dict.fromkeys(["ndarray.__array_namespace__"], "x"),
    **dict.fromkeys(["ndarray.to_device"], "x, 'cpu'"),
}
OTHER_SAMPLES = {
    "broadcast_shapes": "(2, 1), (3,)",
    "broadcast_to": "x, (2, 40, 40)",
    "can_cast": "x, cowarray.float32",
    "empty": "(2, 3)",
    "finfo": "x",
    "iinfo": "i",
    "isdtype": "x.dtype, 'bool'",
    "linalg.matrix_power": "x, 3",
    "linalg.outer": "x[0], x[1]",
    "moveaxis": "x, 0, 1",
    "permute_dims": "x, (1, 0)",
    "squeeze": "x[None], 0",
    "tile": "x, (2,)",
    "where": "x > 3, x, i",
}


def named(name, space=cowarray):
    """What a line of the list names, in a namespace."""
    root, _, attribute = name.rpartition(".")
    if root == "info":
        return getattr(space.__array_namespace_info__(), attribute)
    return getattr(getattr(space, root) if root else space, attribute)


def sample(name):
    """Arguments for a function."""
    required = [each for each in SIGNATURES[name].parameters.values() if each.default is each.empty]
    source = SAMPLES.get(name, OTHER_SAMPLES.get(name))
    if source is None:
        return (i if "bitwise" in name else x,) * len(required)
    return eval(f"({source},)") if source else ()
