"""`simulate`: finds the lines of a program that rely on a view where cowarray copies in meaning."""

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
    """Context manager and decorator in which copies in meaning are NumPy's views, and reliance on them is reported.

    NumPy's `reshape`, `ravel` and others return a view where they can; here they always copy, in meaning. A program
    written for NumPy that writes through such a view and then reads the base silently computes something else with
    cowarray. Inside this block it computes the same as with NumPy, and each access that sees a write which a real copy
    would hide is reported: as a `Divergence`, and by an `AliasingWarning` at its line, once for each three lines that
    belong together (the one that copied, the one that wrote, the one that read).

    Iterate over it, inside or after the block, for the `Divergence` tuples. The block applies to the current context;
    arrays made in it stay watched wherever they go, even after its end. Exports (`numpy.asarray`, buffers) are writable
    aliases inside, and `asarray` aliases foreign memory, as with NumPy.

    Parameters
    ----------
    error : bool, default False
        Whether to raise an `AliasingError` at the access in place of the warning. The access then does not happen.
    exact : bool, default False
        Whether to keep the bytes that a copy would have, and record for each divergence whether they differed.

    Raises
    ------
    TypeError
        `error` or `exact` is not a bool.

    See Also
    --------
    aliasing : The aliases alone: nothing is watched or reported.
    trace : Finds writes to copies that nobody reads, at no cost, in ordinary runs.
    ndarray.reshape : With ``copy=False``, returns a view or raises.

    Notes
    -----
    On a Python without a GIL, this mode turns the GIL on. The guide "Moving a NumPy program" tells what is reported,
    and what cannot be as in NumPy.

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

    # False on the command line, which reports at the end: a program's filters may turn warnings into errors.
    _warns = True

    def __init__(self, *, error: bool = False, exact: bool = False) -> None:
        for name, value in (("error", error), ("exact", exact)):
            if type(value) is not bool:
                raise TypeError(f"simulate: {name} must be True or False (got {value!r})")
        # Imported here, not at the top: it turns on the GIL where there is none.
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
        """bool: Whether the simulation keeps the bytes that a copy would have."""
        return self._run.exact

    @property
    def watched(self) -> int:
        """int: How many copies in meaning became views."""
        return self._run.watched

    @property
    def relied_upon(self) -> int:
        """int: How many of them had a divergence."""
        return self._run.relied_upon

    @property
    def never_written(self) -> int:
        """int: How many of them were never written while they lived, nor was their source: copies would do as well."""
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
    """Warn at the line that accessed the bytes."""
    filename, lineno = divergence.accessed
    warnings.warn_explicit(AliasingWarning(divergence), None, filename, lineno)
