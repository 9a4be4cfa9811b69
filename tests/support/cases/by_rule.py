"""The cases that follow from others, or from a list of names: no one writes them down, and none is forgotten."""

import ast
import contextlib
import inspect
import operator

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.calls import SPACES, function_of, is_attribute_of_a_result, operation_of
from support.cases import TABLE, UNTOLD, Case
from support.cases.protocols import INTEGERS
from support.public import UFUNCS, loops, ufunc_methods

import cowarray
from cowarray import random
from cowarray._chapters import constants as _constants
from cowarray._chapters import data_types as _data_types
from cowarray._chapters import elementwise as _elementwise
from cowarray._chapters import elementwise_numpy as _elementwise_numpy
from cowarray._chapters import linear_algebra as _linear_algebra
from cowarray._ops.table import FRESH, SAME, VIEW

WORDS = """A([["ab", "C"], ["1", " "]])"""
ON_INTEGERS = "bitwise_and bitwise_or bitwise_xor bitwise_count invert left_shift right_shift gcd lcm"
OPERANDS = {
    "isnat": ["""A(["2024-01-01", "NaT"], "M8[s]")"""],
    "ldexp": ["x", INTEGERS],
    "matvec": ["x", "x[0]"],
    "vecmat": ["x[0]", "x"],
    **{name: ["x.astype(int)", INTEGERS][: UFUNCS[name].nin] for name in ON_INTEGERS.split()},
}


def made(source, name="", gives=FRESH, writes=""):
    return Case(source, name, gives, writes, frozenset({"isolation"}))


# ---- of names --------------------------------------------------------------------------------------------------------


def operands(ufunc):
    """Arguments of one of the ufunc's loops, as source; none where there is no rule."""
    if ufunc.__name__ in OPERANDS:
        return OPERANDS[ufunc.__name__]
    if not ufunc.types:
        return [WORDS] * ufunc.nin
    if any(loop.split("->")[0] == "d" * ufunc.nin for loop in ufunc.types):
        return ["x", "A([[2., 3., 1., 4.]] * 4)"][: ufunc.nin]
    return []


def of_ufunc(name, ufunc):
    """A case for each method; none where no operands are known, which the test of completeness reports."""
    values = operands(ufunc)
    if not values:
        return
    function = f"np.{name}" if hasattr(np, name) else f"np.strings.{name}"
    given = ", ".join(values)
    reduced = "x > 3" if "ddd" not in loops(ufunc) and "???" in loops(ufunc) else values[0]
    for method in ufunc_methods(ufunc):
        full = f"ufunc {name}.{method}"
        if method == "__call__":
            yield made(f"{function}({given})", full)
        elif method == "out":
            call = f"{function}({given})"
            outs = [f"A(like({call}))" if ufunc.nout == 1 else f"A(like({call}[{i}]))" for i in range(ufunc.nout)]
            yield made(f"{function}({given}, out=({', '.join(outs)},))", full, SAME, "out")
            if ufunc.signature is None and values[0] != WORDS:
                mask = ", ".join((*values, f"out=({', '.join(outs)},)", "where=A(x > 3)"))
                yield made(f"{function}({mask})", full, SAME, "out")
            if ufunc.nout == 1 and values[0].startswith("x"):
                yield made(f"{function}({given}, out=(x,))", full, SAME, "out")
                yield made(f"{function}({given}, out=x.T)", full, SAME, "out")
        elif method == "at":
            arguments = ", ".join((values[0], "[0, 0]", *[f"{value}[0]" for value in values[1:]]))
            yield made(f"{function}.at({arguments})", full, writes="first")
        elif method == "reduceat":
            yield made(f"{function}.reduceat({reduced}, [0, 1])", full)
        elif method == "outer":
            yield made(f"{function}.outer({given})", full)
        else:
            yield made(f"{function}.{method}({reduced})", full)


def of_elementwise():
    """The library's own functions that call a ufunc; the others of their chapter are in `own.py`."""
    for name in (*_elementwise.__all__, *_elementwise_numpy.__all__):
        ufunc = getattr(np, name)
        if isinstance(ufunc, np.ufunc):
            call = f"cowarray.{name}({', '.join(operands(ufunc))}"
            yield made(f"{call})", f"cowarray.{name}")
            like = [f"A(like({call})))" if ufunc.nout == 1 else f"A(like({call})[{at}]))" for at in range(ufunc.nout)]
            yield made(f"{call}, out=({', '.join(like)},))", f"cowarray.{name}", SAME, "out")
    for name in _linear_algebra.__all__:
        if isinstance(getattr(np, name, None), np.ufunc):
            given = ", ".join(operands(getattr(np, name)))
            call = f"cowarray.{name}({given})"
            yield made(call, f"cowarray.{name}")
            yield made(f"cowarray.{name}({given}, out=A(like({call})))", f"cowarray.{name}", SAME, "out")


def of_random():
    """Of what makes numbers, and of NumPy's bit generators, which see no arrays."""
    for name in random.__all__:
        yield made(f"cowarray.random.{name}")
    make = "cowarray.random.default_rng"
    for call in ("normal(x, 2)", "permutation(x)", "permuted(x)", "choice(x, 2)", "random(out=A(np.zeros(3)))"):
        yield made(f"{make}(1).{call}", make, SAME if "out" in call else FRESH, "out" if "out" in call else "")
    yield made(f"{make}(1).random(out=x)", make, SAME, "x")
    yield made(f"{make}(1).shuffle(x)", make, writes="x")
    yield made(f"{make}(1).permuted(x, out=x)", make, SAME, "x")


def of_lists():
    """Constants and data types."""
    names = [f"cowarray.{name}" for name in (*_constants.__all__, *_data_types.__all__)]
    for name in names:
        yield made(name)
    yield Case(", ".join(names), "", UNTOLD, tags=frozenset({"faults"}))
    for name in cowarray.array_api.__all__:
        if not inspect.isfunction(inspect.unwrap(getattr(cowarray.array_api, name))):
            yield made(f"cowarray.array_api.{name}")


def of_names():
    yield from of_lists()
    yield from of_elementwise()
    yield from of_random()
    for name, ufunc in UFUNCS.items():
        yield from of_ufunc(name, ufunc)


# ---- made of others --------------------------------------------------------------------------------------------------


def with_out(source):
    """A call again, with an out that has room for what it gives; nothing where it takes none, or has one."""
    operation, _ = operation_of(source)
    takes = operation and any(each.name == "out" for each in operation.writes) and source.endswith(")")
    if takes and not any(word in source for word in ("out=", "lambda", "None")):
        keyword = "" if ".conj" in source else "out="  # NumPy's method has no name for it
        yield f"{source.removesuffix(')')}{'' if source.endswith('()') else ', '}{keyword}A(like({source})))"


def of_functions(functions):
    """Calls of the library's functions: those of NumPy's functions by all their names here."""
    names = {}
    for space, theirs in SPACES.items():
        for name in space.__all__:
            function = getattr(theirs, name, None)
            if inspect.isfunction(inspect.unwrap(getattr(space, name))) and function in ARRAY_FUNCTIONS:
                names.setdefault(function, []).append(f"{space.__name__}.{name}")
    tags = frozenset({"namespace", "isolation", "faults"})
    for case in functions:
        for name in names.get(function_of(case.source), ()):
            yield Case(f"{name}({case.source.partition('(')[2]}", name, TABLE, tags=tags)


def of_standard(known):
    """Calls of the functions of the standard's namespace: those of the library's functions that its signatures take."""
    for case in known:
        name, _, rest = case.source.partition("(")
        standard = f"cowarray.array_api.{name.removeprefix('cowarray.')}"
        if "isolation" not in case.tags or name in ("cowarray.asarray", "cowarray.from_dlpack"):
            continue
        with contextlib.suppress(AttributeError, SyntaxError, TypeError):
            call = ast.parse(case.source, mode="eval").body
            if name.startswith("cowarray.") and isinstance(call, ast.Call) and ast.unparse(call.func) == name:
                given = {each.arg: None for each in call.keywords}
                inspect.signature(operator.attrgetter(standard.partition(".")[2])(cowarray)).bind(*call.args, **given)
                if "out" not in given:  # which no function of the standard has
                    yield made(f"{standard}({rest}", standard, VIEW if case.gives == SAME else case.gives)


def of_out(case):
    """The case again with `out`, if it takes that."""
    if is_attribute_of_a_result(case.source):
        return
    if "namespace" in case.tags and "out" not in parameters(case.name):
        return
    for source in with_out(case.source):
        yield made(source, case.name, SAME)


def parameters(name):
    return inspect.signature(eval(name, {"cowarray": cowarray})).parameters
