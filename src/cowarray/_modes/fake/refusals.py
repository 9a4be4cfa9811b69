"""What is raised where an array without bytes is asked for a value."""

import threading
from typing import Any

from cowarray._modes.common.site import Site
from cowarray._modes.common.sites import spot
from cowarray._native.public import public

__all__ = ["FakeError", "latest"]


class _Latest(threading.local):
    """What the thread's last refusal said, and which instruction (code, offset), if C code raises another error."""

    arguments: tuple[Any, ...] = ()
    refused: tuple[Any, int] | None = None


latest = _Latest()


@public
class FakeError(TypeError):
    """An operation needs what an array without bytes does not have.

    Parameters
    ----------
    operation : str
        What was asked for.
    reason : str
        Why that needs bytes.
    site : Site or None
        Where the array was made; None: there is none yet, the result would be.
    advice : str, optional
        What to do instead.
    assumable : str, optional
        Which assumption of `fake` would get past it, as "masks=all".

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
