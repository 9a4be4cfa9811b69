"""Stress through the public interface: threads that do anything, beside NumPy arrays whose copies are eager.

usage: python tests/threads/stress.py [--seed N] [--seconds S] [--threads T]

Each thread keeps pairs: an array of ours and the plain NumPy array that it must equal, where views are views and copies
are copied. Threads meet in two places: an exchange of clones, and common arrays, which they use under the rule that
users keep (write disjoint parts, or read, or be alone). What was exported read-only must never change. At the end of a
round the tracing allocator must have got everything back. A seed repeats the choices of each thread; how the threads
interleave is the machine's.
"""

import argparse
import copy
import faulthandler
import gc
import pickle
import random
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

import numpy as np

import cowarray as ca

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a program, it finds `support` there

from support.tracing import TracingAllocator

SIZES = [1, 3, 16, 60, 60, 10_000, 10_000, 200_000]  # from some thousand bytes on, copies run without the GIL
PAIRS = 10
EXPORTS = 6
EXCHANGES = 4
COMMONS = 2
FEWEST = 100  # steps of a thread, however little a busy machine does in the time

COPIES = [
    lambda a: a.copy(),
    lambda a: a.reshape(-1),
    lambda a: a.flatten(),
    np.array,
    np.copy,
    copy.deepcopy,
    lambda a: a.astype(a.dtype),
    lambda a: pickle.loads(pickle.dumps(a, protocol=5)),
]
VIEWS = [
    lambda a: a[: a.shape[0] // 2 + 1],
    lambda a: a[a.shape[0] // 3 :],
    lambda a: a[::2],
    lambda a: a.T,
    lambda a: a[..., ::-1],
    lambda a: a.view("u8"),
]


class Found(AssertionError):
    """Something is not what it must be."""


def must(holds, what):
    if not holds:
        raise Found(what)


def must_equal(ours, plain, what):
    seen = ours.tobytes() if isinstance(ours, ca.ndarray | memoryview) else np.ascontiguousarray(ours).tobytes()
    must(seen == plain.tobytes(), what)


class Common:
    """An array of all threads: some write their parts, or some read all of it, or one is alone."""

    def __init__(self, n, threads):
        self.condition = threading.Condition()
        self.mode, self.inside = None, 0
        self.plain = np.arange(n)
        self.ours = ca.array(self.plain)
        ends = [n * i // threads for i in range(threads + 1)]
        self.parts = [slice(begin, end) for begin, end in pairwise(ends)]

    @contextmanager
    def enter(self, mode):
        with self.condition:
            self.condition.wait_for(lambda: not self.inside or (self.mode == mode != "alone"))
            self.mode = mode
            self.inside += 1
        try:
            yield
        finally:
            with self.condition:
                self.inside -= 1
                self.condition.notify_all()


class Meeting:
    """What the threads of one round share."""

    def __init__(self, threads, rng):
        self.lock = threading.Lock()
        self.commons = [Common(rng.choice([120, 40_000]), threads) for _ in range(COMMONS)]
        self.exchange = [(ca.array(np.zeros(60, "i8")), np.zeros(60, "i8")) for _ in range(EXCHANGES)]


class Worker:
    """One thread's arrays, and what it does with them."""

    def __init__(self, me, seed, meeting):
        self.me, self.meeting = me, meeting
        self.rng = random.Random(seed)
        self.cookie = (me + 1) << 40
        self.pairs = []  # (ours, plain)
        self.snapshots = []  # (exported, what it must stay)
        self.writable = []  # (exported, plain view of the same elements)
        self.doing, self.steps = "-", 0
        self.acts = [
            (3, self.make),
            (6, self.clone),
            (3, self.view),
            (8, self.write),
            (4, self.export),
            (3, self.export_writable),
            (3, self.write_export),
            (4, self.release),
            (4, self.drop),
            (2, self.out_of_band),
            (5, self.trade),
            (3, self.use_part),
            (3, self.use_whole),
            (1, self.use_alone),
            (1, self.ask),
        ]

    def run(self, until):
        weights = [weight for weight, _ in self.acts]
        while time.monotonic() < until or self.steps < FEWEST:
            (_, act) = self.rng.choices(self.acts, weights)[0]
            self.doing = act.__name__
            act()
            self.steps += 1
        self.doing = "the end"
        for pair in self.pairs:
            must_equal(*pair, "an array at the end")
        for seen, was in self.snapshots:
            must_equal(seen, was, "a snapshot at the end")
        self.pairs, self.snapshots, self.writable = [], [], []

    def some(self):
        if not self.pairs:
            self.make()
        return self.rng.choice(self.pairs)

    def keep(self, ours, plain):
        must(ours.shape == plain.shape and ours.dtype == plain.dtype, "shape and dtype")
        if len(self.pairs) >= PAIRS:
            self.drop()
        self.pairs.append((ours, plain))

    def next(self):
        self.cookie += 1
        return self.cookie

    # ---- arrays ----

    def make(self):
        n = self.rng.choice(SIZES)
        plain = np.full(n, self.next())
        if n % 2 == 0 and self.rng.random() < 0.5:
            plain = plain.reshape(2, -1)
        how = self.rng.randrange(4)
        if how == 0:
            lent = plain.copy()
            lent.flags.writeable = False
            ours = ca.asarray(lent)  # foreign bytes
        elif how == 1:
            ours = ca.asarray(np.frombuffer(plain.tobytes(), plain.dtype)).reshape(plain.shape)
        elif how == 2:
            ours = np.full_like(ca.array(plain), int(plain.flat[0]))
        else:
            ours = ca.array(plain)
        self.keep(ours, plain)

    def clone(self):
        ours, plain = self.some()
        function = self.rng.choice(COPIES)
        made = ca.array(ours) if function is np.array else function(ours)
        must(isinstance(made, ca.ndarray), "a copy is one of ours")
        must(made.storage is not ours.storage, "a copy has a Storage of its own")
        self.keep(made, np.array(function(plain)))

    def view(self):
        ours, plain = self.some()
        if ours.ndim:
            function = self.rng.choice(VIEWS)
            if function is VIEWS[-1] and not plain.flags.contiguous:
                return
            made = function(ours)
            must(made.storage is ours.storage, "a view has the same Storage")
            self.keep(made, function(plain))

    def write(self):
        ours, plain = self.some()
        if not (ours.flags.writeable and plain.flags.writeable and ours.size):
            return
        cookie = self.next()
        begin = self.rng.randrange(ours.shape[0])
        key = self.rng.choice([begin, slice(begin, None), slice(None, None, 3), Ellipsis])
        how = self.rng.randrange(6)
        for a in (ours, plain):
            if how == 0:
                a += 1
            elif how == 1:
                a.fill(cookie)
            elif how == 2:
                np.add(a, 3, out=a)
            elif how == 3:
                np.copyto(a, a[::-1].copy())
            else:
                a[key] = cookie
        must_equal(ours, plain, "what was written")

    def drop(self):
        if self.pairs:
            ours, plain = self.pairs.pop(self.rng.randrange(len(self.pairs)))
            must_equal(ours, plain, "what is dropped")

    def ask(self):
        ours, _ = self.some()
        must(
            bool(str(ca.explain(ours))) and ours.storage.share_count > 0 and ours.storage.nbytes >= ours.nbytes,
            "answers",
        )
        gc.collect(0)

    # ---- exports ----

    def export(self):
        ours, plain = self.some()
        how = self.rng.randrange(4)
        seen = [np.asarray, memoryview, lambda a: a.to_numpy(), lambda a: np.asarray(memoryview(a))][how](ours)
        must_equal(seen, plain, "what is exported")
        if len(self.snapshots) >= EXPORTS:
            self.release()
        self.snapshots.append((seen, plain.copy()))

    def export_writable(self):
        ours, plain = self.some()
        if ours.flags.writeable and plain.flags.writeable and len(self.writable) < EXPORTS:
            seen = np.from_dlpack(ours) if self.rng.random() < 0.5 else ours.to_numpy(writable=True)
            must_equal(seen, plain, "what is exported to write to")
            self.writable.append((seen, plain))

    def write_export(self):
        if self.writable:
            seen, plain = self.rng.choice(self.writable)
            if seen.flags.writeable and seen.size:  # NumPy takes DLPack read-only in some versions
                begin = self.rng.randrange(seen.shape[0])
                seen[begin:] = plain[begin:] = self.next()
            must_equal(seen, plain, "an export")

    def release(self):
        if self.writable and self.rng.random() < 0.5:
            self.writable.pop(self.rng.randrange(len(self.writable)))
        elif self.snapshots:
            seen, was = self.snapshots.pop(self.rng.randrange(len(self.snapshots)))
            must_equal(seen, was, "a snapshot")
            if isinstance(seen, memoryview):
                seen.release()

    def out_of_band(self):
        ours, plain = self.some()
        buffers = []
        payload = pickle.dumps(ours, protocol=5, buffer_callback=buffers.append)
        made = pickle.loads(payload, buffers=buffers)
        must_equal(made, plain, "what was pickled")
        self.keep(made, pickle.loads(pickle.dumps(plain)))

    # ---- with other threads ----

    def trade(self):
        """Clones change hands: each side keeps its own, and the bytes are shared across threads."""
        ours, plain = self.some()
        given = (ours.copy(), plain.copy())
        with self.meeting.lock:
            at = self.rng.randrange(EXCHANGES)
            taken = self.meeting.exchange[at]
            if self.rng.random() < 0.5:
                self.meeting.exchange[at] = given
            else:
                taken = (taken[0].copy(), taken[1].copy())
        must_equal(*taken, "what was traded")
        self.keep(*taken)

    def use_part(self):
        common = self.rng.choice(self.meeting.commons)
        part = common.parts[self.me]
        with common.enter("parts"):
            mine, plain = common.ours[part], common.plain[part]
            for _ in range(3):
                cookie = self.next()
                if self.rng.random() < 0.5:
                    mine[...] = plain[...] = cookie
                else:
                    mine += 1
                    plain += 1
                must_equal(mine, plain, "a part")
            if self.rng.random() < 0.5:
                self.snapshots.append((np.asarray(mine), plain.copy()))
            kept = (mine.copy(), plain.copy())
        self.keep(*kept)

    def use_whole(self):
        common = self.rng.choice(self.meeting.commons)
        with common.enter("whole"):
            must_equal(common.ours, common.plain, "a common array")
            self.snapshots.append((np.asarray(common.ours), common.plain.copy()))
            kept = (common.ours.copy(), common.plain.copy())
        self.keep(*kept)
        while len(self.snapshots) > EXPORTS:
            seen, was = self.snapshots.pop(0)
            must_equal(seen, was, "a snapshot of a common array")

    def use_alone(self):
        common = self.rng.choice(self.meeting.commons)
        with common.enter("alone"):
            if self.rng.random() < 0.5:
                common.ours[...] = common.plain[...] = self.next()
            else:
                common.ours = ca.array(common.plain)


def one_round(seed, seconds, threads, traced):
    """Let the threads act for some seconds; returns their steps. Raises Found, or what else a thread ran into."""
    memory = TracingAllocator()
    errors = []
    ca.reset_stats()
    with memory if traced else nullcontext():
        meeting = Meeting(threads, random.Random(seed))
        workers = [Worker(i, f"{seed} {i}", meeting) for i in range(threads)]
        until = time.monotonic() + seconds

        def live(worker):
            try:
                worker.run(until)
            except BaseException as error:  # all of them: the main thread reports
                error.add_note(f"seed {seed}, thread {worker.me}, step {worker.steps}, in {worker.doing}")
                errors.append(error)

        running = [threading.Thread(target=live, args=(worker,), daemon=True) for worker in workers]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        steps = sum(worker.steps for worker in workers)
        if errors:
            raise errors[0]
        for common in meeting.commons:
            must_equal(common.ours, common.plain, "a common array at the end")
        for pair in meeting.exchange:
            must_equal(*pair, "the exchange at the end")
        del meeting, workers, live, running, common, pair
        gc.collect()
    figures, report = ca.stats(), memory.report()
    if traced:
        must(report["live_blocks"] == 0 and report["faults"] == 0, f"memory: {report}")
        must(
            0 < figures["copies"] <= report["clones"] <= figures["copies"] + figures["eager_copies"],
            f"{figures} {report}",
        )
    must(figures["lazy_clones"] > 0 and figures["bytes_copied"] > 0, f"{figures}")
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    print(f"seed: {options.seed}", flush=True)
    sys.setswitchinterval(1e-5)
    until = time.monotonic() + options.seconds
    steps = rounds = 0
    while time.monotonic() < until:
        faulthandler.dump_traceback_later(300, exit=True)
        length = min(2.0, max(0.5, until - time.monotonic()))
        steps += one_round(options.seed + rounds, length, options.threads, traced=rounds % 2 == 0)
        rounds += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"stress: {rounds} rounds of {options.threads} threads, {steps} steps: nothing found")


if __name__ == "__main__":
    main()
