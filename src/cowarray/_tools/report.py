"""`explain`: the sharers of an array's bytes, and the cost of its next write."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cowarray._array.array import birth_of, storage_facts
from cowarray._face.ndarray import ndarray
from cowarray._modes.budget.budgeting import where_away
from cowarray._modes.copies.copies import Sharer, known_sharers
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._native.storage import is_absent_storage, own_regions, why_not_by_page
from cowarray._tools.relatives import Relative, relatives_of

__all__ = ["Explanation", "explain"]

_PAGE = 4096
_LEAST = 4 << 20  # smaller Storages are never by the page


@public
class Explanation(NamedTuple):
    """The findings of `explain`; printed, they are a few sentences.

    Parameters
    ----------
    made : str
        How the array came to be.
    nbytes : int
        Bytes of the array's elements.
    window : int
        Bytes of its Storage.
    allocated : int
        Bytes of the allocation, which lives until its last sharer ends.
    shares : int
        Storages and snapshots that share the allocation, this one included.
    sharers : tuple of Sharer
        The other sharers that were made inside a `trace`, with the lines that made them.
    readonly : bool
        Whether the array refuses writes.
    pinned : bool
        Whether a write is running or a writable export lives: copies are then made at once.
    foreign : bool
        Whether the bytes are foreign memory, which is never written to.
    next_write_copies : int
        Bytes that the next write would copy beforehand; with `by_page`, that of one element, with its page.
    why : str
        The reason.
    away : str
        Where the bytes are, if they have been evicted (`cowarray.budget`), and what it takes to bring them back.
    by_page : bool
        Whether the next write copies only the pages that it touches (`cowarray.paging`).
    own : int
        Bytes in memory for this array's Storage alone; fewer than its window if it is by the page.
    base : int
        Bytes that the next write would first freeze in a base, once for all sharers; 0 if there is a base already.
    regions : tuple of int
        For a Storage by the page, the bytes in memory for it alone in each 2 MiB; all others are frozen, and shared by
        every array on the same base.
    relatives : tuple of Relative
        Sharers by name: the array itself, and those in `among`.
    not_by_page : str
        Why the next write, copying 4 MiB or more, would not be by the page; empty if it would, or would copy less.
    """

    made: str
    nbytes: int
    window: int
    allocated: int
    shares: int
    sharers: tuple[Sharer, ...]
    readonly: bool
    pinned: bool
    foreign: bool
    next_write_copies: int
    why: str
    away: str = ""
    by_page: bool = False
    own: int = 0
    base: int = 0
    regions: tuple[int, ...] = ()
    relatives: tuple[Relative, ...] = ()
    not_by_page: str = ""

    def __str__(self) -> str:
        lines = [
            f"array of {self.nbytes} bytes, {self.made}",
            f"its storage has {self.window} of {self.allocated} bytes allocated, shared by {self.shares}",
        ]
        if self.away:
            lines.append(self.away)
        lines += [f"shared by {sharer}" for sharer in self.sharers]
        lines += [str(each) for each in self.relatives[1:]]
        if self.readonly:
            lines.append("it is read-only: a copy of it is writable")
        if self.pinned:
            lines.append("it is pinned by a running write, a loan or a writable export: copies of it are made at once")
        if self.by_page:
            if self.base:
                lines.append(f"the next write freezes {self.base} bytes in a base first, once for all who share them")
            copied = max(_PAGE, self.next_write_copies - self.base)
            lines.append(f"the next write copies the pages it touches, {copied} of {self.window} bytes for one element")
        else:
            lines.append(f"the next write copies {self.next_write_copies} bytes: {self.why}")
            if self.not_by_page:
                lines.append(f"it is not by the page: {self.not_by_page}")
        if self.regions:
            lines.append(f"by the page: {self.own} bytes are in memory for it alone, the others are frozen and shared")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _drawing().as_html(self)

    def mermaid(self) -> str:
        """Draw the sharers of the bytes, as text for Mermaid.

        Returns
        -------
        str

        See Also
        --------
        svg : The picture itself.
        """
        return _drawing().as_mermaid(self)

    def graphviz(self) -> str:
        """Draw the sharers of the bytes, as text for Graphviz.

        Returns
        -------
        str

        See Also
        --------
        svg : The picture itself.
        """
        return _drawing().as_graphviz(self)

    def svg(self) -> str:
        """Draw the sharers of the bytes, as an SVG image.

        Returns
        -------
        str
            Text that browsers show.

        See Also
        --------
        mermaid : The same as text for Mermaid.
        graphviz : The same as text for Graphviz.
        """
        return _drawing().as_svg(self)


@public
def explain(x: ndarray, /, among: Mapping[str, object] | Sequence[object] = ()) -> Explanation:
    """Tell what shares x's bytes, what the next write to x would copy, and why.

    Parameters
    ----------
    x : ndarray
    among : mapping of str to object, or list of object, optional
        Where to look for arrays that share bytes with x, to list them by name: ``globals()``, ``vars(self)``, a list.
        Lists, tuples and dicts in it are searched.

    Returns
    -------
    Explanation
        A named tuple that prints as text, and in a notebook as a picture; it draws itself as SVG, and as text for
        Mermaid and Graphviz. A write that replaces every element never copies.

    Raises
    ------
    TypeError
        x is not a `cowarray.ndarray`, or `among` is neither a mapping nor a list.

    See Also
    --------
    trace : Tell which lines copied.
    shares_bytes : Tell whether two arrays lie in the same memory now.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.array(np.zeros(100))
    >>> y = x.copy()
    >>> print(cowarray.explain(y))
    array of 800 bytes, a lazy copy
    its storage has 800 of 800 bytes allocated, shared by 2
    the next write copies 800 bytes: 2 share the allocation

    Inside a `trace`, copies record where they are made.

    >>> with cowarray.trace():
    ...     z = x.copy()
    >>> print(cowarray.explain(x))
    array of 800 bytes, imported by a copy: the memory might have changed unseen, or you asked for a copy
    its storage has 800 of 800 bytes allocated, shared by 3
    shared by a lazy copy, made at ...
    the next write copies 800 bytes: 3 share the allocation

    Other sharers are named if they are in `among`.

    >>> for relative in cowarray.explain(x, among={"x": x, "y": y, "part": y[:10], "z": z}).relatives:
    ...     print(relative)
    x: itself, 800 bytes
    y: a lazy copy, 800 bytes
    part: a lazy copy, 80 bytes
    z: a lazy copy, 800 bytes
    """
    if type(x) is not ndarray:
        raise TypeError(f"explain: expected a cowarray.ndarray (got {type(x).__name__})")
    facts = storage_facts(x)
    cost = facts["write_cost"]
    regions = tuple(own_regions(x.storage))
    base = facts["allocated"] if facts["by_page"] == 2 else 0
    if facts["foreign"]:
        why = "they belong to somebody else"
    elif cost and facts["shares"] > 1:
        why = f"{facts['shares']} share the allocation"
    elif cost:
        why = "somebody still reads these bytes through an array that has moved to bytes of its own"
    else:
        why = "nobody else shares the allocation"
    return Explanation(
        made=birth_of(x),
        nbytes=x.nbytes,
        window=facts["window"],
        allocated=facts["allocated"],
        shares=facts["shares"],
        sharers=known_sharers(x.storage),
        readonly=not x.flags.writeable,
        pinned=facts["pinned"],
        foreign=facts["foreign"],
        next_write_copies=base + sum(regions) + _PAGE if cost and facts["by_page"] else cost,
        why=why,
        away=where_away(x) if is_absent_storage(x.storage) else "",
        by_page=facts["by_page"] != 0,
        own=facts["own"],
        base=base,
        regions=regions,
        relatives=relatives_of(x, among),
        not_by_page=why_not_by_page(x.storage) if cost >= _LEAST and not facts["by_page"] else "",
    )


def _drawing() -> Any:
    with importing:
        from cowarray._tools import drawing
    return drawing
