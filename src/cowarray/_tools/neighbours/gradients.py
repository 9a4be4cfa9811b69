"""autograd: gradients with respect to cowarray's arrays are cowarray's arrays."""

# Libraries that may be missing, or have no types.
# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false

from typing import Any

import numpy as np

from cowarray._chapters import gathered as _chapters
from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import array, asarray

__all__ = ["autograd"]


def autograd() -> None:
    """Enter the type into `ArrayBox`, which lists the types to trace, and `VSpace`, which makes and adds gradients."""
    from autograd.extend import VSpace
    from autograd.numpy.numpy_boxes import ArrayBox
    from autograd.numpy.numpy_vspaces import ArrayVSpace, ComplexArrayVSpace

    def created(space: Any, one: complex) -> Any:
        class Space(space):
            """The space of gradients that are cowarray's arrays; their shape is known without reading bytes."""

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
    _keep_values_ours()
    _keep_gradients_ours()


class _NumPy:
    """NumPy, as seen by a module of autograd."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _keep_values_ours() -> None:
    """Make joins and copies of cowarray's arrays cowarray's: autograd would ask for a view as `numpy.ndarray`."""
    from autograd.numpy import numpy_wrapper

    class Joined:
        def __init__(self, array: ndarray) -> None:
            self.array = array

        def view(self, kind: Any) -> ndarray:
            return self.array

    class Numpy(_NumPy):
        def array(self, a: Any, *args: Any, **kwargs: Any) -> Any:
            ours = any(isinstance(each, ndarray) for each in (a if isinstance(a, tuple) else (a,)))
            return (array if ours else np.array)(a, *args, **kwargs)

        def concatenate(self, arrays: Any, axis: Any) -> Any:
            joined: Any = np.concatenate(arrays, axis)
            return Joined(joined) if isinstance(joined, ndarray) else joined

    numpy_wrapper._np = Numpy()


def _keep_gradients_ours() -> None:
    """Make gradients cowarray's where autograd would turn them into NumPy's arrays: a budget can recompute them."""
    from autograd.core import primitive_vjps
    from autograd.numpy import numpy_vjps, numpy_wrapper
    from autograd.tracer import getval

    wrapped: Any = numpy_wrapper  # most of its names come from NumPy

    class Numpy(_NumPy):
        """NumPy with an `asarray`, for the gradients of `dot`, that leaves cowarray's arrays as they are."""

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
        """Wrap a gradient maker: where a reduction's gradient would be a scalar, it becomes an array of cowarray's."""

        def maker(argnums: Any, ans: Any, args: Any, kwargs: Any) -> Any:
            vjp = given(argnums, ans, args, kwargs)
            return (lambda g: vjp(asarray(g) if isinstance(g, np.generic) else g)) if is_ours(args[0]) else vjp

        return maker

    plain, numpy_vjps.repeat_to_match_shape = numpy_vjps.repeat_to_match_shape, repeated
    numpy_vjps.onp = Numpy()
    for reduction in (wrapped.sum, wrapped._primitive_mean):
        primitive_vjps[reduction] = of_scalars(primitive_vjps[reduction])
