"""Opening a folder's arrays: as first committed, with the pages of the present version."""

import warnings

import numpy as np
from numpy.typing import NDArray

from cowarray._versions.bases import Stored
from cowarray._versions.numbers import difference, union
from cowarray._versions.records import DiskContents
from cowarray._versions.tracked import PAGE, Tracked
from cowarray._versions.tree import Present, Tree

__all__ = ["give_present", "pages_within"]

_AT_ONCE = 1024  # pages that are read before they are written, so that little new memory is used

_Numbers = NDArray[np.int64]


def pages_within(page: _Numbers, stored: Stored) -> slice:
    """Return the slice of sorted pages that belongs to an array."""
    ends = [stored.first, stored.first + -(-stored.array.nbytes // PAGE)]
    return slice(*np.searchsorted(page, ends).tolist())


def give_present(
    arrays: list[Stored], tree: Tree, contents: DiskContents, present: Present, *, goes_back: bool
) -> tuple[tuple[int, dict[str, int], str], _Numbers, _Numbers]:
    """Write the present version into arrays that are as first committed.

    Parameters
    ----------
    goes_back : bool
        Whether to take the last earlier version that is not damaged, with a warning.

    Returns
    -------
    tuple
        The history's place then; the version's pages, and their contents.
    """
    head, tried = present.head, np.zeros(0, np.int64)
    damage: ValueError | None = None  # of the present version
    while True:
        page, content = tree.at(head)
        back = difference(tried, page)  # pages that damaged versions may have written
        tried = union(tried, page)
        try:
            _write(arrays, contents, np.append(page, back), np.append(content, contents.first(back)))
        except ValueError as error:
            parent = tree[head].version.parent
            if not goes_back or parent is None:
                raise
            head, damage = parent, damage or error
        else:
            if damage is not None:
                warnings.warn(f"{damage}; the state is that of version {head}", stacklevel=4)
            return (head, present.tips, present.branch), page, content


def _write(arrays: list[Stored], contents: DiskContents, page: _Numbers, content: _Numbers) -> None:
    """Write pages, in the order of their contents in the files."""
    order = np.argsort(content)
    for at in range(0, order.size, _AT_ONCE):
        some = order[at : at + _AT_ONCE]
        some = some[np.argsort(page[some])]
        found = contents.get(content[some])
        for stored in arrays:
            part = pages_within(page[some], stored)
            Tracked.write_into(stored.array, page[some][part] - stored.first, found[part])
