"""`aliasing`: NumPy's aliases where cowarray copies in meaning, for code that relies on them."""

from cowarray._array.copies import alias_copies
from cowarray._modes.common.entering import Mode
from cowarray._native.fork_locks import importing
from cowarray._native.public import public

__all__ = ["aliasing"]


@public
class aliasing(Mode):
    """Context manager and decorator in which arrays alias as NumPy's do: for libraries that write through aliases.

    Some code writes into ``np.asarray(out)``, into a memoryview, or into ``x.ravel()``. Outside of the block these are
    copies in meaning, and such a write fails, or is lost. Inside, `reshape`, `ravel`, `asarray`, `ascontiguousarray`
    and their kind, ``numpy.asarray(x)``, buffers and ``x.data`` give an alias wherever NumPy gives one, writable
    wherever NumPy's is; writable memory of others is aliased by `asarray`. ``isinstance(x, numpy.ndarray)`` holds.
    `copy`, `array`, `flatten` and `astype` stay copies, and no copy sees a write, whether it was made before, inside or
    after the block: an array whose bytes are shared gets its own before an alias of it leaves.

    What holds in the block is for the current context: tasks that are made in it have it too, but a thread that a
    library starts has not. `start` and `stop` are for the whole process. Aliases outlive the block, and an export pins
    its array for as long as it exists: copies of that array are made at once meanwhile.

    See Also
    --------
    lend : The same for the exports of single arrays, in every thread.
    simulate : Aliases in the same way, and finds the lines that rely on it.

    Notes
    -----
    Inside blocks of `fake`, `deferred` and `budget`, an export does what it does there. Memory that is read-only down
    to its owner comes in as it does outside: it is shared, and never written to.

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
        # Imported here, and not at the top: the import of the library stays quick.
        with importing:
            from cowarray._modes.aliasing import here

        super().__init__("aliasing", here.variable, None, ((alias_copies,),))

    @staticmethod
    def start() -> None:
        """Alias in the whole process: in every thread and context, until `stop` has been called as often."""
        with importing:
            from cowarray._modes.aliasing import here

        here.alias_everywhere(1)

    @staticmethod
    def stop() -> None:
        """End what `start` began. Aliases that exist stay aliases.

        Raises
        ------
        RuntimeError
            Nothing was started, or it has been stopped already.
        """
        with importing:
            from cowarray._modes.aliasing import here

        here.alias_everywhere(-1)
