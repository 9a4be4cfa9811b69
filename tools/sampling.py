"""The part of a long list that one run of `make check` takes.

SAMPLE=1/4 in the environment takes every fourth item, from the second on; without it a list is taken whole.
`make check` chooses the part by the number of commits, so four in a row cover a list; it reports the part at its end.

usage: sampling.py WHAT ITEM ...    print the items that are taken
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def sampled(items, what):
    """Return the items of a list that this run takes, in their order.

    Parameters
    ----------
    items : iterable
    what : str
        A name for the items, for the note of how many were taken.

    Returns
    -------
    list
    """
    items = list(items)
    part, _, parts = os.environ.get("SAMPLE", "").partition("/")
    if not parts:
        return items
    taken = items[int(part) :: int(parts)]
    note = f"sampled: {len(taken)} of {len(items)} {what} (part {part} of {parts}; make check-all takes all)"
    print(note, file=sys.stderr, flush=True)
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "sampled").open("a") as file:
        file.write(f"{note}\n")
    return taken


if __name__ == "__main__":
    print(*sampled(sys.argv[2:], sys.argv[1]))
