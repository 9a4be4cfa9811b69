"""What a plan assumes of values that its arrays lack: each question is answered here, and noted with its line."""

import itertools
import math
from collections.abc import Mapping
from types import CodeType
from typing import NamedTuple

from cowarray._modes.common.site import Site
from cowarray._modes.common.sites import spot
from cowarray._modes.fake.guards import answer_past

__all__ = ["ANSWERS", "Assumed", "Assumptions"]

# What may be assumed, with what "all" says of it.
ANSWERS = {"masks": "all", "conditions": "true", "numbers": "1", "rounds": "10"}

# What answers may be, of those that may not be any number.
_RULES = {
    "masks": "a fraction of the elements, from 0 to 1, or all",
    "conditions": "true or false",
    "rounds": "an integer from 1 on",
}

_NAMED = {"all": 1.0, "true": 1.0, "yes": 1.0, "none": 0.0, "false": 0.0, "no": 0.0}

# The number that ends a loop until something is small enough. Not 0: programs divide by what they measure.
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
        What was assumed.
    times : int
        How often.
    """

    site: Site
    what: str
    answer: str
    times: int


class _Place:
    """What asks: a part of the source.

    Several instructions may have been compiled from it: the test of a loop is one for its first round, and one for all
    others.
    """

    __slots__ = ("answer_past", "code", "in_a_row")

    def __init__(self, code: CodeType, position: tuple[int | None, ...]) -> None:
        self.code = code  # kept, so that no other gets its id
        self.answer_past = answer_past(code.co_filename, position)
        self.in_a_row = 0  # how often it got the same answer


class Assumptions:
    """Answers to questions that depend on values.

    Parameters
    ----------
    given : str, mapping or None
        "all"; or pairs, as in ``"masks=0.5,conditions=true"``; a mapping has them as items. A key that names a line,
        as in ``"solver.py:88=false"``, answers all that is asked there. None: nothing is assumed.

    Raises
    ------
    ValueError
        `given` says nothing of the kind.

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
        self._unasked: dict[tuple[str, int], None] = {}  # those where nothing has been asked, in their order
        self._at: dict[Site, float | None] = {}  # which of those hold at a line
        # By code objects, which are too long to be compared; and by instructions, or by positions in the source.
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
        """How many of so many elements a mask picks; None: it is not assumed."""
        site, _, named = self._here()
        fraction = self._answers.get("masks") if named is None else min(max(named, 0.0), 1.0)
        if fraction is None:
            return None
        self._note(site, "masks", "all elements" if fraction == 1 else f"{fraction:g} of the elements")
        return math.ceil(fraction * length)

    def condition(self, guards: bool = False) -> bool | None:
        """Whether something is true; None: it is not assumed.

        One that is asked in a loop ends it some time. What only guards is as it must be for the program to go on; so is
        that of a function that raises.

        Parameters
        ----------
        guards : bool, default False
            Whether it is that of such a function.
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
        """What number of a kind of dtypes it is; None: it is not assumed. Floats become small in a loop, some time."""
        site, place, named = self._here()
        number = self._answers.get("numbers") if named is None else named
        if number is None:
            return None
        if named is None and kind in "fc" and self._ends(place):
            number = _NEXT_TO_NOTHING
        self._note(site, "numbers", f"{number:g}")
        return number

    def answers(self, what: str) -> bool:
        """Whether something is assumed of what `ANSWERS` names, at any line. It is not asked for."""
        return what in self._answers

    def _here(self) -> tuple[Site, _Place | None, float | None]:
        """The line that asks, its place there, and the answer that it has been given by its name."""
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
            # Python may have been told to keep no columns.
            key = (id(code), offset if None in position else position)
            if key not in self._positions:
                self._positions[key] = _Place(code, position)
            found = self._places[id(code), offset] = self._positions[key]
        return found

    def _ends(self, place: _Place | None) -> bool:
        """Whether a place has had one answer for as many rounds as a loop takes: then it gets another one."""
        if place is None:
            return False
        is_over = place.in_a_row >= self._answers.get("rounds", float(ANSWERS["rounds"]))
        place.in_a_row = 0 if is_over else place.in_a_row + 1
        return is_over

    def _note(self, site: Site, what: str, answer: str) -> None:
        self.asked += 1
        self.latest = key = (site, what, answer)
        self._noted[key] = self._noted.get(key, 0) + 1

    # ---- what has been assumed

    @property
    def unasked(self) -> list[str]:
        """list of str: Lines for which an answer was given, as FILE:LINE, and at which nothing was asked."""
        return [f"{file}:{line}" for file, line in self._unasked]

    @property
    def noted(self) -> list[Assumed]:
        """list of Assumed: By line, in the order of files and lines."""
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
    """A number, or a word for one."""
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
