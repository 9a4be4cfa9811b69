"""Recorded draws of random-number generators: a draw is a write of the generator's state.

While draws of a generator wait to be made, its `_numpys` is a `Waiting` in place of NumPy's generator: drawing from it,
or reading its state, first makes the waiting draws.

A bit generator with other owners cannot be tracked: another generator, or the program itself, may draw from it. Draws
from it are made at once. The reference count tells whether it has other owners. Asking a generator for its bit
generator makes the recorded draws, so a bit generator has no other owners while draws wait.
"""

import functools
import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cowarray._chapters.generators import Generator
from cowarray._face.ndarray import ndarray
from cowarray._modes.record.nodes import Version
from cowarray._ops.creation import bearing

__all__ = ["Again", "NotRecorded", "State", "can_be_repeated", "draw_of", "repeated", "rest", "rest_after", "skip"]


class NotRecorded(Exception):
    """An operation cannot be recorded, and is done at once."""


class State:
    """A generator's recorded state: `latest` is the version after the last draw, whether that waits or is made.

    Parameters
    ----------
    owner : cowarray.random.Generator
    generator : numpy.random.Generator
        In the state after the last draw that was made.
    """

    __slots__ = ("__weakref__", "generator", "latest", "make", "owner")

    def __init__(self, owner: Generator, generator: np.random.Generator) -> None:
        self.owner = weakref.ref(owner)
        self.generator = generator
        self.latest: Version | None = None
        self.make: Callable[[State], object] | None = None

    def settle(self) -> None:
        """Make the waiting draws."""
        if self.make is not None:
            self.make(self)


def rest(state: State) -> None:
    """Put NumPy's generator back in place if no draw waits.

    Parameters
    ----------
    state : State
    """
    owner: Any = state.owner()
    waits = state.latest is not None and state.latest.node is not None
    if owner is not None and type(owner._numpys) is Waiting and owner._numpys.state is state and not waits:
        owner._numpys = state.generator


def rest_after(generator: Any) -> None:
    """Call `rest` for the state of a NumPy generator, after a draw has been made.

    Parameters
    ----------
    generator : numpy.random.Generator
    """
    owner = generator.owner()
    if owner is not None and type(owner._numpys) is Waiting:
        rest(owner._numpys.state)


class Waiting:
    """Stands in for NumPy's generator while draws wait, or may wait."""

    def __init__(self, state: State) -> None:
        self.state = state

    def settle(self) -> None:
        """Make the draws."""
        self.state.settle()

    def __getattr__(self, name: str) -> "_Draw":
        return _Draw(self.state, name)


class _Draw:
    """A method of a NumPy generator that has waiting draws."""

    __slots__ = ("__name__", "state")

    def __init__(self, state: State, name: str) -> None:
        self.state = state
        self.__name__ = name

    @property
    def __self__(self) -> np.random.Generator:
        """numpy.random.Generator: The method's generator; for the rules, which infer the result of a draw."""
        return self.state.generator

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """callable: NumPy's method, which has the parameters."""
        return getattr(self.state.generator, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.state.settle()
        return getattr(self.state.generator, self.__name__)(*args, **kwargs)


class Draw:
    """A draw to be recorded."""

    __slots__ = ("replay", "state")

    def __init__(self, state: State, name: str) -> None:
        self.state = state
        self.replay: Any = bearing(getattr(state.generator, name))

    def is_possible(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """True unless NumPy refuses these numbers; such a draw is not recorded, so that its error comes at once."""
        name = self.replay.function.__name__
        place = _place_of_size(name)
        if place is None:
            return True
        given = list(args)
        if len(given) > place:
            given[place] = 1
        else:
            kwargs = {**kwargs, "size": 1}
        if any(isinstance(value, (np.ndarray, ndarray, list, tuple)) for value in (*given, *kwargs.values())):
            return True
        try:
            getattr(_scratch, name)(*given, **kwargs)
        except Exception:
            return False
        return True


def _holders(generator: np.random.Generator) -> int:
    """Return the reference count of a generator's bit generator, including this function's reference."""
    return sys.getrefcount(generator.bit_generator)


_alone = Generator(np.random.PCG64(0))
_ALONE = _holders(_alone._numpys)


# Held while a draw's state is saved and the draw is made.
_drawing = threading.RLock()


class Again:
    """A draw from a saved state, which can be repeated.

    Parameters
    ----------
    generator : numpy.random.Generator
        In that state now.
    name : str
        Of its method.
    """

    __slots__ = ("kind", "name", "state")

    def __init__(self, generator: np.random.Generator, name: str) -> None:
        self.kind: Callable[[], np.random.BitGenerator] = type(generator.bit_generator)
        self.name = name
        self.state = generator.bit_generator.state

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bits = self.kind()
        bits.state = self.state
        return bearing(getattr(np.random.Generator(bits), self.name))(*args, **kwargs)


class _Repeat:
    """A draw: the first call draws, and later calls draw again from the same state."""

    __slots__ = ("again", "draw")

    def __init__(self, draw: Draw) -> None:
        self.draw: Draw | None = draw
        self.again: Again | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.draw is not None:
            self.draw.state.settle()  # waiting draws come first
            with _drawing:
                draw, self.draw = self.draw, None
                self.again = Again(draw.state.generator, draw.replay.function.__name__)
                return draw.replay(*args, **kwargs)
        assert self.again is not None
        return self.again(*args, **kwargs)


def repeated(draw: Draw) -> Callable[..., Any]:
    """Return a function that does a draw, and repeats the same draw on later calls.

    Parameters
    ----------
    draw : Draw

    Raises
    ------
    NotRecorded
        The bit generator is not one of NumPy's, which can be recreated.
    """
    if not can_be_repeated(draw.state.generator):
        raise NotRecorded
    return _Repeat(draw)


def can_be_repeated(generator: np.random.Generator) -> bool:
    """Tell whether a generator's bit generator is one of NumPy's, which can be recreated.

    Parameters
    ----------
    generator : numpy.random.Generator

    Returns
    -------
    bool
    """
    return type(generator.bit_generator) in _KINDS


def skip(generator: np.random.Generator, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], count: int) -> bool:
    """Advance a generator past a draw of `count` doubles, if each takes exactly one random number.

    Parameters
    ----------
    generator : numpy.random.Generator
    name : str
        Of its method.
    args, kwargs
        Of the draw.
    count : int

    Returns
    -------
    bool
        False, and nothing done, if the draw may take more or fewer random numbers.
    """
    bits: Any = generator.bit_generator
    bounds = () if name == "random" else (*args[:2], kwargs.get("low", 0.0), kwargs.get("high", 1.0))
    if type(bits) not in _ADVANCED or name not in ("random", "uniform") or any(type(x) not in _NUMBERS for x in bounds):
        return False
    before = bits.state
    bits.advance(count)
    # Half of a random number may be buffered: a double does not take it, but `advance` drops it.
    bits.state = {**bits.state, "has_uint32": before["has_uint32"], "uinteger": before["uinteger"]}
    return True


_NUMBERS = (int, float)
_ADVANCED = (np.random.PCG64, np.random.PCG64DXSM)
_KINDS = (np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)

# For draws whose results are dropped.
_scratch = np.random.Generator(np.random.PCG64(0))


@functools.cache
def _place_of_size(name: str) -> int | None:
    """Return the position of `size` among the arguments of a generator's method, or None."""
    names = list(inspect.signature(getattr(np.random.Generator, name)).parameters)
    return names.index("size") - 1 if "size" in names else None


def draw_of(function: Callable[..., Any]) -> Draw | None:
    """Return an operation as a `Draw`; None if it draws nothing.

    Raises
    ------
    NotRecorded
        It draws from a generator made by NumPy, from a `RandomState`, or from a bit generator with other owners.
    """
    numpys: Any = getattr(function, "function", None)
    if type(numpys) is _Draw:
        if _holders(numpys.state.generator) > _ALONE:
            raise NotRecorded
        return Draw(numpys.state, numpys.__name__)
    generator = getattr(numpys, "__self__", None)
    if isinstance(generator, np.random.RandomState):
        raise NotRecorded
    if not isinstance(generator, np.random.Generator):
        return None
    owner = getattr(generator, "owner", None)
    owner = None if owner is None else owner()
    if owner is None or _holders(generator) > _ALONE:
        raise NotRecorded
    return Draw(State(owner, generator), numpys.__name__)
