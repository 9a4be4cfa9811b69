#!/usr/bin/env python3
"""What pages cost where the table of their prices is wrong by two, in the programs that use them worst.

usage: wrong_prices.py [--rounds N] [--program NAME ...]

The core is compiled with half of the prices in its table (`src/core/prices.c`), with these, and with twice as much, and
runs wrong_prices.c, beside copies that are made at once. Two things are shown: what the ledger has spent, by its own
prices, of what copies would have cost; and the time, of that of copies. The first is never above 1.25 and what the
process may lend, whatever the prices are, and the status is 1 if it is. The second is what a wrong price means: at half
of the true prices up to twice as much of what was spent on pages and bases.
"""

import argparse
import re
import statistics
import subprocess
import sys

from prices import CORE, compiled

__all__ = ["FACTORS", "PROGRAMS", "broken", "main", "run"]

FACTORS = (0.5, 1.0, 2.0)
# Name: the program, MiB of its arrays, how many copies or families.
PROGRAMS = {
    "every-page-1": ("every-page", 64, 1),
    "every-page-6": ("every-page", 64, 6),
    "every-page-12": ("every-page", 64, 12),
    "every-page-48": ("every-page", 64, 48),
    "one-then-all": ("one-then-all", 8, 100),
    "just-below": ("just-below", 64, 40),
}
SHARE = 1.25
LOANS = 512  # MiB, of all families together


def priced(factor):
    """Options of the compiler: the table's prices times a factor."""
    found = re.findall(r"#define (COWI_PRICE_OF_\w+) (\d+)", (CORE / "prices.c").read_text())
    return [f"-D{name}={int(int(price) * factor)}" for name, price in found]


def run(program, name):
    """Spent and earned by the ledger in a round, and the time beside copies.

    Parameters
    ----------
    program : path-like
    name : str
        Of `PROGRAMS`.

    Returns
    -------
    dict
        ``"spent"`` and ``"earned"`` in copies of the array, ``"time"`` in times.
    """
    what, mib, count = PROGRAMS[name]
    done = subprocess.run([program, what, str(mib), str(count)], capture_output=True, text=True, check=True)
    return dict(zip(("spent", "earned", "time"), [int(each) / 1000 for each in done.stdout.split()], strict=True))


def broken(found, mib):
    """Whether the ledger has spent more than it may, in arrays of so many MiB."""
    return found["spent"] > SHARE * found["earned"] + LOANS / mib


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", action="append", choices=PROGRAMS, metavar="NAME", help="all, if none is named")
    options = parser.parse_args(arguments)
    made = {factor: compiled("wrong_prices", priced(factor)) for factor in FACTORS}
    print("| program | prices | spent, of copies | time, of copies |\n|---|---|---|---|")
    wrong = False
    for name in options.program or PROGRAMS:
        for factor, program in made.items():
            runs = [run(program, name) for _ in range(options.rounds)]
            wrong |= any(broken(each, PROGRAMS[name][1]) for each in runs)
            spent = statistics.median(each["spent"] / each["earned"] for each in runs)
            took = statistics.median(each["time"] for each in runs)
            print(f"| {name} | {factor:g} | {spent:.2f} | {took:.2f} |", flush=True)
    print(f"\n{'WRONG: a ledger' if wrong else 'No ledger'} spends more than it may.")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
