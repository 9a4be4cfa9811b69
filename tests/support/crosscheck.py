"""Does operations both ways, on arrays with bytes and by the rules on fakes that are like them, and compares.

Anything that runs operations can run under it: `CrossCheck` is registered as the road's interceptor, so it has each
operation first. What the rule forecasts must be what came: shape, dtype, strides, flag, who aliases whom, and the class
of an error. A refusal is no difference; a wrong forecast is.
"""

import collections
import contextlib
import threading
from typing import NamedTuple

import numpy as np

import cowarray
from cowarray._modes.common import blocks
from cowarray._modes.common.dispatching import dispatch
from cowarray._modes.fake import calls, fakes, passing  # noqa: F401 (passing: operations on fakes)
from cowarray._modes.fake.refusals import FakeError
from cowarray._ops.operands import register, watch_births

EXACT, REFUSED, DIFFERENT, UNTOLD = "exact", "refused", "different", "untold"

# What only a value can tell: an operation may raise these although its rule gave an array.
ERRORS_OF_VALUES = (np.linalg.LinAlgError, FloatingPointError, ZeroDivisionError, OverflowError, Warning, MemoryError)


SAID_OF_VALUES = (
    "negative integer powers",
    "substring not found",
    "All-NaN",
    "Weights included NaN",
    "must increase monotonically",
    "Cannot insert from an empty array",
    "Too many bins for data range",
    "fweights must be integer",
    "weights cannot be negative",
    "Sorter index out of range",
)

# What they give of numbers, or of NumPy's arrays, is a view.
MAY_STAY_REAL = frozenset({"broadcast_arrays", "broadcast_to", "asarray"})


class Outcome(NamedTuple):
    """How one operation was forecast."""

    operation: str
    verdict: str
    reason: str  # of a refusal or a difference


class CrossCheck:
    """What compares, and counts what it has compared.

    Attributes
    ----------
    outcomes : list of Outcome
        In the order in which operations came, or None if they are only counted.
    counts : Counter
        By operation and verdict.
    differences : dict
        By operation and reason, how many.
    refusals : dict
        The same.
    """

    def __init__(self, keep=True):
        self.outcomes = [] if keep else None
        self.counts = collections.Counter()
        self.differences = collections.Counter()
        self.refusals = collections.Counter()
        self._inside = threading.local()

    @contextlib.contextmanager
    def watching(self):
        """Compare what is done in this block."""
        before = register(self.travel)
        watch_births(1)
        try:
            yield self
        finally:
            watch_births(-1)
            register(before)

    @contextlib.contextmanager
    def resting(self):
        """Compare nothing in this block, in this thread."""
        inside = getattr(self._inside, "on", False)
        self._inside.on = True
        try:
            yield
        finally:
            self._inside.on = inside

    def travel(self, operation, function, args, kwargs):
        """Do an operation, and compare it with what its rule says."""
        if getattr(self._inside, "on", False):
            return dispatch(operation, function, args, kwargs)
        with self.resting():
            if blocks.current() is not None or not comparable([args, kwargs]):
                return dispatch(operation, function, args, kwargs)
            twins = Twins(args, kwargs)
            forecast = twins.forecast(operation, function)
            came, error = None, None
            try:
                came = function(*args, **kwargs)
            except Exception as raised:
                error = raised
            self.note(operation, *twins.judge(forecast, came, error, args, kwargs))
        if error is not None:
            raise error
        return came

    def note(self, operation, verdict, reason=""):
        self.counts[operation, verdict] += 1
        if verdict == DIFFERENT:
            self.differences[operation, reason] += 1
        if verdict == REFUSED:
            self.refusals[operation, reason] += 1
        if self.outcomes is not None:
            self.outcomes.append(Outcome(operation, verdict, reason))

    def total(self, verdict):
        return sum([count for (_, which), count in self.counts.items() if which == verdict])


def comparable(values, depth=0):
    """Whether arguments can be given twice: fakes among them, and what is used up, cannot."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, (list, tuple, dict)):
            if depth < 8 and not comparable(value, depth + 1):
                return False
        elif hasattr(value, "__next__") or hasattr(value, "read") or cowarray.is_fake(value):
            return False
    return True


class Twins:
    """The arguments of an operation with fakes in the places of arrays."""

    def __init__(self, args, kwargs):
        self.ledger = fakes.Ledger()
        self.origin = self.ledger.here()
        self.known = {}
        self.of = {}  # by the array's id, the array and its twin
        self.has_foreign = False
        self.args = self.twin(args)
        self.kwargs = self.twin(kwargs)

    def twin(self, value):
        if isinstance(value, cowarray.ndarray):
            if id(value) not in self.of:
                made = fakes.twin(value, self.origin, self.known)
                self.of[id(value)] = (value, cowarray.array_api.asarray(made) if is_standard(value) else made)
            return self.of[id(value)][1]
        self.has_foreign |= isinstance(value, np.ndarray)
        if type(value) in (list, tuple):
            return type(value)([self.twin(item) for item in value])
        if type(value) is dict:
            return {key: self.twin(item) for key, item in value.items()}
        return value

    def forecast(self, operation, function):
        """(what the rule gives, the error it raises)."""
        self.operation = operation
        self.function = getattr(function, "function", None)
        call = operation, function, self.args, self.kwargs
        try:
            return blocks.call_in(calls.Block(self.ledger, 0), dispatch, call, {}), None
        except Exception as error:
            return None, error

    def judge(self, forecast, came, error, args, kwargs):
        given, refusal = forecast
        if isinstance(refusal, FakeError):
            return REFUSED, refusal.reason
        values = isinstance(error, IndexError) and "out of bounds" in str(error) and self.of
        if any(real.dtype.hasobject for real, _ in self.of.values()) and (refusal is None) != (error is None):
            return UNTOLD, f"{type(error).__name__}: {error}"
        values = values or any(words in str(error) for words in SAID_OF_VALUES)
        is_draw = isinstance(getattr(self.function, "__self__", None), (np.random.Generator, np.random.RandomState))
        values = values or (is_draw and isinstance(error, ValueError))  # of the parameters
        if (values or isinstance(error, ERRORS_OF_VALUES)) and refusal is None:
            return UNTOLD, f"{type(error).__name__}: {error}"
        if error is not None or refusal is not None:
            if type(error) is type(refusal) or (
                isinstance(error, (TypeError, ValueError))
                and error is not None
                and refusal is not None
                and (isinstance(refusal, type(error)) or isinstance(error, type(refusal)))
            ):
                return EXACT, ""
            return DIFFERENT, f"came {error!r}, forecast {refusal!r}" + ("" if refusal is not None else f" {given!r}")
        problems = list(self.differ(given, came))
        for real, fake in list(self.of.values()):
            problems += [f"argument: {each}" for each in self.differ(fake, real)]
        return (DIFFERENT, "; ".join(map(str, problems[:3]))) if problems else (EXACT, "")

    def differ(self, fake, real, depth=0):
        """What is not alike in a result."""
        if cowarray.is_fake(fake) and fake.dtype == object and fake.shape == ():
            return  # an element, of whatever type
        if isinstance(real, cowarray.ndarray):
            if not isinstance(fake, cowarray.ndarray):
                yield f"array came, forecast {type(fake).__name__}"
                return
            if is_standard(real) != is_standard(fake):
                yield f"standard {is_standard(real)}, forecast {is_standard(fake)}"
            yield from differ_in_layout(fake, real, strides=not self.has_foreign)
            if self.has_foreign:
                return  # NumPy's arrays are shared with, where that is safe: a matter of imports
            if fake.flags.writeable != real.flags.writeable:
                yield f"writeable {real.flags.writeable}, forecast {fake.flags.writeable}"
            if not cowarray.is_fake(fake) and self.of and self.operation not in MAY_STAY_REAL:
                yield "forecast has bytes"
            for other, twin in self.of.values():
                if (fake is twin) != (real is other):
                    yield f"is an argument {real is other}, forecast {fake is twin}"
                elif (fake.storage is twin.storage) != (real.storage is other.storage):
                    forecast = fake.storage is twin.storage
                    yield f"view of an argument {real.storage is other.storage}, forecast {forecast}"
        elif isinstance(real, np.generic) or (
            type(real) in (int, float, complex, bool, str) and cowarray.is_fake(fake)
        ):
            if not cowarray.is_fake(fake):
                if type(fake) is not type(real):
                    yield f"{type(real).__name__} came, forecast {type(fake).__name__} {fake!r}"
                elif not (fake == real or fake != fake):
                    yield f"{real!r} came, forecast {fake!r}"
                return
            if fake.dtype == object and fake.shape == ():
                return
            if fake.dtype.kind in "SUT" and isinstance(real, (str, bytes)) and fake.shape == ():
                return  # as long as it is
            its = np.asarray(real).dtype
            if not isinstance(real, np.generic) and fake.dtype.kind == its.kind:
                its = fake.dtype  # Python's number says no more
            if fake.shape != () or not same_dtype(fake.dtype, its):
                yield f"scalar of {its} came, forecast {fake.shape} {fake.dtype}"
        elif isinstance(real, (tuple, list)):
            if type(fake) is not type(real) or len(fake) != len(real):
                yield f"{type(real).__name__} of {len(real)} came, forecast {fake!r}"
                return
            for one, other in zip(fake, real, strict=True):
                yield from self.differ(one, other, depth + 1)
        elif isinstance(real, np.ndarray):
            if cowarray.is_fake(fake):
                yield from differ_in_layout(fake, real)
            elif type(fake) is not type(real) or fake.shape != real.shape or not same_dtype(fake.dtype, real.dtype):
                yield f"{type(real).__name__} came, forecast {type(fake).__name__}"
        elif type(fake) is not type(real):
            yield f"{type(real).__name__} came, forecast {type(fake).__name__} {fake!r}"
        elif isinstance(real, (int, float, complex, str, bytes, np.dtype)) and not (fake == real or fake != fake):
            yield f"{real!r} came, forecast {fake!r}"


def is_standard(x):
    return fakes.is_standard((x,))


def same_dtype(one, other):
    return one == other  # which tells byte orders apart, but not "=" from the sign of the machine's own


def differ_in_layout(fake, real, strides=True):
    if fake.shape != real.shape:
        yield f"shape {real.shape}, forecast {fake.shape}"
        return
    if real.shape == () and real.dtype.kind in "SU" and fake.dtype.kind == real.dtype.kind:
        return  # a text has the length that it has
    if not same_dtype(fake.dtype, real.dtype):
        yield f"dtype {real.dtype}, forecast {fake.dtype}"
        return
    if real.size and strides and real.strides != fake.strides:
        yield f"strides {real.strides} of {real.shape}, forecast {fake.strides}"
