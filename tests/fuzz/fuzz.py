"""Runs the fuzz targets on random mutations of their corpora: fuzz.py [--seconds S] [--seed N] [TARGET...]

An input that fails is written to build/fuzz; put it into the target's corpus when it is mended. One that crashes the
process is found in build/fuzz/TARGET.current. `fuzz.py TARGET --one FILE` repeats it.
"""

import argparse
import contextlib
import faulthandler
import hashlib
import io
import mmap
import random
import sys
import time
import traceback
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))
BUILD = FOLDER.parent.parent / "build" / "fuzz"
LONGEST = 4096


def corpus(target):
    """The stored inputs of a target; there must be some."""
    inputs = [path.read_bytes() for path in sorted((FOLDER / "corpus" / target).iterdir())]
    assert inputs, f"tests/fuzz/corpus/{target} is empty"
    return inputs


def mutated(inputs, rng):
    """One of the inputs, or parts of two, with a few changes."""
    data = bytearray(rng.choice(inputs))
    if rng.random() < 0.2:
        other = rng.choice(inputs)
        data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
    if rng.random() < 0.1:
        data += rng.randbytes(rng.randrange(64))
    for _ in range(1 << rng.randrange(5)):
        if not data:
            break
        at = rng.randrange(len(data))
        change = rng.randrange(7)
        if change == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            data[at] = rng.randrange(256)
        elif change == 2:
            data[at : at + 1] = rng.randbytes(rng.randrange(4))
        elif change == 3:
            del data[at : at + rng.choice([1, 2, 4, 8])]
        elif change == 4:
            data[at:at] = data[at : at + rng.randrange(16)]
        elif change == 5:
            data[at] = (data[at] + rng.choice([1, -1])) % 256
        else:
            width = rng.choice([1, 2, 4, 8])
            data[at : at + width] = rng.choice([b"\x00", b"\xff", b"\x7f", b"0", b"9", b"("]) * width
    return bytes(data[:LONGEST])


class Current:
    """The input that runs now, where it is found after a crash."""

    def __init__(self, target):
        BUILD.mkdir(parents=True, exist_ok=True)
        path = BUILD / f"{target}.current"
        path.write_bytes(bytes(LONGEST + 4))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), LONGEST + 4)

    def set(self, data):
        self.memory[: 4 + len(data)] = len(data).to_bytes(4, "little") + data


def failing(target, run, data):
    """Runs one input; the report if it fails, or prints what nobody could raise."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            run(data)
        assert not printed.getvalue(), printed.getvalue()
    except Exception:
        path = BUILD / f"{target}-{hashlib.sha256(data).hexdigest()[:12]}"
        path.write_bytes(data)
        return f"{target}: {path}\n{traceback.format_exc()}"
    return None


def fuzz(target, run, rng, seconds):
    """(executions, reports of failures)"""
    inputs = corpus(target)
    current = Current(target)
    done, reports, end = 0, [], time.monotonic() + seconds
    while time.monotonic() < end and len(reports) < 5:
        data = inputs[done] if done < len(inputs) else mutated(inputs, rng)
        current.set(data)
        report = failing(target, run, data)
        done += 1
        if report:
            reports.append(report)
    return done, reports


def main():
    from fuzz_targets import TARGETS

    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--one", type=Path, help="a file to run once")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    arguments = parser.parse_args()
    faulthandler.enable()
    names = arguments.targets or list(TARGETS)
    if arguments.one:
        data = arguments.one.read_bytes()
        if arguments.one.suffix == ".current":
            data = data[4 : 4 + int.from_bytes(data[:4], "little")]
        TARGETS[names[0]](data)
        return 0
    seed = random.SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    failed = 0
    for name in names:
        print(f"fuzz {name}: seed {seed} ...", flush=True)
        done, reports = fuzz(name, TARGETS[name], random.Random(f"{seed} {name}"), arguments.seconds / len(names))
        with contextlib.suppress(FileNotFoundError):
            (BUILD / f"{name}.current").unlink()
        print("\n".join([f"fuzz {name}: {done} executions, {len(reports)} failures", *reports]), flush=True)
        failed += len(reports)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
