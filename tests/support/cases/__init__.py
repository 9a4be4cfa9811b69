"""The cases: how each public name is called, written down once for every suite that runs it.

A case is one call in these words: `x` is the array under test, `A(values)` makes a companion of the same kind (ours
where `x` is ours, NumPy's where it is NumPy's), `R` is an array of records, `FILE()` is written to, `TEXT()` read.
A module whose cases use more words says so in its head. A case that is a statement writes.

A module here has the cases of one chapter, `registry` gathers all, and `by_rule` makes those that follow from others:
of each method of each ufunc, of each function by its name in `cowarray`, and of whatever takes `out`.
"""

from typing import NamedTuple

from cowarray._ops.table import FRESH

# What comes of a case: a class of the table (view, same, copy, fresh), or one of these.
TABLE = "as the table says"
UNTOLD = "untold"  # no suite that runs it looks

# Who runs a case, and what it is to them. A tag that is not listed is an error.
TAGS = {
    # What is called, and so in which words.
    "function": "NumPy's, asks the array who computes; also run by its names in cowarray",
    "chapter": "more parameters of such a function, for test_chapters alone",
    "method": "a method, an attribute, an index or an operator that NumPy's arrays have, too",
    "integers": "the same, on an array of integers",
    "namespace": "a function of cowarray's that gives what NumPy's of the same name gives",
    "everyday": "the same, of what goes beyond the array API standard",
    "undispatched": "NumPy's, asks nobody",
    # What becomes of an undispatched one that is given ours.
    "gives-ours": "NumPy's results, as ours where they are arrays",
    "gives-view": "the same, as a view",
    "gives-numpys": "NumPy's results, as they are",
    "refuses": "an error",
    "differs": "something else than NumPy's results",
    "lenient": "a result where NumPy raises",
    "writes": "what NumPy writes",
    # Who else runs it.
    "isolation": "test_isolation, and so the evil world: who sees which write",
    "faults": "test_every_fault: an allocation fails",
    "gaps": "the evil world alone: user code in the middle",
    # What is known of it.
    "fails": "raises, whatever the array",
    "unset": "leaves parts of its result unset",
    "trusts": "its caller promises that nobody writes to what is given",
    "leaves": "gives NumPy's own array, which may alias",
}


class Case(NamedTuple):
    """One call.

    Attributes
    ----------
    source : str
    name : str
        The public name, as in `public.py`; empty where the source tells.
    gives : str
        What the result is.
    writes : str
        What is written although the table has no row for it: "x", "out", "first" (the first argument), "owner" (the
        subject of the call), "object" (shape or flags, no bytes), or nothing.
    tags : frozenset of str
    """

    source: str
    name: str = ""
    gives: str = FRESH
    writes: str = ""
    tags: frozenset = frozenset()


def cases(sources, gives=FRESH, writes="", tags="isolation faults", name=""):
    """A case for each line of a text, or each item of a list."""
    tags = frozenset(tags.split())
    assert tags <= TAGS.keys(), f"unknown tags: {tags - TAGS.keys()}"
    lines = sources.split("\n") if isinstance(sources, str) else sources
    return [Case(line.strip(), name, gives, writes, tags) for line in lines if line.strip()]
