"""Versions of an array in files, beside what others have: ``python bench/checkpoints.py [--mib 64] [--versions 12]``.

Three workloads change an array between versions: *sparse*, 100 elements at random; *dense*, all of them; *appending*,
the next 1/64 of an array that is full of zeros at first. For each library: bytes written for a version, time to take
one, and time to read the one in the middle whole. The others do not wait for the disk; `History` does. Chunked formats
get the chunks that are best for the workload, of those in `CHUNKS`.
"""

import argparse
import os
import statistics
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from history import written
from peers import MISSING, h5py, icechunk, torch, versioned_hdf5, zarr

import cowarray

CHUNKS = (1 << 12, 1 << 15, 1 << 18)  # elements
PARTS = 64


class Copies:
    """NumPy's copies in memory."""

    def __init__(self, x, folder, chunk):
        self.versions = [x.copy()]

    def commit(self, x, where):
        self.versions.append(x.copy())

    def read(self, k):
        return self.versions[k].copy()


class InMemory:
    def __init__(self, x, folder, chunk):
        self.history = cowarray.History(x)

    def commit(self, x, where):
        self.history.commit()

    def read(self, k):
        return np.array(self.history[k])


class InFolder(InMemory):
    def __init__(self, x, folder, chunk):
        self.history = cowarray.History(folder / "history", x)


class Savez:
    def __init__(self, x, folder, chunk):
        self.folder, self.count = folder, 0
        self.commit(x, ...)

    def commit(self, x, where):
        np.savez(self.folder / f"{self.count}.npz", x=x)
        self.count += 1

    def read(self, k):
        return np.load(self.folder / f"{k}.npz")["x"]


class Hdf5:
    """versioned-hdf5, which is told what has changed."""

    def __init__(self, x, folder, chunk):
        self.path = folder / "x.h5"
        self.file = h5py.File(self.path, "w")
        self.versions = versioned_hdf5.VersionedHDF5File(self.file)
        with self.versions.stage_version("0") as group:
            group.create_dataset("x", data=x, chunks=(chunk,))
        self.count = 1

    def commit(self, x, where):
        with self.versions.stage_version(str(self.count)) as group:
            group["x"][where] = x[where]
        self.file.flush()
        self.count += 1

    def read(self, k):
        """From the file: what was staged is kept as it was given."""
        self.file.close()
        with h5py.File(self.path, "r") as file:
            return versioned_hdf5.VersionedHDF5File(file)[str(k)]["x"][:]


class Icechunk:
    """Icechunk on local files, which is told what has changed."""

    def __init__(self, x, folder, chunk):
        self.repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder / "x")))
        session = self.repository.writable_session("main")
        group = zarr.create_group(session.store)
        made = group.create_array("x", shape=x.shape, chunks=(chunk,), dtype=x.dtype, compressors=None)
        made[:] = x
        self.snapshots = [session.commit("0")]

    def commit(self, x, where):
        session = self.repository.writable_session("main")
        target = zarr.open_group(session.store)["x"]
        if isinstance(where, slice):
            target[where] = x[where]
        else:
            target.set_coordinate_selection(where, x[where])
        self.snapshots.append(session.commit("next"))

    def read(self, k):
        session = self.repository.readonly_session(snapshot_id=self.snapshots[k])
        return zarr.open_group(session.store, mode="r")["x"][:]


class Torch:
    """torch.distributed.checkpoint in one process."""

    def __init__(self, x, folder, chunk):
        self.folder, self.count, self.size = folder, 0, x.size
        self.commit(x, ...)

    def commit(self, x, where):
        import torch.distributed.checkpoint as dcp

        dcp.save({"x": torch.from_numpy(x)}, checkpoint_id=self.folder / str(self.count), no_dist=True)
        self.count += 1

    def read(self, k):
        import torch.distributed.checkpoint as dcp

        made = {"x": torch.empty(self.size, dtype=torch.float64)}
        dcp.load(made, checkpoint_id=self.folder / str(k), no_dist=True)
        return made["x"].numpy()


# name: class, whether it has chunks, what it needs
LIBRARIES = {
    "History, in a folder": (InFolder, False, None),
    "History, in memory": (InMemory, False, None),
    "NumPy copies": (Copies, False, None),
    "np.savez": (Savez, False, None),
    "versioned-hdf5": (Hdf5, True, "versioned_hdf5"),
    "Icechunk": (Icechunk, True, "icechunk"),
    "torch checkpoint": (Torch, False, "torch"),
}


def change(workload, k, x, rng):
    """Change the array, and say where."""
    if workload == "sparse":
        where = np.unique(rng.integers(0, x.size, 100))
        x[where] = k
    elif workload == "dense":
        where = slice(0, x.size)
        x += 1.0
    else:
        where = slice(x.size // PARTS * k, x.size // PARTS * (k + 1))
        x[where] = rng.random(where.stop - where.start)
    return where


def measure(cls, workload, chunk, size, versions):
    """Bytes written for a version, seconds to take one, and to read one; each a median."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        start = np.zeros(size) if workload == "appending" else rng.random(size)
        keeper = cls(start, Path(folder), chunk)
        x = keeper.history.state if hasattr(keeper, "history") else start
        times, wrote, middle = [], [], None
        os.sync()  # what the library before has left to the system
        for k in range(1, versions + 1):
            where = change(workload, k, x, rng)
            before, begin = written(), time.perf_counter()
            keeper.commit(x, where)
            times.append(time.perf_counter() - begin)
            wrote.append(written() - before)
            if k == versions // 2:
                middle = np.array(x)
        begin = time.perf_counter()
        found = keeper.read(versions // 2)
        read = time.perf_counter() - begin
        assert np.array_equal(found, middle), f"{cls.__name__}: the version that was read is another"
        if cls is InFolder:
            keeper.history.close()
    return statistics.median(wrote), statistics.median(times), read


def best(cls, chunked, workload, size, versions):
    """The chunks with which a few versions take the least time, and the figures with these."""
    trials = {chunk: measure(cls, workload, chunk, size, 4)[1] for chunk in CHUNKS if chunked and chunk <= size}
    chunk = min(trials, key=trials.get, default=None)
    return chunk, measure(cls, workload, chunk, size, versions)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=float, default=64)
    parser.add_argument("--versions", type=int, default=12)
    options = parser.parse_args(arguments)
    if icechunk is not None:
        icechunk.set_logs_filter("error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, about one process
        report(options)


def report(options):
    size = int(options.mib * (1 << 17))
    print(f"{options.mib:g} MiB, {options.versions} versions")
    print("| workload | library | written for a version | time to take it | time to read one |\n|---|---|---|---|---|")
    for workload in ("sparse", "dense", "appending"):
        for name, (cls, chunked, needs) in LIBRARIES.items():
            if needs in MISSING:
                print(f"| {workload} | {name} | {MISSING[needs]} | | |")
                continue
            chunk, (wrote, took, read) = best(cls, chunked, workload, size, options.versions)
            label = f"{name}, chunks of {chunk * 8 >> 10} KiB" if chunk else name
            print(
                f"| {workload} | {label} | {wrote / 1e6:.3f} MB | {took * 1e3:.1f} ms | {read * 1e3:.0f} ms |",
                flush=True,
            )


if __name__ == "__main__":
    main()
