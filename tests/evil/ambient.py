"""User code that needs no place in a call: what Python, NumPy and other threads run in the middle of any.

Each is a context in which the call runs; `prepare` may first give the call another x.
"""

import contextlib
import gc
import sys
import threading
import warnings
import weakref

import numpy as np

import cowarray as ca
from evil.hooks import Element


class Ambient:
    """Does nothing; the others override what they need.

    Attributes
    ----------
    bound : int
        So many firings are tried one by one.
    is_steady : bool
        Whether user code comes at the same points in every state.
    ends : bool
        Whether what the call gave ends at once.
    steps : int
        Ways to count firings.
    """

    bound = 3
    steps = 1
    is_steady = False
    ends = False

    def __init__(self, world):
        self.world = world

    def prepare(self):
        """Before the call: x may be exchanged."""

    @contextlib.contextmanager
    def around(self):
        yield

    def after(self, results):
        """With what the call gave, while the world still has it."""


class Collector(Ambient):
    """Python's collector runs at every allocation that can start it (before 3.12 in the middle of C code, too)."""

    def __init__(self, world):
        super().__init__(world)
        self.is_odd = bool(world.at and world.at % 2)
        if world.at is not None:
            world.at //= 2

    bound = 24
    steps = 2  # the lowest threshold is every other allocation: these, or those between

    @contextlib.contextmanager
    def around(self):
        def called(phase, info):
            if phase == "start":
                self.world.fire()

        before = gc.get_threshold()
        gc.collect()
        gc.callbacks.append(called)
        spare = [[]] if self.is_odd else None  # noqa: F841 - counts as an allocation
        gc.set_threshold(1)
        try:
            yield
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(called)


class Garbage(Ambient):
    """A cycle with a finalizer, in reach of every collection."""

    bound = 6

    @contextlib.contextmanager
    def around(self):
        def make():
            class Finalized:
                def __del__(this):
                    self.world.fire()
                    if self.running:
                        make()

            one = Finalized()
            one.itself = one

        self.running = True
        before = gc.get_threshold()
        make()
        gc.set_threshold(1)
        try:
            yield
        finally:
            self.running = False
            gc.set_threshold(*before)


class Floats(Ambient):
    """errstate(call=...)."""

    is_steady = True

    @contextlib.contextmanager
    def around(self):
        with np.errstate(all="call", call=lambda kind, flag: self.world.fire()):
            yield


class Warned(Ambient):
    """warnings.showwarning."""

    is_steady = True

    @contextlib.contextmanager
    def around(self):
        with np.errstate(all="warn"), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda *args, **kwargs: self.world.fire()
            yield


class Printing(Ambient):
    """Functions of the user's that print arrays and their elements."""

    is_steady = True

    @contextlib.contextmanager
    def around(self):
        def formatted(value):
            self.world.fire(value)
            return "v"

        with np.printoptions(formatter={"all": formatted}):
            yield


class PrintingAll(Ambient):
    is_steady = True

    @contextlib.contextmanager
    def around(self):
        def printed(array):
            self.world.fire(array)
            return "array"

        with np.printoptions(override_repr=printed):
            yield


class Profiled(Ambient):
    """A profiler: at each call that Python code makes, and at its end."""

    bound = 12

    @contextlib.contextmanager
    def around(self):
        def event(frame, kind, argument):
            if "/evil/" not in frame.f_code.co_filename:
                self.world.fire()

        sys.setprofile(event)
        try:
            yield
        finally:
            sys.setprofile(None)


class Traced(Ambient):
    """At each line of Python code, where another thread could come in as well."""

    bound = 12

    @contextlib.contextmanager
    def around(self):
        def trace(frame, kind, argument):
            if "/evil/" in frame.f_code.co_filename:
                return None
            self.world.fire()
            return trace

        sys.settrace(trace)
        try:
            yield
        finally:
            sys.settrace(None)


class Elements(Ambient):
    """x has objects of the user's as elements, which end when they are replaced."""

    is_steady = False

    def prepare(self):
        x = self.world.names["x"]
        if x.dtype != object or x.size > 64 or not x.size:
            return
        values = np.empty(x.shape, object)
        for at, value in np.ndenumerate(x.tolist() if not x.ndim else np.asarray(x)):
            values[at] = Element(self.world, value) if isinstance(value, int) else value
        self.world.disarmed(x.__setitem__, ..., values)


class Owner(bytearray):
    def __del__(self):
        self.world.fire()


class OwnersEnd(Ambient):
    """x is the last one on bytes whose owner has a finalizer."""

    def prepare(self):
        x = self.world.names["x"]
        if not x.size or x.dtype.hasobject or x.dtype.char == "T" or self.world.state not in ("owning", "one", "text"):
            return
        owner = Owner(x.tobytes())
        owner.world = self.world
        made = ca.asarray(np.frombuffer(owner, x.dtype).reshape(x.shape), copy=False)
        del owner
        made.sum() if x.dtype.kind == "f" else None
        self.world.exchange(made)


class ViewsEnd(Ambient):
    """The call is given a view that ends with it; a weak reference to it, and to each result, is told."""

    bound = 2
    ends = True

    def prepare(self):
        view = self.world.x[...]
        self.world.names["x"] = view
        self.watch(view)

    def watch(self, array):
        with contextlib.suppress(Exception):
            str(array)  # it keeps a header from here on
        self.world.watched.append(weakref.ref(array, lambda reference: self.world.fire()))

    def after(self, results):
        for result in results:
            if type(result) is ca.ndarray and result is not self.world.x:
                self.watch(result)


class HeadersEnd(Ambient):
    """The same of NumPy's arrays that show x."""

    bound = 2
    ends = True

    def prepare(self):
        self.kept = [np.asarray(self.world.names["x"])]
        self.watch(self.kept[0])

    def watch(self, array):
        self.world.watched.append(weakref.ref(array, lambda reference: self.world.fire()))

    def after(self, results):
        for result in results:
            if isinstance(result, np.ndarray):
                self.watch(result)
        self.kept.clear()


class Afterwards(Ambient):
    """User code with what the call gave."""

    bound = 1

    def after(self, results):
        self.world.fire(results)


class Thread(Ambient):
    """Another thread, whenever it gets the GIL."""

    bound = 1

    @contextlib.contextmanager
    def around(self):
        stop = threading.Event()

        def run():
            while not stop.is_set() and self.world.count < 20:
                self.world.fire()

        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            sys.setswitchinterval(before)


AMBIENT = {
    "collections": Collector,
    "finalizers": Garbage,
    "errstate": Floats,
    "warnings": Warned,
    "printing elements": Printing,
    "printing arrays": PrintingAll,
    "profiler": Profiled,
    "every line": Traced,
    "elements of x": Elements,
    "the end of foreign bytes": OwnersEnd,
    "the end of views": ViewsEnd,
    "the end of headers": HeadersEnd,
    "afterwards": Afterwards,
    "another thread": Thread,
}
