"""How each library is told of cowarray's arrays, after it has been imported: nothing here imports one before."""

# Libraries that may be missing, or have no types.
# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false

import sys
from collections.abc import Callable
from functools import partial, wraps
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from cowarray._chapters import gathered as _chapters
from cowarray._face.ndarray import ndarray
from cowarray._native.fork_locks import importing
from cowarray._ops.conversion import asarray
from cowarray._ops.operands import provide

__all__ = [
    "autograd",
    "bottleneck",
    "dask",
    "einops",
    "h5py",
    "jax",
    "lightgbm",
    "numba",
    "opencv",
    "pandas",
    "polars",
    "pyarrow",
    "pyarrow_compute",
    "scipy",
    "torch",
    "torch_batches",
]


def autograd() -> None:
    """`ArrayBox` names the types that autograd follows, `VSpace` says how gradients of a type begin and are added."""
    from autograd.extend import VSpace
    from autograd.numpy.numpy_boxes import ArrayBox
    from autograd.numpy.numpy_vspaces import ArrayVSpace, ComplexArrayVSpace

    def created(space: Any, one: complex) -> Any:
        class Space(space):
            """Gradients of cowarray's arrays are cowarray's; to know their shape takes no bytes."""

            def __init__(self, value: ndarray) -> None:
                self.shape, self.dtype = value.shape, value.dtype

            def zeros(self) -> ndarray:
                return _chapters.zeros(self.shape, dtype=self.dtype)

            def ones(self) -> ndarray:
                return _chapters.full(self.shape, one, dtype=self.dtype)

        return Space

    real, complexes = created(ArrayVSpace, 1), created(ComplexArrayVSpace, 1 + 1j)
    ArrayBox.register(ndarray)
    VSpace.register(ndarray, lambda value: (complexes if value.dtype.kind == "c" else real)(value))
    _keep_gradients_ours()


def _keep_gradients_ours() -> None:
    """Where autograd itself makes NumPy's arrays of gradients, it makes ours of ours: a budget can make those again."""
    from autograd.core import primitive_vjps
    from autograd.numpy import numpy_vjps, numpy_wrapper
    from autograd.tracer import getval

    wrapped: Any = numpy_wrapper  # most of its names come from NumPy

    class Numpy:
        """NumPy, as the module of gradients sees it: `asarray`, for the gradients of `dot`, leaves ours as it is."""

        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def asarray(self, a: Any, dtype: Any = None) -> Any:
            return asarray(a, dtype=dtype) if isinstance(a, ndarray) else np.asarray(a, dtype)

    def is_ours(value: Any) -> bool:
        while type(value) is not type(getval(value)):
            value = getval(value)
        return isinstance(value, ndarray)

    def repeated(g: Any, shape: Any, dtype: Any, axis: Any, keepdims: Any) -> Any:
        if shape == () or not is_ours(g):
            return plain(g, shape, dtype, axis, keepdims)
        lengths = np.array(shape)
        lengths[list(axis) if isinstance(axis, tuple) else axis] = 1
        return wrapped.reshape(g, lengths) + _chapters.zeros(shape, dtype=dtype), np.prod(shape) // np.prod(lengths)

    def of_scalars(given: Any) -> Any:
        """A maker of gradients that gives a reduction of ours a gradient of ours where it would give it a scalar."""

        def maker(argnums: Any, ans: Any, args: Any, kwargs: Any) -> Any:
            vjp = given(argnums, ans, args, kwargs)
            return (lambda g: vjp(asarray(g) if isinstance(g, np.generic) else g)) if is_ours(args[0]) else vjp

        return maker

    plain, numpy_vjps.repeat_to_match_shape = numpy_vjps.repeat_to_match_shape, repeated
    numpy_vjps.onp = Numpy()
    for reduction in (wrapped.sum, wrapped._primitive_mean):
        primitive_vjps[reduction] = of_scalars(primitive_vjps[reduction])


def bottleneck() -> None:
    """Its one function that writes to what it is given takes NumPy's type alone, and writes to a read-only array."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import Unbound, converting, numpys_to_write

    replace = Unbound(converting(sys.modules["bottleneck"].replace, numpys_to_write))
    module: Any
    for module in (sys.modules["bottleneck"], sys.modules[replace.__module__]):  # by whose name it is pickled
        module.replace = replace


def dask() -> None:
    """A type on the list stays in chunks, and dask answers it in operators instead of leaving it to the type."""
    known = sys.modules["dask.array.chunk_types"]
    if ndarray not in known._HANDLED_CHUNK_TYPES:
        known.register_chunk_type(ndarray)


def einops() -> None:
    """A backend is found by being a subclass; its name is that of a module which is imported."""
    from einops._backends import AbstractBackend

    class Backend(AbstractBackend):
        """What einops asks of arrays, answered by cowarray's functions."""

        framework_name = "cowarray"

        def is_appropriate_type(self, tensor: object) -> bool:
            return isinstance(tensor, ndarray)

        def from_numpy(self, x: np.ndarray) -> ndarray:
            return asarray(x)

        def to_numpy(self, x: ndarray) -> np.ndarray:
            return x.to_numpy()

        def arange(self, start: int, stop: int) -> ndarray:
            return _chapters.arange(start, stop)

        def stack_on_zeroth_dimension(self, tensors: list[ndarray]) -> ndarray:
            return _chapters.stack(tensors)

        def add_axis(self, x: ndarray, new_position: int) -> ndarray:
            return _chapters.expand_dims(x, axis=new_position)

        def tile(self, x: ndarray, repeats: tuple[int, ...]) -> ndarray:
            return _chapters.tile(x, repeats)

        def concat(self, tensors: list[ndarray], axis: int) -> ndarray:
            return _chapters.concatenate(tensors, axis=axis)

        def is_float_type(self, x: ndarray) -> bool:
            return x.dtype.kind in "fc"

        def einsum(self, pattern: str, *x: ndarray) -> Any:
            return _chapters.einsum(pattern, *x)

    _KEPT.append(Backend)


# Keeps classes alive that einops finds only through their base.
_KEPT: list[Any] = []


def h5py() -> None:
    """Masks, and memory that it reads or writes without NumPy, are asked for NumPy's type."""
    with importing:
        from cowarray._tools.frameless import converting, lending_aliases

    library: Any = sys.modules["h5py"]
    for name in ("__getitem__", "__setitem__", "write_direct"):
        setattr(library.Dataset, name, converting(getattr(library.Dataset, name)))
    library.Dataset.read_direct = lending_aliases(library.Dataset.read_direct)
    library.AttributeManager.create = converting(library.AttributeManager.create)


def jax() -> None:
    """What JAX does with a leaf of its type, in each of its lists, is done with a snapshot as with NumPy's arrays."""
    from jax._src import core, dtypes
    from jax._src.interpreters import pxla
    from jax._src.numpy.indexing import NDIndexer
    from jax.numpy import asarray as jax_array

    with importing:
        from cowarray._tools.frameless import converting

    described = core.pytype_aval_mappings[np.ndarray]
    canonical = dtypes.canonicalize_value_handlers[np.ndarray]
    placed = pxla.shard_arg_handlers[np.ndarray]
    core.pytype_aval_mappings[ndarray] = lambda x: described(x.to_numpy())
    dtypes.canonicalize_value_handlers[ndarray] = lambda x, *options: canonical(x.to_numpy(), *options)
    pxla.shard_arg_handlers[ndarray] = lambda arrays, *where: placed([x.to_numpy() for x in arrays], *where)
    NDIndexer.from_raw_indices = staticmethod(converting(NDIndexer.from_raw_indices))
    provide(__jax_array__=lambda x: jax_array(x.to_numpy()))


def lightgbm() -> None:
    """Data, labels and gradients are asked for NumPy's type, also those in lists."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import converting

    library: Any = sys.modules["lightgbm.basic"]
    taking = {
        library.Dataset: "__init__ set_field set_group set_init_score set_label set_position set_weight",
        library.Booster: "_Booster__boost predict refit",
    }
    for kind, names in taking.items():
        for name in names.split():
            setattr(kind, name, converting(getattr(kind, name)))


def numba() -> None:
    """A type of its own for typing and unboxing: numba reads an exported header, and knows arrays otherwise. Functions
    of cowarray are NumPy's of the same name in compiled code."""
    from numba.core import boxing, cgutils, codegen, pythonapi, types
    from numba.core.datamodel import models
    from numba.core.registry import cpu_target
    from numba.extending import NativeValue, lower_cast, register_model, typeof_impl, unbox

    class CowArray(types.Array):
        """An array of cowarray as an argument. What is made of it in compiled code is NumPy's."""

        def __init__(self, dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> None:
            super().__init__(dtype, ndim, layout, readonly=readonly, aligned=aligned, name=None)
            self.name: str = f"cowarray.{self.name}"

        def unify(self, typingctx: Any, other: Any) -> Any:
            """A list of these stays one when an array of numba's own is put into it."""
            both = super().unify(typingctx, other)
            return both and CowArray(both.dtype, both.ndim, both.layout, not both.mutable, both.aligned)

    register_model(CowArray)(models.ArrayModel)

    @lower_cast(CowArray, CowArray)
    @lower_cast(CowArray, types.Array)
    @lower_cast(types.Array, CowArray)
    def one_of_both(context: Any, builder: Any, given: object, wanted: object, value: Any) -> Any:
        return value

    typed_numpys = typeof_impl.dispatch(np.ndarray)

    @typeof_impl.register(ndarray)
    def typed(value: ndarray, context: object) -> CowArray:
        plain = typed_numpys(value, context)
        return CowArray(plain.dtype, plain.ndim, plain.layout, readonly=not plain.mutable, aligned=value.flags.aligned)

    unbox_numpys = boxing.unbox_array

    class Slot:
        """Where one of two ways of unboxing puts its result: an error until then, whose exception is set."""

        def __init__(self, typ: Any, c: Any) -> None:
            self.builder = c.builder
            self.value = cgutils.alloca_once(c.builder, c.context.get_value_type(typ))
            self.is_error = cgutils.alloca_once_value(c.builder, cgutils.true_bit)

        def put(self, native: Any) -> None:
            self.builder.store(native.value, self.value)
            self.builder.store(native.is_error, self.is_error)

        def native(self) -> Any:
            return NativeValue(self.builder.load(self.value), is_error=self.builder.load(self.is_error))

    @unbox(CowArray)
    def unboxed(typ: Any, obj: Any, c: Any) -> Any:
        plain = types.Array(typ.dtype, typ.ndim, typ.layout, readonly=not typ.mutable, aligned=typ.aligned)
        made = partial(_written if typ.mutable else _read, layout=typ.layout, aligned=typ.aligned)
        slot = Slot(plain, c)
        export = c.pyapi.unserialize(c.pyapi.serialize_object(made))
        header = c.pyapi.call_function_objargs(export, (obj,))
        c.pyapi.decref(export)
        with c.builder.if_then(cgutils.is_not_null(c.builder, header)):
            slot.put(unbox_numpys(plain, header, c))
            c.pyapi.decref(header)  # the native array holds its own references
        return slot.native()

    def declared(typ: Any, obj: Any, c: Any) -> Any:
        """Unbox an argument of a function whose types are declared, as NumPy's arrays: it may be one of ours."""
        slot = Slot(typ, c)
        ours = c.pyapi.unserialize(c.pyapi.serialize_object(ndarray))
        is_ours = c.builder.icmp_unsigned("==", c.pyapi.get_type(obj), ours)
        c.pyapi.decref(ours)
        with c.builder.if_else(is_ours) as (then, otherwise):
            with then:
                slot.put(unboxed(typ, obj, c))
            with otherwise:
                slot.put(unbox_numpys(typ, obj, c))
        return slot.native()

    pythonapi._unboxers.functions[types.Array] = declared
    # Functions that are kept in files unbox as they were compiled to: those of a process without this are not found.
    kept_for = codegen.CPUCodegen.magic_tuple
    codegen.CPUCodegen.magic_tuple = lambda self: (*kept_for(self), "cowarray")

    @typeof_impl.register(FunctionType)
    @typeof_impl.register(type(asarray))
    def of_function(value: Any, context: object) -> Any:
        numpys = _numpys_of_that_name(value)
        return getattr(value, "_numba_type_", None) if numpys is None else typing.resolve_value_type(numpys)

    typing = cpu_target.typing_context


def _numpys_of_that_name(function: Any) -> Any:
    """NumPy's function where a function is cowarray's of the same name; else None."""
    module, name = str(function.__module__), function.__name__
    if module.partition(".")[0] != "cowarray" or getattr(sys.modules.get(module), name, None) is not function:
        return None
    return getattr(sys.modules.get(module.replace("cowarray", "numpy", 1)), name, None)


def _suits(header: np.ndarray, layout: str, aligned: bool) -> bool:
    """Whether the elements lie where compiled code looks for them."""
    flags = header.flags
    contiguous = {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(layout, True)
    return contiguous and (flags.aligned or not aligned)


def _written(x: ndarray, *, layout: str, aligned: bool) -> np.ndarray:
    """The header through which compiled code writes to x."""
    header = x.to_numpy(writable=True)
    if not _suits(header, layout, aligned):
        raise TypeError("numba: compiled for another memory layout than this array has; pass x.copy()")
    return header


def _read(x: ndarray, *, layout: str, aligned: bool) -> np.ndarray:
    """The header through which compiled code reads x: a snapshot, in the layout that the code is compiled for."""
    header = x.to_numpy()
    return header if _suits(header, layout, aligned) else header.copy("F" if layout == "F" else "C")


def opencv() -> None:
    """Its compiled functions take NumPy's type alone, and say of none whether it writes: they work on aliases."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import Unbound, lending_aliases

    modules = [sys.modules["cv2"]]
    for module in modules:
        members: dict[str, Any] = dict(vars(module))
        for name, value in members.items():
            if type(getattr(value, "__wrapped__", value)) is BuiltinFunctionType:
                setattr(module, name, Unbound(lending_aliases(value)))
            elif isinstance(value, ModuleType) and value.__name__.startswith("cv2.") and value not in modules:
                modules.append(value)


# Methods of pandas, and of polars, that ask what they are given for NumPy's type.
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "and", "or", "xor")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ASKING = frozenset(
    [
        *("__getitem__", "__setitem__", "delete", "groupby", "merge", "pivot_table", "sample", "set_index"),
        *("mask", "search_sorted", "searchsorted", "where"),
        *_COMPARISONS,
        *[f"{side}{name}" for name in _OPERATORS for side in ("", "r")],
        *[f"__{name}__" for name in _COMPARISONS],
        *[f"__{side}{name}__" for name in _OPERATORS for side in ("", "r", "i")],
    ]
)
_ASKING_FUNCTIONS = ("factorize", "merge", "pivot_table", "unique")


def pandas() -> None:
    """Keys, groups and operands are handed on as NumPy's arrays: without, a mask would pick rows by 0 and 1."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import converting, converting_item, numpys_alone

    library: Any = sys.modules["pandas"]
    frame = library.DataFrame()
    kinds = [library.DataFrame, library.Series, library.Index, library.api.extensions.ExtensionArray]
    kinds += [type(getattr(frame, name)) for name in ("loc", "iloc", "at", "iat")]
    for kind in {base for each in kinds for one in _with_subclasses(each) for base in one.__mro__}:
        if kind.__module__.partition(".")[0] == "pandas":
            for name in _ASKING.intersection(vars(kind)):
                if type(vars(kind)[name]) is FunctionType:
                    door: Any = converting_item if name == "__setitem__" else converting
                    setattr(kind, name, door(vars(kind)[name]))
    for kind in (library.arrays.IntegerArray, library.arrays.FloatingArray, library.arrays.BooleanArray):
        kind.__init__ = converting(kind.__init__)
    for kind in (library.Series, library.DataFrame):
        # pandas copies NumPy's arrays, and can write to its copy; the snapshot that another type gives it, it keeps.
        kind.__init__ = converting(kind.__init__, numpys_alone)
    library.DataFrame.from_records = classmethod(converting(library.DataFrame.from_records.__func__))
    for name in _ASKING_FUNCTIONS:
        function = getattr(library, name)
        asked = converting(function)
        for module in (library, sys.modules[function.__module__]):  # by whose name it is pickled
            setattr(module, name, asked)


def _with_subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(_with_subclasses, kind.__subclasses__()))


def polars() -> None:
    """Columns, keys and operands are handed on as NumPy's arrays, and literals, which stand in any expression."""
    with importing:
        from cowarray._tools.frameless import converting

    library: Any = sys.modules["polars"]
    for kind in (library.Series, library.DataFrame, library.LazyFrame):
        for name in _ASKING.union(("__array_ufunc__", "__init__", "filter")).intersection(vars(kind)):
            setattr(kind, name, converting(vars(kind)[name]))
    for name in ("lit", "from_records"):
        function = getattr(library, name)
        asked = converting(function)
        for module in (library, library.functions, sys.modules[function.__module__]):
            if getattr(module, name, None) is function:
                setattr(module, name, asked)


def pyarrow() -> None:
    """NumPy's arrays are read by rules of their own: what is missing, and how it is said."""
    with importing:
        from cowarray._tools.frameless import converting, numpys_in_own_order

    library: Any = sys.modules["pyarrow"]
    array = converting(library.array, numpys_in_own_order)
    module: Any
    for module in (library, sys.modules[array.__module__]):  # by whose name it is pickled
        module.array = array


def pyarrow_compute() -> None:
    """Functions of Arrow's arrays, by which those are filtered and taken from, and of NumPy's."""
    with importing:
        from cowarray._tools.frameless import converting, numpys_in_own_order

    library: Any = sys.modules["pyarrow.compute"]
    functions: dict[str, Any] = dict(vars(library))
    for name, value in functions.items():
        if type(value) is FunctionType and value.__module__ == library.__name__ and not name.startswith("_"):
            setattr(library, name, converting(value, numpys_in_own_order))
    called = converting(library.call_function, numpys_in_own_order)  # which calls those by their names
    module: Any
    for module in (library, sys.modules[called.__module__]):
        module.call_function = called


def scipy() -> None:
    """Solvers make a linear operator of a matrix that is an instance of NumPy's class."""
    with importing:
        from cowarray._tools.frameless import converting

    function = sys.modules["scipy.sparse.linalg"].aslinearoperator
    asked = converting(function)
    module: Any
    for name, module in list(sys.modules.items()):  # None where somebody prevents an import
        if name.startswith("scipy.") and module is not None and vars(module).get("aslinearoperator") is function:
            module.aslinearoperator = asked


def torch() -> None:
    """`from_numpy` looks for NumPy's type, and `asarray` takes others for bytes: they are handed NumPy's arrays."""
    from torch.overrides import get_ignored_functions, get_overridable_functions
    from torch.utils._device import _device_constructors

    library: Any = sys.modules["torch"]
    # Tables of torch's own functions, made when they are first asked for: they must have the functions themselves.
    _device_constructors()
    get_ignored_functions()
    get_overridable_functions()
    for name in ("from_numpy", "asarray"):
        setattr(library, name, _given_exports(getattr(library, name), name))


def _given_exports(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        exported = _read_by_torch if kwargs.get("copy") is True else _shared
        return function(*map(exported, args), **{key: exported(value) for key, value in kwargs.items()})

    given.__qualname__ = name  # by which it is pickled
    return given


def _read_by_torch(value: Any) -> Any:
    return value.to_numpy() if isinstance(value, ndarray) else value


def _shared(value: Any) -> Any:
    """NumPy's array for a tensor to share. A read-only array is copied: tensors have no such flag."""
    if not isinstance(value, ndarray):
        return value
    return value.to_numpy(writable=True) if value.flags.writeable else np.array(value)


def torch_batches() -> None:
    """A type in the table of a data loader is stacked as NumPy's arrays are."""
    table: Any = sys.modules["torch.utils.data._utils.collate"]
    table.default_collate_fn_map[ndarray] = table.default_collate_fn_map[np.ndarray]
