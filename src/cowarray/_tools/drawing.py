"""Pictures of the sharers of an array's bytes: names, their Storages, and the allocation.

A picture has boxes in three columns and lines between them. Mermaid, Graphviz and SVG are three ways to write the same
boxes and lines.
"""

import html
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cowarray._modes.common.sizes import readable
from cowarray._tools.relatives import ITSELF, SNAPSHOT, Relative

__all__ = ["as_graphviz", "as_html", "as_mermaid", "as_svg"]

_MOST = 24  # named arrays in a picture
_LONGEST = 26  # characters of a name
_WIDTH, _HEIGHT, _GAP, _ACROSS = 190, 40, 12, 70  # of a box, and between boxes
_MOST_REGIONS = 128  # in a strip of pages
_REGION = 2 << 20
_SHARED, _OWN = "#dfe7f0", "#e8863c"
_FILLS = {"array": "#eef3fa", "self": "#ffe8cc", "storage": "#e3efe0", "memory": "#ececec"}


class Explained(Protocol):
    """The attributes of `Explanation` that a picture needs; its module imports this one."""

    @property
    def made(self) -> str: ...
    @property
    def allocated(self) -> int: ...
    @property
    def shares(self) -> int: ...
    @property
    def foreign(self) -> bool: ...
    @property
    def away(self) -> str: ...
    @property
    def own(self) -> int: ...
    @property
    def regions(self) -> tuple[int, ...]: ...
    @property
    def relatives(self) -> tuple[Relative, ...]: ...


class _Box(NamedTuple):
    """A box: its key, its column, its two lines of text, and its kind."""

    key: str
    column: int
    title: str
    note: str
    kind: str


def _picture(explanation: Explained) -> tuple[list[_Box], list[tuple[str, str]]]:
    """Return the boxes, and the lines between them as pairs of keys."""
    relatives = explanation.relatives[:_MOST]
    left_out = len(explanation.relatives) - len(relatives)
    boxes: list[_Box] = []
    lines: list[tuple[str, str]] = []
    holders: dict[str, _Box] = {}
    for i, each in enumerate(relatives):
        kind = "self" if each.kind == ITSELF else "array"
        boxes.append(_Box(f"a{i}", 0, _short(each.name), f"{each.kind}, {readable(each.nbytes)}", kind))
        if each.storage is None:  # other memory
            lines.append((f"a{i}", "m"))
            continue
        holder = f"s{each.storage}"
        if holder not in holders:
            title = "snapshot" if each.kind == SNAPSHOT else f"Storage {each.storage + 1}"
            note = "never changes" if each.kind == SNAPSHOT else "one alias set"
            holders[holder] = _Box(holder, 1, title, note, "storage")
            lines.append((holder, "m"))
        lines.append((f"a{i}", holder))
    if left_out:
        boxes.append(_Box("left", 0, f"and {left_out} more", "by name", "array"))
        lines.append(("left", "m"))
    unnamed = explanation.shares - len(holders)
    if unnamed > 0 and not left_out:
        holders["u"] = _Box("u", 1, f"{unnamed} {'other' if unnamed == 1 else 'others'}", "not named", "storage")
        lines.append(("u", "m"))
    whole = f"{readable(explanation.allocated)}, shared by {explanation.shares}"
    if explanation.regions:
        whole = f"{readable(explanation.own)} own, the rest frozen"
    return [*boxes, *holders.values(), _Box("m", 2, _kind_of_memory(explanation), whole, "memory")], lines


def _kind_of_memory(explanation: Explained) -> str:
    """Name the kind of memory in the third column."""
    if "deferred" in explanation.made or "fake" in explanation.made:
        return "no bytes"
    if explanation.away:
        return "evicted bytes"
    if explanation.regions:
        return f"pages of {readable(explanation.allocated)}"
    return "foreign bytes" if explanation.foreign else "bytes"


def _short(name: str) -> str:
    """Fit a name into one line of a box."""
    name = re.sub(r"\s+", " ", name)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


# ---- text for other programs -----------------------------------------------------------------------------------------


def as_mermaid(explanation: Explained) -> str:
    """Return the picture as Mermaid text."""
    boxes, lines = _picture(explanation)
    text = [f'    {box.key}["{_coded(box.title)}<br/>{_coded(box.note)}"]' for box in boxes]
    text += [f"    {one} --- {other}" for one, other in lines]
    text += [f"    style {box.key} fill:{_FILLS[box.kind]},stroke:#667,color:#222" for box in boxes]
    return "\n".join(["flowchart LR", *text]) + "\n"


def _coded(text: str) -> str:
    """Escape text for a Mermaid label."""
    return re.sub(r"[^\w ,.()\[\]…'-]", lambda match: f"#{ord(match[0])};", text)


def as_graphviz(explanation: Explained) -> str:
    """Return the picture as Graphviz text."""
    boxes, lines = _picture(explanation)
    text = [
        f'    {box.key} [label="{_quoted(box.title)}\\n{_quoted(box.note)}", fillcolor="{_FILLS[box.kind]}"];'
        for box in boxes
    ]
    text += [f"    {one} -- {other};" for one, other in lines]
    head = ["graph shares {", "    rankdir=LR;", '    node [shape=box, style="rounded,filled", fontname="sans-serif"];']
    return "\n".join([*head, *text, "}"]) + "\n"


def _quoted(text: str) -> str:
    """Escape text for a Graphviz string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


# ---- SVG -------------------------------------------------------------------------------------------------------------


def as_svg(explanation: Explained) -> str:
    """Return the picture as the text of an SVG image."""
    boxes, lines = _picture(explanation)
    places = _places(boxes, lines)
    height = max(y for _, y in places.values()) + _HEIGHT + 2
    parts = [_line(places[one], places[other]) for one, other in lines]
    parts += [_drawn(box, *places[box.key]) for box in boxes]
    width = 3 * _WIDTH + 2 * _ACROSS + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height:g}" width="{width}"'
        f' style="max-width: 100%; height: auto" font-family="sans-serif"><title>Who shares the bytes</title>'
        f"{''.join(parts)}</svg>"
    )


def _places(boxes: list[_Box], lines: list[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Return {key: (x, y)} of the upper left corners: names one below another, other boxes centred beside theirs."""
    step = _HEIGHT + _GAP
    places: dict[str, tuple[float, float]] = {}
    order = [box for box in boxes if box.column == 0]
    row = 2.0
    for holder in [box for box in boxes if box.column == 1]:
        first = row
        for box in [each for each in order if (each.key, holder.key) in lines]:
            places[box.key] = (2, row)
            row += step
        row = max(row, first + step)  # a box without names also takes a row
        places[holder.key] = (2 + _WIDTH + _ACROSS, (first + row - step) / 2)
    for box in order:  # those with a line straight to the memory
        if box.key not in places:
            places[box.key] = (2, row)
            row += step
    places["m"] = (2 + 2 * (_WIDTH + _ACROSS), max(2.0, (row - step) / 2))
    return places


def _line(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Draw a curve from the right side of a box to the left side of another."""
    x, y, to_x, to_y = one[0] + _WIDTH, one[1] + _HEIGHT / 2, other[0], other[1] + _HEIGHT / 2
    middle = (x + to_x) / 2
    return f'<path d="M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}" fill="none" stroke="#889"/>'


def _drawn(box: _Box, x: float, y: float) -> str:
    """Draw a box with its two lines of text."""
    middle = x + _WIDTH / 2
    texts = ((15, 13, "#222", box.title), (31, 11, "#555", box.note))
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"'
        f' fill="{_FILLS[box.kind]}" stroke="#667"/>'
        + "".join(
            f'<text x="{middle:g}" y="{y + down:g}" font-size="{size}" fill="{color}" text-anchor="middle">'
            f"{html.escape(text)}</text>"
            for down, size, color, text in texts
        )
    )


# ---- in a notebook ---------------------------------------------------------------------------------------------------


def as_html(explanation: Explained) -> str:
    """Return an explanation for a notebook: its sentences, and the picture."""
    sentences = "<br/>".join(html.escape(line) for line in str(explanation).splitlines())
    strip = _pages(explanation) if explanation.regions else ""
    return f'<div style="font-family: sans-serif"><p>{sentences}</p>{strip}{as_svg(explanation)}</div>'


def _pages(explanation: Explained) -> str:
    """Draw a strip of a Storage's regions: how much of each is its own, by the page; the rest is frozen and shared."""
    shares = _shares(explanation.regions)
    width, height = 3 * _WIDTH + 2 * _ACROSS, 18
    each = width / len(shares)
    cells = "".join(
        f'<rect x="{2 + i * each:g}" y="{2 + (1 - share) * height:g}" width="{each:g}" height="{share * height:g}"'
        f' fill="{_OWN}"/>'
        for i, share in enumerate(shares)
        if share
    )
    told = f"Of its pages {readable(explanation.own)} are its own, the others are frozen and shared"
    return (
        f'<p><svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width + 4} {height + 4}"'
        f' width="{width + 4}" style="max-width: 100%; height: auto"><title>{told}</title>'
        f'<rect x="2" y="2" width="{width}" height="{height}" fill="{_SHARED}" stroke="#667"/>{cells}</svg></p>'
    )


def _shares(regions: Sequence[int]) -> list[float]:
    """Return each region's own part, from 0 to 1; a single page stays visible. If there are many, neighbours join."""
    together = -(-len(regions) // _MOST_REGIONS)
    sums = [sum(regions[i : i + together]) / (together * _REGION) for i in range(0, len(regions), together)]
    return [max(share, 0.12) if share else 0 for share in sums]
