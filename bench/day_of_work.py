"""Whether a process that works all day keeps its size: maps, descriptors and memory, after minutes of mixed work.

usage: day_of_work.py [--seconds N] [--parts N] [--seed N]

The work is of all that pages are for: copies of arrays from 4 to 48 MiB that are written here and there, or as a whole,
kept generations, arrays by the page on request, histories, copies that threads write, and children that are forked.
After each part nothing is kept, and the process is looked at: the number of its maps and descriptors, its anonymous
memory, and what pages take. A part has as much work as any other, so what grows from part to part has leaked.
The status is 1 if something has.
"""

import argparse
import ctypes
import gc
import os
import random
import sys
import threading
import time

import numpy as np

import cowarray

__all__ = ["grown", "look", "main", "work"]

MIB = 1 << 20
# Beyond the second part: allocators, and Python's own lists, take a while to settle.
SLACK = {"maps": 60, "descriptors": 2, "MiB": 48, "bases": 0, "windows": 0}


def look():
    """What the process has: maps, descriptors, MiB of anonymous memory, MiB of bases, and maps of windows."""
    gc.collect()
    cowarray.keep_freed(cowarray.keep_freed(0))  # blocks that are kept for reuse are no leak
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/maps") as maps, open("/proc/self/status") as status:
        anonymous = next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))
        return {
            "maps": sum(1 for _ in maps),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "MiB": anonymous // 1024,
            "bases": cowarray.paging_memory()["bases"] // MIB,
            "windows": cowarray.paging_memory()["maps"],
        }


def grown(first, last):
    """The names of what has grown by more than `SLACK`."""
    return [name for name in SLACK if last[name] > first[name] + SLACK[name]]


# ---- the work --------------------------------------------------------------------------------------------------------


def an_array(chance):
    return cowarray.array(np.zeros(chance.choice([4, 8, 33, 48]) * MIB // 8))


def here_and_there(chance):
    """Copies of copies, each written in some way, and read."""
    live = [an_array(chance) for _ in range(3)]
    for _ in range(40):
        x = live[chance.randrange(3)]
        y = x.copy()
        start = chance.randrange(y.size)
        match chance.randrange(6):
            case 0 | 1:
                y[start] = 1
            case 2:
                y[start : start + 5000] += 1
            case 3:
                y[np.array([start, start // 2, start // 3])] = 2
            case 4:
                x[start] = float(y[start // 2]) + 1
            case 5:
                y += 1
        live[chance.randrange(3)] = y


def generations(chance):
    """An element each, all kept; every tenth is read."""
    x, kept = an_array(chance), []
    for i in range(150):
        kept.append(x.copy())
        x[chance.randrange(x.size)] = i
        if i % 10 == 0:
            float(kept[chance.randrange(len(kept))][:1000].sum())


def densely(chance):
    """A number to every page, until the pages are given up."""
    x = an_array(chance)
    y = x.copy()
    for i in range(0, min(y.size, MIB), 512):
        y[i] = i


def on_request(chance):
    x = cowarray.by_page(an_array(chance))
    kept = [x.copy() for _ in range(20)]
    for i, y in enumerate(kept):
        y[i * 1000] = i


def histories(chance):
    history = cowarray.History({"a": an_array(chance)})
    x = history.state["a"]
    for i in range(20):
        x[chance.randrange(x.size)] = i
        history.commit(str(i))
    history.undo()


def threads(chance):
    x = an_array(chance)
    places = [chance.randrange(x.size) for _ in range(4)]

    def write(at):
        for i in range(10):
            y = x.copy()
            y[at] = i

    running = [threading.Thread(target=write, args=(at,)) for at in places]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def children(chance):
    x = an_array(chance)
    y = x.copy()
    y[0] = 1
    child = os.fork()
    if child == 0:
        y[5] = 2
        x.copy()[7] = 3
        os._exit(0)
    y[9] = 4
    os.waitpid(child, 0)


KINDS = (here_and_there, generations, densely, on_request, histories, threads, children)


def work(chance, seconds):
    """Work for so long; returns how many jobs that were."""
    end, jobs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        KINDS[jobs % len(KINDS)](chance)
        jobs += 1
    return jobs


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--parts", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    chance, looks = random.Random(options.seed), []
    print(f"| part | jobs | {' | '.join(SLACK)} |\n" + "|---" * (len(SLACK) + 2) + "|")
    for part in range(options.parts):
        jobs = work(chance, options.seconds / options.parts)
        looks.append(look())
        print(f"| {part + 1} | {jobs} | {' | '.join(str(looks[-1][name]) for name in SLACK)} |", flush=True)
    wrong = grown(looks[min(1, len(looks) - 1)], looks[-1])
    print(f"\nGrown: {', '.join(wrong) or 'nothing'}.")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
