"""An editor of pictures, whose every stroke can be undone: ``python docs/examples/editor.py``.

It paints discs on a picture and keeps each stroke as a version in a folder. Then it undoes, branches, merges, and is
killed in the middle of painting; the picture that is opened afterwards is the last one that was committed.
"""

import argparse
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

import cowarray


def stroke(image, rng):
    """Paint a disc somewhere, and say where."""
    height, width, _ = image.shape
    radius = int(rng.integers(width // 60, width // 12))
    y, x = (int(rng.integers(radius, length - radius)) for length in (height, width))
    rows, columns = np.ogrid[-radius:radius, -radius:radius]
    part = image[y - radius : y + radius, x - radius : x + radius]
    part[rows**2 + columns**2 < radius**2] = rng.integers(40, 256, 3)
    return f"disc of {radius} at {y}, {x}"


def paint(history, count, seed):
    """Some strokes, each of them a version. They are written while the next one is painted."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        history.commit(stroke(history.state["image"], rng), durable="background")
    history.flush()


def paint_until_killed(folder):
    """Another process, which says each stroke that is safe on the disk, and is killed."""
    command = [sys.executable, __file__, "--folder", folder, "--paint"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = [process.stdout.readline() for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.read().splitlines()
    return int(said[-1])


def png(image):
    """The bytes of a picture as a PNG file."""
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), np.asarray(image).reshape(height, -1)], axis=1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def edit(folder, size, strokes, picture=None):
    """All of it, with figures."""
    image = np.full((size, size, 3), 250, np.uint8)
    with cowarray.History(folder, {"image": image}) as history:
        state = history.state
        begin = time.perf_counter()
        paint(history, strokes, seed=1)
        took = time.perf_counter() - begin
        written = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        print(f"{strokes} strokes on {image.nbytes:,} bytes: {took / strokes * 1e3:.2f} ms each, all undoable")
        print(f"in memory beside the picture: {history.own_nbytes:,} bytes; on the disk: {written:,}")

        after = np.array(state["image"])
        for _ in range(strokes // 2):
            history.undo()
        history.branch("what if")
        paint(history, 5, seed=2)
        history.switch("main")
        assert np.array_equal(state["image"], after)
        history.merge("what if", "both", conflicts="last")
        print(f"merged: {history.log()[-1].message!r}, {len(history)} versions")

    last = paint_until_killed(folder)
    with cowarray.History(folder) as history:
        assert history.version >= last
        assert history.verify() == []
        print(f"killed at version {last} or later; version {history.version} is whole")
        if picture is not None:
            step = max(1, size // 400)
            Path(picture).write_bytes(png(history.state["image"][::step, ::step]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=2048, help="pixels of a side")
    parser.add_argument("--strokes", type=int, default=200)
    parser.add_argument("--folder", help="where the history is to be; default: a temporary folder")
    parser.add_argument("--picture", help="a PNG file to write")
    parser.add_argument("--paint", action="store_true", help="paint until killed")
    options = parser.parse_args()
    if options.paint:
        with cowarray.History(options.folder) as history:
            rng = np.random.default_rng(os.getpid())
            while True:
                print(history.commit(stroke(history.state["image"], rng)), flush=True)
    elif options.folder:
        edit(options.folder, options.size, options.strokes, options.picture)
    else:
        with tempfile.TemporaryDirectory() as folder:
            edit(folder, options.size, options.strokes, options.picture)


if __name__ == "__main__":
    main()
