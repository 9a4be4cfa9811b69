"""Plots of a run, as SVG: cost against size, against sharers, against threads. All axes of cost are logarithmic.
The colours are those of the reader's window, light or dark.

An element a line, and a line for each curve, so that a file of the repository stays small.
"""

import math
from html import escape

from report import show_time

__all__ = ["PLOTS", "SIZES", "draw", "save"]

# Of each library by day and by night; others have the text's.
COLOURS = {
    "cowarray": ("#0a7d4f", "#3fc38a"),
    "numpy": ("#1f5fbf", "#7aaef5"),
    "torch": ("#d2571e", "#f0915c"),
    "pandas": ("#7a4fa3", "#bd96e0"),
}
LEFT, RIGHT, TOP, BELOW = 64, 26, 30, 58  # pixels around a panel
HEIGHT, ROW = 290, 18  # of a panel, of a line of the legend
STYLE = 'font-family="sans-serif" font-size="11"'
SIZES = ((8, "8 B"), (1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (1 << 30, "1 GiB"))
SIZE = "size of the array"
WRITE = "first write after a lazy clone"
THREADS = "clone, write, drop in threads"
# File, question, what the lower axis has, what differs from panel to panel, title, the lower axis' label.
PLOTS = (
    ("clone-by-size.svg", "lazy clone", "size", None, "a copy that nobody writes to", SIZE),
    ("write-by-size.svg", WRITE, "size", None, "a copy, and a write to one element", SIZE),
    ("sharers.svg", "sharers", "sharers", "work", "time", "copies alive"),
    ("threads.svg", THREADS, "threads", "size", "time per copy", "threads"),
)


def style(who):
    """One colour per library; ways other than its plain one are dashed."""
    library = who.split()[0]
    dashes = "" if who == library else ' stroke-dasharray="2 3"' if "10 elements" in who else ' stroke-dasharray="7 4"'
    width = 2.5 if library == "cowarray" else 1.5
    return f'class="{library}" stroke="currentColor" stroke-width="{width}"{dashes}'


def sheet(night):
    """The colours, as a style sheet."""
    ground, words, grid = ("#14181e", "#d7dbe0", "#3a4149") if night else ("#ffffff", "#222222", "#cccccc")
    own = "".join(f".{library}{{color:{pair[night]}}}" for library, pair in COLOURS.items())
    return f"svg{{color:{words}}}text{{fill:{words}}}.ground{{fill:{ground}}}.grid{{stroke:{grid}}}{own}"


def curves(cases, key):
    """{who: [(x, median, q1, q3)]}, sorted by the info named key."""
    found = {}
    for case in sorted((case for case in cases if key in case["info"]), key=lambda case: case["info"][key]):
        for who, times in case["times"].items():
            found.setdefault(who, []).append((case["info"][key], times["median"], times["q1"], times["q3"]))
    return found


def axis(low, high, start, end):
    """Where a value lies on a logarithmic axis, in pixels."""
    factor = (end - start) / (math.log(high / low) or 1.0)
    return lambda value: f"{start + factor * math.log(value / low):.1f}"


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def points(pairs):
    return " ".join(f"{x},{y}" for x, y in pairs)


def panel(found, title, xlabel, ticks, left, width):
    """Curves with the band of their quartiles, on a grid with labels; `ticks` are (value, label) of the lower axis."""
    bottom = TOP + HEIGHT
    along = [x for curve in found.values() for x, *_ in curve]
    times = [time for curve in found.values() for _, *three in curve for time in three]
    # Whole decades, so that the axis has two labels at least.
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    decades = [float(f"1e{exponent}") for exponent in range(low, high + 1)]
    x, y = axis(min(along), max(along), left, left + width), axis(decades[0], decades[-1], bottom, TOP)
    ticks = [(value, label) for value, label in ticks if min(along) <= value <= max(along)]
    grid = [f"M{left} {y(decade)}h{width}" for decade in decades] + [f"M{x(tick)} {TOP}v{HEIGHT}" for tick, _ in ticks]
    yield text(left + width / 2, TOP - 10, title)
    yield f'<path d="{" ".join(grid)}" class="grid" stroke-width="0.6"/>'
    yield from (text(left - 6, y(decade), show_time(decade), "end", ' dy="4"') for decade in decades)
    yield from (text(x(tick), bottom + 16, label) for tick, label in ticks)
    yield text(left + width / 2, bottom + 34, xlabel)
    for who, curve in found.items():
        band = [(x(at), y(q1)) for at, _, q1, _ in curve] + [(x(at), y(q3)) for at, _, _, q3 in reversed(curve)]
        yield f'<polygon points="{points(band)}" class="{who.split()[0]}" fill="currentColor" fill-opacity="0.15"/>'
        line = points((x(at), y(median)) for at, median, *_ in curve)
        yield f'<polyline points="{line}" fill="none" {style(who)}/>'


def legend(names, top):
    """A line for each competitor, below the panels."""
    for row, who in enumerate(names):
        y = top + ROW * row
        yield f'<path d="M{LEFT} {y}h28" {style(who)}/>'
        yield text(LEFT + 36, y + 4, who, "start")


def save(path, panels, xlabel, width):
    """Write a figure of panels side by side; `panels` are (curves, title, ticks)."""
    names = list(dict.fromkeys(who for found, *_ in panels for who in found))
    top = TOP + HEIGHT + BELOW
    step = LEFT + width + RIGHT
    whole = f"{step * len(panels)} {top + ROW * len(names)}"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole}" {STYLE}>']
    lines.append(f"<style>{sheet(False)}@media (prefers-color-scheme: dark){{{sheet(True)}}}</style>")
    lines.append('<rect width="100%" height="100%" class="ground"/>')
    for position, (found, title, ticks) in enumerate(panels):
        lines += panel(found, title, xlabel, ticks, LEFT + step * position, width)
    path.write_text("\n".join([*lines, *legend(names, top), "</svg>", ""]))


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
    written = []
    for name, question, key, part, title, xlabel in PLOTS:
        chosen = [case for case in results["cases"] if case["question"] == question and key in case["info"]]
        panels = []
        for value in sorted({case["info"].get(part) for case in chosen}):
            own = [case for case in chosen if case["info"].get(part) == value]
            which = value if part == "work" else own[0]["case"].rpartition(", ")[2]
            counts = sorted({case["info"][key] for case in own})
            ticks = SIZES if key == "size" else [(count, f"{count:,}") for count in counts]
            panels.append((curves(own, key), f"{which}: {title}" if part else title, ticks))
        if panels:
            save(folder / name, panels, xlabel, 250 if part else 520)
            written.append(name)
    return written
