from typing import Any

from numpy import busdaycalendar as busdaycalendar
from numpy import datetime_data as datetime_data
from numpy.typing import ArrayLike

def busday_count(
    begindates: ArrayLike,
    enddates: ArrayLike,
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = (),
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any: ...
def busday_offset(
    dates: ArrayLike,
    offsets: ArrayLike,
    roll: str = "raise",
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any: ...
def datetime_as_string(
    arr: ArrayLike, unit: str | None = None, timezone: Any = "naive", casting: str = "same_kind"
) -> Any: ...
def is_busday(
    dates: ArrayLike,
    weekmask: ArrayLike = "1111100",
    holidays: ArrayLike | None = None,
    busdaycal: busdaycalendar | None = None,
    out: Any = None,
) -> Any: ...
