"""The reference: a page for each chapter of public names, and one of all of NumPy's names and what stands for each.

Sphinx's autosummary has no chapters: it would make a page for each name, and its templates do not know the table of
operations. Entries are autodoc's.
"""

import functools
import operator
import types

import numpy as np

import cowarray
from cowarray import array_api
from cowarray._chapters import NAMES
from cowarray._ops import table

__all__ = ["chapters", "numpy_names", "write"]

# Pages by the module that a name comes from; what no row has is told by `chapters`.
TITLES = {
    "ndarray": "The array",
    "own": "Copies, aliases and what they cost",
    "modes": "Modes",
    "types": "Classes of results and errors",
    "creation": "Creating arrays",
    "conversion": "Taking arrays in",
    "files": "Files",
    "manipulation": "Shapes and joining",
    "indexing": "Indexing",
    "elementwise": "Element by element",
    "elementwise_numpy": "Element by element, NumPy's own",
    "statistics": "Sums and statistics",
    "linear_algebra": "Products",
    "linalg": "Linear algebra: `cowarray.linalg`",
    "fft": "Fourier transforms: `cowarray.fft`",
    "random": "Random numbers: `cowarray.random`",
    "stride_tricks": "Windows: `cowarray.lib.stride_tricks`",
    "searching": "Searching",
    "sorting": "Sorting",
    "sets": "Sets",
    "utility": "Utilities",
    "callbacks": "Functions of yours",
    "iterators": "Iterators",
    "grids": "Grids",
    "polynomials": "Polynomials",
    "windows": "Windows for signals",
    "bits": "Bits",
    "dates": "Dates",
    "printing": "Printing",
    "data_types": "Data types",
    "constants": "Constants and NumPy's types",
    "array_api": "The array API standard: `cowarray.array_api`",
}
CHAPTERS = {name: chapter for chapter, names in NAMES.items() for name in names.split()}
FILES = {
    "load", "save", "save_async", "savez", "savez_compressed", "frombuffer", "fromfile", "fromregex", "genfromtxt",
    "loadtxt", "savetxt",
}  # fmt: skip
MODES = {
    "budget", "checkpoint", "decheckpoint", "evict", "is_checkpointed", "deferred", "deferred_init", "is_deferred",
    "materialize", "fake", "fake_like", "is_fake", "no_copy", "trace", "lend", "aliasing", "simulate",
}  # fmt: skip


def chapter_of(name, value):
    """The page of a name in `cowarray`."""
    module = getattr(value, "__module__", None) or ""
    is_own = module.partition(".")[0] == "cowarray"
    if name == "ndarray":
        return "ndarray"
    if name in MODES:
        return "modes"
    if is_own and name in CHAPTERS:
        return CHAPTERS[name]
    if name in ("array", "asarray", "from_dlpack"):
        return "conversion"
    if name in FILES:
        return "files"
    if is_own:
        return "types" if isinstance(value, type) else "own"
    return "constants"


def chapters():
    """{page: [dotted names]} of all public names, but for NumPy's own and for modules."""
    found = {page: [] for page in TITLES}
    for name in sorted(set(cowarray.__all__)):
        value = getattr(cowarray, name)
        if not isinstance(value, types.ModuleType):
            found[chapter_of(name, value)].append(f"cowarray.{name}")
    spaces = {
        "linalg": [cowarray.linalg],
        "fft": [cowarray.fft],
        "random": [cowarray.random],
        "stride_tricks": [cowarray.lib.stride_tricks],
        "array_api": [array_api, array_api.fft, array_api.linalg],
    }
    for page, listed in spaces.items():
        found[page] += [f"{space.__name__}.{name}" for space in listed for name in sorted(space.__all__)]
    return found


def entry(dotted):
    """How autodoc is asked for a name; empty for NumPy's own values, which the page lists."""
    value = operator.attrgetter(dotted.partition(".")[2])(cowarray)
    if not callable(value) and type(value).__module__.startswith("cowarray"):
        return f".. autodata:: {dotted}\n   :no-value:\n\n"
    if not callable(value) or not (getattr(value, "__module__", None) or "").startswith("cowarray"):
        return ""
    if isinstance(value, type):
        return f".. autoclass:: {dotted}\n   :members:\n\n"
    return f".. autofunction:: {dotted}\n\n"


def row_of(dotted):
    """The row of the table of operations for a function or a method, or None."""
    _, *space, name = dotted.split(".")
    if space == ["ndarray"]:
        return table.OPERATIONS.get(f"ndarray.{name}")
    numpys = getattr(functools.reduce(lambda at, part: getattr(at, part, None), space, np), name, None)
    return table.OPERATIONS.get(".".join([*space, getattr(numpys, "__name__", "")]))


def overview(names):
    """What of a page's names gives a view or a copy, or writes to an argument, as a table in front of them."""
    names = [name for name in names if not name.startswith("cowarray.array_api.") and entry(name)]
    if "cowarray.ndarray" in names:
        names += [f"cowarray.{name}" for name in sorted(table.OPERATIONS) if name.startswith("ndarray.")]
    lines = []
    for name in names:
        row = row_of(name)
        if row is None or name in ("cowarray.asarray", "cowarray.frombuffer", "cowarray.from_dlpack"):
            continue
        gives = f"{row.result}, read-only" if row.readonly is True else row.result.replace(table.FRESH, "")
        writes = ", ".join(f"``{each}``" for each in row.writes)
        if gives or writes:
            lines.append(f"   * - {link(name)}\n     - {gives}\n     - {writes}\n")
    if not lines:
        return ""
    head = ".. list-table::\n   :header-rows: 1\n\n   * - operation\n     - gives\n     - writes\n"
    return f"{head}{''.join(lines)}\nWhat is not in this table computes something fresh.\n\n"


def link(name):
    """A reference to a name, in the words of its user; without one where no entry is."""
    text = f"x.{name.removeprefix('cowarray.ndarray.')}" if name.startswith("cowarray.ndarray.") else name
    hidden = text.rpartition(".")[2].startswith("_")
    return f"``{text}``" if hidden else f":py:obj:`{text} <{name}>`"


def page_of(title, names):
    """A chapter's page: an overview, then each name."""
    entries = [entry(name) for name in names]
    foreign = [name for name, text in zip(names, entries, strict=True) if not text]
    parts = [f"{title}\n{'=' * len(title)}\n\n", overview(names)]
    if foreign:
        listed = ", ".join(f"``{name}``" for name in foreign)
        parts.append(f"Values and classes that are NumPy's own, or modules: {listed}.\n\n")
    return "".join(parts + entries)


def numpy_names():
    """[(NumPy's name, cowarray's or what to use instead, whether it is here)] of all that NumPy offers."""
    rows = []
    for space, own, prefix in (
        (np, cowarray, ""),
        (np.linalg, cowarray.linalg, "linalg."),
        (np.fft, cowarray.fft, "fft."),
        (np.random, cowarray.random, "random."),
    ):
        for name in sorted(space.__all__, key=str.lower):
            if name.startswith("__"):
                continue
            try:
                getattr(own, name)
                rows.append((prefix + name, f"cowarray.{prefix}{name}", True))
            except AttributeError as error:
                instead = str(error).partition("; use ")[2] or f"numpy.{prefix}{name}"
                rows.append((prefix + name, instead, False))
    return rows


def names_page():
    """The page that has NumPy's names."""
    rows = numpy_names()
    here = sum(is_here for _, _, is_here in rows)
    linked = {name for names in chapters().values() for name in names if entry(name)}
    lines = [
        "# NumPy's names",
        "",
        f"Of the {len(rows)} public names of NumPy {np.__version__} in `numpy`, `numpy.linalg`, `numpy.fft` and",
        f"`numpy.random`, {here} are here under the same name. For the others there is the way out, which `cowarray`",
        "also tells whoever asks it for such a name.",
        "",
        "| NumPy | here |",
        "|---|---|",
    ]
    for name, other, is_here in rows:
        text = f"{{py:obj}}`{other}`" if other in linked else f"`{other}`" if is_here else f"use {other}"
        lines.append(f"| `np.{name}` | {text} |")
    return "\n".join(lines) + "\n"


def write(folder):
    """Write all pages of the reference into a folder."""
    folder.mkdir(parents=True)
    found = chapters()
    for page, names in found.items():
        (folder / f"{page}.rst").write_text(page_of(TITLES[page].replace("`", "``"), names))
    (folder / "numpy-names.md").write_text(names_page())
