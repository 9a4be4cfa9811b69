"""Context managers whose blocks hold in a context: in the thread or task that entered, and in tasks made there.

A context's variable has the innermost block that was entered there, which knows the one around it. Blocks may end in
any order, as those of generators do: one that ends before a block inside it is passed over from then on. A block that
ends where it was not entered is over in every context, and its end is refused with an error.

Until a block has ended, a copy of its context has it too, and keeps it.
"""

from contextvars import ContextVar
from typing import Any, Self

__all__ = ["BlockMode", "Entry", "Mode", "holding", "innermost"]


class Entry:
    """A block that has been entered.

    Parameters
    ----------
    value : object
        What holds in it.
    outer : Entry or None
        Of the block around it.
    """

    __slots__ = ("is_over", "outer", "token", "value")

    def __init__(self, value: Any, outer: "Entry | None") -> None:
        self.value = value
        self.outer = outer
        self.token: Any = None
        self.is_over = False


def _next_open(entry: Entry | None) -> Entry | None:
    """The first that is not over, of an entry and those around it."""
    while entry is not None and entry.is_over:
        entry = entry.outer
    return entry


def holding(variable: ContextVar[Entry | None]) -> list[Any]:
    """What holds in the blocks of the current context, innermost first."""
    found = []
    entry = _next_open(variable.get())
    while entry is not None:
        found.append(entry.value)
        entry = _next_open(entry.outer)
    return found


def innermost(variable: ContextVar[Entry | None]) -> Any:
    """What holds in the innermost block of the current context; None outside of all."""
    entry = _next_open(variable.get())
    return None if entry is None else entry.value


class Mode:
    """A context manager that may be entered again, also in several contexts at once.

    Parameters
    ----------
    name : str
        For errors.
    variable : ContextVar of Entry or None
    value : object
        What holds in its blocks.
    """

    # Not by the module's name: that is gone when a block ends with the interpreter.
    _next_open = staticmethod(_next_open)

    def __init__(self, name: str, variable: ContextVar[Entry | None], value: Any) -> None:
        self._name = name
        self._variable = variable
        self._value = value
        self._open: list[Entry] = []  # of blocks in all contexts

    def _count(self, change: int) -> object:
        """Count a block in (1) or out (-1)."""
        raise NotImplementedError

    def _put(self, entry: Entry) -> Any:
        """Have a block hold in the current context. Returns a token for `_take`."""
        return self._variable.set(entry)

    def _take(self, token: Any, is_innermost: bool) -> None:
        """Have hold in the current context what held before. ValueError: the token is another context's."""
        if is_innermost:
            self._variable.reset(token)

    def __enter__(self) -> Self:
        self._count(1)
        try:
            entry = Entry(self._value, self._next_open(self._variable.get()))
            self._open.append(entry)
            try:
                entry.token = self._put(entry)
            except BaseException:
                self._open.remove(entry)
                raise
        except BaseException:
            self._count(-1)
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        entry = self._next_open(self._variable.get())
        while entry is not None and entry not in self._open:
            entry = self._next_open(entry.outer)
        is_here = entry is not None
        if entry is None:
            if not self._open:
                raise RuntimeError(f"{self._name}: it has no open block")
            if len(self._open) > 1:
                raise RuntimeError(
                    f"{self._name}: its blocks were entered in other threads or contexts; none of them has ended"
                )
            entry = self._open[0]
        is_reset = False
        try:
            is_innermost = self._variable.get() is entry
            self._take(entry.token, is_innermost)
            is_reset = is_innermost
        except ValueError:
            is_here = False
        finally:
            if not is_reset:
                entry.is_over = True
                entry.value = None
            self._open.remove(entry)
            self._count(-1)
        if not is_here:
            raise RuntimeError(f"{self._name}: the block was entered in another thread or context; it has ended")


class BlockMode(Mode):
    """A mode of the block that holds (`blocks.pyx`), which is one for all of these.

    Parameters
    ----------
    name : str
    blocks : module
        `blocks`: not imported here, for it turns on a GIL where there is none.
    value : object
    """

    def __init__(self, name: str, blocks: Any, value: Any) -> None:
        super().__init__(name, blocks.variable, value)
        self._blocks = blocks

    def _put(self, entry: Entry) -> Any:
        return self._blocks.enter(entry)

    def _take(self, token: Any, is_innermost: bool) -> None:
        self._blocks.leave(token, is_innermost)
