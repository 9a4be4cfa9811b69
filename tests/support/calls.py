"""A case as a call: on ours or NumPy's arrays alike, with its companions and files, and the table's row for it."""

import ast
import copy
import functools
import importlib
import inspect
import io
import operator
import pickle
import tempfile

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.oracle import Witness, outcome, same

import cowarray
from cowarray._ops import table as _table

# These modules register more functions.
for _module in ("numpy.fft", "numpy.char", "numpy.lib.recfunctions", "numpy.polynomial.polynomial"):
    importlib.import_module(_module)


def name_of(function):
    return f"{function.__module__}.{function.__name__}".removeprefix("numpy.")


ALL_FUNCTIONS = sorted({name_of(function) for function in ARRAY_FUNCTIONS})

RECORDS = np.array([(1, 2.0), (2, 3.5)], dtype=[("a", "i4"), ("b", "f8")])


# ---- the library's own namespace -------------------------------------------------------------------------------------


# Public modules, with NumPy's of the same name.
SPACES = {cowarray: np, cowarray.fft: np.fft, cowarray.linalg: np.linalg}

# What NumPy's functions of the name give in any order.
SORTED = {"cowarray.unique_values(x)": "np.unique(x, equal_nan=False)"}


def numpys(call):
    """The same call of NumPy's."""
    if call in SORTED:
        return SORTED[call]
    return "np." + call.removeprefix("cowarray.") if call.startswith("cowarray.") else call


class Run:
    """One run of a call on one kind of array, and what it left behind.

    Attributes
    ----------
    result, error : the outcome
    companions : list
        Arrays that `A` made.
    """

    def __init__(self, source, x):
        self.ours = type(x) is cowarray.ndarray
        self.companions = []
        self.spent = dict.fromkeys(cowarray.stats(), 0)
        self.witnesses = []
        self.files = []
        self.written = []
        self.names = {
            "np": np,
            "cowarray": cowarray,
            "rf": np.lib.recfunctions,
            "copy": copy,
            "io": io,
            "operator": operator,
            "pickle": pickle,
            "R": RECORDS,
            "A": self.companion,
            "FILE": self.file,
            "TEXT": self.text,
        }
        self.source = source
        self.x = x

    def companion(self, values, dtype=None):
        made = np.array(values, dtype=dtype)
        if self.ours:
            before = cowarray.stats()
            made = cowarray.array(made)
            self.witnesses.append(Witness(made))
            for key, count in cowarray.stats().items():
                self.spent[key] += count - before[key]
        self.companions.append(made)
        return made

    def file(self):
        opened = tempfile.TemporaryFile()  # noqa: SIM115 - the call uses it; its end closes it
        self.files.append(opened)
        return opened

    def text(self):
        opened = self.file()
        opened.write(b"1 2 3")
        opened.seek(0)
        return opened

    def close_files(self):
        """Keep what was written to `FILE()`s, and close them."""
        for opened in self.files:
            opened.seek(0)
            self.written.append(opened.read())
            opened.close()
        self.files = []

    def __call__(self):
        """Run; a bare name that the statement rebinds is what Python would leave in it."""
        self.names["x"] = self.x
        self.result, self.error = outcome(eval, compiled(self.source), self.names)
        self.close_files()
        return self

    def parts(self):
        """The function of a call, and its arguments by position and by name, as they are written."""
        call = ast.parse(self.source, mode="eval").body
        function = eval(ast.unparse(call.func), self.names)
        call.func = ast.Name("bind", ast.Load())
        arguments = {**self.names, "x": self.x, "bind": lambda *args, **kwargs: (args, kwargs)}
        return function, *eval(ast.unparse(call), arguments)

    def bound(self):
        """The function of a call, and its arguments, bound to its signature."""
        function, args, kwargs = self.parts()
        return function, inspect.signature(function).bind(*args, **kwargs)

    def stats(self):
        """What the call cost since `reset_stats`, without its companions."""
        return {key: count - self.spent[key] for key, count in cowarray.stats().items()}

    def check(self, theirs):
        """Companions and files are as NumPy's; what was lazily copied from a companion has noticed nothing."""
        assert self.written == theirs.written
        for one, other, witness in zip(self.companions, theirs.companions, self.witnesses, strict=True):
            same(one, other)
            witness.check()


@functools.cache
def is_statement(source):
    return not isinstance(ast.parse(source).body[0], ast.Expr)


@functools.cache
def compiled(source):
    """For `eval`, which gives None for a statement."""
    return compile(source, source, "exec" if is_statement(source) else "eval")


def function_of(source):
    """NumPy's function for a call."""
    call = ast.parse(numpys(source), mode="eval").body
    return eval(ast.unparse(call.func), {"np": np, "rf": np.lib.recfunctions})


@functools.cache
def operation_of(source):
    """The row of the table for a call, and its name there; no row, if it is not listed."""
    if is_attribute_of_a_result(source):
        return None, source
    if source.startswith(("np.", "rf.", "cowarray.")):
        function = function_of(source)
        return _table.lookup(function), name_of(function)
    name = OTHER_NAMES.get(source) or subject_method(source)
    owner, _, attribute = (name or "").partition(".")
    return (_table.method(attribute) if owner == "ndarray" and hasattr(np.ndarray, attribute) else None), name


@functools.cache
def class_of(source):
    """What a call gives: view, same, copy or fresh."""
    operation, name = operation_of(source)
    kind = operation.result if operation else _table.FRESH
    if "copy=False" in source and name in ("ndarray.reshape", "reshape"):
        kind = _table.VIEW
    if ("copy=False" in source and "astype" in name) or name == "ndarray.to_device":
        kind = _table.SAME
    return kind


def arrays_in(result, kind):
    """The arrays of a kind in what a call gave."""
    if type(result) is kind:
        yield result
    elif isinstance(result, (tuple, list)):
        for item in result:
            yield from arrays_in(item, kind)


# Calls that reach a method by another way.
OTHER_NAMES = {
    "copy.copy(x)": "ndarray.__copy__",
    "copy.deepcopy(x)": "ndarray.__deepcopy__",
    "[row for row in x]": "ndarray.__getitem__",
}


@functools.cache
def is_attribute_of_a_result(source):
    node = ast.parse(source).body[0]
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and source.startswith("cowarray.")


def subject_method(source):
    """The method that a line calls; the line itself, if it calls none."""
    node = ast.parse(source).body[0]
    node = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "value", node)
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        return "ndarray.__setitem__" if is_statement(source) else "ndarray.__getitem__"
    return f"ndarray.{node.attr}" if isinstance(node, ast.Attribute) else source
