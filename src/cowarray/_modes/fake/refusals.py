"""`FakeError`: raised where a value of an array without bytes is needed."""

import threading
from typing import Any

from cowarray._modes.common.site import Site
from cowarray._modes.common.sites import spot
from cowarray._native.public import public

__all__ = ["FakeError", "latest"]


class _Latest(threading.local):
    """The thread's last refusal: arguments and instruction (code, offset), in case C code raises another error."""

    arguments: tuple[Any, ...] = ()
    refused: tuple[Any, int] | None = None


latest = _Latest()


@public
class FakeError(TypeError):
    """An operation needs values or bytes of an array that has none.

    Parameters
    ----------
    operation : str
        The operation that was asked for.
    reason : str
        Why it needs bytes.
    site : Site or None
        The line that made the array; None if the array does not exist yet and would be the result.
    advice : str, optional
        What to do instead.
    assumable : str, optional
        The assumption of `fake` that would get past the error, as "masks=all".

    Attributes
    ----------
    operation, reason, site, advice, assumable
        As given.

    See Also
    --------
    fake : Makes arrays without bytes.
    """

    def __init__(self, operation: str, reason: str, site: Site | None, advice: str = "", assumable: str = "") -> None:
        super().__init__(operation, reason, site, advice, assumable)
        latest.arguments = self.args
        _, latest.refused = spot()
        self.operation = operation
        self.reason = reason
        self.site = site
        self.advice = advice
        self.assumable = assumable

    def __str__(self) -> str:
        text = f"{self.operation}: {self.reason}"
        if self.site is not None:
            text += f", and the array made at {self.site} has no bytes"
        ways = [self.advice] if self.advice else []
        if self.assumable:
            ways.append(f"plan with an answer that is assumed, by fake(assume='{self.assumable}')")
        return f"{text}; {', or '.join(ways)}" if ways else text
