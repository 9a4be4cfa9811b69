"""Every public name that can get at an array's bytes, taken from the libraries themselves.

A name here needs a case (`cases`), or a test fails; so what is added to the library, to
its table, or to a newer NumPy is covered from its first day, or is missed by name.

Names: ``cowarray.asarray``, ``ndarray.sort``, ``ndarray.shape=`` (assigning to the attribute), ``Flags.__getitem__``,
``numpy.fft.fft``, ``ufunc add.reduce``.
"""

import contextlib
import inspect
import io
import types

import numpy as np
from support import numpy_namespace
from support.calls import ALL_FUNCTIONS
from support.numpy_versions import unasked

import cowarray
from cowarray._ops import table as _table

# ---- the library's own -----------------------------------------------------------------------------------------------


def archive(*arrays):
    """An .npz file of arrays, open."""
    file = io.BytesIO()
    np.savez(file, *arrays)
    file.seek(0)
    return cowarray.load(file)


def reachable_classes():
    """ndarray, and the library's classes of which an array or `load` hands out an instance."""
    x = cowarray.array([[1.0, 2.0], [3.0, 4.0]])
    found = {cowarray.ndarray, type(archive(x))}
    for name in dir(x):
        with contextlib.suppress(AttributeError, TypeError):
            found.add(type(getattr(x, name)))
    return sorted((each for each in found if each.__module__.startswith("cowarray")), key=lambda each: each.__name__)


def is_own(cls, name):
    """Whether a class has an attribute that `object` has not, or has otherwise; Cython's own names aside."""
    own = getattr(cls, name, None) is not getattr(object, name, None)
    makings = "__class__ __dict__ __doc__ __init__ __init_subclass__ __new__ __subclasshook__ __weakref__ "
    makings += "__buffer__ __release_buffer__"  # from Python 3.12 on: what memoryview(x) calls
    ignored = name in makings.split() or "cython" in name or (name.startswith("_") and not name.endswith("__"))
    value = getattr(cls, name, None)
    return own and not ignored and (callable(value) or inspect.isdatadescriptor(value))


def can_be_set(cls, name):
    """Whether an attribute of a class's instances has a setter."""
    found = getattr(cls, name)
    if not isinstance(found, (types.GetSetDescriptorType, property)):
        return False
    try:
        found.__set__(instance_of(cls), object())
    except AttributeError as error:
        return "not writable" not in str(error) and "has no setter" not in str(error)
    except Exception:  # the setter has looked at the value
        return True
    return True


def instance_of(cls):
    x = cowarray.array([1.0])
    return next(value for value in (x, x.storage, x.flags, x.flat, archive(x)) if type(value) is cls)


def method_names():
    for cls in reachable_classes():
        for name in filter(lambda name: is_own(cls, name), dir(cls)):
            yield f"{cls.__name__}.{name}"
            if can_be_set(cls, name):
                yield f"{cls.__name__}.{name}="


def module_names():
    """What `cowarray` exports, and whatever else it would let a user call; what its public modules export."""
    called = {name for name, value in vars(cowarray).items() if callable(value) and not name.startswith("_")}
    for name in called | set(cowarray.__all__):
        yield from names_below(f"cowarray.{name}", getattr(cowarray, name))


def names_below(name, value):
    """A name, or of a module those that it exports."""
    if not isinstance(value, types.ModuleType):
        yield name
        return
    for each in value.__all__:
        yield from names_below(f"{name}.{each}", getattr(value, each))


def table_names():
    """The table's rows by the names used here; those of functions that this NumPy has not are left out."""
    for name in _table.OPERATIONS:
        if name.startswith("ndarray."):
            yield name
        elif name in ALL_FUNCTIONS:
            yield f"numpy.{name}"


# ---- NumPy's ---------------------------------------------------------------------------------------------------------


def dispatching_names():
    """The functions that ask __array_function__: NumPy keeps a list of them."""
    return {f"numpy.{name}" for name in ALL_FUNCTIONS}


def undispatched_names():
    """What sees an array of ours only through its own protocols; each thing by the first of its names."""
    found = {
        numpy_namespace.first_names().get(numpy_namespace.identity(value), name)
        for name, value in numpy_namespace.names().items()
        if numpy_namespace.case(name) in ("called", None)
    }
    return found - {f"numpy.{name}" for name in unasked()}


UFUNCS = {
    found.__name__: found for space in (np, np.strings) for found in vars(space).values() if isinstance(found, np.ufunc)
}


def loops(ufunc):
    """The types of each loop, inputs and outputs in a row."""
    return {loop.replace("->", "") for loop in ufunc.types}


def ufunc_methods(ufunc):
    """The methods that a ufunc has by its number of arguments; others only raise."""
    yield "__call__"
    if ufunc.nout > 0:
        yield "out"
    if (ufunc.nin, ufunc.nout, ufunc.signature) == (2, 1, None):
        yield from ("outer", "at")
        if any(len(set(loop)) == 1 for loop in loops(ufunc)):
            yield from ("reduce", "accumulate", "reduceat")
    elif ufunc.signature is None and (ufunc.nin, ufunc.nout) == (1, 1):
        yield "at"


def ufunc_names():
    return {f"ufunc {name}.{method}" for name, ufunc in UFUNCS.items() for method in ufunc_methods(ufunc)}


# Which list a name came from -> the names.
LISTS = {
    "module": sorted(module_names()),
    "methods": sorted(method_names()),
    "table": sorted(table_names()),
    "dispatching": sorted(dispatching_names()),
    "undispatched": sorted(undispatched_names()),
    "ufuncs": sorted(ufunc_names()),
}
