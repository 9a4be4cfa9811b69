"""What the examples of engines print: time, bytes copied, and the memory of all processes at its peak."""

import os
import re
import threading
import time

__all__ = ["Figures", "own_pages", "pss", "show"]


def _parents():
    """{process: its parent}, of all processes that can be seen."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                # The name of a program may have anything in it, brackets too.
                found[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            pass  # gone
    return found


def _family(pid):
    """A process and all that descend from it."""
    parents = _parents()
    found, new = set(), {pid}
    while new:
        found |= new
        new = {child for child, parent in parents.items() if parent in new} - found
    return found


def pss(pid=None):
    """Resident bytes of a process (this one) and its descendants; what several map is divided among them."""
    total = 0
    for each in _family(pid or os.getpid()):
        try:
            with open(f"/proc/{each}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) << 10 for line in file if line.startswith("Pss:"))
        except OSError:
            pass
    return total


def own_pages(arrays):
    """Bytes of pages that were copied for writes to arrays in maps of a file on disk or in a store."""
    addresses = [x.storage.data_ptr if hasattr(x, "storage") else x.ctypes.data for x in arrays]
    total, inside = 0, False
    with open("/proc/self/smaps") as file:
        for line in file:
            if found := re.match(r"(\w+)-(\w+) \S+ \S+ \S+ (\d+) *(.*)", line):
                is_of_file = found[3] != "0" and not found[4].startswith("/memfd:")
                inside = is_of_file and any(int(found[1], 16) <= at < int(found[2], 16) for at in addresses)
            elif inside and line.startswith("Anonymous:"):
                total += int(line.split()[1]) << 10
    return total


class Figures:
    """Context manager: `seconds` that the block took, and `peak`, the bytes that its processes took at most beyond
    what they had at its beginning. Looks every tenth of a second."""

    def __enter__(self):
        self.before = self.most = pss()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        self._begun = time.perf_counter()
        return self

    def _watch(self):
        while not self._ended.wait(0.1):
            self.most = max(self.most, pss())

    def __exit__(self, *exc):
        self.seconds = time.perf_counter() - self._begun
        self.most = max(self.most, pss())
        self._ended.set()
        self._watcher.join()
        self.peak = self.most - self.before


def show(name, processes, found):
    """One line of a table, of `seconds`, bytes `copied`, and bytes at the `peak`."""
    print(
        f"{name:24} {processes:2} processes {found['seconds']:7.2f} s {found['copied'] / 1e9:8.3f} GB copied"
        f" {found['peak'] / 1e9:6.2f} GB at the peak",
        flush=True,
    )
