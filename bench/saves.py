"""What a save beside a running program costs it: ``python bench/saves.py [--mib 4096] [--share 0.01] [--folder PATH]``.

An array is saved with `save_async`, and while the thread writes, one element of 1 % of its pages at random. Shown are
the time of the call, the time of a write beside that without a save, the memory that came, what the array takes with
all that it shares, and whether the file is the state of the call bit for bit: of saves between which the same pages are
written, the first of which makes the array's base, of saves between which others are, and of one after `by_page`.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import cowarray

PAGE = 512  # elements


def memory():
    """Bytes of memory that the process has, with what arrays share counted once."""
    return cowarray.paging_memory()["resident"]


def write(x, where, value):
    """Seconds for the first write, and for each of the others."""
    begin = time.perf_counter()
    x[where[0]] = value
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    for index in where[1:]:
        x[index] = value
    return first, (time.perf_counter() - begin) / (len(where) - 1)


def is_as_at_the_call(path, x, where, before):
    """Whether a file has what the array was before the elements were written."""
    found, step = np.load(path, mmap_mode="r"), 1 << 24
    order = np.argsort(where)
    where, before = np.array(where)[order], before[order]
    for at in range(0, x.size, step):
        expected = np.array(x[at : at + step])
        part = slice(*np.searchsorted(where, [at, at + step]))
        expected[where[part] - at] = before[part]
        if not np.array_equal(found[at : at + step].view("u8"), expected.view("u8")):
            return False
    return True


def places(x, share, rng):
    """An element of each of so many pages."""
    pages = rng.choice(x.size // PAGE, max(2, int(x.size // PAGE * share)), replace=False)
    return (pages * PAGE + rng.integers(0, PAGE, pages.size)).tolist()


def save(name, x, folder, where, empty):
    """Save an array while elements of it are written; `empty` is the memory without the array."""
    _, plain = write(x, where, 3.0)
    value = float(where[0])
    before, was = np.array([x[index] for index in where]), memory()
    begin = time.perf_counter()
    future = cowarray.save_async(Path(folder, "x.npy"), x)
    call = time.perf_counter() - begin
    first, beside = write(x, where, value)
    meanwhile = not future.done()
    more = memory() - was
    path = future.result()
    took = time.perf_counter() - begin
    same = is_as_at_the_call(path, x, where, before)
    print(
        f"{name}: call {call * 1e3:.2f} ms, the first write {first * 1e3:.2f} ms, "
        f"each other one {(beside - plain) * 1e6:.2f} us more than {plain * 1e6:.2f} us, "
        f"memory {more / x.nbytes:+.1%}, {(memory() - empty) / x.nbytes:.1%} after it, saved in {took:.1f} s, "
        f"{'' if meanwhile else 'NOT '}written meanwhile, the file is {'' if same else 'NOT '}the state of the call",
        flush=True,
    )
    return same


def main(arguments=None):
    """Whether each file was the state of the call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=float, default=4096)
    parser.add_argument("--share", type=float, default=0.01, help="of the pages that are written")
    parser.add_argument("--saves", type=int, default=3, help="of each kind")
    parser.add_argument("--folder", help="where the file is made")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    size = int(options.mib * (1 << 17))
    empty = memory()
    results = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        x = cowarray.ones(size)
        where = places(x, options.share, rng)
        for k in range(options.saves):
            results.append(save(f"the same pages, save {k + 1}", x, folder, where, empty))
        for k in range(options.saves):
            results.append(save(f"other pages, save {k + 1}", x, folder, places(x, options.share, rng), empty))
        del x
        x = cowarray.ones(size)
        begin = time.perf_counter()
        x.by_page()
        print(f"by_page: {(time.perf_counter() - begin) * 1e3:.0f} ms")
        results.append(save("first save after by_page", x, folder, where, empty))
    return results


if __name__ == "__main__":
    main()
