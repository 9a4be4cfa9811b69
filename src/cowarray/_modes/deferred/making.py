"""Making the bytes of deferred arrays: the backward slice of a version, in the order in which it was recorded."""

import contextlib
import contextvars
import os
import threading
import warnings

import numpy as np

from cowarray._chapters.creation import zeros
from cowarray._face.ndarray import ndarray
from cowarray._modes.common.blocks import call_in
from cowarray._modes.record import draws
from cowarray._modes.record.nodes import Reference, clone, lay, lies_as, set_maker, settle, undo
from cowarray._ops.conversion import asarray

__all__ = ["flat", "laid", "make", "making", "rebuilt"]


def flat(result):
    """What a result has in it, in order."""
    if isinstance(result, (tuple, list)):
        return [each for item in result for each in flat(item)]
    return [result]


class _Maker:
    """One thread makes, the others wait; none of them holds the GIL meanwhile."""

    def __init__(self):
        self.lock = threading.RLock()
        self.running = set()  # Nodes


_maker = _Maker()


# No child begins in the middle of a making, of which it has not the thread: whoever forks has the lock, there too.
os.register_at_fork(
    before=lambda: _maker.lock.acquire(),
    after_in_parent=lambda: _maker.lock.release(),
    after_in_child=lambda: _maker.lock.release(),
)


def making():
    """The lock of whoever makes something, or notes what is to be made.

    Returns
    -------
    context manager
    """
    return _maker.lock


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
        with _maker.lock:
            version = recipe.latest
            if version.home is not None:  # else another thread has just made them
                _Slice(version, said).run()
    finally:
        said.warn()


def _settle(state):
    """Have all recorded draws of a generator made."""
    said = _Said()
    try:
        with _maker.lock:
            if state.latest is not None and state.latest.node is not None:
                _Slice(state.latest, said).run()
            draws.rest(state)
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
        if node in _maker.running:
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
            _maker.running.update(self.nodes)
            for node in self.nodes:
                self._run(node)
            kept = {version: clone(version.value) for version in self.made if self._is_kept(version)}
            settle(self.nodes, self.made, kept)
        except BaseException as error:
            undo(self.nodes, self.made, self.states)
            if isinstance(error, (ValueError, TypeError, LookupError, OverflowError)):
                node.fall_out()
            error.add_note(f"while making what was recorded at {node.site[0]}:{node.site[1]}")
            raise
        finally:
            _maker.running.difference_update(self.nodes)
        for generator in self.states:
            draws.rest_after(generator)

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
            for place, foretold, version in node.births:
                if version() is not None:
                    self._put(version(), laid(results[place], foretold, values))

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


def rebuilt(value, values):
    """An argument as it was recorded, on the bytes that are there now."""
    kind = type(value)
    if kind is Reference:
        return value.on(values[value.version])
    if kind is list or kind is tuple:
        return kind([rebuilt(item, values) for item in value])
    if kind is dict:
        return {name: rebuilt(item, values) for name, item in value.items()}
    return value


def laid(made, foretold, values):
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
