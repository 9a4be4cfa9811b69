"""The reference: a page for each chapter of public names, and one for each of NumPy's names and what stands for it."""

import types

import numpy as np

import cowarray
from cowarray import array_api

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
MODES = {
    "budget", "checkpoint", "decheckpoint", "evict", "is_checkpointed", "deferred", "deferred_init", "is_deferred",
    "materialize", "fake", "fake_like", "is_fake", "no_copy", "trace", "lend", "simulate",
}  # fmt: skip


def chapter_of(name, value):
    """The page of a name in `cowarray`."""
    module = getattr(value, "__module__", None) or ""
    if name == "ndarray":
        return "ndarray"
    if name in MODES:
        return "modes"
    if module.startswith("cowarray._chapters."):
        return module.rpartition(".")[2]
    if module == "cowarray._ops.conversion":
        return "conversion"
    if module == "cowarray._files.raw" or name in ("load", "save", "savez", "savez_compressed"):
        return "files"
    if module.startswith("cowarray"):
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


def value_of(dotted):
    """What a dotted name is."""
    value = cowarray
    for part in dotted.split(".")[1:]:
        value = getattr(value, part)
    return value


def is_own(value):
    return (getattr(value, "__module__", None) or "").startswith("cowarray")


def entry(dotted):
    """How autodoc is asked for a name; empty for NumPy's own values, which the page lists."""
    value = value_of(dotted)
    if isinstance(value, types.ModuleType) or not (callable(value) and is_own(value)):
        return ""
    if isinstance(value, type):
        return f".. autoclass:: {dotted}\n   :members:\n\n"
    return f".. autofunction:: {dotted}\n\n"


def page_of(title, names):
    """A chapter's page: an overview, then each name."""
    entries = [entry(name) for name in names]
    foreign = [name for name, text in zip(names, entries, strict=True) if not text]
    parts = [f"{title}\n{'=' * len(title)}\n\n"]
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
    lines = [
        "# NumPy's names",
        "",
        f"Of the {len(rows)} public names of NumPy {np.__version__} in `numpy`, `numpy.linalg`, `numpy.fft` and",
        f"`numpy.random`, {here} are here under the same name. For the others the last column has the way out,",
        "which is also what `cowarray` says when such a name is asked for.",
        "",
        "| NumPy | here | instead |",
        "|---|---|---|",
    ]
    for name, other, is_here in rows:
        text = f"`{other}`" if is_here else ""
        lines.append(f"| `np.{name}` | {text} | {'' if is_here else other} |")
    return "\n".join(lines) + "\n"


def write(folder):
    """Write all pages of the reference into a folder."""
    folder.mkdir(parents=True)
    found = chapters()
    for page, names in found.items():
        (folder / f"{page}.rst").write_text(page_of(TITLES[page].replace("`", "``"), names))
    (folder / "numpy-names.md").write_text(names_page())
