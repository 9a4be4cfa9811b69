"""Users who break the rule: threads that write one Storage, and clone, view, export and read it, all at once.

What they may get is torn values. What they may not get: a crash, memory that is gone, a value that nobody wrote, or a
lazy copy that changes after it was made and left alone. Run for longer: python tests/threads/races.py SECONDS [SEED]
"""

import random
import sys
import threading
import time

import numpy as np

import cowarray as ca

SIZE = 20_000
THREADS = 4
FEWEST = 10  # operations of a thread, however little a busy machine does in the time


class Race:
    """One array, threads that do to it what they like until time is up, and what they found."""

    def __init__(self, seconds, seed):
        self.array = ca.array(np.zeros(SIZE))
        self.end = time.monotonic() + seconds
        self.seed = seed
        self.operations = 0
        self.failures = []
        self.lock = threading.Lock()

    def whole(self, random):
        self.array[...] = float(random.randrange(100))

    def element(self, random):
        self.array[random.randrange(SIZE)] = float(random.randrange(100))

    def part(self, random):
        start = random.randrange(SIZE)
        self.array[start : start + 1000][...] = float(random.randrange(100))

    def increment(self, random):
        view = self.array[:: random.randrange(1, 4)]
        view += 1.0
        view -= 1.0

    def through_numpy(self, random):
        out = self.array.to_numpy(writable=True)
        out[random.randrange(SIZE)] = 7.0

    def read(self, random):
        start = random.randrange(SIZE)
        assert_plausible(np.add(self.array[start:], 0.0))

    def stable_copy(self, random):
        """Nobody else has this copy: whatever it caught, it keeps."""
        copy = self.array.copy() if random.random() < 0.5 else self.array.lazy_clone()
        self.stays(copy)

    def stable_snapshot(self, random):
        self.stays(np.asarray(self.array))

    def stays(self, copy):
        first = np.array(copy)
        assert_plausible(first)
        time.sleep(0)
        if not np.array_equal(first, np.array(copy)):
            raise AssertionError("a copy changed after it was made")

    def writes_its_copy(self, random):
        copy = self.array.copy()
        copy += 1000.0
        lowest = float(copy.min())
        if lowest < 900.0:
            raise AssertionError(f"a copy lost its own write: {lowest}")

    def replace(self, random):
        """Another array for all: the old one goes when the last thread lets it go."""
        self.array = self.array.copy()

    ACTIONS = (
        whole,
        element,
        part,
        increment,
        through_numpy,
        read,
        stable_copy,
        stable_snapshot,
        writes_its_copy,
        replace,
    )

    def run_thread(self, number):
        own = random.Random(self.seed * 1000 + number)
        done = 0
        try:
            while (time.monotonic() < self.end or done < FEWEST) and not self.failures:
                own.choice(self.ACTIONS)(self, own)
                done += 1
        except BaseException as failure:
            self.failures.append(failure)
        with self.lock:
            self.operations += done

    def run(self):
        threads = [threading.Thread(target=self.run_thread, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        return self.operations


def assert_plausible(values):
    """Doubles are not torn on the machines that we know; sums of increments stay small whole numbers."""
    if not np.all((values > -1000) & (values < 1000) & (values == np.floor(values))):
        raise AssertionError(f"values that nobody wrote: {values[(values <= -1000) | (values >= 1000)][:5]}")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f"races: seed {seed}, {seconds:g} s, {'GIL' if has_gil() else 'no GIL'}", flush=True)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        print(f"races: {Race(seconds, seed).run()} operations in {THREADS} threads, nothing but torn values")
    finally:
        sys.setswitchinterval(before)


def has_gil():
    return getattr(sys, "_is_gil_enabled", lambda: True)()


if __name__ == "__main__":
    main()
