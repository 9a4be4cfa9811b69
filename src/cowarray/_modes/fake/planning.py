"""`fake`: arrays without bytes, and what a program would take in memory."""

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
    """What the arrays that are born at one line of a program take, and what writes there copy.

    Parameters
    ----------
    site : Site
        The line.
    peak_bytes : int
        Bytes of its arrays when those of all lines were the most.
    live_bytes : int
        Bytes of those of its arrays that still exist.
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

    What is computed inside is fake: it has the shape, dtype, strides and aliases of the real result, and takes no
    memory, whatever its size. So is what is computed from a fake, anywhere, in any thread. Lazy copies and writes are
    counted as they would be, so a plan tells how much memory a program would need, and how much it would copy. Whoever
    needs a value of a fake gets a `FakeError`.

    Real arrays can be read, viewed and printed inside. Real and fake arrays together give fakes; a fake takes in the
    values of a real array, and a real array does not take in those of a fake.

    Parameters
    ----------
    real : int, default 0
        Results of fewer bytes, which depend on no fake, are computed: so a program can count and compare. Such an array
        becomes a fake, with all of its views, when a fake is written into it.

    assume : str or mapping, optional
        Answers to questions that depend on values, which are refused without. "all" has one for each; or pairs, as in
        ``"masks=0.5,conditions=true"`` or ``{"masks": 0.5}``, for some. ``masks`` is which part of the elements a mask
        picks, and `nonzero`, `unique` and their like give: a fraction, or "all". ``conditions`` is whether something is
        true; ``numbers`` what an element is of which Python makes a number. ``rounds`` says how often a condition, or a
        float, is so at one place; then it is once the other, or next to nothing, so that loops end. A key as
        ``solver.py:88`` answers all that is asked at that line. Shapes are exact for what is assumed.

    Raises
    ------
    ValueError
        `real` is no integer from 0 on, or `assume` has other keys or values.

    See Also
    --------
    fake_like : Makes a fake of a real array.
    is_fake : Whether an array has no bytes.

    Notes
    -----
    A result without axes is a fake array without axes, where NumPy gives a scalar: a scalar has a value. An operation
    for which there is no rule is refused; none is guessed.

    On a Python without a GIL, entering the block turns the GIL on.

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
        # Imported here, and not at the top: it turns on a GIL where there is none.
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
        """int: Bytes that those of them which still exist would take."""
        return self._ledger.live

    @property
    def real_bytes(self) -> int:
        """int: The most bytes that real arrays may have had at once that were computed (`real`): not in `peak_bytes`.

        What lazy copies of them share is counted for each.
        """
        return self._ledger.real_peak

    @property
    def bytes_copied(self) -> int:
        """int: Bytes that writes and copies would have copied."""
        return self._ledger.copied

    @property
    def peak_site(self) -> Site | None:
        """Site or None: The line that ran when the peak was reached; None: there never were any bytes."""
        return self._ledger.peak_site

    @property
    def series(self) -> list[tuple[int, int]]:
        """list of tuple: How many arrays had been made, and the most live bytes since the entry before."""
        return self._ledger.series

    @property
    def lines(self) -> list[Line]:
        """list of Line: What arrays take by the line at which they are born; most bytes at the peak first."""
        found = [
            Line(origin.site, origin.at_peak, origin.live, origin.copied) for origin in self._ledger.lines.values()
        ]
        return sorted(found, key=lambda line: (-line.peak_bytes, -line.bytes_copied, line.site))

    @property
    def assumed(self) -> "list[Assumed]":
        """list of Assumed: The lines that asked for values, and what was assumed there."""
        noted: list[Assumed] = self._ledger.assumptions.noted
        return noted

    @property
    def latest_assumed(self) -> "tuple[Site, str, str] | None":
        """tuple or None: The last answer that was assumed: line, what was asked, and the answer."""
        latest: tuple[Site, str, str] | None = self._ledger.assumptions.latest
        return latest

    @property
    def largest_bytes(self) -> int:
        """int: Bytes of the largest of the block's arrays."""
        return self._ledger.largest

    def plot(self, axes: Any = None) -> Any:
        """Draw live bytes over time as a chart, by matplotlib.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            To draw into. Default: those of a new figure of pyplot.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn. Time is counted in arrays made.

        Raises
        ------
        ImportError
            matplotlib is not installed; the extra ``cowarray[plot]`` has it.

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
    """Whether x is an array without bytes.

    Parameters
    ----------
    x : object

    Returns
    -------
    bool
        False of everything that is not a `cowarray.ndarray`.

    See Also
    --------
    fake : Makes them.

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
    """Make arrays without bytes that are like given ones: in shape, dtype, strides, flag, and in who aliases whom.

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
        No array is given.

    See Also
    --------
    fake : Arrays born in its block are fake.

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
    for x in arrays:  # CPython 3.11 loses what a comprehension goes over when it has no memory for its frame
        made.append(fakes.twin(own_or_asarray(x), origin, known))
    return made[0] if len(made) == 1 else tuple(made)
