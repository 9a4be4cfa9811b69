"""The whole public namespace of NumPy, walked; and calls of whatever in it does not ask an array who computes.

Each name is a function that asks (`calls.ALL_FUNCTIONS`) or a ufunc, is called in `cases/numpy_only.py`, or is
listed here as one that takes no array. What is none of these, as what a new NumPy brings, is a name without a case.
"""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import types
import warnings
from typing import NamedTuple

import numpy as np
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.calls import RECORDS
from support.cases import Case, numpy_only
from support.numpy_versions import absent

# ---- the names -------------------------------------------------------------------------------------------------------

# Modules that are no part of what a user of arrays calls.
LEFT_OUT = {
    "tests": "NumPy's own tests",
    "conftest": "of those",
    "core": "deprecated names of numpy._core, each of which is public elsewhere or not at all",
    "distutils": "builds extensions",
    "f2py": "builds extensions",
    "lapack_lite": "what numpy.linalg itself falls back on",
    "mypy_plugin": "for a type checker",
    "print_coercion_tables": "a script",
    "timer_comparison": "a script",
}

# Classes whose methods are names, too. Those of other classes belong to arrays, iterators and states of NumPy's own.
CLASSES = (
    np.ndarray,
    np.poly1d,
    np.polynomial.Polynomial,
    np.polynomial.Chebyshev,
    np.polynomial.Hermite,
    np.polynomial.HermiteE,
    np.polynomial.Laguerre,
    np.polynomial.Legendre,
    np.random.Generator,
    np.random.RandomState,
)

# By reason, those that neither take an array nor look at one.
WITHOUT_ARRAYS = {
    "settings and reports": """
        errstate get_include get_printoptions getbufsize geterr geterrcall printoptions set_printoptions setbufsize
        seterr seterrcall show_config show_runtime test polynomial.set_default_printstyle
        lib.add_docstring lib.add_newdoc lib.NumpyVersion lib.introspect.opt_func_info __array_namespace_info__
    """,
    "of types": """
        datetime_data dtype isdtype issubdtype mintypecode promote_types typename rec.format_parser
        lib.format.descr_to_dtype lib.format.drop_metadata lib.format.dtype_to_descr ma.make_mask_descr
        lib.recfunctions.flatten_descr lib.recfunctions.get_fieldstructure lib.recfunctions.get_names
        lib.recfunctions.get_names_flat ctypeslib.as_ctypes_type ctypeslib.load_library ctypeslib.c_intp
        lib.mixins.NDArrayOperatorsMixin dtypes.register_dlpack_dtype
        character complexfloating flexible floating generic inexact integer number
        signedinteger unsignedinteger typing.ArrayLike typing.DTypeLike typing.NBitBase typing.NDArray flatiter ufunc
    """,
    "of numbers and lengths": """
        bartlett base_repr binary_repr blackman format_float_positional format_float_scientific hamming hanning
        ndindex tril_indices triu_indices ma.arange ma.empty ma.fromfunction ma.identity ma.indices ma.make_mask_none
        ma.masked_all ma.ones ma.zeros ma.fromflex matlib.empty matlib.eye matlib.identity matlib.ones matlib.rand
        matlib.randn matlib.zeros polynomial.chebyshev.chebpts1 polynomial.chebyshev.chebpts2
        polynomial.chebyshev.chebgauss polynomial.hermite.hermgauss polynomial.hermite_e.hermegauss
        polynomial.laguerre.laggauss polynomial.legendre.leggauss polynomial.polyutils.format_float
        random.RandomState.rand random.RandomState.randn random.RandomState.bytes random.Generator.bytes
        random.RandomState.get_state random.Generator.spawn random.Generator.bit_generator random.BitGenerator
        random.mtrand.get_bit_generator random.mtrand.set_bit_generator random.Generator
    """,
    "of files and bytes": """
        load fromregex memmap rec.fromfile lib.format.isfileobj lib.format.magic lib.format.open_memmap
        lib.format.read_array lib.format.read_array_header_1_0 lib.format.read_array_header_2_0 lib.format.read_magic
        lib.format.write_array_header_1_0 lib.format.write_array_header_2_0 lib.npyio.DataSource lib.npyio.NpzFile
        ma.mrecords.fromtextfile
    """,
    "of tests": """
        testing.assert_no_gc_cycles testing.assert_string_equal testing.assert_warns testing.break_cycles
        testing.check_support_sve testing.clear_and_catch_warnings testing.decorate_methods testing.jiffies
        testing.measure testing.memusage testing.run_threaded testing.rundocs testing.runstring
        testing.suppress_warnings testing.temppath testing.tempdir testing.TestCase
        testing.overrides.allows_array_function_override testing.overrides.allows_array_ufunc_override
        testing.overrides.get_overridable_numpy_array_functions testing.overrides.get_overridable_numpy_ufuncs
    """,
    "methods that get none but their own": """
        ndarray.argmax ndarray.argmin ndarray.argpartition ndarray.argsort ndarray.astype ndarray.byteswap ndarray.conj
        ndarray.conjugate ndarray.copy ndarray.diagonal ndarray.dump ndarray.dumps ndarray.flatten ndarray.getfield
        ndarray.item ndarray.nonzero ndarray.partition ndarray.ravel ndarray.resize ndarray.round ndarray.setflags
        ndarray.sort ndarray.squeeze ndarray.swapaxes ndarray.to_device ndarray.tobytes ndarray.tofile ndarray.tolist
        ndarray.trace ndarray.transpose ndarray.view poly1d.deriv polynomial.Polynomial.copy
        polynomial.Polynomial.cutdeg polynomial.Polynomial.degree polynomial.Polynomial.deriv
        polynomial.Polynomial.has_samecoef polynomial.Polynomial.has_samedomain polynomial.Polynomial.has_sametype
        polynomial.Polynomial.has_samewindow polynomial.Polynomial.linspace polynomial.Polynomial.mapparms
        polynomial.Polynomial.roots polynomial.Polynomial.trim polynomial.Polynomial.truncate
    """,
}


def modules(name="numpy"):
    """A module and those below it that have public names and are not left out."""
    module = importlib.import_module(name)
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", []), f"{name}."):
        last = found.name.rpartition(".")[2]
        if not last.startswith("_") and last not in LEFT_OUT:
            yield from modules(found.name)


def public(module):
    """The public names of a module: what it lists, or else what it and not another module has made."""
    for name in getattr(module, "__all__", ()) or dir(module):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType) or (name.startswith("_") and not hasattr(module, "__all__")):
            continue
        if hasattr(module, "__all__") or getattr(value, "__module__", "").startswith("numpy"):
            yield name, value


def identity(function):
    """What a function is by all of its names; of a method of a module's own object, as numpy.random's, the method."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, (types.ModuleType, type)) and not isinstance(function, type):
        function = inspect.getattr_static(type(owner), function.__name__)
    function = getattr(function, "__func__", function)  # of a class method
    return id(function)


def can_be_called(value):
    return callable(value) or isinstance(value, classmethod)


@functools.cache
def names():
    """Every public name of NumPy, with what it names; for a method, what stands in its class."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is deprecated
        for module in modules():
            found |= {f"{module.__name__}.{name}": value for name, value in public(module)}
    for cls in CLASSES:
        owner = next(name for name, value in found.items() if value is cls)
        found |= {f"{owner}.{name}": inspect.getattr_static(cls, name) for name in dir(cls) if not name.startswith("_")}
    return found


@functools.cache
def without_arrays():
    """Name -> the reason why nobody can give it an array."""
    listed = {f"numpy.{name}": reason for reason, text in WITHOUT_ARRAYS.items() for name in text.split()}
    reasons = {}
    for name, value in names().items():
        if name in listed:
            reasons[name] = listed[name]
        elif not can_be_called(value) and name.rpartition(".")[0] in names():
            reasons[name] = "an attribute"
        elif not can_be_called(value):
            reasons[name] = "a constant"
        elif isinstance(value, type) and issubclass(value, (BaseException, np.dtype)):
            reasons[name] = "an exception, or a type of types"
    known = {identity(names()[name]): reason for name, reason in reasons.items() if reason in WITHOUT_ARRAYS}
    return reasons | {name: known[identity(value)] for name, value in names().items() if identity(value) in known}


def case(name):
    """How a name is covered; None, if it is not."""
    value = names()[name]
    if isinstance(value, np.ufunc):
        return "a ufunc"
    if callable(value) and value in ARRAY_FUNCTIONS:
        return "asks the array"
    return "called" if identity(value) in first_names() else without_arrays().get(name)


@functools.cache
def first_names():
    """Identity of what is called -> its name; of several its own, or the shortest."""
    called = {call.function for call in CALLS}
    found = {}
    for name in sorted(names(), key=lambda name: (not is_own_name(name), name.count("."), name)):
        if identity(names()[name]) in called:
            found.setdefault(identity(names()[name]), name)
    return found


def is_own_name(name):
    return getattr(names()[name], "__name__", None) == name.rpartition(".")[2]


# ---- the calls -------------------------------------------------------------------------------------------------------

FAMILIES = "polynomial.poly chebyshev.cheb hermite.herm hermite_e.herme laguerre.lag legendre.leg"
SETS = {
    "family": FAMILIES,
    "Class": "Polynomial Chebyshev Hermite HermiteE Laguerre Legendre",
    "rng": "default_rng(7) RandomState(7)",
}


OUTCOMES = {"gives-ours", "gives-view", "gives-numpys", "refuses", "differs", "lenient", "writes"}


class NamespaceCall(NamedTuple):
    """One call: the tag that says what comes of it, the identity of what it calls, and the case it was written as."""

    source: str
    outcome: str
    function: int
    written_as: Case


def cases():
    """The calls as cases: what they give is NumPy's own array, a snapshot or fresh."""
    for call in CALLS:
        tags = call.written_as.tags | {"isolation"}
        yield call.written_as._replace(source=call.source, name=first_names().get(call.function, ""), tags=tags)


def expand(line):
    """A call for each of the alternatives in braces; a name there stands for a set."""
    found = re.search(r"\{([A-Za-z_0-9. ]+)\}", line)
    if not found:
        yield line
        return
    for word in SETS.get(found[1], found[1]).split():
        yield from expand(line[: found.start()] + word + line[found.end() :])


def function_of(source):
    """What a line calls: the method, if it is a call of one; else the first function of NumPy's that it names."""
    call = ast.parse(source, mode="eval").body
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner = eval(ast.unparse(call.func.value), NAMES)
        if not isinstance(owner, types.ModuleType):
            return inspect.getattr_static(owner if isinstance(owner, type) else type(owner), call.func.attr)
        return getattr(owner, call.func.attr)
    return eval(re.search(r"np(\.\w+)+", source)[0], NAMES)


def read_calls():
    names()  # imports every module
    for line in numpy_only.CASES:
        [outcome] = line.tags & OUTCOMES
        missing = []
        calls = []
        for source in expand(line.source):
            try:
                with warnings.catch_warnings(action="ignore"):
                    calls.append(NamespaceCall(source, outcome, identity(function_of(source)), line))
            except AttributeError as error:
                missing.append(error)
        if not calls and not any(error.name in {name.rpartition(".")[2] for name in absent()} for error in missing):
            raise LookupError(f"this NumPy has nothing to call in: {line.source}")
        yield from calls


NAMES = {"np": np, "A": np.array, "memoryview": memoryview, "R": RECORDS}
CALLS = list(read_calls())
