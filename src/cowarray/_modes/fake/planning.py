"""`fake`: arrays without bytes, and plans of the memory that a program would use."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.entering import Mode
from cowarray._modes.common.site import Site
from cowarray._modes.common.sizes import whole_nbytes
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._native.storage import Storage, is_fake_storage
from cowarray._ops.conversion import own_or_asarray
from cowarray._ops.operands import watch_births

if TYPE_CHECKING:
    from cowarray._modes.fake.assumptions import Assumed

__all__ = ["Line", "fake", "fake_like", "is_fake"]


@public
class Line(NamedTuple):
    """The memory of the arrays made at one line of a program, and the bytes copied there.

    Parameters
    ----------
    site : Site
        The line.
    peak_bytes : int
        Bytes of its arrays when the total of all lines was at its peak.
    live_bytes : int
        Bytes of its arrays that still exist.
    bytes_copied : int
        Bytes that writes and copies at the line would have copied.
    """

    site: Site
    peak_bytes: int
    live_bytes: int
    bytes_copied: int


@public
class fake(Mode):
    """Context manager and decorator in which arrays have no bytes: shapes, dtypes, memory are right, values missing.

    Results computed inside are fakes: they have the shape, dtype, strides and aliases of the real results, and take no
    memory, whatever their size. So are results computed from a fake, anywhere, in any thread. Lazy copies and writes
    are counted as if they were real, so a plan tells how much memory a program would need, and how much it would copy.
    Code that needs a value of a fake gets a `FakeError`.

    Real arrays can be read, viewed and printed inside. Operations on real and fake arrays together return fakes. Real
    values can be written into a fake, but those of a fake cannot be written into a real array.

    Parameters
    ----------
    real : int, default 0
        Results of fewer bytes that depend on no fake are computed, so that a program can count and compare. Such an
        array becomes a fake, with all of its views, when a fake is written into it.

    assume : str or mapping, optional
        Answers to questions that depend on values; without an answer, they are refused. "all" answers each kind; pairs,
        as in ``"masks=0.5,conditions=true"`` or ``{"masks": 0.5}``, answer some. ``masks``: the part of the elements
        that a mask picks, or `nonzero`, `unique` and the like return, as a fraction or "all". ``conditions``: whether a
        condition is true. ``numbers``: the value of an element that Python converts to a number. ``rounds``: how often
        the same answer is given at one place; then once the opposite, or a tiny float, so that loops end. A key like
        ``solver.py:88`` answers all questions at that line. Shapes are exact under these assumptions.

    Raises
    ------
    ValueError
        `real` is not an integer from 0 on, or `assume` has other keys or values.

    See Also
    --------
    fake_like : Makes a fake of a real array.
    is_fake : Tells whether an array has no bytes.

    Notes
    -----
    Where NumPy returns a scalar, the result is a fake array without axes, because a scalar has a value. An operation
    without a rule is refused: nothing is guessed.

    On a Python without a GIL, this mode turns the GIL on.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.fake() as plan:
    ...     x = cowarray.zeros((1 << 17, 1 << 10, 1 << 10))
    ...     y = x.mean(axis=0)
    >>> y
    array(..., shape=(1024, 1024), dtype=float64, fake)
    >>> plan.peak_bytes >> 40
    1
    """

    def __init__(self, real: SupportsIndex = 0, assume: str | Mapping[str, object] | None = None) -> None:
        least = whole_nbytes(real, "fake: real")
        # Imported here, not at the top: it turns on the GIL where there is none.
        with importing:
            from cowarray._modes.common import blocks
            from cowarray._modes.fake import assumptions, calls, fakes, passing

        self._enlisted = passing
        self._ledger = fakes.Ledger(True, assumptions.Assumptions(assume))
        super().__init__("fake", blocks.variable, calls.Block(self._ledger, least), ((watch_births,),), blocks)

    @property
    def peak_bytes(self) -> int:
        """int: The most bytes that the block's arrays would have taken at once."""
        return self._ledger.peak

    @property
    def live_bytes(self) -> int:
        """int: The bytes that those arrays which still exist would take."""
        return self._ledger.live

    @property
    def real_bytes(self) -> int:
        """int: The most bytes that computed real arrays (see `real`) may have had at once; not in `peak_bytes`.

        Bytes that lazy copies of them share are counted for each copy.
        """
        return self._ledger.real_peak

    @property
    def bytes_copied(self) -> int:
        """int: Bytes that writes and copies would have copied."""
        return self._ledger.copied

    @property
    def peak_site(self) -> Site | None:
        """Site or None: The line that ran when the peak was reached; None if there never were any bytes."""
        return self._ledger.peak_site

    @property
    def series(self) -> list[tuple[int, int]]:
        """list of tuple: How many arrays had been made, and the most live bytes since the previous entry."""
        return self._ledger.series

    @property
    def lines(self) -> list[Line]:
        """list of Line: The memory of arrays by the line that makes them; most bytes at the peak first."""
        found = [
            Line(origin.site, origin.at_peak, origin.live, origin.copied) for origin in self._ledger.lines.values()
        ]
        return sorted(found, key=lambda line: (-line.peak_bytes, -line.bytes_copied, line.site))

    @property
    def assumed(self) -> "list[Assumed]":
        """list of Assumed: The lines that asked for values, and the answers assumed there."""
        noted: list[Assumed] = self._ledger.assumptions.noted
        return noted

    @property
    def latest_assumed(self) -> "tuple[Site, str, str] | None":
        """tuple or None: The last assumed answer: line, kind of question, and answer."""
        latest: tuple[Site, str, str] | None = self._ledger.assumptions.latest
        return latest

    @property
    def largest_bytes(self) -> int:
        """int: Bytes of the largest of the block's arrays."""
        return self._ledger.largest

    def plot(self, axes: Any = None) -> Any:
        """Draw live bytes over time as a chart, with matplotlib.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            The axes to draw into. Default: those of a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn into. Time is counted in arrays made.

        Raises
        ------
        ImportError
            matplotlib is not installed; the extra ``cowarray[plot]`` includes it.

        See Also
        --------
        series : The figures.
        """
        with importing:
            from cowarray._modes.fake.plan_chart import plot
        return plot(self, axes)

    def __repr__(self) -> Any:
        return (
            f"<cowarray.fake: peak {self.peak_bytes} bytes, {self.live_bytes} live, {self.bytes_copied} copied; "
            f"{len(self._ledger.lines)} lines>"
        )

    def __str__(self) -> Any:
        with importing:
            from cowarray._modes.fake.plan_report import as_text
        return as_text(self)

    def _repr_html_(self) -> str:
        with importing:
            from cowarray._modes.fake.plan_report import as_html
        return as_html(self)


@public
def is_fake(x: object, /) -> bool:
    """Tell whether x is an array without bytes.

    Parameters
    ----------
    x : object

    Returns
    -------
    bool
        False for anything that is not a `cowarray.ndarray`.

    See Also
    --------
    fake : Makes such arrays.

    Examples
    --------
    >>> import cowarray
    >>> with cowarray.fake():
    ...     x = cowarray.zeros(3)
    >>> cowarray.is_fake(x), cowarray.is_fake(cowarray.zeros(3))
    (True, False)
    """
    return isinstance(x, ndarray) and is_fake_storage(x.storage)


@public
def fake_like(*arrays: Any) -> Any:
    """Make arrays without bytes like given ones: with the same shapes, dtypes, strides, writeable flags and aliasing.

    Parameters
    ----------
    *arrays : array_like
        Anything but a `cowarray.ndarray` goes through `asarray` first.

    Returns
    -------
    ndarray or tuple of ndarray
        One for one array, a tuple for several. Two of them alias if the given ones do.

    Raises
    ------
    TypeError
        No array was passed.

    See Also
    --------
    fake : Arrays made in its block are fake.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.zeros(8)
    >>> a, b = cowarray.fake_like(x, x[2:])
    >>> a, cowarray.aliases(a, b)
    (array(..., shape=(8,), dtype=float64, fake), True)
    """
    if not arrays:
        raise TypeError("fake_like: expected at least one array (got none)")
    with importing:
        from cowarray._modes.common import blocks
        from cowarray._modes.fake import calls, fakes, passing

    _enlisted = passing
    block = blocks.current()
    origin = (block.ledger if type(block) is calls.Block else fakes.Ledger()).here()
    known: dict[Storage, Storage] = {}
    made = []
    for x in arrays:  # CPython 3.11 loses a comprehension's iterable if it cannot allocate the frame
        made.append(fakes.twin(own_or_asarray(x), origin, known))
    return made[0] if len(made) == 1 else tuple(made)
