"""Make the bytes of deferred arrays: run the backward slice of a version, in recorded order."""

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


_running: frozenset[Node] = frozenset()  # the nodes now being run, by the one thread that holds `making`


def make(recipe: recipes.Recipe) -> None:
    """Make the bytes of a deferred Storage, in place.

    Parameters
    ----------
    recipe : Recipe

    Raises
    ------
    RuntimeError
        The same thread is making them already.
    """
    said = _Said()
    try:
        with making():
            version = recipe.latest
            if version.home is not None:  # otherwise another thread has just made them
                _Slice(version, said).run()
    finally:
        said.warn()


def settle(state: State) -> None:
    """Make all recorded draws of a generator.

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
    """Floating-point warnings of the operations that run, issued once the lock is free: a warning runs the program's
    code, which may wait for another thread that makes arrays."""

    site: Site  # of the node that runs

    def __init__(self) -> None:
        self.found: list[tuple[str, Site]] = []

    def handling(self) -> dict[str, Any]:
        """Return the error handling, where it differs, that collects floating-point errors that are to be warnings."""
        handling = np.geterr()
        modes: dict[str, Any] = dict.fromkeys([kind for kind, mode in handling.items() if mode == "warn"], "log")
        if not modes or not {"call", "log"}.isdisjoint(handling.values()):
            return {}  # the program handles some by its own function
        return {"call": self, **modes}

    def write(self, text: str) -> None:
        """Take a message from NumPy."""
        self.found.append((text.removeprefix("Warning: ").rstrip("\n"), self.site))

    def warn(self) -> None:
        """Issue the warnings, at the recorded lines."""
        for text, site in self.found:
            registry = _registries.setdefault(site[0], {})
            warnings.warn_explicit(text, RuntimeWarning, site[0], site[1], registry=registry)


_registries: dict[str, dict[Any, Any]] = {}  # by file: the warnings already shown


def _needed(version: Version) -> list[Node]:
    """Return the nodes that must run for a version, in recorded order."""
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


# The smallest draw, in bytes, that is drawn again rather than kept: its saved state takes memory as well.
_LEAST = 4096


class _Slice:
    """The nodes that must run for a version. After an error, everything is as before.

    The results of draws that run for the generator's state alone are dropped at once: the draws become nodes that draw
    again, from a copy of the state they had, if their results are needed.
    """

    def __init__(self, version: Version, said: _Said) -> None:
        self.said = said
        self.nodes = _needed(version)
        self.wanted = version
        self.made: dict[Version, None] = {}  # versions made here; nobody else has their bytes
        self.states: dict[np.random.Generator, Any] = {}  # generators' states before the run
        self.left: dict[Version, int] = {}  # how many nodes, of the slice or not, are still to read it
        self.passed: dict[Node, Again] = {}  # draws whose results were dropped, and the functions that redraw them
        self.asked = {version, *(each for node in self.nodes for each in node.reads)}

    def run(self) -> None:
        """Make the bytes, outside all blocks and modes, and put them where they are missing."""
        call_in(None, contextvars.Context().run, (self._run_all,), {})

    def _run_all(self) -> None:
        global _running
        node = self.nodes[0]
        outside = _running
        try:
            _running = outside.union(self.nodes)
            for node in self.nodes:
                self._run(node)
            recipes.put_made(self.nodes, self.made, self._kept(), self.passed)
        except BaseException as error:
            recipes.undo(self.nodes, self.made, self.states, self.passed)
            if isinstance(error, (ValueError, TypeError, LookupError, OverflowError, NotAsForetold)):
                recipes.write_nothing(node)
            error.add_note(f"while making what was recorded at {node.site[0]}:{node.site[1]}")
            raise
        finally:
            _running = outside  # allocates nothing
        for generator in self.states:
            rest_after(generator)

    def _run(self, node: Node) -> None:
        values = {version: self._value(version, version in node.writes) for version in node.reads}
        args = [rebuilt(value, values) for value in node.args]
        kwargs = {name: rebuilt(value, values) for name, value in node.kwargs.items()}
        self.said.site = node.site
        again, result = self._passes(node, values), None
        if again is None or not self._skips(node, again, values, args, kwargs):
            node.restore_settings()
            node.restore_settings(**self.said.handling())
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
        """Return a function that redraws a node's draw, if its results are not needed now but may be later; or None."""
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
        """Try to advance the generator past a draw without drawing; return whether that worked."""
        (generator,) = values.values()
        place = node.births[0][1][0]
        return place.dtype == np.float64 and skip(generator, again.name, args, kwargs, place.size)

    def _value(self, version: Version, written: bool) -> Any:
        """Return a version's bytes, for a node to read or to write."""
        value = version.value
        if isinstance(value, np.random.Generator):
            self.states.setdefault(value, value.bit_generator.state)
            return value
        self.left[version] = left = self.left.get(version, version.readers) - 1
        if not written:
            return value
        if left == 0 and version in self.made and not version.is_wanted():
            version.value = None  # nobody else needs the old bytes; after an error they are made again
            return value
        return clone(value)

    def _put(self, version: Version | None, value: Any) -> None:
        if version is not None:
            version.value = value
            self.made[version] = None

    def _kept(self) -> dict[Version, Any]:
        # Not inside the `try`: from Python 3.12 on, an interrupt in a filter passes by the handlers around it.
        return {version: clone(version.value) for version in self.made if self._is_kept(version)}

    def _is_kept(self, version: Version) -> bool:
        """True if a version is to be put in place, and other nodes are still to read it."""
        return self.left.get(version, version.readers) > 0 and version.is_wanted() and version.value is not None


recipes.set_maker(make)
