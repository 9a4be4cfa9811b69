"""`aliasing`: NumPy's aliases where cowarray copies in meaning, for code that relies on them."""

from cowarray._array.copies import alias_copies
from cowarray._modes.common.entering import Mode
from cowarray._native.fork_locks import importing
from cowarray._native.public import public

__all__ = ["aliasing"]


@public
class aliasing(Mode):
    """Context manager and decorator in which arrays alias as NumPy's do: for libraries that write through aliases.

    Some code writes into ``np.asarray(out)``, into a memoryview, or into ``x.ravel()``. Outside the block these are
    copies in meaning, and such a write fails or is lost. Inside, `reshape`, `ravel`, `asarray`, `ascontiguousarray`
    and similar functions, ``numpy.asarray(x)``, buffers and ``x.data`` return an alias wherever NumPy does, writable
    wherever NumPy's is; `asarray` aliases writable foreign memory. ``isinstance(x, numpy.ndarray)`` is True.
    `copy`, `array`, `flatten` and `astype` still copy, and no copy sees a write, whether it was made before, inside or
    after the block: an array that shares its bytes gets its own before an alias of it is exported.

    The block applies to the current context and to tasks made in it, but not to threads that a library starts. `start`
    and `stop` apply to the whole process. Aliases outlive the block, and an export pins its array for as long as it
    exists: meanwhile, copies of that array are eager.

    See Also
    --------
    lend : The same for the exports of single arrays, in every thread.
    simulate : Aliases in the same way, and finds the lines that rely on it.

    Notes
    -----
    Inside blocks of `fake`, `deferred` and `budget`, exports follow the rules of those modes. Memory that is read-only
    down to its owner is imported as it is outside: it is shared, and never written to.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.zeros((2, 2))
    >>> before = x.copy()
    >>> with cowarray.aliasing():
    ...     np.asarray(x)[0] = 1
    ...     x.reshape(-1)[3] = 2
    >>> x
    array([[1., 1.],
           [0., 2.]])
    >>> before.sum()
    np.float64(0.0)

    >>> @cowarray.aliasing()
    ... def double(values):
    ...     values.ravel()[:] *= 2
    >>> double(x)
    >>> x.sum()
    np.float64(8.0)
    """

    def __init__(self) -> None:
        # Imported here to keep the import of the library fast.
        with importing:
            from cowarray._modes.aliasing import here

        super().__init__("aliasing", here.variable, None, ((alias_copies,),))

    @staticmethod
    def start() -> None:
        """Alias in the whole process: in every thread and context, until `stop` has been called as many times."""
        with importing:
            from cowarray._modes.aliasing import here

        here.alias_everywhere(1)

    @staticmethod
    def stop() -> None:
        """Undo one call of `start`. Existing aliases stay aliases.

        Raises
        ------
        RuntimeError
            `start` was not called, or each call has been undone.
        """
        with importing:
            from cowarray._modes.aliasing import here

        here.alias_everywhere(-1)
