"""What one trial happens in: the array under attack, who else is there, and what they must be afterwards."""

import copy
import io
import operator
import os
import pickle
import tempfile
import types

import numpy as np
from support.calls import RECORDS
from support.oracle import native
from support.prepared import archive, inside, like, refused, saved

import cowarray as ca
from evil.deeds import is_export
from evil.states import STATES

FOLDER = tempfile.gettempdir()
# NumPy with the names of ours: it is the standard's namespace as well.
NUMPYS = types.SimpleNamespace(**{name: getattr(np, name) for name in np.__all__}, array_api=np)


def content(array):
    """All that can be read of an array, to be compared with what is read of the same array later."""
    if type(array) is memoryview:
        return array.tobytes()
    if array.dtype.hasobject:
        if array.dtype.char == "T":
            return array.shape, array.tolist()
        values = array.__array__(copy=True) if type(array) is ca.ndarray else np.array(array)
        return array.shape, identities(values.reshape(-1).tolist())
    return array.shape, array.dtype.str, array.tobytes()


def identities(items):
    """Which objects they are; numbers of fields are new ones each time."""
    return [
        identities(item) if isinstance(item, (list, tuple)) else item if type(item) in (int, float) else id(item)
        for item in items
    ]


def arrays_in(value, kinds, depth=0):
    """The arrays in what a call gave, or was given."""
    if isinstance(value, kinds):
        yield value
    elif isinstance(value, (tuple, list)) and depth < 4:
        for item in list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value):
            yield from arrays_in(item, kinds, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays_in(item, kinds, depth + 1)


def bases(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
        yield array


class EvilWorld:
    """Everything that a trial has.

    Attributes
    ----------
    x : ndarray or None
        The array under attack; None once it is dropped.
    names : dict
        What the call sees; it may name more while another thread looks through a copy.
    reach : list of ndarray
        Others that alias x.
    witnesses : list of (label, array, content)
        They must never change.
    owns : list of [array, content, writeable]
        NumPy arrays of the user's own: nobody of ours writes to them, or closes them.
    exports : list of numpy.ndarray
        They alias x, to write.
    count, fired : int
        How often user code has been asked, and how often it has done its deed.
    problems : list of str
    """

    def __init__(self, state, deed, at=None, numpys=False):
        self.state, self.deed, self.at = state, deed, at
        self.reach, self.companions, self.witnesses, self.owns, self.exports = [], [], [], [], []
        self.watched, self.handed, self.problems = [], (), []
        self.count = self.fired = 0
        self.armed = self.busy = False
        self.again = lambda: None
        self.times_again = 0
        self.x = STATES[state](self)
        self.y = ca.array(np.array(self.x))  # which shares nothing with x
        self.witness("a copy of y", self.y.copy())
        self.numpys = numpys
        if numpys:
            self.x, self.y = np.array(self.x), np.array(self.y)
        self.names = {
            "np": np,
            "rf": np.lib.recfunctions,
            "cowarray": NUMPYS if numpys else ca,
            "copy": copy,
            "io": io,
            "operator": operator,
            "pickle": pickle,
            "R": RECORDS,
            "A": self.companion,
            "FILE": tempfile.TemporaryFile,
            "TEXT": lambda: io.BytesIO(b"1 2 3"),
            "PATH": self.path,
            "like": like,
            "inside": inside,
            "refused": refused,
            "saved": saved,
            "archive": archive,
            "x": self.x,
            "y": self.y,
        }
        self.tools = frozenset(self.names) - {"x", "y"}

    def companion(self, values, dtype=None):
        made = np.array(native(values), dtype=dtype)
        if not self.numpys:
            made = ca.array(made)
            self.companions.append(made)
        return made

    def path(self, array):
        name = os.path.join(FOLDER, f"evil-{os.getpid()}.npy")
        ca.save(name, array)
        return name

    # ---- who is there ------------------------------------------------------------------------------------------------

    def witness(self, label, array):
        self.witnesses.append((label, array, content(array)))

    def own(self, array):
        """A NumPy array that user code made, or was given by NumPy to keep."""
        if is_export(array):
            self.exports.append(array)
        else:
            self.owns.append([array, content(array), array.flags.writeable])
        return array

    def targets(self):
        """Every array of ours that user code can get at."""
        slots = [value for name, value in self.names.copy().items() if name.startswith("slot_")]
        found = {}
        for array in (self.x, *self.reach, self.y, *self.companions, *arrays_in(slots, ca.ndarray)):
            if array is not None:
                found.setdefault(id(array), array)
        return list(found.values())

    def exchange(self, x):
        """Another x, before the call."""
        self.x = self.names["x"] = x

    def drop(self):
        self.x = self.y = None
        self.reach.clear()
        self.companions.clear()
        for name in [name for name in self.names.copy() if name not in self.tools]:
            self.names.pop(name, None)

    def forget_witnesses(self):
        self.witnesses.clear()
        self.y = None
        self.names.pop("y", None)

    # ---- user code runs ----------------------------------------------------------------------------------------------

    def disarmed(self, function, *args):
        armed, self.armed = self.armed, False
        try:
            return function(*args)
        finally:
            self.armed = armed

    def fire(self, *handed):
        """User code runs, and does its deed when its time has come."""
        if not self.armed or self.busy:
            return
        self.count += 1
        if self.at is not None and self.count != self.at + 1:
            return
        self.busy = True
        self.fired += 1
        self.handed = handed
        try:
            self.deed(self)
        except (KeyboardInterrupt, RecursionError):
            raise
        except Exception as error:
            self.problems.append(f"a deed failed: {type(error).__name__}: {error}")
        finally:
            self.handed = ()
            for own in self.owns:
                own[1:] = content(own[0]), own[0].flags.writeable
            self.busy = False

    def handed_arrays(self):
        """NumPy's arrays that user code was handed. (In frames of NumPy's functions it could find more, by itself.)"""
        found = {id(array): array for array in arrays_in(self.handed, np.ndarray)}
        for array in [*found.values()]:
            if array.dtype == object and array.size <= 64:
                found.update((id(item), item) for item in array.reshape(-1).tolist() if isinstance(item, np.ndarray))
            for base in bases(array):
                found[id(base)] = base
        mine = {id(array) for array, _, _ in self.owns} | {id(array) for array in self.exports}
        return [array for array in found.values() if not mine.intersection(map(id, (array, *bases(array))))]
