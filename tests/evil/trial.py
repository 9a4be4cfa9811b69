"""One trial: a call, user code in the middle of it, and what must hold afterwards.

- Nobody crashes; no error is lost, and none comes from nowhere.
- Every array in reach is whole: it lies in its Storage, and all that reads it reads the same.
- What has a copy is not written to: lazy copies, snapshots, what an array was imported from.
- The user's own memory stays the user's: nobody writes to it or closes it, and what the user writes there later
  reaches no copy.
- What is a view without user code is a view with it, unless that made another array of x.
- No byte is seen that nobody has written.
- Pins and shares end with those that hold them.
- Whether bytes are shared changes nothing that can be seen.
"""

import contextlib
import contextvars
import gc
import re
import sys
from typing import NamedTuple

import numpy as np
from support.forms import forms_of

import cowarray as ca
from evil.ambient import AMBIENT
from evil.cases import CASES
from evil.deeds import DEEDS, DROPPING, OF_NO_ARRAY, REBINDING
from evil.hooks import HOOKS, STRANGE, Unfit
from evil.world import EvilWorld, arrays_in, content


class Key(NamedTuple):
    """Which trial. Slot: the argument's place, -1 for user code that needs none. At: which firing, -1 for every one."""

    source: str
    form: int
    slot: int
    hook: str
    deed: str
    at: int
    state: str


class Told(NamedTuple):
    """What a trial showed.

    Attributes
    ----------
    count, fired : int
        How often user code was asked, and did its deed.
    error : str
        The exception's name, or nothing.
    digest : object
        Values of the results and of x, to be compared between states.
    views : tuple of bool
        Which results had the Storage of x.
    wrote_own : bool
        Whether the call wrote to the user's own arrays, as it was asked to.
    found : list of (kind, detail)
    """

    count: int
    fired: int
    error: str
    digest: object
    views: tuple
    wrote_own: bool
    found: list


UNRAISABLE = []


def watch_unraisable():
    def told(args):
        if args.exc_type is not KeyboardInterrupt:
            UNRAISABLE.append(f"{args.exc_type.__name__}: {args.exc_value} in {str(args.object)[:80]}")

    sys.unraisablehook = told


def in_a_context(function):
    """Run it in a context of its own, in which NumPy's variables have values.

    Without, the end of an `errstate` deletes the variable. If the collector runs in there and its callback asks for the
    variable, CPython 3.11 keeps the deleted value, and gives it to who asks next.
    """

    def inside():
        with np.errstate(), np.printoptions():
            return function()

    return contextvars.copy_context().run(inside)


def run_numpys(key):
    """What NumPy does in the same call of arrays of its own, without a deed for arrays: kinds of what was found."""
    if key.deed not in OF_NO_ARRAY:
        key = key._replace(deed="nothing")
    return in_a_context(Trial(key, None).run_numpys)


def run(key, control=None):
    """Told; None where the hook does not pass for what the call has in its place."""
    return in_a_context(Trial(key, control).run)


def fitting(source, form):
    """For each slot of a call, the hooks that pass for what it has there."""
    world, found = EvilWorld("integers", DEEDS["nothing"]), []
    for code in forms_of(source)[form].slots:
        found.append([])
        try:
            given = eval(code, world.names)
        except REFUSALS:
            continue
        for name, make in HOOKS.items():
            with contextlib.suppress(Unfit):
                make(world, given)
                found[-1].append(name)
    return found


class Trial:
    def __init__(self, key, control):
        self.key, self.control, self.found = key, control, []
        self.case, self.form = CASES[key.source], forms_of(key.source)[key.form]

    def run(self):
        UNRAISABLE.clear()
        self.world = world = EvilWorld(self.key.state, DEEDS[self.key.deed], None if self.key.at < 0 else self.key.at)
        self.ambient = AMBIENT[self.key.hook](world) if self.key.slot < 0 else None
        if not self.prepare():
            return None
        world.again = lambda: (exec if self.form.is_statement else eval)(self.form.code, dict(world.names))
        error, result = self.call()
        results = [array for array in arrays_in(result, (ca.ndarray, np.ndarray)) if array is not np.ma.masked]
        world.armed = True
        if self.ambient is not None:
            self.ambient.after(results)
        world.names.pop("x", None)
        if self.ambient is not None and self.ambient.ends:
            result = None
            results.clear()
        world.armed = False
        ours = [array for array in results if type(array) is ca.ndarray and array is not world.x]
        theirs = [array for array in results if type(array) is not ca.ndarray]
        del results
        told = self.judge(error, result, ours, theirs)
        del result, ours, theirs
        self.judge_end(error if self.key.slot >= 0 else "")
        for text in (*world.problems, *UNRAISABLE):
            self.find("lost error", text)
        return told._replace(count=world.count, fired=world.fired, found=self.found)

    def run_numpys(self):
        UNRAISABLE.clear()
        at = None if self.key.at < 0 else self.key.at
        self.world = world = EvilWorld(self.key.state, DEEDS[self.key.deed], at, numpys=True)
        self.ambient = AMBIENT[self.key.hook](world) if self.key.slot < 0 else None
        if self.key.hook == "the end of foreign bytes":
            self.ambient.prepare = lambda: None
        if not self.prepare():
            return []
        error, result = self.call()
        self.check_own()
        del error
        for array in (world.x, *arrays_in(result, np.ndarray)):
            if not array.dtype.hasobject and any(fill in array.tobytes() for fill in POISON):
                self.find("unwritten bytes", "")
        if UNRAISABLE or world.problems:
            self.find("lost error", "")
        del result, array
        x, world.x = world.x, None
        world.drop()
        self.ambient = None
        for each in (world.witnesses, world.owns, world.exports, world.watched):
            each.clear()
        gc.collect()
        if sys.getrefcount(x) > 2:
            self.find("held", "")
        return self.found

    def prepare(self):
        """Give the call its arguments; whether the hook passes for what there was."""
        world = self.world
        try:
            if self.ambient is not None:
                self.ambient.prepare()
            given = [eval(code, world.names) for code in self.form.slots]
            if self.ambient is None:
                make = HOOKS.get(self.key.hook) or STRANGE[self.key.hook]
                given[self.key.slot] = make(world, given[self.key.slot])
        except (Unfit, IndexError, *REFUSALS):
            return False
        world.names.update((f"slot_{at}", value) for at, value in enumerate(given))
        return True

    def call(self):
        world = self.world
        around = self.ambient.around() if self.ambient is not None else Nowhere()
        error, result = None, None
        with around:
            world.armed = True
            try:
                if self.form.is_statement:
                    exec(self.form.code, world.names)
                else:
                    result = eval(self.form.code, world.names)
            except BaseException as caught:
                error = caught.with_traceback(None)
            finally:
                world.armed = False
        name = type(error).__name__ if error is not None else ""
        if isinstance(error, SystemError):
            self.find("system error", str(error))
        if error is not None:
            error.__context__ = error.__cause__ = None
        return name, result

    def find(self, kind, detail):
        self.found.append((kind, str(detail)[:200]))

    # ---- what must hold ----------------------------------------------------------------------------------------------

    def judge(self, error, result, ours, theirs):
        world, key = self.world, self.key
        everyone = self.everyone(ours)
        unset = "unset" in self.case.tags
        try:
            whole = all(self.check_whole(label, array) for label, array in everyone)
            digest = (error, digest_of(result, unset), digest_of(world.x) if world.x is not None else None)
        except Exception as failure:
            self.find("not whole", f"looking at it: {type(failure).__name__}: {failure}")
            whole, digest = False, None
        x = world.x
        views = () if x is None or not whole else tuple(array.storage is x.storage for array in ours)
        wrote_own = self.check_own()
        if whole:
            self.check_witnesses("")
            if not unset:
                self.check_poison(everyone)
            if self.control is not None and not error and key.deed not in REBINDING | DROPPING:
                self.check_views(views)
            try:
                self.check_writes(everyone, theirs)
            except Exception as failure:
                self.find("not whole", f"writing to it: {type(failure).__name__}: {failure}")
            self.check_extents(everyone)
        return Told(0, 0, error, digest, views, wrote_own, [])

    def everyone(self, ours):
        world = self.world
        found = [("x", world.x)] if world.x is not None else []
        found += [(f"base {at}", array) for at, array in enumerate(world.reach)]
        found += [("y", world.y)] if world.y is not None else []
        found += [(f"companion {at}", array) for at, array in enumerate(world.companions)]
        known = {id(array) for _, array in found}
        return found + [(f"result {at}", array) for at, array in enumerate(ours) if id(array) not in known]

    def check_whole(self, label, array):
        """It lies in its Storage, as far as can be told without writing, and all doors show the same."""
        low, high = extent(array)
        if array.size and high - low > array.storage.nbytes:
            self.find("outside", f"{label}: {high - low} bytes on {array.storage.nbytes}")
            return False
        shape, dtype = array.shape, array.dtype
        seen = {
            "np.asarray": np.asarray(array),
            "copy": array.copy(order="K"),
            "view": array.view(),
            "T.T": array.T.T,
            "[...]": array[...],
        }
        if dtype.kind in "biufc" and dtype.isnative:
            seen["+"] = np.positive(array) if dtype.kind != "b" else array | array
        for name, found in seen.items():
            if found.shape != shape or found.dtype != dtype:
                self.find("torn", f"{label}: {shape} {dtype} is {found.shape} {found.dtype} by {name}")
                return False
        before = content(array)
        for name, found in seen.items():
            if content(found) != before and dtype.kind != "V":
                self.find("torn", f"{label}: other values by {name}")
                return False
        if not dtype.hasobject and len(before[2]) != array.nbytes:
            self.find("torn", f"{label}: {len(before[2])} bytes for {array.nbytes}")
            return False
        if dtype.kind == "U" or (array.size <= 1000 and (label == "x" or label.startswith("result"))):
            array.tolist()
        return True

    def check_witnesses(self, when, skip=None):
        for label, array, before in self.world.witnesses:
            if array is not skip and content(array) != before:
                self.find("written", f"{label} has changed {when}".strip())

    def check_own(self):
        """The user's own arrays; whether the call has written to them, which it may have been asked to."""
        wrote = False
        for array, before, writeable in self.world.owns:
            if writeable and not array.flags.writeable:
                self.find("closed", "the user's own array is read-only now")
            if content(array) != before:
                wrote = True
        if wrote and not self.is_written() and not (self.control is not None and self.control.wrote_own):
            self.find("written", "the user's own array")
        return wrote

    def is_written(self):
        """Whether the call was given the user's array to write to."""
        if self.key.slot < 0:
            return False
        label = self.form.labels[self.key.slot]
        if label in WRITTEN or (self.case.writes and label.partition(".")[0] == self.case.writes):
            return True
        return not self.key.slot and (self.case.writes or re.search(WRITING, self.key.source))

    def check_views(self, views):
        """What is a view without user code is a view with it."""
        if not self.control.error and len(views) == len(self.control.views):
            for at, (was, now) in enumerate(zip(self.control.views, views, strict=True)):
                if was != now:
                    self.find("lost view" if was else "new view", f"result {at}")

    def check_poison(self, everyone):
        """No bytes that malloc or free has put there."""
        for label, array in everyone:
            if not array.dtype.hasobject and array.nbytes >= 8:
                seen = array.tobytes()
                if any(fill in seen for fill in POISON):
                    self.find("unwritten bytes", label)

    def check_writes(self, everyone, theirs):
        """A write is seen by what aliases, and by nobody else."""
        world = self.world
        order = everyone if len(self.key.deed) % 2 else everyone[::-1]
        for label, array in order:
            if not array.flags.writeable or not array.size:
                continue
            others = [(name, other, content(other)) for name, other in everyone if other.storage is not array.storage]
            owns = [(own, content(own)) for own, _, _ in world.owns]
            poke(array)
            for name, other, before in others:
                if content(other) != before:
                    self.find("shared", f"a write to {label} is seen by {name}")
            self.check_witnesses(f"by a write to {label}", array)
            if any(content(own) != before for own, before in owns):
                self.find("shared", f"a write to {label} is seen by the user's own array")
        if "trusts" in self.case.tags or self.key.source.startswith("cowarray.from"):
            return
        copies = [(f"a copy of {label}", array.copy()) for label, array in everyone]
        before = [content(array) for _, array in copies]
        for own in [own for own, _, _ in world.owns]:
            if own.flags.writeable and own.size:
                poke(own)
        for (label, array), was in zip(copies, before, strict=True):
            if content(array) != was:
                self.find("shared", f"a write to the user's own array is seen by {label}")
        self.check_witnesses("by a write to the user's own array")
        for export in world.exports:
            if export.flags.writeable and export.size:
                poke(export)
        self.check_witnesses("by a write to an export")

    def check_extents(self, everyone):
        """To the byte; this makes bytes of their own for all, so it comes last."""
        for label, array in everyone:
            if array.size and not array.dtype.hasobject:
                low, high = extent(array)
                start = array.ctypes.data - array.storage.data_ptr
                if start + low < 0 or start + high > array.storage.nbytes:
                    self.find("outside", f"{label}: bytes {start + low} to {start + high} of {array.storage.nbytes}")

    def judge_end(self, error):
        """Once everybody else is gone, x is nobody's but its own.

        Not after an error of arguments: of a reduction whose override raises, NumPy loses a reference to each.
        """
        world = self.world
        x = world.x
        world.drop()
        self.ambient = None
        for each in (world.witnesses, world.owns, world.exports, world.watched):
            each.clear()
        gc.collect()
        world.armed = False
        if x is None or x.dtype.hasobject or error:
            return
        told = ca.explain(x)
        if told.pinned:
            self.find("held", "x is still pinned")
        elif told.shares != 1 and not told.foreign:
            self.find("held", f"x still has {told.shares} shares")


REFUSALS = (TypeError, ValueError, AttributeError, KeyError, OverflowError, ZeroDivisionError, StopIteration, OSError)
REFUSALS += (np.linalg.LinAlgError, RuntimeError, BufferError, NotImplementedError, MemoryError, KeyboardInterrupt)
WRITTEN = ("out", "dst", "a", "arr")
WRITING = "copyto|fill_diagonal|put|place|median|percentile|quantile|shuffle|nan_to_num|fill_fields|assign_fields"
POISON = (b"\xa5" * 8, b"\x5a" * 8)


class Nowhere:
    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


def extent(array):
    """Bytes from the first element that the elements lie in."""
    low = sum(min(0, (length - 1) * stride) for length, stride in zip(array.shape, array.strides, strict=True))
    high = sum(max(0, (length - 1) * stride) for length, stride in zip(array.shape, array.strides, strict=True))
    return low, high + array.itemsize


def digest_of(value, unset=False, depth=0):
    """A value as something to compare between worlds: of arrays that may be unset, shape and dtype."""
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array"
    if isinstance(value, (ca.ndarray, np.ndarray)):
        if unset or value.dtype.hasobject:
            return value.shape, value.dtype.str
        is_padded = value.dtype.char in "gG"  # with bytes that nobody writes
        return value.shape, value.dtype.str, repr(value.tolist()) if is_padded else value.tobytes()
    if isinstance(value, (tuple, list)) and depth < 4:
        return tuple(digest_of(item, unset, depth + 1) for item in value)  # which the collector need not look at
    if isinstance(value, (bool, float, bytes, type(None), np.generic)) or (type(value) is int and abs(value) < 2**40):
        return repr(value)
    return type(value).__name__


def poke(array):
    """Write something else into every element."""
    kind = array.dtype.kind
    if kind == "b":
        array[...] = ~np.array(array)
    elif kind in "iufc":
        array[...] = np.where(np.array(array) == 77, 78, 77).astype(array.dtype)
    elif kind in "mM":
        array[...] = np.array(77).astype(array.dtype)
    elif kind in "SUT":
        array[...] = "!"
    elif kind == "O":
        array[...] = None
        array[...] = object()
