"""Calls of NumPy's functions (`function_calls.txt`) and of every method, one a line, for ours and for NumPy's alike.

In a call, `x` is the array under test, and `A(values)` makes a companion of the same kind (ours for ours, NumPy's for
NumPy's); `FILE()` is written to, `TEXT()` read. Lines that are statements write.
"""

import ast
import copy
import functools
import importlib
import inspect
import io
import operator
import pickle
import tempfile
from pathlib import Path

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.numpy_versions import absent
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

METHOD_CALLS = """
x.T
x.mT
x.all()
x.any(0)
x.argmax(0)
x.argmin()
x.argpartition(1)
x.argsort(-1)
x.astype(float)
x.astype(float, order="F")
x.astype(int)
x.astype(x.dtype, copy=False)
x.astype(">f8")
x.byteswap()
x.byteswap(True)
x.byteswap(inplace=True)
A([0, 1, 1, 0]).choose([x, -x])
x.clip(2, 5)
x.compress([True, False], axis=0)
x.conj()
x.conjugate()
(x + 1j).conj()
x.copy()
x.copy("F")
x.copy("A")
x.copy(order="K")
x.cumprod(0)
x.cumsum()
x.device
x.diagonal()
x.diagonal(1)
x.dot(x)
x.dtype
x.fill(3)
x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable, x.flags.aligned, x.flags["C"], x.flags.fnc
x.flat[1]
x.flat[1:3]
x.flat[[0, 1]]
[element for element in x.flat]
len(x.flat), x.flat.index, x.flat.coords
x.flat.copy()
x.flat = [5, 6]
x.flat[1:3] = A([8., 9.])
x.flat[0] = 4
x.flatten()
x.flatten("F")
x.getfield("u4", 4)
x.imag
(x + 2j).imag
x.item()
x.item(-1)
x.itemsize
x.max(axis=0)
x.mean(0)
x.min()
x.nbytes
x.ndim
x.nonzero()
x.partition(1)
x.partition(0, axis=0)
x.prod(0)
x.put([0, 1], [8, 9])
x.put(A([0]), A([5.]), "clip")
x.ravel()
x.ravel("F")
x.ravel(order="K")
x.real
x.real = 3
x.repeat(2, axis=0)
x.reshape(-1)
x.reshape(x.shape)
x.reshape(-1, 2, order="F")
x.reshape((1, *x.shape))
x.reshape(*x.shape[::-1])
x.reshape(-1, copy=False)
x.reshape(x.shape[::-1], order="F", copy=False)
x.round(1)
x.searchsorted(2.)
x.setfield(1, "u4", 4)
x.setflags(write=False)
x.shape
x.size
x.sort()
x.sort(axis=0, kind="stable")
x.squeeze()
x.squeeze(axis=0)
x.std(0)
x.strides if x.size else ()
x.sum()
x.sum(axis=-1, keepdims=True)
x.swapaxes(0, -1)
x.take([0, -1])
x.take(A([0]), axis=0, mode="clip")
x.to_device("cpu")
x.tobytes()
x.tobytes("F")
x.tofile(FILE())
x.tolist()
x.trace()
x.transpose()
x.transpose(1, 0)
x.transpose((1, 0))
x.var()
x.view()
x.view("i8")
x.view("u1")
x[0]
x[-1, ...]
x[1:]
x[..., None]
x[...]
x[()]
x[::-2]
x[0, 1:, None]
x[[0, 1]]
x[A([True, False, True, False])]
x[x > 3]
x[A([0, 1]), 0]
x[A([0, 1]), None, :1]
x[0] = 5
x[...] = 5
x[:] = A([5.])
x[1:] = x[:-1]
x[::-1] = x
x[x > 3] = 0
x[[0, 1]] = A([7.])
x[..., 0] = [1]
x += 1
x -= x
x *= A([2.])
x /= 2
x //= x[::-1]
x %= 3
x **= 2
x @= A(np.eye(4))
copy.copy(x)
copy.deepcopy(x)
pickle.loads(pickle.dumps(x, 5))
pickle.loads(pickle.dumps(x, 2))
[row for row in x]
2. in x
len(x)
hash(x)
bool(x)
int(x)
float(x)
complex(x)
operator.index(x.astype(int))
repr(x)
str(x)
format(x)
format(x, ".2f")
divmod(x, 3)
divmod(3, x)
-x
+x
abs(x)
~(x > 3)
x ** 2
2 ** x
x @ x
A(np.eye(4)) @ x
x + 1, x - x, x * A([2.]), x / 3, x // 2, x % 2, 1 + x, 1 - x, 2 * x, 1 / x, 5 // x, 5 % x
x < 3, x <= 3, x == 3, x != 3, x > 3, x >= x
(x > 3) & (x < 6), (x > 3) | (x < 2), (x > 3) ^ True, True & (x > 3), False | (x > 3), True ^ (x > 3)
x.astype(int) << 1, x.astype(int) >> 1, 1 << x.astype(int), 100 >> x.astype(int)
x == "text", x != None, x == None, x == [1.]
del x[0]
"""

INTEGER_CALLS = """
x <<= 1
x >>= 1
x &= 1
x |= 1
x ^= 1
~x
x & 1
x += 1
x //= 2
x **= 2
x.byteswap(True)
"""

# Errors on every array.
ALWAYS_FAIL = ("hash(x)", "del x[0]")


def calls_of(lines):
    return [line for line in lines.splitlines() if line]


def exists(call):
    """Whether this NumPy has the function."""
    return not any(call.startswith(f"np.{name}(") for name in absent())


FUNCTION_CALLS = [call for call in calls_of((Path(__file__).parent / "function_calls.txt").read_text()) if exists(call)]
METHOD_CALLS = calls_of(METHOD_CALLS)


# ---- the library's own namespace -------------------------------------------------------------------------------------

# What NumPy's dispatch does not reach, because no argument is an array, and parameters that it alone has.
NAMESPACE_CALLS = """
cowarray.arange(5)
cowarray.arange(2, 10, 3)
cowarray.arange(10., stop=2., step=-2., dtype="f4", device="cpu")
cowarray.arange(np.datetime64("2024-01-01"), np.datetime64("2024-01-05"))
cowarray.asanyarray(x, "i4")
cowarray.ascontiguousarray(x)
cowarray.asfortranarray(x)
cowarray.broadcast_arrays(1, x)
cowarray.broadcast_shapes(x.shape, (1,), 4)
cowarray.broadcast_to(3., [2, 3])
cowarray.concat([[1], [2, 3]])
cowarray.diag_indices(3, 3)
cowarray.empty([0, 3], "i2")
cowarray.eye(2, 3, k=1, dtype="i4", order="F", device="cpu")
cowarray.finfo(np.float32).tiny
cowarray.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
cowarray.fromiter(iter([1, 2]), float, 1)
cowarray.fromstring("1 2", "i8", sep=" ")
cowarray.full([2, 3], 7)
cowarray.full((2, *x.shape), x)
cowarray.geomspace(1, 1000, 4)
cowarray.identity(3, "c8")
cowarray.iinfo(np.int8).max
cowarray.indices((2, 3))
cowarray.indices((2, 3), "i2", sparse=True)
cowarray.isdtype(x.dtype, ("real floating", "bool"))
cowarray.issubdtype(x.dtype, np.floating)
cowarray.linspace(0, 1, 5, endpoint=False, device="cpu")
cowarray.linspace(0, 1, num=3, retstep=True)
cowarray.logspace(0, 3, 4, base=2)
cowarray.meshgrid(x[0], [1, 2], indexing="ij")
cowarray.ones([2, 3], dtype=bool, device="cpu")
cowarray.ones_like(x, shape=[2], device="cpu")
cowarray.promote_types(x.dtype, "i8")
cowarray.require(x, "f8", ["C", "W", "O"])
cowarray.stack([x, x], out=A(np.zeros((2, *x.shape))))
cowarray.tri(3, 4, -1, dtype="u1")
cowarray.tril_indices(3, -1, 4)
cowarray.triu_indices(3, m=4)
cowarray.fft.fftfreq(4)
cowarray.fft.fftfreq(5, .5, "cpu")
cowarray.fft.rfftfreq(4)
cowarray.fft.rfftfreq(5, d=.5)
cowarray.zeros([2, 3], "i4", "F", device="cpu")
"""


# Public modules, with NumPy's of the same name.
SPACES = {cowarray: np, cowarray.fft: np.fft, cowarray.linalg: np.linalg}

# What NumPy's functions of the name give in any order.
SORTED = {"cowarray.unique_values(x)": "np.unique(x, equal_nan=False)"}


def numpys(call):
    """The same call of NumPy's."""
    if call in SORTED:
        return SORTED[call]
    return "np." + call.removeprefix("cowarray.") if call.startswith("cowarray.") else call


def namespace_calls():
    """Calls of the library's functions: those of NumPy's functions by all their names here, and the ones above."""
    names = {}
    for space, theirs in SPACES.items():
        for name in space.__all__:
            function = getattr(theirs, name, None)
            if inspect.isfunction(getattr(space, name)) and function in ARRAY_FUNCTIONS:
                names.setdefault(function, []).append(f"{space.__name__}.{name}")
    for call in FUNCTION_CALLS:
        for name in names.get(function_of(call), ()):
            yield f"{name}({call.partition('(')[2]}"
    yield from calls_of(NAMESPACE_CALLS)


INTEGER_CALLS = calls_of(INTEGER_CALLS)


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
        if is_statement(self.source):
            self.result, self.error = outcome(exec, self.source, self.names)
        else:
            self.result, self.error = outcome(eval, self.source, self.names)
        self.close_files()
        return self

    def bound(self):
        """The function of a call, and its arguments, bound to its signature."""
        call = ast.parse(self.source, mode="eval").body
        function = eval(ast.unparse(call.func), self.names)
        call.func = ast.Name("bind", ast.Load())
        arguments = {**self.names, "x": self.x, "bind": lambda *args, **kwargs: (args, kwargs)}
        args, kwargs = eval(ast.unparse(call), arguments)
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


def function_of(source):
    """The NumPy function that a line of `FUNCTION_CALLS` calls."""
    call = ast.parse(numpys(source), mode="eval").body
    return eval(ast.unparse(call.func), {"np": np, "rf": np.lib.recfunctions})


@functools.cache
def operation_of(source):
    """The row of the table for a call, and its name there; no row, if it is not listed."""
    if source in ATTRIBUTES_OF_RESULTS:
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


ATTRIBUTES_OF_RESULTS = {call for call in calls_of(NAMESPACE_CALLS) if not call.endswith(")")}

NAMESPACE_CALLS = [*namespace_calls()]

# Calls that reach a method by another way.
OTHER_NAMES = {
    "copy.copy(x)": "ndarray.__copy__",
    "copy.deepcopy(x)": "ndarray.__deepcopy__",
    "[row for row in x]": "ndarray.__getitem__",
}


def subject_method(source):
    """The method that a line calls; the line itself, if it calls none."""
    node = ast.parse(source).body[0]
    node = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "value", node)
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        return "ndarray.__setitem__" if is_statement(source) else "ndarray.__getitem__"
    return f"ndarray.{node.attr}" if isinstance(node, ast.Attribute) else source
