"""The registry of calls: what is called, what it gives, what it writes, and where a stranger can come in.

A case is one call of one public name, in the words of `calls.py`: `x` is the array under test, `y` another of its
shape, `A(values)` makes a companion. Most cases are the recipes that the other suites run; here are those that only
matter when user code comes between a look and an act. `Form` is a case taken apart: each of its arguments is a slot,
and a slot can be given something else than what the source says.
"""

import ast
import functools
from typing import NamedTuple

from support.recipes_by_rule import RECIPES

from cowarray._ops.table import FRESH, SAME, VIEW


class Case(NamedTuple):
    """One call.

    Attributes
    ----------
    source : str
    name : str
        The public name; empty where the source tells.
    gives : str
        What the result is: view, the same object, copy or fresh (`cowarray._ops.table`).
    writes : str
        "x", "out", "first", "owner" (the subject of the call), "object" (shape or flags, no bytes), or nothing.
    tags : frozenset of str
        ``unset``: NumPy leaves parts of the result unset. ``trusts``: the caller promises that nobody writes to what
        was given. ``leaves``: the result is NumPy's own array, and may alias.
    """

    source: str
    name: str = ""
    gives: str = FRESH
    writes: str = ""
    tags: frozenset = frozenset()


def lines(text, gives=FRESH, writes="", tags=""):
    return [
        Case(line.strip(), "", gives, writes, frozenset(tags.split())) for line in text.splitlines() if line.strip()
    ]


# Indices, values and flags that are looked at twice, text narrower than its target, arrays as elements, division by 0.
OWN_CASES = [
    *lines(
        """
        x[:]
        x[0:]
        x[1:3]
        x[::2]
        x[:, 1:]
        x[A(0), ...]
        x[A(1)]
        x[0, ...]
        x[..., 0]
        x[(0,)]
        x.view(x.dtype)
        cowarray.array(x, copy=None, ndmin=8)
        cowarray.broadcast_to(x, (3, *x.shape))
        cowarray.moveaxis(x, 0, -1)
        cowarray.squeeze(x)
        cowarray.flip(x, 0)
        """,
        VIEW,
    ),
    *lines(
        """
        x[:] = y
        x[...] = y
        x[0:] = y
        x[1:3] = y[1:3]
        x[:] = 3
        x[A(0)] = 3
        x[A([True, False, True, False])] = 3
        x[[0, 1]] = y[:2]
        x[0] = 3
        x[(0,)] = 3
        x[-1, -1] = 3
        x[()] = 3
        x += y
        x -= 1
        x *= x
        x /= 0
        x /= y
        x //= 0
        x %= 0
        x **= 2
        x.flat[0] = 3
        x.flat[:] = y
        x.flat[(0,)] = 3
        x.flat[[0, 1]] = 3
        x.flat = y
        x.real = y
        x.fill(3)
        x.put([0, 1], [8, 9])
        x.sort(axis=0, kind="stable")
        x.partition(1, axis=0)
        x.byteswap(inplace=True)
        x.setfield(1, "u1", 0)
        np.add(x, y, out=x)
        np.add(y, y, out=x)
        np.add(x, y, out=(x,))
        np.add(y, y, out=x, where=y > 3)
        np.add(y, y, x)
        np.add.at(x, [0, 1], 1)
        np.add.reduce(x, axis=0, out=x[0])
        np.add.accumulate(x, axis=0, out=x)
        np.divide(x, 0, out=x)
        np.log(x - x, out=x)
        np.matmul(y, y, out=x)
        np.einsum("ij,jk->ik", y, y, out=x)
        np.copyto(x, y)
        np.copyto(x, y, where=y > 3)
        np.place(x, x > 3, [1, 2])
        np.putmask(x, x > 3, y)
        np.put(x, [0], [9])
        np.fill_diagonal(x, 3)
        np.put_along_axis(x, A([[1, 0, 1, 0]]), 7, 0)
        np.clip(x, 1, 2, out=x)
        np.strings.add(y, y, out=x)
        np.add(A([["a"] * 4] * 4), A([["b"] * 4] * 4), out=x)
        np.add(A([[b"a"] * 4] * 4), A([[b"b"] * 4] * 4), out=x)
        np.strings.multiply(A(["ab"]), 2, out=x)
        np.strings.upper(y)
        np.frompyfunc(lambda a, b: a, 2, 1)(x, y, out=x, casting="unsafe")
        cowarray.add(x, y, out=x)
        cowarray.sqrt(x, out=x)
        cowarray.multiply(y, y, out=x, where=y > 3)
        x.__array_ufunc__(np.add, "__call__", x, x, out=x)
        x.__array_ufunc__(np.add, "__call__", x, y, out=(x,), where=y > 3)
        x.__array_ufunc__(np.add, "at", x, [0], 1)
        x.__array_function__(np.copyto, (type(x),), (x, y), {})
        """,
        SAME,
        "x",
    ),
    *lines("x[0]\nx[1, 1]\nx.item(0)\nx.flat[0]\nx.flat[(0,)]\nx.flat[()]\nx.flat[np.array(0)]\nx.flat[A(0)]"),
    *lines(
        """
        x.flat[1:3]
        x.flat[[0, 1]]
        x[[0, 1]]
        x[x > 3]
        x[A([0, 1]), 0]
        x[[True, False, True, False]]
        x + y
        x + 1
        1 + x
        y / x
        x / 0
        x // 0
        x @ y
        x == y
        x < 3
        divmod(x, y)
        x ** y
        -x
        y in x
        np.add(x, y)
        np.add(x, 1)
        np.divide(x, 0)
        np.log(x - x)
        np.sqrt(-x)
        np.add.reduce(x, axis=0)
        np.add.reduce(x, axis=(0, 1))
        np.add.reduceat(x, [0, 1])
        np.add.outer(x, y)
        np.multiply(x, y, dtype="f8", casting="unsafe", order="C")
        np.sum(x, axis=0)
        np.sum(x, axis=(0,))
        np.max(x, axis=0, initial=0)
        np.take(x, 0)
        np.take(x, [0], axis=0)
        np.compress([True, False], x, axis=0)
        np.choose([0, 1], [x[:2], y[:2]])
        np.where(x > 1, x, y)
        np.concatenate([x, y])
        np.stack([x, y], axis=0)
        np.vstack((x, y))
        np.block([[x, y]])
        np.dot(x, y)
        np.einsum("ij,jk->ik", x, y)
        np.tensordot(x, y, axes=1)
        np.searchsorted(x[0], y)
        np.histogram(x, bins=3, range=(0, 5))
        np.interp(x, [0, 1], [2, 3])
        np.apply_along_axis(lambda row: row, 0, x)
        np.piecewise(x, [x < 3, x >= 3], [lambda part: part, lambda part: -part])
        np.vectorize(lambda value: value)(x)
        np.fromiter(iter([x, y]), object)
        np.frompyfunc(lambda value: value, 1, 1)(x)
        np.array2string(x, formatter={"all": lambda value: "v"})
        cowarray.array([x, y])
        cowarray.array([[1, 2], [3, 4]], dtype="f8")
        cowarray.array(x, dtype="i4")
        cowarray.array(x, ndmin=5)
        cowarray.asarray([1, 2])
        cowarray.asarray((1, 2), dtype="f4")
        cowarray.full((2, 2), 3)
        cowarray.full_like(x, 3)
        cowarray.arange(0, 5, 1)
        cowarray.linspace(0, 1, 5)
        cowarray.zeros((2, 2), dtype="f4")
        cowarray.fromiter(iter([1, 2]), "f8")
        cowarray.fromfunction(lambda i, j: i, (2, 2))
        cowarray.concat([x, y])
        cowarray.where(x > 1, x, y)
        cowarray.take(x, A([0, 1]), axis=0)
        cowarray.sum(x, axis=0)
        cowarray.loadtxt(["1 2", "3 4"], like=x)
        cowarray.loadtxt(["1 2", "3 4"], converters={0: lambda text: 1.0})
        cowarray.loadtxt(["1 2", "3 4"], dtype="f8", delimiter=" ")
        cowarray.genfromtxt(["1 2", "3 4"], like=x)
        cowarray.genfromtxt(["1 2", "3 4"], converters={0: lambda text: 1.0})
        cowarray.array([1, 2], like=x)
        cowarray.asarray([1, 2], like=x)
        cowarray.frombuffer(b"12345678", like=x)
        cowarray.from_dlpack(y)
        cowarray.aliases(x, y)
        cowarray.shares_bytes(x, y)
        cowarray.save(FILE(), x)
        cowarray.save(FILE(), [x, y])
        cowarray.savetxt(FILE(), x)
        cowarray.load(saved(x))
        x.tofile(FILE())
        x.dump(FILE())
        pickle.dumps(x, 5)
        pickle.dumps(x, 5, buffer_callback=lambda buffer: None)
        pickle.loads(pickle.dumps(x, 5))
        copy.copy(x)
        copy.deepcopy([x, y])
        memoryview(x)
        bytes(x)
        np.asarray(x)
        np.array(x, dtype="f4")
        x.__array__(np.float32)
        x.__array__(copy=True)
        x.__dlpack__(copy=True)
        x.tobytes(order="F")
        x.choose([y, y])
        x.clip(1, 3)
        x.cumsum(axis=0)
        x.take([0, 1], axis=0, mode="clip")
        x.repeat(2, axis=0)
        x.searchsorted(1)
        x.sum(axis=0, keepdims=True, where=y > 1)
        x.round(decimals=1)
        x.argsort(axis=0)
        x.flags["WRITEABLE"]
        x.__array_ufunc__(np.add, "__call__", x, y)
        x.__array_ufunc__(np.add, "reduce", x, axis=0)
        x.__array_ufunc__(np.add, "outer", x, y)
        x.__array_function__(np.sort, (type(x),), (x,), {})
        """
    ),
    *lines("cowarray.load(PATH(x), mmap_mode='r')\ncowarray.load(PATH(x))\ncowarray.lazy_clone(x)\nx.copy()"),
    *lines("x.reshape(-1)\nx.reshape((2, 8))\nx.reshape(x.shape)\nx.ravel()\nx.astype('f8')\nx.astype(dtype='f4')"),
    *lines("x.copy(order='F')\nx.flatten('F')\ncowarray.reshape(x, (-1,))\nnp.roll(x, 1, axis=0)\nnp.repeat(x, 2)"),
    *lines(
        """
        x.shape = (2, 8)
        x.shape = -1
        x.dtype = "i1"
        x.dtype = "u8"
        x.resize((2, 3))
        x.resize(7, 7)
        x.resize(40)
        x.setflags(write=True)
        x.setflags(write=False)
        x.flags.writeable = True
        x.flags["WRITEABLE"] = False
        """,
        SAME,
        "object",
    ),
    *lines("x.to_numpy(writable=True)\nx.ctypes\nx.__dlpack__()\nnp.from_dlpack(x)", SAME, "x", "leaves"),
    *lines("cowarray.asarray(y.to_numpy(), copy=False)\ncowarray.from_dlpack(y, copy=False)", SAME, "", "trusts"),
    *lines("x.view(np.ndarray)\nx.view(np.recarray)", VIEW, "x", "leaves"),
    *lines("cowarray.empty((3, 3))\ncowarray.empty_like(x)\nnp.empty_like(x)", tags="unset"),
]

# Of parameters by which a result may stay what it was given, or unset.
TAGS = {
    "copy=False": "trusts",
    "empty": "unset",
    "where=": "unset",
    "writable=True": "leaves",
    "default_rng": "leaves",
}


def tagged(case):
    tags = {tag for text, tag in TAGS.items() if text in case.source}
    if case.source.startswith("np.") and "out=" in case.source:
        tags.add("leaves")  # some of NumPy's functions know nothing of ours, and write through an export
    return case._replace(tags=case.tags | tags)


# What is shared by all of a process, and what would only print.
LEFT_OUT = (
    "cowarray.seterrcall",
    "cowarray.seterr(",
    "cowarray.setbufsize",
    "np.seterrcall",
    "np.seterr(",
    "np.setbufsize",
    "np.show_",
    "np.info",
    "[*cowarray.trace().__enter__",
)


def all_cases():
    for recipe in RECIPES:
        yield tagged(Case(recipe.source, recipe.name, recipe.result, recipe.writes))
    yield from map(tagged, OWN_CASES)


CASES = {case.source: case for case in all_cases() if not case.source.startswith(LEFT_OUT)}


# ---- a call taken apart ----------------------------------------------------------------------------------------------

# Helpers of the calls: what they are given is none of the library's business.
HELPERS = {"A", "like", "inside", "refused", "FILE", "TEXT", "PATH", "saved", "archive", "range", "iter"}


class Form:
    """A case, compiled with its arguments apart.

    Attributes
    ----------
    slots : list of code
        The arguments' own values, in the order in which Python would evaluate them.
    labels : list of str
        What each is called: the keyword, or the source.
    code : code
        The call, with the names ``slot_0``, ... for its arguments.
    is_statement : bool

    Arguments that are tuples or lists are taken apart, too, unless ``whole``.
    """

    def __init__(self, source, whole=False):
        self.source, self.whole = source, whole
        tree = ast.parse(source)
        self.slots, self.labels = [], []
        node = tree.body[0]
        self.is_statement = not isinstance(node, ast.Expr)
        if len(tree.body) == 1:
            self.enter(node)
        if self.is_statement:
            self.code = compile(ast.fix_missing_locations(tree), source, "exec")
        else:
            self.code = compile(ast.fix_missing_locations(ast.Expression(node.value)), source, "eval")

    def put(self, node, label=None):
        """A name in place of an argument, whose own value is a slot."""
        node = Slices().visit(node)
        self.labels.append(label or ast.unparse(node))
        expression = ast.fix_missing_locations(ast.Expression(node))
        self.slots.append(compile(expression, self.source, "eval"))
        return ast.Name(f"slot_{len(self.slots) - 1}", ast.Load())

    def enter(self, node):
        match node:
            case ast.Expr():
                self.enter(node.value)
            case ast.Call(func=ast.Name(id=name)) if name in HELPERS:
                pass
            case ast.Call():
                self.enter(node.func)
                node.args = [arg if isinstance(arg, ast.Starred) else self.argument(arg) for arg in node.args]
                for keyword in node.keywords:
                    if keyword.arg:
                        keyword.value = self.argument(keyword.value, keyword.arg)
            case ast.Subscript():
                self.enter(node.value)
                node.slice = self.argument(node.slice, "index")
            case ast.BinOp():
                if isinstance(node.left, ast.Name) and node.left.id == "x":
                    node.right = self.put(node.right, "right")
                else:
                    node.left = self.put(node.left, "left")
            case ast.Compare(ops=[ast.In()]):
                node.left = self.put(node.left, "left")
            case ast.Compare(comparators=[other]):
                node.comparators = [self.put(other, "right")]
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]) | ast.AugAssign(target=target):
                self.enter(target)
                node.value = self.argument(node.value, "value")
            case ast.Tuple() | ast.List() if isinstance(node.ctx, ast.Load):
                for item in node.elts[:2]:
                    self.enter(item)
            case ast.Attribute():
                self.enter(node.value)

    def argument(self, node, label=None):
        if isinstance(node, (ast.Tuple, ast.List)) and 0 < len(node.elts) <= 3 and not self.whole:
            node.elts = [item if isinstance(item, ast.Starred) else self.put(item, label) for item in node.elts]
            return node
        return self.put(node, label)


class Slices(ast.NodeTransformer):
    """``a:b`` as ``slice(a, b, None)``, which is an expression."""

    def visit_Slice(self, node):
        bounds = [bound or ast.Constant(None) for bound in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), bounds, [])


@functools.cache
def forms_of(source):
    """The call taken apart; and with its sequences whole, where it has any."""
    apart, whole = Form(source), Form(source, whole=True)
    return [apart] if len(apart.slots) == len(whole.slots) and apart.labels == whole.labels else [apart, whole]
