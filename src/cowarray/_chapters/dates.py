"""Dates and times: business days, and dates as text. `busdaycalendar` and `datetime_data` are NumPy's own."""

from typing import Any

import numpy as np
from numpy import busdaycalendar, datetime_data
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import Completed, complete
from cowarray._ops.functions import dispatched

__all__ = ["busday_count", "busday_offset", "busdaycalendar", "datetime_as_string", "datetime_data", "is_busday"]

_PARAMETERS = {
    "begindates": "array_like of datetime64\n    The first day of each interval.",
    "enddates": "array_like of datetime64\n    The day after the last of each; broadcast with `begindates`.",
    "dates": "array_like of datetime64",
    "offsets": "array_like of int\n    How many business days to move by; broadcast with `dates`.",
    "roll": (
        "{'raise', 'nat', 'forward', 'following', 'backward', 'preceding', 'modifiedfollowing', 'modifiedpreceding'}\n"
        "    What to do with dates that are not business days. Default: ``'raise'``."
    ),
    "weekmask": (
        "str or array_like of bool, default '1111100'\n    Which days of a week are business days, from Monday on."
    ),
    "holidays": "array_like of datetime64, optional\n    Days that are not business days.",
    "busdaycal": "busdaycalendar, optional\n    In place of `weekmask` and `holidays`.",
    "out": "ndarray, optional\n    Written and returned, in place of a fresh array.",
    "arr": "array_like of datetime64",
    "unit": (
        "str, optional\n"
        "    The unit to print to. ``'auto'``: the date, and as much of the time as is needed. Default: arr's own."
    ),
    "timezone": (
        "{'naive', 'UTC', 'local'} or tzinfo, default 'naive'\n"
        "    The time zone to print in; ``'naive'`` prints times as they are, without a zone."
    ),
    "casting": (
        "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'same_kind'\n    Which changes of unit are allowed."
    ),
}
_completed = Completed(_PARAMETERS, returns="Fresh, or `out`.")
_texts = Completed(_PARAMETERS, returns="Fresh, of arr's shape.")


@_completed
def busday_count(
    begindates: ArrayLike,
    enddates: ArrayLike,
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = (),
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any:
    """Count the business days between two days."""
    return dispatched(np.busday_count, begindates, enddates, **_calendar(weekmask, holidays, busdaycal, out))


@_completed
def busday_offset(
    dates: ArrayLike,
    offsets: ArrayLike,
    roll: str = "raise",
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any:
    """Offset dates by business days."""
    return dispatched(np.busday_offset, dates, offsets, roll, **_calendar(weekmask, holidays, busdaycal, out))


@dispatching(np.datetime_as_string)
@_texts
def datetime_as_string(
    arr: ArrayLike, unit: str | None = None, timezone: Any = "naive", casting: str = "same_kind"
) -> Any:
    """Convert dates to text."""


@_completed
def is_busday(
    dates: ArrayLike,
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any:
    """Tell whether days are business days."""
    return dispatched(np.is_busday, dates, **_calendar(weekmask, holidays, busdaycal, out))


def _calendar(weekmask: Any, holidays: Any, busdaycal: Any, out: Any) -> Any:
    """Return the options that were given: NumPy accepts a calendar only without weekmask and holidays."""
    given = {"busdaycal": busdaycal, "out": out}
    if not isinstance(weekmask, str) or weekmask != "1111100":
        given["weekmask"] = weekmask
    if holidays is not None and not (isinstance(holidays, tuple) and not holidays):
        given["holidays"] = holidays
    return {name: value for name, value in given.items() if value is not None}


complete(globals())
