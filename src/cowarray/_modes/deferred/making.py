"""Making the bytes of deferred arrays: the backward slice of a version, in the order in which it was recorded."""

import contextlib
import contextvars
import warnings
from typing import Any

import numpy as np

from cowarray._modes.common.blocks import call_in
from cowarray._modes.common.site import Site
from cowarray._modes.deferred import recipes
from cowarray._modes.record.draws import Again, State, can_be_repeated, rest, rest_after, skip
from cowarray._modes.record.nodes import Node, Version, clone
from cowarray._modes.record.repeating import NotAsForetold, flat, laid, making, rebuilt

__all__ = ["make", "settle"]


_running: frozenset[Node] = frozenset()  # what the thread that makes is making; changed with `making` held


def make(recipe: recipes.Recipe) -> None:
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
        with making():
            version = recipe.latest
            if version.home is not None:  # else another thread has just made them
                _Slice(version, said).run()
    finally:
        said.warn()


def settle(state: State) -> None:
    """Have all recorded draws of a generator made.

    Parameters
    ----------
    state : State
    """
    said = _Said()
    try:
        with making():
            if state.latest is not None and state.latest.node is not None:
                _Slice(state.latest, said).run()
            rest(state)
    finally:
        said.warn()


class _Said:
    """Floating-point warnings of what is made, given once the lock is free: a warning runs code of the program, which
    may wait for another thread that makes something."""

    site: Site  # of the node that runs

    def __init__(self) -> None:
        self.found: list[tuple[str, Site]] = []

    def gathering(self) -> contextlib.AbstractContextManager[object]:
        """A context manager that gathers them, where they are to be warnings."""
        handling = np.geterr()
        modes: dict[str, Any] = dict.fromkeys([kind for kind, mode in handling.items() if mode == "warn"], "log")
        if not modes or not {"call", "log"}.isdisjoint(handling.values()):
            return contextlib.nullcontext()  # the program has its own function for some
        return np.errstate(call=self, **modes)

    def write(self, text: str) -> None:
        """Be told by NumPy."""
        self.found.append((text.removeprefix("Warning: ").rstrip("\n"), self.site))

    def warn(self) -> None:
        """Warn, at the lines that were recorded."""
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
        if node in _running:
            raise RuntimeError(f"{node.operation}: to make its result, its result is needed")
        found.add(node)
        stack.extend([version.node for version in node.reads if version.value is None])
    return sorted(found, key=lambda node: node.number)


# The least bytes of a draw that is drawn again rather than kept: the state that it is drawn from takes some, too.
_LEAST = 4096


class _Slice:
    """What has to run for a version. After an error, everything is as before.

    Draws that run for the generator's state alone are dropped at once: they become nodes that draw from a copy of the
    state that they drew from, if anybody asks.
    """

    def __init__(self, version: Version, said: _Said) -> None:
        self.said = said
        self.nodes = _needed(version)
        self.wanted = version
        self.made: dict[Version, None] = {}  # their bytes are nobody else's
        self.states: dict[np.random.Generator, Any] = {}  # of generators, as they were
        self.left: dict[Version, int] = {}  # how many nodes of the slice are still to read it
        self.passed: dict[Node, Again] = {}  # draws whose results were dropped, and what draws them again
        self.asked = {version, *(each for node in self.nodes for each in node.reads)}

    def run(self) -> None:
        """Make the bytes, outside of all blocks and modes, and put them where they are missing."""
        call_in(None, contextvars.Context().run, (self._run_all,), {})

    def _run_all(self) -> None:
        global _running
        node = self.nodes[0]
        outside = _running
        try:
            _running = outside.union(self.nodes)
            for node in self.nodes:
                self._run(node)
            kept = {version: clone(version.value) for version in self.made if self._is_kept(version)}
            recipes.put_made(self.nodes, self.made, kept, self.passed)
        except BaseException as error:
            recipes.undo(self.nodes, self.made, self.states, self.passed)
            if isinstance(error, (ValueError, TypeError, LookupError, OverflowError, NotAsForetold)):
                recipes.write_nothing(node)
            error.add_note(f"while making what was recorded at {node.site[0]}:{node.site[1]}")
            raise
        finally:
            _running = outside  # which needs no memory
        for generator in self.states:
            rest_after(generator)

    def _run(self, node: Node) -> None:
        values = {version: self._value(version, version in node.writes) for version in node.reads}
        args = [rebuilt(value, values) for value in node.args]
        kwargs = {name: rebuilt(value, values) for name, value in node.kwargs.items()}
        self.said.site = node.site
        again, result = self._passes(node, values), None
        if again is None or not self._skips(node, again, values, args, kwargs):
            with node.circumstances(), self.said.gathering():
                result = node.function(*args, **kwargs)
        for before, after in node.writes.items():
            self._put(after(), values[before])
        if again is not None:
            self.passed[node] = again
        elif node.births:
            results = flat(result)
            for place, outline, version in node.births:
                if (born := version()) is not None:
                    values[born] = laid(results[place], outline, values)
                    self._put(born, values[born])

    def _passes(self, node: Node, values: dict[Version, Any]) -> Again | None:
        """What draws again what a node is to draw, if nobody has asked for that, but somebody still may."""
        generator = next(iter(values.values()), None)
        if len(values) != 1 or not isinstance(generator, np.random.Generator) or not can_be_repeated(generator):
            return None
        born = [(outline[1], version()) for _, outline, version in node.births]
        wanted = [nbytes for nbytes, version in born if version is not None]
        if sum(wanted) < _LEAST or not self.asked.isdisjoint([version for _, version in born]):
            return None
        draw: Any = node.function
        return Again(generator, draw.function.__name__)

    def _skips(self, node: Node, again: Again, values: dict[Version, Any], args: list[Any], kwargs: Any) -> bool:
        """Whether the generator could be advanced by a draw without drawing."""
        (generator,) = values.values()
        place = node.births[0][1][0]
        return place.dtype == np.float64 and skip(generator, again.name, args, kwargs, place.size)

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
        """Whether other nodes are still to read a version that is put in place."""
        return self.left.get(version, version.readers) > 0 and version.is_wanted() and version.value is not None


recipes.set_maker(make)
