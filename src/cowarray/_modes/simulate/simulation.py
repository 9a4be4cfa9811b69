"""`simulate`: which lines of a program rely on a view where cowarray copies in meaning."""

import warnings
from collections.abc import Iterator
from typing import Any

from cowarray._array.copies import alias_copies, watch_copies
from cowarray._modes.common.entering import Mode
from cowarray._modes.simulate.divergences import AliasingError, AliasingWarning, Divergence
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._ops.operands import watch_births

__all__ = ["simulate"]


@public
class simulate(Mode):
    """Context manager and decorator in which copies in meaning are NumPy's views, and reliance on that is found.

    With NumPy, `reshape`, `ravel` and others give a view where they can; here they always copy, in meaning. A program
    written for NumPy that writes through such a view, and then reads the base, computes something else with cowarray,
    and nothing tells. Inside this block it computes what it computes with NumPy, and each access that reads bytes which
    a copy would not have, or would still have, is reported: a `Divergence`, and an `AliasingWarning` at its line, once
    for each three lines that belong together (that copied, that wrote, that read).

    Iterate over it, inside or after the block, for the `Divergence` tuples. What holds in the block is for the current
    context; arrays made there stay watched wherever they go, and after its end. Exports (`numpy.asarray`, buffers) are
    writable aliases inside, and foreign memory that comes in by `asarray` is aliased, as with NumPy.

    Parameters
    ----------
    error : bool, default False
        Whether to raise an `AliasingError` at the access in place of the warning. The access does not happen then.
    exact : bool, default False
        Whether to keep the bytes that a copy would have, and say of each divergence whether they differed.

    Raises
    ------
    TypeError
        `error` or `exact` is not a bool.

    See Also
    --------
    aliasing : The aliases alone: nothing is watched, and nothing reported.
    trace : Finds writes to copies that nobody reads, at no cost, in ordinary runs.
    ndarray.reshape : With ``copy=False``, gives a view or raises.

    Notes
    -----
    On a Python without a GIL, entering the block turns the GIL on. On what is reported, and what cannot be as in NumPy,
    see the guide "Moving a NumPy program".

    Examples
    --------
    >>> import warnings, cowarray
    >>> x = cowarray.zeros((3, 3))
    >>> with cowarray.simulate() as found, warnings.catch_warnings(action="ignore"):
    ...     x.reshape(-1)[::4] += 2
    ...     total = x.sum()
    >>> float(total), [(each.kind, each.operation, each.copied_by) for each in found]
    (6.0, [('read', 'ndarray.sum', 'ndarray.reshape')])
    >>> found
    <cowarray.simulate: 1 divergence; 1 would-be copy watched, 1 relied upon, 0 never written>
    """

    # The command line reports at the end, and a program's filters may make errors of warnings.
    _warns = True

    def __init__(self, *, error: bool = False, exact: bool = False) -> None:
        for name, value in (("error", error), ("exact", exact)):
            if type(value) is not bool:
                raise TypeError(f"simulate: {name} must be True or False (got {value!r})")
        # Imported here, and not at the top: it turns on a GIL where there is none.
        with importing:
            from cowarray._modes.aliasing import here
            from cowarray._modes.simulate import shadows, simulated, watching

        self._enlisted = simulated
        self._error = error
        self._found: dict[Any, Any] = {}
        self._run = shadows.Run(self._record, exact)
        counters = (watch_births,), (alias_copies,), (watch_copies, watching)
        super().__init__("simulate", here.variable, self._run, counters)

    def _record(
        self,
        kind: Any,
        operation: Any,
        nbytes: int,
        made: Any,
        written: Any,
        accessed: Any,
        copied_by: Any,
        differed: Any,
        step: Any,
    ) -> None:
        lines = made, written, accessed
        known = self._found.get(lines)
        if known is None:
            divergence = Divergence(kind, operation, nbytes, made, written, accessed, 1, differed, copied_by)
            self._found[lines] = divergence, step
        else:
            divergence, last = known
            divergence = divergence._replace(
                nbytes=max(nbytes, divergence.nbytes),
                times=divergence.times + (step != last or step == 0),
                differed=divergence.differed or differed,
            )
            self._found[lines] = divergence, step
        if self._error:
            raise AliasingError(divergence)
        if known is None and self._warns:
            _warn(divergence)

    @property
    def exact(self) -> bool:
        """bool: Whether it keeps the bytes that a copy would have."""
        return self._run.exact

    @property
    def watched(self) -> int:
        """int: How many copies in meaning became views."""
        return self._run.watched

    @property
    def relied_upon(self) -> int:
        """int: For how many of them a divergence was found."""
        return self._run.relied_upon

    @property
    def never_written(self) -> int:
        """int: How many of them nobody wrote to, nor to their source, while they lived: copies would do the same."""
        return self._run.never_written

    def __iter__(self) -> Iterator[Divergence]:
        return iter([divergence for divergence, _ in list(self._found.values())])

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> Any:
        return (
            f"<cowarray.simulate: {_counted(len(self), 'divergence', 'divergences')}; "
            f"{_counted(self.watched, 'would-be copy', 'would-be copies')} watched, {self.relied_upon} relied upon, "
            f"{self.never_written} never written>"
        )


def _counted(number: Any, one: Any, several: Any) -> Any:
    return f"{number} {one if number == 1 else several}"


def _warn(divergence: Any) -> None:
    """Warn at the line that accessed, wherever the library was called from."""
    filename, lineno = divergence.accessed
    warnings.warn_explicit(AliasingWarning(divergence), None, filename, lineno)
