"""Recording operations on deferred arrays: what each reads and writes, in versions.

A deferred Storage has versions: a recorded write makes version k+1 from version k. A `Node` is one operation, with its
arguments as they were: deferred ones as (version, place), real ones by lazy copies. What an operation gives, and what it
writes, the rules of fakes say; an operation that they refuse needs values, and is done at once.
"""

import enum
import threading

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes import faking
from cowarray._modes.calls import Block, Call, innermost
from cowarray._modes.draws import NotRecorded, draw_of
from cowarray._modes.fakes import Ledger, first_fake, is_fake, origin_of
from cowarray._modes.making import Node, Reference, Version, flat, making
from cowarray._modes.recipes import defer, first_deferred, ghost_of, like, recipe_of
from cowarray._modes.refusals import FakeError
from cowarray._ops.conversion import asarray
from cowarray._ops.protocols import runs_user_code

__all__ = ["Deferral", "travel"]

# Whoever is handed operations that are no concern of ours; None: nobody.
beneath = None

_thread = threading.local()


class Deferral:
    """What holds inside a block: whether what needs a value is refused, and how small a result is computed at once.

    Parameters
    ----------
    strict : bool
    at_least : int
        In bytes.
    """

    __slots__ = ("at_least", "strict")

    def __init__(self, strict, at_least):
        self.strict = strict
        self.at_least = at_least


# What gives an array also without axes, where others give a scalar.
_GIVES_ARRAYS = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like array asarray copy reshape astype where "
    "ndarray.copy ndarray.lazy_clone ndarray.reshape ndarray.astype ndarray.__deepcopy__".split()
)

# Of operations on deferred arrays outside of any block.
_OUTSIDE = Deferral(False, 0)


# Arguments that nobody changes, and that run no user code.
_PLAIN = (
    int, float, complex, bool, str, bytes, type(None), type(Ellipsis), slice, range, np.dtype, np.generic, enum.Enum,
    type(np._NoValue),
)
_NUMBERS = (np.generic, int, float, complex, str, bytes)


class _DryCall(Call):
    """An operation of which only shape and dtype are asked."""

    __slots__ = ()

    def compute(self):
        raise NotRecorded


def travel(operation, function, args, kwargs):
    """Do an operation that has been handed over: record it, where it is about deferred arrays or inside their block."""
    block = innermost.get()
    if type(block) is not Deferral:
        block = None
    if getattr(_thread, "dry", False):
        return _on(operation, function, args, kwargs)
    found = first_deferred(args)
    if found is None and kwargs:
        found = first_deferred(kwargs.values())
    if found is None and (block is None or innermost.get() is not block):
        return _on(operation, function, args, kwargs)
    if innermost.get() is not None and block is None:
        return _on(operation, function, args, kwargs)  # inside fake(), which is the inner block
    if first_fake(args) is not None or first_fake(kwargs.values()) is not None:
        raise FakeError(operation, "it is not recorded with a fake among its arguments", _site_of(args, kwargs))
    try:
        return _record(operation, function, args, kwargs, _OUTSIDE if block is None else block)
    except NotRecorded:
        pass
    return _at_once(operation, function, args, kwargs, _OUTSIDE if block is None else block)


def _on(operation, function, args, kwargs):
    return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)


def _site_of(args, kwargs):
    return origin_of(first_fake((args, kwargs))).site


def _at_once(operation, function, args, kwargs, block):
    """Do an operation that cannot be recorded: its deferred arguments are made at the door."""
    found = first_deferred((args, kwargs))
    if found is not None and (block.strict or recipe_of(found).strict):
        raise FakeError(operation, "a value is needed, and the block is strict", recipe_of(found).latest.node.site)
    token = innermost.set(None)
    try:
        return function(*args, **kwargs)
    finally:
        innermost.reset(token)


# ---- what is recorded ------------------------------------------------------------------------------------------------


def _record(operation, function, args, kwargs, block):
    if runs_user_code(function):
        raise NotRecorded
    draw = draw_of(function)
    seen = _Seen()
    shown = tuple([seen.show(value) for value in args])
    named = {name: seen.show(value) for name, value in kwargs.items()}
    result, written, site = _dry(operation, function, shown, named, seen)
    fresh = _fresh(result, seen)
    if not fresh and not written:
        return seen.give_back(result)
    if _has_objects(fresh) or (block.at_least and not seen.ghosts and _nbytes(fresh) < block.at_least):
        raise NotRecorded
    recipes = seen.recipes(written)
    with making():  # nobody makes what is read here before it is noted
        held = _Held(seen)
        node = Node(
            operation, function if draw is None else draw.replay, [held.hold(value) for value in args],
            {name: held.hold(value) for name, value in kwargs.items()}, site,
        )
        if not all([recipe.latest in held.versions for recipe in recipes]):
            raise NotRecorded  # somebody has made it meanwhile
        node.read(held.versions)
        for recipe in recipes:
            recipe.latest = node.write(recipe.latest, recipe.storage)
        if draw is not None:
            draw.state.record(node)
        _give_birth(node, fresh, block)
    return seen.give_back(result)


def _give_birth(node, fresh, block):
    """Make what the rules gave deferred arrays."""
    known = set()
    for place, array in fresh:
        if array.storage in known:
            continue
        known.add(array.storage)
        version = Version(node)
        defer(array, version, block.strict, array.ndim == 0 and node.operation not in _GIVES_ARRAYS)
        version.home = recipe_of(array).storage
        node.bear(place, ghost_of(array, _dry_block().ledger.here()), version)


def _dry_block():
    block = getattr(_thread, "block", None)
    if block is None:
        block = _thread.block = Block(Ledger(), 0)
    return block


def _dry(operation, function, args, kwargs, seen):
    """What an operation gives and writes, on ghosts; where it stands in the program."""
    block = _dry_block()
    block.ledger.written = written = []
    call = _DryCall(operation, function, args, kwargs, block, seen.first)
    site = call.origin.site
    token = innermost.set(block)
    _thread.dry = True
    try:
        return faking.follow(call), written, site
    except (ValueError, IndexError):
        raise  # as NumPy would, later
    except Exception:
        raise NotRecorded from None
    finally:
        _thread.dry = False
        innermost.reset(token)
        block.ledger.written = None


class _Seen:
    """The arguments of an operation as the rules of fakes may see them."""

    __slots__ = ("first", "ghosts", "originals")

    def __init__(self):
        self.first = None
        self.ghosts = {}  # by the ghost's Storage, the Recipe
        self.originals = {}  # by the id of a ghost: the ghost, and what it stands for

    def show(self, value):
        kind = type(value)
        if kind is ndarray:
            _refuse_objects(value)
            recipe = recipe_of(value)
            if recipe is None:
                return value
            for ghost, original in self.originals.values():
                if original is value:
                    return ghost
            ghost = ghost_of(value, _dry_block().ledger.here())
            self.ghosts[ghost.storage] = recipe
            self.originals[id(ghost)] = ghost, value
            if self.first is None:
                self.first = ghost
            return ghost
        if kind is list or kind is tuple:
            shown = [self.show(item) for item in value]
            return value if all(map(_same, shown, value)) else kind(shown)
        if kind is dict:
            return {name: self.show(item) for name, item in value.items()}
        if kind is np.ndarray:
            _refuse_objects(value)
        elif not (isinstance(value, _PLAIN) or (isinstance(value, type) and issubclass(value, _NUMBERS))):
            raise NotRecorded
        return value

    def give_back(self, result):
        """A result of the rules, with the arrays that the ghosts stand for."""
        if type(result) is ndarray:
            known = self.originals.get(id(result))
            if known is not None:
                return known[1]
            recipe = self.ghosts.get(result.storage)
            return result if recipe is None else like(result, recipe.storage())
        if isinstance(result, tuple):
            items = [self.give_back(item) for item in result]
            return type(result)._make(items) if hasattr(result, "_make") else tuple(items)
        if type(result) is list:
            return [self.give_back(item) for item in result]
        return result

    def recipes(self, written):
        """The Recipes of the Storages that have been written, each once."""
        return list(dict.fromkeys([self.ghosts[storage] for storage in written if storage in self.ghosts]))


def _same(a, b):
    return a is b


def _fresh(result, seen):
    """The arrays in a result that have been born, with their places."""
    return [
        (place, array) for place, array in enumerate(flat(result))
        if type(array) is ndarray and is_fake(array) and array.storage not in seen.ghosts
    ]


def _has_objects(fresh):
    return any([array.dtype.hasobject or array.dtype.kind == "T" for _, array in fresh])


def _nbytes(fresh):
    return sum([array.nbytes for _, array in fresh])


# ---- what is held of the arguments ------------------------------------------------------------------------------------


class _Held:
    """Arguments as they are now, for later."""

    __slots__ = ("seen", "versions")

    def __init__(self, seen):
        self.seen = seen
        self.versions = {}  # Versions that are read, in order

    def hold(self, value):
        kind = type(value)
        if kind is ndarray:
            recipe = recipe_of(value)
            if recipe is None:
                return _captured(value)
            self.versions[recipe.latest] = None
            return Reference(recipe.latest, self.seen.show(value))
        if kind is np.ndarray:
            return _captured(asarray(value))
        if kind is list or kind is tuple:
            return kind([self.hold(item) for item in value])
        if kind is dict:
            return {name: self.hold(item) for name, item in value.items()}
        return value


def _refuse_objects(x):
    if x.dtype.hasobject or x.dtype.kind == "T":
        raise NotRecorded


def _captured(x):
    """A copy of a real array that lies just as it does; or it is not recorded: a sum of what lies otherwise can have
    other last bits."""
    token = innermost.set(None)
    try:
        copy = x.lazy_clone()
    finally:
        innermost.reset(token)
    if any([a != b for a, b, length in zip(copy.strides, x.strides, x.shape, strict=True) if length > 1]):
        raise NotRecorded
    copy.flags.writeable = x.flags.writeable
    return copy
