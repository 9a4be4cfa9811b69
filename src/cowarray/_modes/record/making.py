"""Making the bytes of deferred arrays: the backward slice of a version, in the order in which it was recorded."""

import contextlib
import contextvars
import os
import threading
import warnings
from typing import Any

import numpy as np

from cowarray._chapters.creation import zeros
from cowarray._face.ndarray import ndarray
from cowarray._modes.common.blocks import put_back, put_in
from cowarray._modes.record import draws
from cowarray._modes.record.recipes import (
    Node,
    Recipe,
    Reference,
    Version,
    clone,
    lay,
    lies_as,
    set_maker,
    settle,
    undo,
)
from cowarray._modes.simulate.divergences import Site
from cowarray._native.storage import Storage
from cowarray._ops.conversion import asarray

__all__ = ["flat", "laid", "make", "making", "rebuilt"]


def flat(result: object) -> list[Any]:
    """What a result has in it, in order."""
    if isinstance(result, (tuple, list)):
        return [each for item in result for each in flat(item)]
    return [result]


class _Maker:
    """One thread makes, the others wait; none of them holds the GIL meanwhile."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.running: set[Node] = set()


_maker = _Maker()


# No child begins in the middle of a making, of which it has not the thread: whoever forks has the lock, there too.
os.register_at_fork(
    before=lambda: _maker.lock.acquire(),
    after_in_parent=lambda: _maker.lock.release(),
    after_in_child=lambda: _maker.lock.release(),
)


def making() -> contextlib.AbstractContextManager[object]:
    """The lock of whoever makes something, or notes what is to be made.

    Returns
    -------
    context manager
    """
    return _maker.lock


def make(recipe: Recipe) -> None:
    """Bring the bytes of a deferred Storage.

    Parameters
    ----------
    recipe : Recipe

    Raises
    ------
    RuntimeError
        The same thread is making them.
    """
    said = _Said()
    try:
        with _maker.lock:
            version = recipe.latest
            if version.home is not None:  # else another thread has just made them
                _Slice(version, said).run()
    finally:
        said.warn()


def _settle(state: draws.State) -> None:
    """Have all recorded draws of a generator made."""
    said = _Said()
    try:
        with _maker.lock:
            if state.latest is not None:
                _Slice(state.latest, said).run()
    finally:
        said.warn()


class _Said:
    """Floating-point warnings of what is made, said once others can make something again: a warning runs code of the
    program, which may wait for one of them."""

    site: Site  # of the node that runs

    def __init__(self) -> None:
        self.found: list[tuple[str, Site]] = []

    def gathering(self) -> contextlib.AbstractContextManager[object]:
        """A context manager in which they are gathered, if they are to be warnings."""
        handling = np.geterr()
        modes: dict[str, Any] = dict.fromkeys([kind for kind, mode in handling.items() if mode == "warn"], "log")
        if not modes or not {"call", "log"}.isdisjoint(handling.values()):
            return contextlib.nullcontext()  # the program has its own function for some
        return np.errstate(call=self, **modes)

    def write(self, text: str) -> None:
        """Be told by NumPy."""
        self.found.append((text.removeprefix("Warning: ").rstrip("\n"), self.site))

    def warn(self) -> None:
        """Warn of the lines that were recorded."""
        for text, site in self.found:
            registry = _registries.setdefault(site[0], {})
            warnings.warn_explicit(text, RuntimeWarning, site[0], site[1], registry=registry)


_registries: dict[str, dict[Any, Any]] = {}  # by file, which warnings have been shown


def _needed(version: Version) -> list[Node]:
    """The nodes that have to run for a version, in the order in which they were recorded."""
    found: set[Node] = set()
    stack: list[Any] = [version.node]
    while stack:
        node = stack.pop()
        if node in found:
            continue
        if node in _maker.running:
            raise RuntimeError(f"{node.operation}: to make its result, its result is needed")
        found.add(node)
        stack.extend([version.node for version in node.reads if version.value is None])
    return sorted(found, key=lambda node: node.number)


class _Slice:
    """What has to run for a version. After an error, it is as if nothing had."""

    def __init__(self, version: Version, said: _Said) -> None:
        self.said = said
        self.nodes = _needed(version)
        self.wanted = version
        self.made: dict[Version, None] = {}  # their bytes are nobody else's
        self.states: dict[np.random.Generator, Any] = {}  # of generators, as they were
        self.left: dict[Version, int] = {}  # how many nodes of the slice are still to read it

    def run(self) -> None:
        """Make the bytes, and put them where they are missing. No block or mode of who asks holds here."""
        before = put_in(None)
        try:
            contextvars.Context().run(self._run_all)
        finally:
            put_back(before)

    def _run_all(self) -> None:
        ran = 0
        _maker.running.update(self.nodes)
        try:
            for node in self.nodes:
                ran += 1
                self._run(node)
            kept = {version: clone(version.value) for version in self.made if self._is_kept(version)}
            settle(self.nodes, self.made, kept)
        except BaseException as error:
            if not self._is_settled():
                undo(self.made)
                for generator, state in self.states.items():
                    generator.bit_generator.state = state
            if isinstance(error, (ValueError, TypeError, LookupError, OverflowError)):
                self.nodes[ran - 1].fall_out()
            site = self.nodes[ran - 1].site
            error.add_note(f"while making what was recorded at {site[0]}:{site[1]}")
            raise
        finally:
            _maker.running.difference_update(self.nodes)
            if self._is_settled():
                for version in self.made:
                    if isinstance(version.value, np.random.Generator):
                        draws.rest(version.value, version)

    def _is_settled(self) -> bool:
        return self.nodes[0].function is None

    def _run(self, node: Node) -> None:
        values = {version: self._value(version, version in node.writes) for version in node.reads}
        args = [rebuilt(value, values) for value in node.args]
        kwargs = {name: rebuilt(value, values) for name, value in node.kwargs.items()}
        self.said.site = node.site
        with node.circumstances(), self.said.gathering():
            result = node.function(*args, **kwargs)
        for before, after in node.writes.items():
            self._put(after(), values[before])
        if node.births:
            results = flat(result)
            for place, foretold, version in node.births:
                if version() is not None:
                    self._put(version(), laid(results[place], foretold, values))

    def _value(self, version: Version, written: bool) -> Any:
        """A version's bytes, for a node to read or to write."""
        value = version.value
        if isinstance(value, np.random.Generator):
            self.states.setdefault(value, value.bit_generator.state)
            return value
        self.left[version] = left = self.left.get(version, version.readers) - 1
        if not written:
            return value
        if left == 0 and version in self.made and not version.is_wanted():
            version.value = None  # nobody else needs them as they were; after an error they are made again
            return value
        return clone(value)

    def _put(self, version: Version | None, value: Any) -> None:
        if version is not None:
            version.value = value
            self.made[version] = None

    def _is_kept(self, version: Version) -> bool:
        """Whether others are still to read what is put where it was missing."""
        return self.left.get(version, version.readers) > 0 and version.is_wanted() and version.value is not None


def rebuilt(value: Any, values: dict[Version, Any]) -> Any:
    """An argument as it was recorded, on the bytes that are there now."""
    kind = type(value)
    if kind is Reference:
        return value.on(values[value.version])
    if kind is list or kind is tuple:
        return kind([rebuilt(item, values) for item in value])
    if kind is dict:
        return {name: rebuilt(item, values) for name, item in value.items()}
    return value


def laid(made: Any, foretold: tuple[ndarray, int], values: dict[Version, Any]) -> Storage:
    """The Storage of a result, in which it lies as was foretold."""
    if type(made) is not ndarray:
        made = asarray(made)  # NumPy's scalar
    if lies_as(made, foretold):
        storage = made.storage
        return clone(storage) if storage in values.values() else storage
    place = foretold[0]
    if made.shape != place.shape or made.dtype != place.dtype:
        raise RuntimeError(
            f"{made.dtype} of shape {made.shape} came where {place.dtype} of shape {place.shape} was foretold: "
            "this is an error of cowarray"
        )
    copy = lay(foretold, zeros(foretold[1], "u1").storage)
    copy[...] = made
    return copy.storage


set_maker(make)
draws.settle = _settle
