"""A plan's assumptions about the values that its arrays lack: questions are answered here, and recorded by line."""

import itertools
import math
from collections.abc import Mapping
from types import CodeType
from typing import NamedTuple

from cowarray._modes.common.site import Site
from cowarray._modes.common.sites import spot
from cowarray._modes.fake.guards import answer_past

__all__ = ["ANSWERS", "Assumed", "Assumptions"]

# The kinds of assumptions, each with its value in "all".
ANSWERS = {"masks": "all", "conditions": "true", "numbers": "1", "rounds": "10"}

# The permitted answers of kinds for which not every number will do.
_RULES = {
    "masks": "a fraction of the elements, from 0 to 1, or all",
    "conditions": "true or false",
    "rounds": "an integer from 1 on",
}

_NAMED = {"all": 1.0, "true": 1.0, "yes": 1.0, "none": 0.0, "false": 0.0, "no": 0.0}

# The number that ends a loop which runs until something is small enough. Not 0: programs divide by such numbers.
_NEXT_TO_NOTHING = 1e-300


class Assumed(NamedTuple):
    """An answer that a plan has assumed at a line of the program.

    Parameters
    ----------
    site : Site
        The line that asked.
    what : str
        "masks", "conditions" or "numbers".
    answer : str
        The assumed answer.
    times : int
        How often.
    """

    site: Site
    what: str
    answer: str
    times: int


class _Place:
    """A part of the source that asks.

    It may be compiled to several instructions: the test of a loop to one for the first round, and one for all others.
    """

    __slots__ = ("answer_past", "code", "in_a_row")

    def __init__(self, code: CodeType, position: tuple[int | None, ...]) -> None:
        self.code = code  # kept alive, so that its id is not reused
        self.answer_past = answer_past(code.co_filename, position)
        self.in_a_row = 0  # how often it got the same answer


class Assumptions:
    """Answers to questions that depend on values.

    Parameters
    ----------
    given : str, mapping or None
        "all"; or pairs, as in ``"masks=0.5,conditions=true"``; a mapping has them as items. A key that names a line,
        as in ``"solver.py:88=false"``, answers all questions there. None: nothing is assumed.

    Raises
    ------
    ValueError
        `given` does not have this form.

    Attributes
    ----------
    asked : int
        How many questions have been answered.
    latest : (Site, str, str) or None
        The last of them: line, what was asked, and the answer.
    """

    def __init__(self, given: str | Mapping[str, object] | None = None) -> None:
        self.asked = 0
        self.latest: tuple[Site, str, str] | None = None
        self._answers: dict[str, float] = {}
        self._lines: dict[tuple[str, int], float] = {}
        self._unasked: dict[tuple[str, int], None] = {}  # lines where nothing has been asked yet, in order
        self._at: dict[Site, float | None] = {}  # the answer given for a line, or None
        # By id of the code object, since comparing these takes long; and by instruction, or position in the source.
        self._places: dict[tuple[int, int], _Place] = {}
        self._positions: dict[tuple[int, object], _Place] = {}
        self._noted: dict[tuple[Site, str, str], int] = {}
        for key, value in _pairs(given):
            self._take(key, value)
        if "rounds" in self._answers:
            self._answers.setdefault("conditions", 1.0)

    def _take(self, key: object, value: object) -> None:
        file, _, line = key.rpartition(":") if isinstance(key, str) else ("", "", "")
        if isinstance(key, str) and key in ANSWERS:
            self._answers[key] = _checked(key, value)
        elif file and line.isdecimal():
            self._lines[file, int(line)] = _number(f"{file}:{line}", value)
            self._unasked[file, int(line)] = None
        else:
            raise ValueError(f"assume: {key!r} is none of {', '.join(ANSWERS)}, and no FILE:LINE")

    # ---- questions

    def picked(self, length: int) -> int | None:
        """Return how many of `length` elements a mask picks; None if that is not assumed."""
        site, _, named = self._here()
        fraction = self._answers.get("masks") if named is None else min(max(named, 0.0), 1.0)
        if fraction is None:
            return None
        self._note(site, "masks", "all elements" if fraction == 1 else f"{fraction:g} of the elements")
        return math.ceil(fraction * length)

    def condition(self, guards: bool = False) -> bool | None:
        """Return whether a condition holds; None if that is not assumed.

        In a loop, the answer changes at some point and ends the loop. A condition that only guards gets the answer with
        which the program goes on; so does that of a function that raises.

        Parameters
        ----------
        guards : bool, default False
            Whether it is the condition of such a function.
        """
        site, place, named = self._here()
        truth = self._answers.get("conditions") if named is None else named
        if truth is None:
            return None
        if named is None and guards:
            answer = True
        elif named is None and place is not None and place.answer_past is not None:
            answer = place.answer_past
        else:
            answer = bool(truth) if named is not None else bool(truth) != self._ends(place)
        self._note(site, "conditions", "true" if answer else "false")
        return answer

    def number(self, kind: str) -> float | None:
        """Return a number for a kind of dtype; None if that is not assumed. In a loop, floats become small once."""
        site, place, named = self._here()
        number = self._answers.get("numbers") if named is None else named
        if number is None:
            return None
        if named is None and kind in "fc" and self._ends(place):
            number = _NEXT_TO_NOTHING
        self._note(site, "numbers", f"{number:g}")
        return number

    def answers(self, what: str) -> bool:
        """True if a kind in `ANSWERS` has an answer that applies at any line. This does not count as a question."""
        return what in self._answers

    def _here(self) -> tuple[Site, _Place | None, float | None]:
        """Return the line that asks, its place there, and the answer given for this line or None."""
        site, instruction = spot()
        place = None if instruction is None else self._place(*instruction)
        if not self._lines:
            return site, place, None
        if site not in self._at:
            named = next(
                (
                    (file, line)
                    for file, line in self._lines
                    if line == site.lineno and f"/{site.filename}".endswith(f"/{file.lstrip('./')}")
                ),
                None,
            )
            self._at[site] = None if named is None else self._lines[named]
            if named is not None:
                self._unasked.pop(named, None)
        return site, place, self._at[site]

    def _place(self, code: CodeType, offset: int) -> _Place:
        found = self._places.get((id(code), offset))
        if found is None:
            position = next(itertools.islice(code.co_positions(), offset // 2, None), (None,) * 4)
            # Python may have been told not to store columns.
            key = (id(code), offset if None in position else position)
            if key not in self._positions:
                self._positions[key] = _Place(code, position)
            found = self._places[id(code), offset] = self._positions[key]
        return found

    def _ends(self, place: _Place | None) -> bool:
        """Count an answer at a place; True if it has had the same for all rounds of a loop, and must get another."""
        if place is None:
            return False
        is_over = place.in_a_row >= self._answers.get("rounds", float(ANSWERS["rounds"]))
        place.in_a_row = 0 if is_over else place.in_a_row + 1
        return is_over

    def _note(self, site: Site, what: str, answer: str) -> None:
        self.asked += 1
        self.latest = key = (site, what, answer)
        self._noted[key] = self._noted.get(key, 0) + 1

    # ---- the record

    @property
    def unasked(self) -> list[str]:
        """list of str: The lines, as FILE:LINE, for which an answer was given but nothing was asked."""
        return [f"{file}:{line}" for file, line in self._unasked]

    @property
    def noted(self) -> list[Assumed]:
        """list of Assumed: The answers assumed, in the order of files and lines."""
        return [Assumed(*key, times) for key, times in sorted(self._noted.items())]


def _pairs(given: str | Mapping[str, object] | None) -> list[tuple[object, object]]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    if not isinstance(given, str):
        raise ValueError(f"assume: expected a text, a mapping or None (got {given!r})")
    found: list[tuple[object, object]] = []
    for item in given.split(","):
        key, equals, value = item.strip().rpartition("=")
        if not equals and value == "all":
            found += ANSWERS.items()
        elif not equals:
            raise ValueError(
                f"assume: expected 'all', or what with its answer, as in 'masks=0.5,conditions=true' (got {item!r})"
            )
        else:
            found.append((key.strip(), value.strip()))
    return found


def _number(key: str, value: object) -> float:
    """Parse a number, or a word for one."""
    if isinstance(value, str) and value.lower() in _NAMED:
        return _NAMED[value.lower()]
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        rule = _RULES.get(key, "a number, true or false, all or none")
        raise ValueError(f"assume: {key} must be {rule} (got {value!r})") from None


def _checked(key: str, value: object) -> float:
    number = _number(key, value)
    fits = {
        "masks": 0 <= number <= 1,
        "conditions": number in (0, 1),
        "rounds": number >= 1 and number.is_integer(),
    }
    if not fits.get(key, True):
        raise ValueError(f"assume: {key} must be {_RULES[key]} (got {value!r})")
    return number
