"""The part of a long list that one run of `make check` takes.

SAMPLE=1/4 in the environment is the second quarter; without it a list is taken whole. `make check` counts commits to
choose the part, so four commits in a row take all of a list, and it says at its end what was left out.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def sampled(items, what):
    """The items of a list that this run takes, in their order.

    Parameters
    ----------
    items : iterable
    what : str
        What the items are, for the note of what was left out.

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
    print(note, flush=True)
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "sampled").open("a") as file:
        file.write(f"{note}\n")
    return taken
