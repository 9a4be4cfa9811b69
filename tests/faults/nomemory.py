"""Memory that runs out at the n-th allocation of a call, and what must be so afterwards.

A `Sweep` runs one call with its 1st, 2nd, ... n-th allocation refused: CPython's and NumPy's, numbered together by
`extension/refusing.c`, or the library's own blocks, by the tracing allocator. Each time a new `Scene` is made, and is
looked at afterwards. Where something odd comes out, the same call on NumPy's arrays, or on a class that only hands its
array to NumPy, tells whether NumPy does it, too.

Run as a program, it sweeps some cases, each in a process of its own, and prints a line of JSON for each.
"""

import faulthandler
import gc
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
from fault_calls import ONLY_OURS
from scenes import CompiledCall, Scene, frozen
from support.calls import numpys
from support.cases.registry import sources
from support.tracing import TracingAllocator

import cowarray
from cowarray._modes.fake import forecasts

ALL = 400  # allocations of one call that are refused one by one; of the rest, every so many
UNFILLED = re.compile(r"\bempty(_like)?\(|cowarray\.ndarray\(")
BYTES = re.compile(r"\bfrombuffer\(x")  # of objects: addresses
LIMIT = 300  # seconds for one refusal: one that hangs dies
OUR_FILES = ("src/cowarray", str(Path(cowarray.__file__).parent), "<call>")
FREELIST = 256  # arrays that Cython keeps for reuse; 64 Holds, 16 Pins


# ---- the sweep -------------------------------------------------------------------------------------------------------


class Odd(Exception):
    """Something to judge: what it is, and where."""


class Sweep:
    """All refusals of one call on one kind of world.

    Attributes
    ----------
    swallowed : set
        Refused allocations in spite of which nothing was raised.
    classes : set
        Of exceptions.
    odd : dict
        What has to be judged, as its keys.
    """

    def __init__(self, hook, source, state, dtype, kind="ours", emit=lambda what: None):
        self.hook = hook
        self.source, self.state, self.dtype, self.kind = source, state, dtype, kind
        self.emit = emit
        self.total = 0
        self.lost = False  # whether CPython itself loses references at this allocation
        self.swallowed = set()
        self.classes, self.odd = set(), {}

    def say(self, text):
        if self.lost and re.search("leak|references|sharing|then gives", text):
            text += " (not in ours)"
        if text not in self.odd:
            self.odd[text] = None
            self.emit({"odd": text})

    def world(self):
        return Scene(self.state, self.dtype, self.kind)

    def run(self, points, first=1):
        """Refuse at most so many allocations from the first on, spread over all of the call's; 0 for `ALL`."""
        self.call = CompiledCall(self.source, self.kind)
        try:
            for _ in range(2):
                self.total = self.learn()
            for n in chosen(self.total, points):
                if n >= first:
                    self.emit({"n": n})
                    self.refuse(n)
            if self.kind == "ours":
                self.blocks()
        finally:
            self.call.close()
        return self

    def frozen(self, result):
        """`frozen`; of an array that is not filled, or has addresses, nothing but its class."""
        is_any = UNFILLED.search(self.source) or (self.dtype == "object" and BYTES.search(self.source))
        return type(result).__name__ if is_any else frozen(result)

    def learn(self):
        """Run with nothing refused; what it gives, what it leaves, and how many allocations it makes."""
        world = self.world()
        self.before = self.world().look()
        result, error, total, *_ = self.cold(world, lambda function: self.hook.call(function, 0))
        self.error, self.expected = error, self.frozen(result)
        del result
        self.after = world.look()
        return total

    def refuse(self, n):
        """Once; and where memory did not come back, often enough to tell a leak from a cache that has grown."""
        if not self.leaks(n):
            return
        for _ in range(4):
            self.leaks(n)
        lost = False  # what is the n-th allocation moves a little with the caches
        for _ in range(20):
            if not self.leaks(n):
                return
            lost |= self.lost
        self.lost = lost
        self.say(f"{n}: leaks memory")

    def leaks(self, n):
        forget_caches()
        self.hook.mark()
        self.once(n)
        if self.hook.grown() <= 0:
            return False
        forget_caches()
        return self.hook.grown() > 0

    def once(self, n):
        tracing = TracingAllocator()
        with tracing:
            self.inside(n, lambda function: self.hook.call(function, n))
        if self.kind == "ours" and tracing.report()["live_blocks"]:
            gc.collect()
            if tracing.report()["live_blocks"]:
                self.say(f"{n}: {tracing.report()['live_blocks']} blocks leaked")

    def inside(self, n, attempt):
        world = self.world()
        references = world.references()
        result, error, _, *where = self.cold(world, attempt)
        self.lost = self.hook.lost()
        if error is None:
            self.swallowed.add(n)
            if self.frozen(result) != self.expected:
                self.say(f"{n}: succeeds with another result")
        elif error.__name__ not in self.classes:
            self.classes.add(error.__name__)
            self.emit({"classes": [error.__name__]})  # at once: a later refusal may kill the process
        del result
        self.check(n, world, references, error, where)

    def cold(self, world, run):
        """Run the call on a world while Cython and CPython keep nothing for reuse: what they do is no allocation."""
        drained = drain()
        function = self.call.on(world)
        forget_caches()
        found = run(function)
        del drained
        self.call.forget()
        return found

    def check(self, n, world, references, error, where):
        found = world.look()
        gc.collect()
        after = world.references()
        # An array that has got bytes of its own lets go of whose bytes it shared.
        if after["x"] != references["x"] or any(after[name] > references[name] for name in after):
            self.say(f"{n}: references {references} became {after}")
        (values, *form), *rest = found
        is_torn = (values, *form) not in (self.before[0], self.after[0])
        if is_torn:
            self.say(f"{n}: torn: {values!r} {form}")
        if self.kind != "ours":
            return
        if not (error is None or error is self.error or issubclass(error, MemoryError)):
            text = re.sub("0x[0-9a-f]+", "an address", str(where[0]))
            self.say(f"{n}: raises {error.__name__}: {text} ({whose(*where)})")
        sharing, others = rest
        if others != self.before[2]:
            self.say(f"{n}: another array has changed")
        # Bytes of its own are what a write asks for first, and no value.
        allowed = (self.before[1], self.after[1], (1, self.before[1][1], False, 0))
        if sharing not in allowed and (sharing[0], False, *sharing[2:]) in allowed:
            self.say(f"{n}: a pin leaks")
        elif sharing not in allowed:
            self.say(f"{n}: sharing {sharing}, before {self.before[1]}, after {self.after[1]}")
        result, again, *_ = self.hook.call(self.call.on(world), 0)
        self.call.forget()
        differs = found[:1] == self.before[:1] and self.frozen(result) != self.expected
        if not is_torn and (again is not self.error or differs):
            self.say(f"{n}: then gives {again} {self.frozen(result)!r}, not {self.error} {self.expected!r}")
        del result
        if world.look()[2] != self.before[2]:
            self.say(f"{n}: another array has changed afterwards")

    def blocks(self):
        """The same with the library's own blocks refused."""
        for every in (False, True):
            for n in range(1, 100):
                with TracingAllocator() as tracing:
                    self.inside(f"block {n}", lambda function: refusing_blocks(tracing, function, n, every))  # noqa: B023
                    refused = tracing.report()["refused"]
                report = tracing.report()
                if report["live_blocks"] or report["faults"]:
                    self.say(f"block {n}: {report['live_blocks']} blocks leaked, {report['faults']} faults")
                if not refused:
                    break
                self.emit({"block": n})


def forget_caches():
    """What CPython keeps for reuse, names of attributes that it has looked up, and what rules said of dtypes."""
    forecasts.forget()
    gc.collect()
    sys._clear_type_cache()


def whose(text, file):
    """Where an exception comes from: Python code of others, or C code of others that says nothing of its reason."""
    nameless = re.fullmatch(r"(?!.*cowarray).*(without (setting an exception|exception set|error in \w+))", text or "")
    return "not in ours" if nameless or (file and not file.startswith(OUR_FILES)) else "in ours"


def refusing_blocks(tracing, function, n, every):
    tracing.refuse(n, every)
    try:
        return function(), None, n, None, None
    except Exception as error:
        return None, type(error), n, str(error), None
    finally:
        tracing.refuse(0)


def chosen(total, points):
    """Which allocations to refuse."""
    if not points:
        points = ALL
    if total <= points:
        return list(range(1, total + 1))
    return sorted({1 + i * (total - 1) // (points - 1) for i in range(points)})


def drain():
    """Take arrays and their like out of the lists from which Cython would make new ones without an allocation."""
    base = cowarray.array([1.0])
    kept = [base.copy() for _ in range(FREELIST)]
    return kept, [array.T for array in kept[:64]], [array.to_numpy(writable=True) for array in kept[:16]]


# ---- the judge -------------------------------------------------------------------------------------------------------


def judge(hook, odd, source, state, dtype):
    """What of it is ours: [(text, whose)]."""
    theirs = as_numpys(source)
    peers = [sweep_apart(hook, theirs, state, dtype, 0, kind) for kind in ("numpy", "bare")] if theirs else []
    verdicts = []
    for text in odd:
        what = text.partition(": ")[2]
        theirs = what.endswith("(not in ours)") or any(does(peer, what) for peer in peers)
        verdicts.append((text, "NumPy's" if theirs else "ours"))
    return verdicts


def does(peer, what):
    """Whether NumPy without us does it, too."""
    if "references" in what or "leak" in what:
        return any("references" in text or "leak" in text for text in peer["odd"])
    if what.startswith("crash"):
        return any("crash" in text for text in peer["odd"])
    if what.startswith("torn"):  # with the very values; there is more to see of an array of ours
        return any(what.startswith(text.partition(": ")[2].rstrip("]")) for text in peer["odd"] if ": torn" in text)
    if what.startswith("raises"):
        return what.split()[1].strip(":") in peer["classes"]
    return what.startswith("succeeds") and any(text.endswith(what) for text in peer["odd"])


# What a call of ours does of NumPy's or Python's that can fail in their ways.
WITHIN = {
    "x.dumps()": "pickle.dumps(x)",
    "with cowarray.deferred(): y = x + 1; y[0] = 3; cowarray.materialize(y)": "x + 1",
    'cowarray.materialize({"x": cowarray.deferred_init(cowarray.add, x, 1)})': "np.add(x, 1)",
    "with cowarray.budget(1 << 20, small=0): y = x + 1; y[0] = 3; z = y.copy(); cowarray.evict(y); y + z": "x + 1",
    "x[[0, 1]] = A([7.])": 'np.copyto(x[:0, 0], A([7.])[:0], casting="unsafe"); x[[0, 1]] = A([7.])',
    'x.to_numpy("f4")': 'x.astype("f4")',
    'x.flat.__array__("f4")': 'x.astype("f4")',
    "[*cowarray.array_api.asarray(x).flat]": "[item.reshape(()) for item in x.flat]",
    "cowarray.array_api.finfo(x)": "np.finfo(x.dtype)",
    "cowarray.array_api.asarray(x)[(0,) * x.ndim]": "x[(0,) * x.ndim].reshape(())",
    "cowarray.array_api.asarray(x).flat[1]": "x.flat[1].reshape(())",
    "x.dump(PATH)": 'pickle.dump(x, open(PATH, "wb"))',
    "x.__rmatmul__(A(np.eye(4)))": "A(np.eye(4)) @ x",
    "cowarray.save(": "np.save(",
    "cowarray.load(SAVED": "np.load(SAVED",
    "cowarray.array_api.asarray(": "np.asarray(",
    "cowarray.asarray(": "np.asarray(",
    "cowarray.array(": "np.array(",
    "cowarray.from_dlpack(": "np.from_dlpack(",
    "cowarray.argsort(x, descending=True)": "np.flip(np.argsort(np.flip(x, -1), stable=True), -1)",
    "cowarray.sort(x / (x - 3), axis=0, descending=True)": "np.flip(np.sort(np.flip(x / (x - 3), 0), 0), 0)",
    "cowarray.fft.fftfreq(4, dtype='f4')": "np.fft.fftfreq(4)",
    "cowarray.matmul(": "np.matmul(",
    "cowarray.matvec(": "np.matvec(",
    "cowarray.vecdot(": "np.vecdot(",
    "cowarray.vecmat(": "np.vecmat(",
    "with cowarray.no_copy(): ": "",
    "with cowarray.trace() as seen: ": "",
    "; len(seen); list(seen); repr(seen)": "",
}


def as_numpys(source):
    """The same call for NumPy's arrays, or None."""
    if source in sources("namespace"):
        return numpys(source)
    for ours, theirs in WITHIN.items():
        source = source.replace(ours, theirs)
    source = source.replace("cowarray.array_api.", "cowarray.")
    source = re.sub(r"cowarray\.(\w+)", lambda found: f"np.{found[1]}" if hasattr(np, found[1]) else found[0], source)
    return None if ONLY_OURS.search(source) else source


def sweep_apart(hook, source, state, dtype, points, kind="ours"):
    """A `Sweep` in a process of its own, for it may die; it then goes on behind the allocation that killed it."""
    told = {"injected": 0, "swallowed": 0, "total": 0, "classes": [], "odd": []}
    first = 1

    def run(emit):
        sweep = Sweep(hook, source, state, dtype, kind, emit)
        try:
            sweep.run(points, first)
        except (AttributeError, TypeError):
            if kind != "bare":  # which is no full array
                raise
        emit({"swallowed": len(sweep.swallowed), "total": sweep.total})

    while True:
        events, died = isolated(run)
        for event in events:
            told["injected"] += "n" in event or "block" in event
            told["odd"].extend([event["odd"]] if "odd" in event else [])
            told["classes"].extend(event.pop("classes", ()))
            told.update({name: event[name] for name in ("swallowed", "total") if name in event})
        if not died:
            return told
        first = max((event["n"] for event in events if "n" in event), default=0) + 1
        told["odd"].append(f"{first - 1}: crash {died}")
        if first == 1 or any("block" in event for event in events):
            return told


def isolated(work):
    """What work(emit) emits, called in a forked process, and how that died: by an exception, or a signal and where."""
    reader, writer = os.pipe()
    with tempfile.TemporaryFile("w+") as stack:
        child = os.fork()
        if not child:
            faulthandler.enable(stack, all_threads=False)

            def emit(event):
                signal.alarm(LIMIT)
                os.write(writer, json.dumps(event).encode() + b"\n")

            signal.alarm(LIMIT)
            try:
                work(emit)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        os.close(writer)
        with open(reader) as pipe:
            events = [json.loads(line) for line in pipe]
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            return events, "by an exception" if os.WEXITSTATUS(status) else ""
        stack.seek(0)
        found = re.search(r'File ".*?([^/"]+)", line \d+ in (.+)', stack.read())
        return events, f"by signal {os.WTERMSIG(status)} in {':'.join(found.groups()) if found else 'unknown code'}"


def load_hook(path):
    spec = importlib.util.spec_from_file_location("refusing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install()
    return module


def main(hook_path, cases):
    """Sweep each case in a process of its own, for it may die; print what came out."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    hook = load_hook(hook_path)
    gc.collect()
    gc.freeze()
    gc.disable()
    for case in cases:
        told = sweep_apart(hook, *case)
        if told["odd"]:
            told["odd"] = judge(hook, told["odd"], *case[:3])
        print(json.dumps({"case": case, **told}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text()))
