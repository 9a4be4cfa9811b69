"""What is spilled comes back as it was, beside forks, threads and interrupts."""

import gc
import os
import random
import signal
import sys
import threading
import warnings

import pytest
from spilled import ended_well, in_a_child, open_here, read, size
from support.seeds import chosen_seed

from cowarray._modes.budget import spilling
from cowarray._modes.budget.spilling import PAGE

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
SIZES = (0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, 20 * PAGE + 7)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 on: fork in a process with threads
        yield


class Model:
    """A spill and what is in each of its slots."""

    def __init__(self, spill, seed):
        self.spill = spill
        self.random = random.Random(seed)
        self.known = {}  # slot: bytes

    def write(self):
        data = self.random.randbytes(self.random.choice(SIZES))
        slot = self.spill.write(data)
        assert slot is not None, self.spill.error
        assert slot.nbytes == len(data)
        self.known[slot] = data

    def free(self):
        if self.known:
            slot = self.random.choice(list(self.known))
            del self.known[slot]
            how = self.random.randrange(3)
            if how == 0:
                slot.free()
                slot.free()
            elif how == 1:
                around = [slot]
                around.append(around)  # the collector drops it, at any time

    def read(self):
        if self.known:
            slot = self.random.choice(list(self.known))
            assert read(self.spill, slot) == self.known[slot]

    def step(self):
        self.random.choice((self.write, self.write, self.free, self.free, self.read))()

    def check(self):
        for slot, data in self.known.items():
            assert read(self.spill, slot) == data


@needs_fork
def test_slots_keep_their_bytes_whatever_is_written_freed_and_forked(spill):
    seed = chosen_seed()
    model = Model(spill, seed)
    for generation in range(12):
        for _ in range(60):
            model.step()

        def go_on(generation=generation):
            model.random.seed(seed + 1 + generation)
            for _ in range(60):
                model.step()
            model.check()
            ended = in_a_child(model.check)
            for _ in range(10):
                model.step()
            model.check()
            assert ended_well(ended)

        child = in_a_child(go_on)
        for _ in range(60):
            model.step()
        model.check()
        assert ended_well(child)


@pytest.mark.threads
def test_eight_threads_spill_at_once(spill):
    seed = chosen_seed()
    errors = []
    models = [Model(spill, seed + i) for i in range(8)]

    def run(model):
        try:
            for _ in range(300):
                model.step()
            model.check()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(model,)) for model in models]
    file = spill._file
    before, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(3)
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        sys.setswitchinterval(interval)
    assert errors == []
    assert spill._file is file, "a thread did not wait"
    for model in models:
        model.check()
        model.known.clear()
    gc.collect()
    assert size(spill) == 0


def test_a_finalizer_may_spill_at_any_time(spill):
    """The collector may run it at each line, even amid the lists of the file. Here a trace does."""
    model, inner = Model(spill, chosen_seed()), Model(spill, 1)
    lines = []

    def finalize(frame, event, arg):
        if frame.f_code.co_filename != spilling.__file__:
            return None
        if event == "line":
            lines.append(frame.f_code.co_name)
            inner.step()
        return finalize

    before = sys.gettrace()
    sys.settrace(finalize)
    try:
        for _ in range(100):
            model.step()
    finally:
        sys.settrace(before)
    assert {"take", "_settle", "_put_back"} <= set(lines)
    model.check()
    inner.check()


@needs_fork
def test_a_fork_amid_writes_harms_neither_process(spill):
    seed = chosen_seed()
    kept = Model(spill, seed)
    for _ in range(20):
        kept.write()
    stop = threading.Event()
    errors = []

    def run(model):
        try:
            while not stop.is_set():
                model.step()
            model.check()
        except BaseException as error:
            errors.append(error)

    def child_works():
        own = Model(spill, seed + 99)
        for _ in range(50):
            own.step()
        kept.check()
        own.check()

    threads = [threading.Thread(target=run, args=(Model(spill, seed + 1 + i),)) for i in range(3)]
    for thread in threads:
        thread.start()
    try:
        children = [in_a_child(child_works) for _ in range(10)]
        ended = [ended_well(child) for child in children]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert all(ended)
    assert errors == []


@needs_fork
@pytest.mark.parametrize("who", ["parent", "child"])
def test_a_slot_of_before_a_fork_is_not_used_again(spill, who):
    """One process gives up all its slots and writes; the other still reads them."""
    old = [bytes([i]) * 3 * PAGE for i in range(8)]
    slots = [spill.write(data) for data in old]
    readable, writable = os.pipe()

    def overwrite():
        while slots:
            slots.pop().free()
        kept = [spill.write(b"\xff" * PAGE) for _ in range(40)]
        assert all(read(spill, slot) == b"\xff" * PAGE for slot in kept)
        os.write(writable, b"x")

    def look():
        assert os.read(readable, 1) == b"x"
        assert [read(spill, slot) for slot in slots] == old

    child = in_a_child(look if who == "parent" else overwrite)
    (overwrite if who == "parent" else look)()
    assert ended_well(child)
    os.close(readable)
    os.close(writable)


@needs_fork
def test_the_room_of_before_a_fork_comes_back(tmp_path, spill):
    """The old file is closed with its last slot; the files of later take what is written."""
    before = open_here(tmp_path)
    slot = spill.write(b"a" * PAGE)
    assert ended_well(in_a_child(lambda slot=slot: read(spill, slot)))
    other = spill.write(b"b" * PAGE)
    assert open_here(tmp_path) == before + 1
    assert (read(spill, slot), read(spill, other)) == (b"a" * PAGE, b"b" * PAGE)
    del slot
    assert open_here(tmp_path) == before
    other.free()
    assert size(spill) == 0


@needs_fork
def test_a_child_waits_for_no_thread_of_its_parent(spill):
    """The lock of the file is held at the fork, by a thread that the child does not have."""
    slot, other = spill.write(b"a" * PAGE), spill.write(b"b" * PAGE)

    def child_works():
        signal.alarm(60)
        other.free()
        assert read(spill, slot) == b"a" * PAGE
        assert read(spill, spill.write(b"c" * PAGE)) == b"c" * PAGE

    with spill._file._lock:
        child = in_a_child(child_works)
    assert ended_well(child)


def test_a_file_that_is_made_during_a_fork_takes_one_slot(spill):
    """Nobody knows whether the child has it."""
    first = spill.write(b"a" * PAGE)
    spilling._forks.begin()
    second = spill.write(b"b" * PAGE)
    third = spill.write(b"c" * PAGE)
    spilling._forks.end()
    fourth = spill.write(b"d" * PAGE)
    fifth = spill.write(b"e" * PAGE)
    slots = (first, second, third, fourth, fifth)
    assert len({slot._file for slot in slots}) == 4
    assert fourth._file is fifth._file
    assert [read(spill, slot)[:1] for slot in slots] == [b"a", b"b", b"c", b"d", b"e"]


def test_short_writes_and_reads_go_on(spill, monkeypatch):
    write, readv = os.pwrite, os.preadv
    calls = []

    def some_at_a_time(fd, buffer, offset):
        calls.append(offset)
        return write(fd, buffer[:4097], offset)

    def read_some(fd, buffers, offset):
        calls.append(offset)
        return readv(fd, [buffers[0][:5001]], offset)

    monkeypatch.setattr(os, "pwrite", some_at_a_time)
    monkeypatch.setattr(os, "preadv", read_some)
    data = random.Random(1).randbytes(50_000)
    assert read(spill, spill.write(data)) == data
    assert len(calls) == 13 + 10


def test_every_contiguous_buffer_is_taken(spill):
    import array

    import numpy as np

    for data in (array.array("d", [1, 2, 3]), np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), memoryview(b"abc")):
        assert read(spill, spill.write(data)) == bytes(data)
    with pytest.raises((TypeError, ValueError, BufferError)):
        spill.write(np.arange(6)[::2])
    assert size(spill) == 0


def test_the_first_rate_is_that_of_a_sample(spill, monkeypatch):
    wrote = []
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, buffer, offset: wrote.append(len(buffer)) or write(fd, buffer, offset))
    first = spill.write_rate
    assert first > 0
    assert spill.read_rate > 0
    assert sum(wrote) == spilling.SAMPLE
    assert spill.write_rate == first
    assert spill.seconds(1000) == 1000 / spill.write_rate + 1000 / spill.read_rate
    assert size(spill) == 0


def test_a_rate_follows_what_is_measured():
    rate = spilling._Rate()
    assert rate.value() is None
    rate.note(1 << 20, 1.0)
    assert rate.value() == 1 << 20
    rate.note(1 << 20, 1.0)
    assert rate.value() == pytest.approx(1 << 20)
    before = rate.value()
    rate.note(spilling.MEMORY, spilling.MEMORY / 1000.0)
    assert 1000 < rate.value() < before
    for _ in range(20):
        rate.note(spilling.MEMORY, spilling.MEMORY / 1000.0)
    assert rate.value() == pytest.approx(1000, rel=1e-3)
    for _ in range(100):
        rate.note(1, 1.0)  # small ones count for their bytes and their time alone
    assert rate.value() == pytest.approx(1000, rel=0.05)
