"""What is compared: cowarray, NumPy, torch and pandas, each holding the same numbers; and libraries of versions in
files.

A peer is None if it cannot be imported, and `MISSING` says why: a missing peer is reported, not hidden.
"""

import importlib

import numpy as np

import cowarray

__all__ = [
    "MISSING", "OURS", "h5py", "icechunk", "ours", "pandas", "pandas_of", "reason_to_skip", "torch", "torch_of",
    "versioned_hdf5", "zarr",
]  # fmt: skip

OURS = "cowarray"
MISSING = {}


def _optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        MISSING[name] = f"{name} is missing: {error}"
        return None


torch = _optional("torch")
pandas = _optional("pandas")
h5py, versioned_hdf5, icechunk, zarr = map(_optional, ("h5py", "versioned_hdf5", "icechunk", "zarr"))
if torch is not None and not hasattr(torch, "_lazy_clone"):
    MISSING["torch"] = f"torch {torch.__version__} has no _lazy_clone"
    torch = None
if pandas is not None and int(pandas.__version__.partition(".")[0]) < 3:
    MISSING["pandas"] = f"pandas {pandas.__version__} does not copy on write, 3 does"
    pandas = None


def reason_to_skip(who):
    """Why the competitor whose name begins with a library's name cannot take part; None if it can."""
    return MISSING.get(who.split()[0].partition(".")[0])


def ours(n):
    """The numbers of n in memory of cowarray's own."""
    return cowarray.array(n)


def torch_of(n):
    """The numbers of n in torch's own memory: it cannot clone lazily what `from_numpy` returns. None without torch."""
    return None if torch is None else torch.from_numpy(np.asarray(n)).clone()


def pandas_of(n):
    """A Series over n's own memory, which pandas copies when written to. None without pandas."""
    return None if pandas is None else pandas.Series(n.reshape(-1), copy=False)
