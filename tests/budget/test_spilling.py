"""What is spilled comes back as it was: beside forks and threads, on a full disk; and nothing is left on the disk.

It is one file because the slots, the room in the file and the disk fail into each other. Each can be read alone.
"""

import contextlib
import gc
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings

import pytest
from support.seeds import chosen_seed

from cowarray._modes.budget import spilling
from cowarray._modes.budget.spilling import PAGE, Spill

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
SIZES = (0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, 20 * PAGE + 7)


@pytest.fixture
def spill(tmp_path):
    return Spill(tmp_path)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 on: fork in a process with threads
        yield


def read(spill, slot):
    found = bytearray(b"\xee" * slot.nbytes)
    spill.read_into(slot, found)
    return found


def size(spill):
    """Bytes of the file that now takes slots, after the next call has settled what was given up."""
    assert spill.write(b"") is not None
    return os.fstat(spill._file.held.number()).st_size


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


def in_a_child(function):
    """The process in which function runs; its status is 0 unless function raises."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return child


def ended_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# ---- what is in a slot -----------------------------------------------------------------------------------------------


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


# ---- the room in the file --------------------------------------------------------------------------------------------


def test_room_that_is_given_up_is_used_again(spill):
    slots = [spill.write(bytes(4 * PAGE)) for _ in range(10)]
    assert size(spill) == 40 * PAGE
    for i in range(50):
        slots.pop(i % 9).free()
        slots.append(spill.write(bytes(4 * PAGE - i)))
    assert 39 * PAGE < size(spill) <= 40 * PAGE


def test_the_first_extent_that_is_large_enough_is_taken(spill):
    slots = [spill.write(bytes(count * PAGE)) for count in (2, 5, 1, 3, 1)]
    slots[1].free()
    slots[3].free()
    assert spill.write(bytes(3 * PAGE))._extent == [(2 * PAGE, 5 * PAGE)]


def test_neighbours_that_are_given_up_are_one_extent(spill):
    order = list(range(8))
    random.Random(chosen_seed()).shuffle(order)
    slots = [spill.write(bytes(PAGE)) for _ in order]
    last = spill.write(bytes(PAGE))
    for i in order:
        slots[i].free()
        spill.write(b"")
    whole = spill.write(bytes(8 * PAGE))
    assert whole._extent == [(0, 8 * PAGE)]
    assert size(spill) == 9 * PAGE
    last.free()
    assert size(spill) == 8 * PAGE


def test_the_end_is_cut_off_after_a_read_or_a_write(spill):
    first, second = spill.write(bytes(PAGE)), spill.write(bytes(PAGE))
    second.free()
    read(spill, first)
    assert os.fstat(spill._file.held.number()).st_size == PAGE
    first.free()
    assert size(spill) == 0


def test_a_slot_that_was_given_up_is_not_read(spill):
    slot = spill.write(b"abc")
    slot.free()
    with pytest.raises(ValueError, match="given up"):
        read(spill, slot)


def test_a_slot_given_up_during_a_read_is_not_believed(spill, monkeypatch):
    slot = spill.write(b"abc")
    readv = os.preadv

    def read_and_lose(*args):
        slot.free()
        return readv(*args)

    monkeypatch.setattr(os, "preadv", read_and_lose)
    with pytest.raises(ValueError, match="given up"):
        read(spill, slot)


def test_a_buffer_of_another_size_is_refused(spill):
    slot = spill.write(b"abc")
    with pytest.raises(ValueError, match="slot of 3 bytes is read into a buffer of 4"):
        spill.read_into(slot, bytearray(4))
    with pytest.raises((TypeError, BufferError, ValueError)):
        spill.read_into(slot, b"xyz")


def test_a_write_that_is_interrupted_gives_its_room_back(spill, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(os, "pwrite", interrupted)
        with pytest.raises(KeyboardInterrupt):
            spill.write(bytes(PAGE))
    assert size(spill) == 0


# ---- the disk --------------------------------------------------------------------------------------------------------


def open_here(directory):
    """How many files of a directory this process has open."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            count += os.readlink(f"/proc/self/fd/{name}").startswith(f"{directory}/")
    return count


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_the_file_is_closed_after_the_last_use(tmp_path):
    spill = Spill(tmp_path)
    slot = spill.write(b"abc")
    reader = Spill(tmp_path)
    assert open_here(tmp_path) == 2
    del spill
    assert open_here(tmp_path) == 2
    assert read(reader, slot) == b"abc"
    del slot
    assert open_here(tmp_path) == 1
    del reader
    assert open_here(tmp_path) == 0


@pytest.mark.parametrize("is_reused", [False, True])
def test_the_program_may_close_the_file_and_open_its_own(tmp_path, is_reused):
    spill = Spill(tmp_path)
    number = spill._file.held.number()
    assert number >= 512 or resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 1024  # closerange(3, 256) leaves it
    lost = spill.write(b"a" * 3 * PAGE)
    os.close(number)  # the next file without a name may have its inode
    theirs = None
    if is_reused:
        theirs = tempfile.TemporaryFile(dir=tmp_path, buffering=0)  # noqa: SIM115 - closed below
        theirs.write(b"x" * 4 * PAGE)
        assert os.dup2(theirs.fileno(), number) == number
    with pytest.raises(OSError, match="cannot be read back: the program has closed"):
        read(spill, lost)
    for data in b"b" * PAGE, b"c" * 2 * PAGE:
        slot = spill.write(data)
        assert slot is not None
        assert read(spill, slot) == data
    file = lost._file
    lost.free()
    file.settle()
    del lost, slot, file, spill
    gc.collect()
    if theirs is not None:
        theirs.seek(0)
        assert theirs.read() == b"x" * 4 * PAGE
        os.close(number)  # it is open: nobody has closed it
        theirs.close()


def test_a_second_file_under_the_number_of_a_closed_one_is_not_it(tmp_path):
    first = Spill(tmp_path)
    lost = first.write(b"a" * PAGE)
    number = first._file.held.number()
    os.close(number)
    second = Spill(tmp_path)
    slot = second.write(b"b" * PAGE)
    if second._file.held.number() != number:
        pytest.skip("the system gave it another number")
    with pytest.raises(OSError, match="cannot be read back: the program has closed"):
        read(first, lost)
    del first, lost
    gc.collect()
    assert read(second, slot) == b"b" * PAGE


def test_a_crash_leaves_nothing(tmp_path):
    program = f"""
import os, signal
from cowarray._modes.budget.spilling import Spill
spill = Spill({str(tmp_path)!r})
slots = [spill.write(bytes(1 << 20)) for _ in range(8)]
assert None not in slots
assert os.listdir({str(tmp_path)!r}) == []
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == []


def test_a_relative_directory_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spill = Spill(".")
    monkeypatch.chdir("/")
    assert spill.directory == str(tmp_path)


def test_a_directory_that_takes_no_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for directory, error in ((tmp_path / "absent", FileNotFoundError), (tmp_path / "file", NotADirectoryError)):
        with pytest.raises(error, match="spill needs a directory that takes files") as caught:
            Spill(directory)
        assert caught.value.filename == str(directory)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_directory_that_may_not_be_written_to_is_refused():
    with pytest.raises(OSError, match="spill needs a directory that takes files"):
        Spill("/proc/self")


LIMITED = """
import math
import sys
from cowarray._modes.budget.spilling import Spill
spill = Spill(sys.argv[1])
limit()
assert spill.write(bytes(8 << 20)) is None
assert type(spill.error) is OSError
assert spill.error.errno == ERRNO, spill.error
assert spill.error.__traceback__ is None
assert spill.write_rate == spill.read_rate == 0.0  # the sample does not fit either
assert spill.seconds(1) == math.inf
small = spill.write(b"a" * (300 << 10))  # what was half written takes no room
assert small is not None
assert spill.write(bytes(8 << 20)) is None
other = spill.write(b"b" * (300 << 10))
for slot, byte in (small, b"a"), (other, b"b"):
    found = bytearray(slot.nbytes)
    spill.read_into(slot, found)
    assert found == byte * (300 << 10)
assert 0 < spill.seconds(1 << 20) < math.inf
print("ran")
"""


def test_a_limit_of_the_size_of_files_is_a_full_disk(tmp_path):
    program = """
import errno, resource
ERRNO = errno.EFBIG
def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
"""
    found = subprocess.run([sys.executable, "-c", program + LIMITED, str(tmp_path)], capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("ran\n", 0), found.stderr


def test_a_full_disk_takes_nothing(tmp_path):
    mount = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    place = f"mount -t tmpfs -o size=1m tmpfs '{tmp_path}'"
    if not shutil.which("unshare") or subprocess.run([*mount, place], capture_output=True).returncode:
        pytest.skip("no file system can be mounted")
    program = "import errno\nERRNO = errno.ENOSPC\nlimit = int\n"
    script = tmp_path.parent / f"{tmp_path.name}.py"
    script.write_text(program + LIMITED)
    command = f"{place} && exec '{sys.executable}' '{script}' '{tmp_path}'"
    found = subprocess.run([*mount, command], capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("ran\n", 0), found.stderr


def test_bytes_that_are_gone_raise(spill):
    slot = spill.write(b"abc" * PAGE)
    os.ftruncate(spill._file.held.number(), PAGE)
    with pytest.raises(OSError, match=f"cannot be read back: the file ends after {PAGE} of {3 * PAGE}") as caught:
        read(spill, slot)
    assert caught.value.filename is None


def test_no_descriptor_to_be_had_is_no_slot(tmp_path, spill):
    """After a fork a file is needed, and none can be opened."""
    held = spill.write(b"abc")
    assert ended_well(in_a_child(lambda: None))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        assert spill.write(b"def") is None
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert isinstance(spill.error, OSError)
    assert read(spill, spill.write(b"def")) == b"def"
    assert read(spill, held) == b"abc"


# ---- the rates -------------------------------------------------------------------------------------------------------


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
