"""The file that is spilled to: its room is used again, a full disk takes nothing, and nothing is left on the disk."""

import gc
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
from spilled import ended_well, in_a_child, open_here, read, size
from support.seeds import chosen_seed

from cowarray._modes.budget.spilling import PAGE, Spill


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
