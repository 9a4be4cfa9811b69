"""Plots of a run, as SVG: cost against size, against sharers, against threads. All axes of cost are logarithmic."""

import math

import matplotlib

matplotlib.use("svg")
# The same run gives the same file: no random ids, no date.
matplotlib.rcParams.update({"svg.hashsalt": "cowarray", "svg.fonttype": "none", "font.size": 10})

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import EngFormatter, NullFormatter  # noqa: E402

__all__ = ["draw"]

COLOURS = {"cowarray": "#0a7d4f", "numpy": "#1f5fbf", "torch": "#d2571e", "pandas": "#7a4fa3"}


def style(who):
    """One colour per library; ways other than its plain one are dashed."""
    library = who.split()[0]
    return {
        "color": COLOURS.get(library, "#555555"),
        "linestyle": "-" if who == library else ":" if "10 elements" in who else "--",
        "marker": "o",
        "markersize": 3.5,
        "linewidth": 2.0 if library == "cowarray" else 1.3,
    }


def curves(cases, key):
    """{who: (x, median, q1, q3)}, sorted by the info named key."""
    found = {}
    for case in sorted((case for case in cases if key in case["info"]), key=lambda case: case["info"][key]):
        for who, times in case["times"].items():
            found.setdefault(who, []).append((case["info"][key], times["median"], times["q1"], times["q3"]))
    return {who: tuple(zip(*points, strict=True)) for who, points in found.items()}


def panel(axes, found, title, xlabel, base=2):
    """Draw curves with the band of their quartiles."""
    for who, (x, median, q1, q3) in found.items():
        axes.plot(x, median, label=who, **style(who))
        axes.fill_between(x, q1, q3, color=style(who)["color"], alpha=0.15, linewidth=0)
    axes.set_xscale("log", base=base)
    axes.set_yscale("log")
    # Whole decades, so that each axis has two labels at least.
    low, high = axes.get_ylim()
    axes.set_ylim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(xlabel)
    axes.grid(visible=True, which="major", linewidth=0.4, alpha=0.6)
    axes.legend(fontsize=8, frameon=False)


def save(figure, folder, name):
    figure.savefig(folder / name, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return name


def size_ticks(axes, found):
    ticks = [8, 1 << 10, 1 << 20, 1 << 30]
    if found:
        axes.set_xticks(ticks, ["8 B", "1 KiB", "1 MiB", "1 GiB"])


def draw(results, folder):
    """Write the plots.

    Parameters
    ----------
    results : dict
        As `results.condense`.
    folder : pathlib.Path

    Returns
    -------
    list of str
        Names of the files; a plot without data is not made.
    """
    cases = results["cases"]
    written = []
    for question, name, title in (
        ("lazy clone", "clone-by-size.svg", "A copy that nobody writes to"),
        ("first write after a lazy clone", "write-by-size.svg", "A copy, and a write to one element"),
    ):
        if found := curves([case for case in cases if case["question"] == question], "size"):
            figure, axes = plt.subplots(figsize=(7, 4.5))
            panel(axes, found, title, "size of the array")
            size_ticks(axes, found)
            axes.set_ylabel("time")
            written.append(save(figure, folder, name))
    for question, key, part, name, xlabel in (
        ("sharers", "sharers", "work", "sharers.svg", "copies alive"),
        ("clone, write, drop in threads", "threads", "size", "threads.svg", "threads"),
    ):
        chosen = [case for case in cases if case["question"] == question]
        parts = sorted({case["info"].get(part) for case in chosen if case["info"].get(part) is not None})
        if parts:
            figure, all_axes = plt.subplots(
                1, len(parts), figsize=(4.2 * len(parts), 4.2), squeeze=False, layout="constrained"
            )
            for axes, value in zip(all_axes[0], parts, strict=True):
                own = [case for case in chosen if case["info"].get(part) == value]
                title = own[0]["case"].rpartition(", ")[2] if part == "size" else str(value)
                panel(axes, curves(own, key), title, xlabel, base=10 if key == "sharers" else 2)
                if key == "threads":
                    counts = sorted({case["info"]["threads"] for case in own})
                    axes.set_xticks(counts, [str(count) for count in counts])
            all_axes[0][0].set_ylabel("time per copy" if key == "threads" else "time")
            written.append(save(figure, folder, name))
    return written
