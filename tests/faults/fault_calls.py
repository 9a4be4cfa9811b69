"""What the sweeps of failing memory go through: every case tagged `faults`; and names without one."""

import ast
import re
import types

import numpy as np
from support.calls import SPACES
from support.cases.registry import sources

import cowarray

FUNCTION_CALLS = sources("function", "faults")
METHOD_CALLS = sources("method", "faults")
INTEGER_CALLS = sources("integers", "faults")
EVERY_CALL = sources("faults")
OURS = [call for call in EVERY_CALL if call not in {*FUNCTION_CALLS, *METHOD_CALLS, *INTEGER_CALLS}]
# What every class has, and what Cython adds of its own.
# The last two are Python 3.12's names for what memoryview(x) calls.
NOT_CALLED = {"__new__", "__class__", "__doc__", "__hash__", "__getattribute__", "__delattr__", "__delitem__"}
NOT_CALLED |= {"__buffer__", "__release_buffer__"}
NOT_CALLED |= {"__jax_array__"}  # there once JAX has been told: tests/clients
NOT_CALLED |= {"flush"}  # there in programs that are planned: tests/fakes
NOT_OURS = re.compile(r"__pyx_.*|__(reduce|setstate)(_cython)?__")


# Calls that have no meaning for NumPy's arrays.
ONLY_OURS = re.compile(
    r"cowarray|storage|lazy_clone|materialize|to_numpy|shown|\.resize|flat\.__array__|__array_namespace__|__class_getitem__"
)


def attributes_of(bases, calls):
    """Names of the attributes that calls use of what one of the expressions gives."""
    used = set()
    for call in calls:
        for node in ast.walk(ast.parse(call)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in bases:
                used.add(node.attr)
    return used


def uncovered():
    """Public names without a call; the class or module first."""
    x = cowarray.array(np.ones(1))
    missing = []
    for space in SPACES:
        names = set(public(cowarray)) if space is cowarray else set(space.__all__)
        missing += [f"{space.__name__}.{name}" for name in names - attributes_of([space.__name__], EVERY_CALL)]
    for expressions, kind in [
        (["x", "A([0, 1, 1, 0])"], type(x)),
        (["x.storage"], cowarray.Storage),
        (["x.flags"], type(x.flags)),
        (["x.flat"], type(x.flat)),
    ]:
        special = {name for name in vars(kind) if name.startswith("__") and not NOT_OURS.fullmatch(name)}
        plain = {name for name in vars(kind) if not name.startswith("_")}
        used = attributes_of(expressions, EVERY_CALL)
        missing.extend(f"{kind.__name__}.{name}" for name in (plain | special) - NOT_CALLED if name not in used)
    return sorted(missing)


def public(module):
    """What a module shows: all that does not begin with _ and is no module."""
    names = {name for name in vars(module) if not name.startswith("_")} | set(module.__all__)
    return sorted(name for name in names if not isinstance(getattr(module, name), types.ModuleType))
