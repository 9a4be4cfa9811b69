"""What the sweeps of faults work on: an array in a state, with those that share its bytes, and a call, compiled.

Both come in three kinds: ours, NumPy's own, and a class that only hands its array to NumPy.
"""

import copy
import functools
import operator
import os
import pickle
import re
import sys
import tempfile

import numpy as np
from support.calls import RECORDS
from support.oracle import numbers

import cowarray

STATES = ("shared", "sole", "computed", "foreign", "pinned")


class Scene:
    """One array in a state, with those that share its bytes.

    Attributes
    ----------
    x : the array under test
    others : dict
        Arrays that must never change, by name.
    """

    def __init__(self, state, dtype, kind="ours"):
        values = numbers((4, 4)).astype(dtype)
        self.others = {}
        self.state = state
        if kind != "ours":
            self.x = values if kind == "numpy" else Bare(values)
            self.kept = values.copy()  # objects in it stay in use, as those do that arrays of ours share
            return
        if state == "foreign":
            values.setflags(write=False)
            self.x = cowarray.asarray(values)
            self.others["source"] = values
        else:
            self.x = cowarray.array(values)
        if state == "computed":
            self.x = self.x + self.x - self.x  # no Storage yet
        if state == "shared":
            self.others["other"] = self.x.copy()
            self.others["shown"] = np.asarray(self.x)
        if state == "pinned":
            self.others["export"] = self.x.to_numpy(writable=True)

    def look(self):
        """All that can be seen of x; and of the others, their bytes."""
        x = self.x
        if type(x) is not cowarray.ndarray:
            return ((bytes_of(x), x.shape, x.dtype.str),)
        told = cowarray.explain(x)
        seen = (bytes_of(x), x.shape, x.dtype.str, x.strides, x.flags.writeable)
        sharing = (told.shares, told.pinned, told.foreign, told.next_write_copies)
        return seen, sharing, self.look_at_others()

    def look_at_others(self):
        return {name: bytes_of(array) for name, array in self.others.items() if name != "export"}

    def references(self):
        """Counts of references to all arrays here, and to what was made for them."""
        return {name: sys.getrefcount(array) for name, array in (("x", self.x), *self.others.items())}


def bytes_of(array):
    if array.dtype.hasobject or array.dtype.names:  # addresses; bytes between fields
        return repr(array.tolist())
    return array.tobytes()


class Bare:
    """Hands NumPy its array where it is asked for one: what leaks or breaks here is no fault of ours."""

    def __init__(self, array):
        self.array = array

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if "out" in kwargs:
            kwargs["out"] = tuple(bare(item) for item in kwargs["out"])
        if method != "__call__":
            kwargs.pop("array", None)
            kwargs.pop("indices", None)
        return getattr(ufunc, method)(*[bare(item) for item in inputs], **{k: bare(v) for k, v in kwargs.items()})

    def __array_function__(self, func, types, args, kwargs):
        return func(*bare(args), **bare(kwargs))

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __getattr__(self, name):
        return getattr(self.array, name)

    def __getitem__(self, key):
        return Bare(self.array[key])

    def __len__(self):
        return len(self.array)


for _name in ("add", "sub", "mul", "truediv", "gt", "lt", "neg", "eq"):
    setattr(
        Bare,
        f"__{_name}__",
        lambda self, *others, name=_name: Bare(getattr(operator, name)(self.array, *map(bare, others))),
    )


def bare(value):
    if isinstance(value, Bare):
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)([bare(item) for item in value])
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items()}
    return value


# ---- one call --------------------------------------------------------------------------------------------------------


class CompiledCall:
    """A line of `fault_calls`, compiled, with the names it uses."""

    def __init__(self, source, kind="ours"):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this does
        self.folder = tempfile.TemporaryDirectory()
        self.kind = kind
        self.names = {
            "np": np,
            "rf": np.lib.recfunctions,
            "copy": copy,
            "operator": operator,
            "pickle": pickle,
            "cowarray": cowarray,
            "R": RECORDS,
            "A": self.companion,
            "FILE": functools.partial(self.rewound, b""),
            "TEXT": functools.partial(self.rewound, b"1 2 3"),
            "PATH": os.path.join(self.folder.name, "file"),
            "SAVED": os.path.join(self.folder.name, "saved.npy"),
        }
        np.save(self.names["SAVED"], np.arange(4.0))
        try:
            compile(source, "", "eval")
            text = f"def call():\n    return ({source}\n)"
        except SyntaxError:
            text = f"def call():\n    global x\n    {source}"
        exec(compile(text, "<call>", "exec"), self.names)
        self.function = self.names["call"]

    def companion(self, values, dtype=None):
        made = np.array(values, dtype=dtype)
        return cowarray.array(made) if self.kind == "ours" else made if self.kind == "numpy" else Bare(made)

    def rewound(self, text):
        self.file.seek(0)
        self.file.truncate()
        self.file.write(text)
        self.file.seek(0)
        return self.file

    def on(self, world):
        """The function to call."""
        self.names["x"] = world.x
        self.names["shown"] = world.others.get("shown")
        return self.function

    def forget(self):
        self.names["x"] = self.names["shown"] = None
        self.names.pop("seen", None)

    def close(self):
        self.file.close()
        self.folder.cleanup()


def frozen(value):
    """A result as something to compare, without what differs from call to call."""
    if isinstance(value, (cowarray.ndarray, np.ndarray, Bare)):
        kind = "ndarray" if type(value) in (cowarray.ndarray, np.ndarray, Bare) else type(value).__name__
        return kind, value.shape, value.dtype.str, bytes_of(value)
    if isinstance(value, np.generic):
        return type(value).__name__, bytes_of(np.asarray(value))
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(frozen(item) for item in value)
    if isinstance(value, str):
        return "str", re.sub("0x[0-9a-f]+", "an address", value)
    if isinstance(value, (bool, int, bytes, type(None), type)):
        return type(value).__name__, value if type(value) is not int or abs(value) < 2**40 else "an address"
    return type(value).__name__
