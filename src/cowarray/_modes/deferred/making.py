"""Making the bytes of deferred arrays: the backward slice of a version, in the order in which it was recorded."""

import contextlib
import contextvars
import warnings

import numpy as np

from cowarray._modes.common.blocks import call_in
from cowarray._modes.deferred import recipes
from cowarray._modes.record.draws import rest, rest_after
from cowarray._modes.record.nodes import clone
from cowarray._modes.record.repeating import NotAsForetold, flat, laid, making, rebuilt

__all__ = ["make", "settle"]


_running = set()  # Nodes


def make(recipe):
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


def settle(state):
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
    """Floating-point warnings of what is made, said once others can make something again: a warning runs code of the
    program, which may wait for one of them."""

    def __init__(self):
        self.found = []
        self.site = None

    def gathering(self):
        """A context manager in which they are gathered, if they are to be warnings."""
        handling = np.geterr()
        modes = dict.fromkeys([kind for kind, mode in handling.items() if mode == "warn"], "log")
        if not modes or not {"call", "log"}.isdisjoint(handling.values()):
            return contextlib.nullcontext()  # the program has its own function for some
        return np.errstate(call=self, **modes)

    def write(self, text):
        """Be told by NumPy."""
        self.found.append((text.removeprefix("Warning: ").rstrip("\n"), self.site))

    def warn(self):
        """Warn of the lines that were recorded."""
        for text, site in self.found:
            registry = _registries.setdefault(site[0], {})
            warnings.warn_explicit(text, RuntimeWarning, site[0], site[1], registry=registry)


_registries = {}  # by file, which warnings have been shown


def _needed(version):
    """The nodes that have to run for a version, in the order in which they were recorded."""
    found = set()
    stack = [version.node]
    while stack:
        node = stack.pop()
        if node in found:
            continue
        if node in _running:
            raise RuntimeError(f"{node.operation}: to make its result, its result is needed")
        found.add(node)
        stack.extend([version.node for version in node.reads if version.value is None])
    return sorted(found, key=lambda node: node.number)


class _Slice:
    """What has to run for a version. After an error, it is as if nothing had."""

    def __init__(self, version, said):
        self.said = said
        self.nodes = _needed(version)
        self.wanted = version
        self.made = {}  # Versions; their bytes are nobody else's
        self.states = {}  # of generators, as they were
        self.left = {}  # by Version, how many nodes of the slice are still to read it

    def run(self):
        """Make the bytes, and put them where they are missing. No block or mode of who asks holds here."""
        call_in(None, contextvars.Context().run, (self._run_all,), {})

    def _run_all(self):
        node = self.nodes[0]
        try:
            _running.update(self.nodes)
            for node in self.nodes:
                self._run(node)
            kept = {version: clone(version.value) for version in self.made if self._is_kept(version)}
            recipes.settle(self.nodes, self.made, kept)
        except BaseException as error:
            recipes.undo(self.nodes, self.made, self.states)
            if isinstance(error, (ValueError, TypeError, LookupError, OverflowError, NotAsForetold)):
                recipes.write_nothing(node)
            error.add_note(f"while making what was recorded at {node.site[0]}:{node.site[1]}")
            raise
        finally:
            _running.difference_update(self.nodes)
        for generator in self.states:
            rest_after(generator)

    def _run(self, node):
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
            for place, outline, version in node.births:
                if version() is not None:
                    self._put(version(), laid(results[place], outline, values))

    def _value(self, version, written):
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

    def _put(self, version, value):
        if version is not None:
            version.value = value
            self.made[version] = None

    def _is_kept(self, version):
        """Whether others are still to read what is put where it was missing."""
        return self.left.get(version, version.readers) > 0 and version.is_wanted() and version.value is not None


recipes.set_maker(make)
