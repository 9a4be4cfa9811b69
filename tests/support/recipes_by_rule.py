"""The recipes that are made by a rule: of every method of every ufunc, and of whatever takes `out`; and all recipes."""

from inspect import signature

import numpy as np
from support import numpy_namespace
from support.calls import (
    ATTRIBUTES_OF_RESULTS,
    FUNCTION_CALLS,
    INTEGER_CALLS,
    METHOD_CALLS,
    NAMESPACE_CALLS,
    class_of,
    function_of,
    name_of,
    operation_of,
)
from support.public import UFUNCS, loops, ufunc_methods
from support.recipes import INTEGERS, METHODS, MODULE, PIECES, Recipe

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


def operands(ufunc):
    """Arguments of one of the ufunc's loops, as source; none where there is no rule."""
    if ufunc.__name__ in OPERANDS:
        return OPERANDS[ufunc.__name__]
    if not ufunc.types:
        return [WORDS] * ufunc.nin
    if any(loop.split("->")[0] == "d" * ufunc.nin for loop in ufunc.types):
        return ["x", "A([[2., 3., 1., 4.]] * 4)"][: ufunc.nin]
    return []


def ufunc_recipes(name, ufunc):
    """A recipe for each method; none where no operands are known, which the test of completeness reports."""
    values = operands(ufunc)
    if not values:
        return
    function = f"np.{name}" if hasattr(np, name) else f"np.strings.{name}"
    given = ", ".join(values)
    reduced = "x > 3" if "ddd" not in loops(ufunc) and "???" in loops(ufunc) else values[0]
    for method in ufunc_methods(ufunc):
        full = f"ufunc {name}.{method}"
        if method == "__call__":
            yield Recipe(f"{function}({given})", full)
        elif method == "out":
            call = f"{function}({given})"
            outs = [f"A(like({call}))" if ufunc.nout == 1 else f"A(like({call}[{i}]))" for i in range(ufunc.nout)]
            yield Recipe(f"{function}({given}, out=({', '.join(outs)},))", full, SAME, "out")
            if ufunc.signature is None and values[0] != WORDS:
                mask = ", ".join((*values, f"out=({', '.join(outs)},)", "where=A(x > 3)"))
                yield Recipe(f"{function}({mask})", full, SAME, "out")
            if ufunc.nout == 1 and values[0].startswith("x"):
                yield Recipe(f"{function}({given}, out=(x,))", full, SAME, "out")
                yield Recipe(f"{function}({given}, out=x.T)", full, SAME, "out")
        elif method == "at":
            arguments = ", ".join((values[0], "[0, 0]", *[f"{value}[0]" for value in values[1:]]))
            yield Recipe(f"{function}.at({arguments})", full, writes="first")
        elif method == "reduceat":
            yield Recipe(f"{function}.reduceat({reduced}, [0, 1])", full)
        elif method == "outer":
            yield Recipe(f"{function}.outer({given})", full)
        else:
            yield Recipe(f"{function}.{method}({reduced})", full)


def elementwise_recipes():
    """The library's own functions that call a ufunc; the others of their chapter are in `recipes.py`."""
    for name in (*_elementwise.__all__, *_elementwise_numpy.__all__):
        ufunc = getattr(np, name)
        if isinstance(ufunc, np.ufunc):
            call = f"cowarray.{name}({', '.join(operands(ufunc))}"
            yield Recipe(f"{call})", f"cowarray.{name}")
            like = [f"A(like({call})))" if ufunc.nout == 1 else f"A(like({call})[{at}]))" for at in range(ufunc.nout)]
            yield Recipe(f"{call}, out=({', '.join(like)},))", f"cowarray.{name}", SAME, "out")
    for name in _linear_algebra.__all__:
        if isinstance(getattr(np, name, None), np.ufunc):
            given = ", ".join(operands(getattr(np, name)))
            call = f"cowarray.{name}({given})"
            yield Recipe(call, f"cowarray.{name}")
            yield Recipe(f"cowarray.{name}({given}, out=A(like({call})))", f"cowarray.{name}", SAME, "out")


def random_recipes():
    """Of what makes numbers, and of NumPy's bit generators, which see no arrays."""
    for name in random.__all__:
        yield Recipe(f"cowarray.random.{name}")
    make = "cowarray.random.default_rng"
    for call in ("normal(x, 2)", "permutation(x)", "permuted(x)", "choice(x, 2)", "random(out=A(np.zeros(3)))"):
        yield Recipe(f"{make}(1).{call}", make, SAME if "out" in call else FRESH, "out" if "out" in call else "")
    yield Recipe(f"{make}(1).random(out=x)", make, SAME, "x")
    yield Recipe(f"{make}(1).shuffle(x)", make, writes="x")
    yield Recipe(f"{make}(1).permuted(x, out=x)", make, SAME, "x")


def namespace_recipes():
    """NumPy's functions that know nothing of ours: what they give is NumPy's own array: a snapshot, or fresh."""
    for source, outcome, function in numpy_namespace.CALLS:
        writes = "out" if "out=x" in source else "x" if outcome == "writes" or "shuffle" in source else ""
        result = VIEW if outcome == "ours, a view" else FRESH
        yield Recipe(source, numpy_namespace.first_names().get(function, ""), result, writes)


# ---- all of them -----------------------------------------------------------------------------------------------------


def with_out(source):
    """A call again, with an out that has room for what it gives; nothing where it takes none, or has one."""
    operation, _ = operation_of(source)
    takes = operation and any(each.name == "out" for each in operation.writes) and source.endswith(")")
    if takes and not any(word in source for word in ("out=", "lambda", "None")):
        keyword = "" if ".conj" in source else "out="  # NumPy's method has no name for it
        yield f"{source.removesuffix(')')}{'' if source.endswith('()') else ', '}{keyword}A(like({source})))"


def all_recipes():
    for source in FUNCTION_CALLS:
        yield Recipe(source, f"numpy.{name_of(function_of(source))}", class_of(source))
        for given in with_out(source):
            yield Recipe(given, f"numpy.{name_of(function_of(source))}", SAME)
    for source in NAMESPACE_CALLS:
        name = source.partition("(")[0]
        yield Recipe(source, name, class_of(source))
        if source not in ATTRIBUTES_OF_RESULTS and "out" in signature(eval(name, {"cowarray": cowarray})).parameters:
            for given in with_out(source):
                yield Recipe(given, name, SAME)
    for name in (*_constants.__all__, *_data_types.__all__):
        yield Recipe(f"cowarray.{name}")
    for source in (*METHOD_CALLS, *INTEGER_CALLS):
        for given in with_out(source):
            yield Recipe(given, "", SAME)
        yield Recipe(source, "", class_of(source), "object" if source.startswith("x.setflags") else "")
    yield from (*METHODS, *PIECES, *MODULE, *namespace_recipes(), *elementwise_recipes(), *random_recipes())
    for name, ufunc in UFUNCS.items():
        yield from ufunc_recipes(name, ufunc)


RECIPES = list(dict.fromkeys(all_recipes()))
