"""Reports of a plan: as text, and in a notebook as a page with a chart."""

import html
import linecache
from collections.abc import Callable, Sequence
from typing import Any

from cowarray._modes.common.site import Site
from cowarray._modes.common.sizes import readable

__all__ = ["answer", "as_html", "as_text", "headline", "source_of", "table"]

_MOST = 20  # lines of the program in a report
_WIDTH, _HEIGHT = 640, 140  # of the chart
_COLUMNS = ("at the peak", "live", "copied")


def source_of(site: Site) -> str:
    """Return the text of a line of the program, without its indentation; empty if the source is missing."""
    return linecache.getline(site.filename, site.lineno).strip()


def headline(plan: Any) -> str:
    """Format the figures of a plan in one line."""
    copied = readable(plan.bytes_copied)
    return f"peak {readable(plan.peak_bytes)}, live {readable(plan.live_bytes)}, copied {copied}"


def as_text(plan: Any) -> str:
    """Format a plan for `print`."""
    rows = table(plan.lines)
    if plan.peak_site is not None:
        rows = [f"The peak is reached at {plan.peak_site}.", "", *rows]
    if plan.assumed:
        rows += ["", "It holds for what was assumed:"]
        rows += [f"  {each.site}: {answer(each.what, each.answer, each.times)}" for each in plan.assumed]
    return "\n".join([headline(plan), *rows])


_SAID = {"masks": "a mask picks", "conditions": "a condition is", "numbers": "a number is"}


def answer(what: str, answer: str, times: int) -> str:
    """Format an answer that was assumed at a line."""
    return f"{_SAID[what]} {answer}" + ("" if times == 1 else f", {times} times")


def table(lines: Sequence[Any], name: Callable[[Any], str] = str, most: int = _MOST) -> list[str]:
    """Format the table by lines of the program, as lines of text.

    Parameters
    ----------
    lines : list of Line
    name : callable
        Names a site.
    most : int
        How many to show.

    Returns
    -------
    list of str
    """
    counted = [line for line in lines if line[1:] != (0, 0, 0)]
    if not counted:
        return []
    shown = counted[:most]
    cells = [
        (*[readable(figure) for figure in line[1:]], name(line.site), _cut(source_of(line.site), 60)) for line in shown
    ]
    cells.insert(0, (*_COLUMNS, "line", ""))
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    rows = [
        "  ".join([f"{text:>{width}}" for text, width in zip(row[:3], widths, strict=False)])
        + f"  {row[3]:<{widths[3]}}  {row[4]}"
        for row in cells
    ]
    if len(counted) > most:
        rows.append(f"and {len(counted) - most} more {'line' if len(counted) == most + 1 else 'lines'}")
    return [row.rstrip() for row in rows]


def _cut(text: str, most: Any) -> Any:
    return text if len(text) <= most else f"{text[: most - 3]}..."


# ---- in a notebook ---------------------------------------------------------------------------------------------------


def as_html(plan: Any) -> str:
    """Format a plan for a notebook: its figures, live bytes over time, and bars by line at the peak."""
    parts = [f"<p><b>cowarray.fake</b>: {headline(plan)}</p>", _chart(plan.series), _bars(plan)]
    if plan.assumed:
        said = [
            f"<li>{html.escape(f'{each.site}: {answer(each.what, each.answer, each.times)}')}</li>"
            for each in plan.assumed
        ]
        parts.append(f"<p>It holds for what was assumed:</p><ul>{''.join(said)}</ul>")
    return f'<div style="font-family: sans-serif; max-width: {_WIDTH}px">{"".join(parts)}</div>'


def _chart(series: Any) -> Any:
    """Draw live bytes over time as an SVG image; time is counted in arrays made."""
    most = max([live for _, live in series], default=0)
    if most == 0:
        return ""
    span = series[-1][0]
    steps = ["0,0"]
    before = 0
    for birth, live in series:
        x = round(birth / span * _WIDTH, 1)
        steps += [f"{x:g},{_up(before, most)}", f"{x:g},{_up(live, most)}"]
        before = live
    at = round(next(birth for birth, live in series if live == most) / span * _WIDTH, 1)
    label = f'<text x="{min(max(at, 60), _WIDTH - 60):g}" y="12" text-anchor="middle" font-size="11">'
    return (
        f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT + 32}" width="100%">'
        f"<title>Live bytes over time, up to {readable(most)}</title>"
        f"{label}{readable(most)}</text>"
        f'<g transform="translate(0 {_HEIGHT + 16}) scale(1 -1)">'
        f'<polygon points="{" ".join(steps)} {_WIDTH},0" fill="#4c78a8"/>'
        f'<path d="M{at:g} 0V{_HEIGHT}" stroke="#e45756"/></g>'
        f'<text x="0" y="{_HEIGHT + 29}" font-size="11">live bytes, from the first array made</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT + 29}" font-size="11" text-anchor="end">to number {span:,}</text></svg>'
    )


def _up(live: Any, most: Any) -> Any:
    return f"{round(live / most * _HEIGHT, 1):g}"


def _bars(plan: Any) -> Any:
    """Format a table by lines of the program, with a bar for the bytes that each has at the peak."""
    lines = [line for line in plan.lines if line[1:] != (0, 0, 0)]
    if not lines:
        return ""
    most = max([line.peak_bytes for line in lines]) or 1
    rows = [f"<tr>{''.join([f'<th>{each}</th>' for each in (*_COLUMNS, 'line', '')])}</tr>"]
    for line in lines[:_MOST]:
        width = round(line.peak_bytes / most * 80, 1)
        bar = f'<div style="background: #4c78a8; height: 8px; width: {width:g}px"></div>'
        figures = "".join([f'<td style="text-align: right">{readable(figure)}</td>' for figure in line[1:]])
        source = html.escape(_cut(source_of(line.site), 60))
        rows.append(f"<tr>{figures}<td>{html.escape(str(line.site))}<br/><code>{source}</code></td><td>{bar}</td></tr>")
    if len(lines) > _MOST:
        rows.append(f'<tr><td colspan="5">and {len(lines) - _MOST} more</td></tr>')
    return f"<table>{''.join(rows)}</table>"
