"""numba: compiled functions take cowarray's arrays."""

# Libraries that may be missing, or have no types.
# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false

import sys
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import asarray

__all__ = ["numba"]


def numba() -> None:
    """Enter a separate type for typing and unboxing: numba reads an exported header, and otherwise sees an array. In
    compiled code, functions of cowarray are NumPy's of the same name."""
    from numba.core import boxing, cgutils, codegen, pythonapi, types
    from numba.core.datamodel import models
    from numba.core.registry import cpu_target
    from numba.extending import NativeValue, lower_cast, register_model, typeof_impl, unbox

    class CowArray(types.Array):
        """An array of cowarray's as an argument. Arrays made from it in compiled code are NumPy's."""

        def __init__(self, dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> None:
            super().__init__(dtype, ndim, layout, readonly=readonly, aligned=aligned, name=None)
            self.name: str = f"cowarray.{self.name}"

        def unify(self, typingctx: Any, other: Any) -> Any:
            """Keep a list of these one when an array of numba's own type is put into it."""
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
        """The result of one of two ways of unboxing; until it is set, an error whose exception is set."""

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
            c.pyapi.decref(header)  # the native array has its own references
        return slot.native()

    def declared(typ: Any, obj: Any, c: Any) -> Any:
        """Unbox an argument that is declared as NumPy's array: it may be one of cowarray's."""
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
    # Functions cached in files unbox as they were compiled: this key hides those of processes without `register`.
    kept_for = codegen.CPUCodegen.magic_tuple
    codegen.CPUCodegen.magic_tuple = lambda self: (*kept_for(self), "cowarray")

    @typeof_impl.register(FunctionType)
    @typeof_impl.register(type(asarray))
    def of_function(value: Any, context: object) -> Any:
        numpys = _numpys_of_that_name(value)
        return getattr(value, "_numba_type_", None) if numpys is None else typing.resolve_value_type(numpys)

    typing = cpu_target.typing_context


def _numpys_of_that_name(function: Any) -> Any:
    """Return NumPy's function of the same name if a function is cowarray's; else None."""
    module, name = str(function.__module__), function.__name__
    if module.partition(".")[0] != "cowarray" or getattr(sys.modules.get(module), name, None) is not function:
        return None
    return getattr(sys.modules.get(module.replace("cowarray", "numpy", 1)), name, None)


def _suits(header: np.ndarray, layout: str, aligned: bool) -> bool:
    """Tell whether the elements lie where compiled code expects them."""
    flags = header.flags
    contiguous = {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(layout, True)
    return contiguous and (flags.aligned or not aligned)


def _written(x: ndarray, *, layout: str, aligned: bool) -> np.ndarray:
    """Return the header through which compiled code writes to x."""
    header = x.to_numpy(writable=True)
    if not _suits(header, layout, aligned):
        raise TypeError("numba: compiled for another memory layout than this array has; pass x.copy()")
    return header


def _read(x: ndarray, *, layout: str, aligned: bool) -> np.ndarray:
    """Return the header through which compiled code reads x: a snapshot, in the layout that the code expects."""
    header = x.to_numpy()
    return header if _suits(header, layout, aligned) else header.copy("F" if layout == "F" else "C")
