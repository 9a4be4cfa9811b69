"""A case made ready in a world: its arguments are there, its public name is known, and it can be run several times."""

import ast
import functools
import io
import types

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.calls import SPACES, Run, arrays_in, compiled
from support.cases.registry import select
from support.oracle import native, outcome
from support.public import archive
from support.worlds import clone

import cowarray
from cowarray._ops.table import Operation, lookup, method


def like(result):
    """Something else of a result's shape and dtype, to be written over."""
    result = np.asarray(native(result))
    return (~result if result.dtype == bool else np.full(result.shape, 113)).astype(result.dtype)


def inside(context, action):
    with context:
        return action()


def refused(make, *args):
    """A class that makes no instances, and what cannot be evicted, say so."""
    try:
        made = make(*args)
    except (TypeError, BufferError):
        return True
    raise AssertionError(f"{make} has made {made!r}")


def saved(array):
    """A file with an array, to be read from its start."""
    file = io.BytesIO()
    cowarray.save(file, array)
    file.seek(0)
    return file


@functools.cache
def prepared(source):
    """The attribute that a source is about, or None; what evaluates its operands; whether it is a statement.

    Cases run in many worlds, and to compile them took as long as to run them.
    """

    def code(node):
        return compile(ast.fix_missing_locations(ast.Expression(node)), source, "eval")

    whole = ast.parse(source).body[0]
    node = whole.value if isinstance(whole, ast.Expr) else whole
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        attribute, owner = node.func.attr, code(node.func.value)
        node.func = ast.Name("bind", ast.Load())
        arguments = code(node)

        def prepare(call):
            call.owner = eval(owner, call.names)
            call.names["bind"] = lambda *args, **kwargs: (args, kwargs)
            call.args, call.kwargs = eval(arguments, call.names)
            call.action = lambda: getattr(call.owner, attribute)(*call.args, **call.kwargs)

    elif isinstance(node, ast.Attribute):
        attribute, owner = node.attr, code(node.value)

        def prepare(call):
            call.owner = eval(owner, call.names)
            call.action = lambda: getattr(call.owner, attribute)

    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        name, owner, assigned = node.targets[0].attr, code(node.targets[0].value), code(node.value)
        attribute = f"{name}="

        def prepare(call):
            call.owner = eval(owner, call.names)
            call.args = (eval(assigned, call.names),)
            call.action = lambda: setattr(call.owner, name, *call.args)

    else:
        attribute, all_of_it = None, compiled(source)

        def prepare(call):
            call.action = lambda: eval(all_of_it, call.names)

    return attribute, prepare, whole is node


class PreparedCall:
    """A case in a world: its arguments are there, and it can be run several times.

    Attributes
    ----------
    name : str
        The public name that is called, as in `public.py`.
    operation : Operation
        The table's row, or that of what is not listed.
    refusal : type or None
        The error of the arguments; such a call cannot be run.
    """

    def __init__(self, case, x):
        self.case, self.x = case, x
        self.run_of = Run(case.source, x)
        self.names = {**self.run_of.names, **HELPERS, "x": x, "A": self.companion}
        self.inputs, self.others = [x], []
        self.owner, self.args, self.kwargs = None, (), {}
        self.attribute, self.prepare, self.is_statement = prepared(case.source)
        self.is_statement = self.is_statement and case.writes != "object"
        _, self.refusal = outcome(self.make_ready)
        self.operation = self.row()

    def companion(self, values, dtype=None):
        """Another array, a lazy copy like the one under test."""
        made = np.array(native(values), dtype=dtype)
        if type(self.x) is cowarray.ndarray:
            original = cowarray.array(made)
            self.others.append(original)
            made = original.copy()
        self.inputs.append(made)
        return made

    def make_ready(self):
        self.prepare(self)
        for given in arrays_in([self.owner, *self.args, *self.kwargs.values()], type(self.x)):
            if type(given) is cowarray.ndarray and all(given.storage is not known.storage for known in self.inputs):
                self.others.append(given.copy(order="K"))
            if not is_in(given, self.inputs):
                self.inputs.append(given)

    @property
    def name(self):
        if self.case.name:
            return self.case.name
        owner = self.owner.__name__ if isinstance(self.owner, types.ModuleType) else type(self.owner).__name__
        return f"{owner}.{self.attribute}"

    def row(self):
        if isinstance(self.owner, types.ModuleType):
            function = getattr(SPACES.get(self.owner, self.owner), self.attribute, None)
            return lookup(function) if function in ARRAY_FUNCTIONS else Operation()
        if type(self.owner) is cowarray.ndarray:
            return method(self.attribute)
        return Operation()

    def written(self):
        """The arrays that the table, or the case, names as written by this call."""
        found = [self.argument(*each[:2]) for each in self.operation.writes]
        if self.operation.writes_if:
            written, flag, wanted = self.operation.writes_if
            given = self.argument(*flag[:2])
            if bool(flag.default if given is None else given) == wanted:
                found.append(self.argument(*written[:2]))
        found += {
            "x": [self.x],
            "owner": [self.owner],
            "first": list(self.args[:1]),
            "out": [self.kwargs.get("out")],
        }.get(self.case.writes, [])
        if self.is_statement:
            found.append(self.x)
        return list(arrays_in(found, cowarray.ndarray))

    def argument(self, name, position):
        if position == -1:
            return self.owner
        return self.args[position] if position < len(self.args) else self.kwargs.get(name)

    def run(self):
        for opened in self.run_of.files:
            opened.seek(0)
        return outcome(self.action)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.run_of.close_files()


def is_in(array, arrays):
    return any(array is each for each in arrays)


HELPERS = {
    "cowarray": cowarray,
    "like": like,
    "inside": inside,
    "refused": refused,
    "saved": saved,
    "archive": archive,
}


@functools.cache
def names_called():
    """The public names, as in `public.py`, that have a case."""
    return {called(case) for case in select("isolation")}


def called(case):
    with PreparedCall(case, clone().x) as call:
        return call.name
