"""Measures several ways to do one job in rounds, A B C, B A C, ..., so that a noisy machine disturbs all of them alike.

A round runs a batch of each way. What counts is the ratio within a round, and the median of those ratios: `results.py`
takes it from the times of every round, which pytest-benchmark keeps in its JSON file.
"""

import contextlib
import os
import random
import time
import timeit
from dataclasses import dataclass

import numpy as np
import pytest
from machine import memory_available
from peers import OURS, reason_to_skip

import cowarray

__all__ = ["GIB", "KIB", "MIB", "Rounds", "Way", "numbers", "pick", "setting", "show", "sizes"]

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

BATCH = 1e-3  # seconds that a batch should last at least, so that the clock's own cost does not show
LEAST, MOST = 11, 101  # rounds
FEWEST, LONGEST = 3, 20.0  # rounds of a case whose LEAST would take longer than that many seconds
SLOW = 0.3  # seconds of a batch that is not tried once more
QUICK = 1e-2  # seconds of a call that is worth one more, untimed, before each batch
PAUSE = 1e-3  # seconds between batches: worker threads of the one before go to sleep, see conftest.py


@dataclass
class Setting:
    """What the command line and the environment request; conftest.py fills it in before tests are collected."""

    smoke: bool = True  # run each statement once, on a few bytes, and compare the results
    largest: int = GIB  # bytes of an array, COWARRAY_BENCH_MAX
    seconds: float = 1.5  # to spend on one case, COWARRAY_BENCH_SECONDS


setting = Setting()


def parse_size(text):
    """Bytes: ``"64MiB"``, ``"4 KiB"`` or ``"4096"``."""
    text = text.strip()
    for unit, scale in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB), ("B", 1)):
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * scale)
    return int(text)


def read_environment(smoke):
    """Fill in `setting`."""
    setting.smoke = smoke
    setting.largest = parse_size(os.environ.get("COWARRAY_BENCH_MAX", "1GiB"))
    setting.seconds = float(os.environ.get("COWARRAY_BENCH_SECONDS", "1.5"))


def show(nbytes):
    """A size in a word: ``16 MiB``."""
    for unit, scale in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if nbytes >= scale:
            return f"{nbytes / scale:g} {unit}"
    return f"{nbytes} B"


def pick(value, smoke):
    """The value for measuring, or the one for a smoke test."""
    return smoke if setting.smoke else value


def sizes(*wanted, arrays=8):
    """Parameters of a test, in bytes: those that fit, with as many arrays of that size as are alive at the same time.

    A size that does not fit into memory is reported as skipped. One above COWARRAY_BENCH_MAX is omitted: the header
    says so. A smoke test has one small size.
    """
    if setting.smoke:
        return [pytest.param(min(min(wanted), 4 * KIB), id="smoke")]
    found = []
    available = memory_available()
    for size in sorted(size for size in wanted if size <= setting.largest):
        reason = f"{show(size)} needs {show(arrays * size)}, available are {show(available >> 20 << 20)}"
        marks = [pytest.mark.skip(reason=reason)] if arrays * size > available else []
        found.append(pytest.param(size, id=show(size).replace(" ", ""), marks=marks))
    if not found:
        reason = f"sizes from {show(min(wanted))} on, COWARRAY_BENCH_MAX is {show(setting.largest)}"
        return [pytest.param(min(wanted), id="none", marks=[pytest.mark.skip(reason=reason)])]
    return found


def numbers(nbytes):
    """float64 numbers, none of them zero and few of them equal; at least one. The array owns its memory."""
    found = np.empty(max(1, nbytes // 8))
    period = np.arange(1.0, 8192.0)
    whole = found.size - found.size % period.size
    found[:whole].reshape(-1, period.size)[...] = period
    found[whole:] = period[: found.size - whole]
    return found


class Way:
    """One way to do a job.

    Parameters
    ----------
    statement : str
        What is timed.
    before : str
        Runs before each batch and is not timed. What it binds is local to the batch, like what the statement binds;
        both are freed after the clock has stopped.
    gives : str, optional
        The expression for the result; a smoke test compares it with NumPy's.
    once : bool
        A batch is one call: the statement uses up what `before` made, or takes long.
    per : int
        Jobs in one call of the statement.
    **names
        The globals of both.
    """

    def __init__(self, statement, *, before="pass", gives=None, once=False, per=1, **names):
        self.gives = gives
        self.once = once
        self.per = per
        self.names = {"np": np, "cowarray": cowarray, **names}
        self.statement, self.before = statement, before
        self.timer = timeit.Timer(statement, before, globals=self.names)

    def seconds(self, calls):
        """Seconds of one job, in a batch of some calls."""
        return self.timer.timeit(calls) / (calls * self.per)

    def result(self):
        """Run it once; the result as a NumPy array, or None."""
        names = dict(self.names)
        exec(self.before, names)
        exec(self.statement, names)
        return None if self.gives is None else np.asarray(eval(self.gives, names))

    def calls(self):
        """How many calls make a batch."""
        calls = 1
        while not self.once:
            took = self.seconds(calls) * calls * self.per
            if BATCH <= took < SLOW:
                # It may have been disturbed, and a batch that is too short is nothing but the clock's own cost.
                took = min(self.seconds(calls) * calls * self.per for _ in range(3))
            if took >= BATCH:
                break
            calls = max(calls * 2, int(1.2 * calls * BATCH / max(took, 1e-7)))
        return calls


def in_rounds(ways, seconds, least=LEAST):
    """Run all ways in rounds.

    Parameters
    ----------
    ways : dict of str to Way
    seconds : float
        To spend in all.
    least : int
        Rounds to run even if they take longer; fewer if they would take much longer.

    Returns
    -------
    dict of str to list of float
        Seconds per job, one figure a round, in the same order for all.
    """
    calls = {who: way.calls() for who, way in ways.items()}
    quick = {who for who, way in ways.items() if not way.once and way.seconds(1) < QUICK}
    found = {who: [] for who in ways}
    start = time.perf_counter()
    order = list(ways)
    # Nobody always comes after the same other one.
    chance = random.Random(0)
    rounds = least
    while len(found[order[0]]) < rounds:
        chance.shuffle(order)
        for who in order:
            time.sleep(PAUSE)
            if who in quick:
                # Its memory into the caches: NumPy, torch and pandas share an allocator, and warm it for each other.
                ways[who].seconds(1)
            found[who].append(ways[who].seconds(calls[who]))
        done = len(found[order[0]])
        if done == 3:
            each = (time.perf_counter() - start) / done
            rounds = min(MOST, max(min(least, max(FEWEST, int(LONGEST / each))), int(seconds / each)))
    return found


class Rounds:
    """The cases measured so far in this session. Each competitor's test reports its own part of the rounds."""

    def __init__(self):
        self.measured = {}
        self._now = 0.0

    def clock(self):
        """pytest-benchmark's timer, which advances by what was measured: it reports the paired rounds."""
        return self._now

    def compare(
        self,
        benchmark,
        who,
        make,
        *,
        question,
        case,
        targets=None,
        seconds=None,
        keep=None,
        elsewhere=None,
        skip=None,
        least=LEAST,
        **info,
    ):
        """Measure one competitor of a case; the first one to ask has all of them measured.

        Parameters
        ----------
        benchmark : fixture
        who : str
            Its first word names the library.
        make : callable
            Returns a dict of the competitors' names to their `Way`, on the same data.
        question, case : str
            The group: the question, and the size, operation or number of threads.
        targets : dict of str to float, optional
            Per competitor, the highest acceptable ratio of cowarray's time to theirs.
        seconds : float, optional
            To spend on the case.
        keep : int, optional
            Bytes of freed blocks that cowarray may keep for reuse; its default otherwise.
        elsewhere : callable, optional
            Returns what `in_rounds` would, measured by another program. `make` then serves only the smoke test.
        least : int
            As for `in_rounds`.
        skip : str, optional
            Why the case cannot be measured here.
        **info
            Goes into the JSON file with the times: ``size``, ``threads``, ``sharers``; ``copied_limit`` in bytes, which
            is reported where it is passed, and always with ``copied_target``.
        """
        benchmark.group = f"{question}: {case}" if case else question
        if reason := skip or reason_to_skip(who):
            benchmark.skipped = True  # which pytest-benchmark would otherwise warn of
            pytest.skip(reason)
        if setting.smoke:
            benchmark.pedantic(same_results, args=(who, make()))
            return
        if (question, case) not in self.measured:
            ways = {}
            if elsewhere is None:
                ways = {name: way for name, way in make().items() if reason_to_skip(name) is None}
            with blocks_kept(keep):
                times = elsewhere() if elsewhere else in_rounds(ways, limited(seconds), enough(least))
                more = {name: getattr(ways.get(name), "figures", {}) for name in times}
                if type(ways.get(OURS)) is Way:
                    more[OURS] = {"bytes_copied": bytes_copied(ways[OURS])}
            self.measured[question, case] = times, more
        times, more = self.measured[question, case]
        benchmark.extra_info.update(question=question, case=case, who=who, **more[who])
        if who == OURS:
            benchmark.extra_info.update(targets=targets or {}, **info)
        self._play(benchmark, times[who])

    def _play(self, benchmark, times):
        rest = iter(times)

        def rewind():
            self._now = 0.0

        def advance():
            self._now = next(rest)

        benchmark.pedantic(advance, setup=rewind, rounds=len(times))


def limited(seconds):
    """The time for a case: its own if it requests one, but no longer than the run's if that is short."""
    return setting.seconds if seconds is None else min(seconds, 2 * setting.seconds)


def enough(least):
    """Rounds that a case must have: fewer in a short run, whose purpose is to see whether everything works."""
    return least if setting.seconds >= 1.0 else min(least, 3)


def same_results(who, ways):
    """Run one way and NumPy's once each, and compare their results."""
    found = ways[who].result()
    reference = next((way for name, way in ways.items() if name.startswith("numpy") and way.gives is not None), None)
    if reference is not None and found is not None:
        expected = reference.result()
        assert np.array_equal(found.reshape(expected.shape), expected), f"{who} differs from numpy"


def bytes_copied(way):
    """What one call makes cowarray copy, beyond what it computes."""
    cowarray.reset_stats()
    way.seconds(1)
    return cowarray.stats()["bytes_copied"] // way.per


@contextlib.contextmanager
def blocks_kept(nbytes):
    """Set how much freed memory cowarray keeps, and start without any."""
    before = cowarray.keep_freed(0)
    cowarray.keep_freed(before if nbytes is None else nbytes)
    try:
        yield
    finally:
        cowarray.keep_freed(0)
        cowarray.keep_freed(before)
