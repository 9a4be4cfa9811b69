"""What a disk may hold after the power failed: of calls recorded by ``extension/disk_calls.c``, whatever was not
synchronized may be there or not.

The model is that of POSIX: `fsync` and `fdatasync` of a file keep its bytes, `fsync` of a folder keeps the names in it.
Of writes that nothing synchronized any may be lost, whole or from a sector of 512 bytes on. Names come and go in their
order, and any number of the last changes of a folder may be lost.
"""

import os
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest
from support.extensions import SOURCES, compiler, run

_HEAD = struct.Struct("<8sHHIq")
SECTOR = 512


class Call(NamedTuple):
    op: str
    path: str
    other: str
    offset: int
    data: bytes


def record(program, folder, work):
    """Run a program; the calls with which it changed a folder."""
    if sys.platform != "linux" or os.environ.get("COWARRAY_SANITIZE"):
        pytest.skip("calls of the C library are recorded by LD_PRELOAD, which sanitizers need themselves")
    library, log = work / "disk_calls.so", work / "log"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"]
    run([*compiler("CC", "cc", "gcc", "clang"), *flags, SOURCES / "disk_calls.c", "-o", library, "-ldl"])
    names = {"COWARRAY_DISK_FOLDER": str(folder), "COWARRAY_DISK_LOG": str(log), "LD_PRELOAD": str(library)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, env={**os.environ, **names})
    return list(_calls(log.read_bytes()))


def _calls(log):
    at = 0
    while at < len(log):
        op, *lengths, offset = _HEAD.unpack_from(log, at)
        at += _HEAD.size
        parts = []
        for length in lengths:
            parts.append(log[at : at + length])
            at += length
        path, other, data = parts
        yield Call(op.rstrip(b"\0").decode(), path.decode(), other.decode(), offset, data)


@dataclass
class _File:
    kept: bytes = b""
    pending: list = field(default_factory=list)  # (offset, data); data None: cut

    def with_some(self, chosen):
        content = bytearray(self.kept)
        for offset, data in chosen:
            if data is None:
                del content[offset:]
            content.extend(bytes(max(0, offset - len(content))))
            if data is not None:
                content[offset : offset + len(data)] = data
        return bytes(content)


_FOLDER = object()


class Disk:
    """Takes calls, one after the other, and says what may be left of them."""

    def __init__(self, folder):
        self.folder = str(folder)
        self._names = {}  # now, of files and folders
        self._kept = {}  # that a power failure leaves
        self._pending = {}  # by folder: changes of names, in their order, with the calls

    def take(self, call):
        if call.op in ("create", "mkdir"):
            made = _File() if call.op == "create" else _FOLDER
            self._change(call, lambda names: names.update({call.path: made}))
        elif call.op == "unlink":
            self._change(call, lambda names: names.pop(call.path, None))
        elif call.op == "rename":
            moved = self._names[call.path]
            assert os.path.dirname(call.path) == os.path.dirname(call.other)
            self._change(call, lambda names: (names.pop(call.path, None), names.update({call.other: moved})))
        elif call.path == self.folder or self._names.get(call.path) is _FOLDER:
            assert call.op == "sync"
            for _, change in self._pending.pop(call.path, []):
                change(self._kept)
        elif call.path in self._names:  # not a file that has lost its name
            self._change_file(self._names[call.path], call)

    def _change(self, call, change):
        change(self._names)
        self._pending.setdefault(os.path.dirname(call.path), []).append((call.op, change))

    @staticmethod
    def _change_file(file, call):
        if call.op == "sync":
            file.kept, file.pending = file.with_some(file.pending), []
        else:
            file.pending.append((call.offset, call.data if call.op == "write" else None))

    def at_risk(self):
        """The paths of files and folders with bytes or new names that are not synchronized."""
        files = {path for path, what in self._names.items() if what is not _FOLDER and what.pending}
        return files | {path for path, changes in self._pending.items() if {op for op, _ in changes} - {"unlink"}}

    def leave(self, place, random, loss):
        """Make a folder of what a failure may leave: ``"none"`` of it is lost, ``"all"`` that can be, or ``"some"``."""
        names = self._some_names(random, loss)
        for path, what in sorted(names.items(), key=lambda item: item[0]):
            if any(str(parent) not in names for parent in Path(path).parents if self._is_inside(parent)):
                continue
            target = place / os.path.relpath(path, self.folder)
            if what is _FOLDER:
                target.mkdir()
            else:
                target.write_bytes(what.with_some(self._some_writes(what, random, loss)))

    def _is_inside(self, path):
        return str(path).startswith(self.folder + "/")

    def _some_names(self, random, loss):
        names = dict(self._kept)
        for changes in self._pending.values():
            count = {"none": len(changes), "all": 0, "some": random.randint(0, len(changes))}[loss]
            for _, change in changes[:count]:
                change(names)
        return names

    @staticmethod
    def _some_writes(file, random, loss):
        if loss != "some":
            return file.pending if loss == "none" else []
        found = []
        for offset, data in file.pending:
            kind = random.randrange(3)
            if kind == 0:
                found.append((offset, data))
            elif kind == 1 and data is not None:
                found.append((offset, data[: random.randrange(0, len(data) + 1, SECTOR)]))
        return found
