#!/usr/bin/env python3
"""What bases and pages cost on this machine, beside the table in src/core/prices.c.

usage: prices.py [--mib N ...] [--rounds N] [--check]

Prices are in copies of the same bytes into fresh memory: of a base that is filled (`fill`), and of pages that the
kernel copies one by one (`page`), on pages of 2 MiB (`huge`) and of 4 KiB (`small`). prices.c measures them with the
core's own functions, so a C compiler is needed. With --check the status is 1 where a price is more than twice the
table's: then `paging` may cost more than it promises.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["CORE", "KINDS", "check", "compiled", "measure", "table"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CORE = ROOT / "src" / "core"
KINDS = {
    "huge": {"fill": "COWI_PRICE_OF_FILL", "page": "COWI_PRICE_OF_PAGE"},
    "small": {"fill": "COWI_PRICE_OF_SMALL_FILL", "page": "COWI_PRICE_OF_PAGE"},
}
TOO_DEAR = 2.0


def table(source=CORE / "prices.c"):
    """The prices that the core goes by.

    Parameters
    ----------
    source : path-like, optional

    Returns
    -------
    dict
        Kind of pages -> ``{"fill": copies, "page": copies}``.
    """
    defined = dict(re.findall(r"#define (COWI_PRICE_OF_\w+) (\d+)", Path(source).read_text()))
    return {kind: {what: int(defined[name]) / 1000 for what, name in names.items()} for kind, names in KINDS.items()}


def compiled(name="prices", options=()):
    """A program of this folder with the core, made anew.

    Parameters
    ----------
    name : str
        Of its source.
    options : sequence of str
        Further ones, of the compiler.

    Returns
    -------
    pathlib.Path
    """
    program = ROOT / "build" / "bench" / "-".join([name, *options]).replace("=", "-")
    program.parent.mkdir(parents=True, exist_ok=True)
    standard = re.search(r"^STANDARD := (.*)$", (ROOT / "flags.mk").read_text(), re.MULTILINE)[1].split()
    includes = [f"-I{ROOT / 'include'}", f"-I{CORE}"]
    command = [*os.environ.get("CC", "cc").split(), *standard, "-O2", "-pthread", *includes]
    subprocess.run([*command, *options, HERE / f"{name}.c", *sorted(CORE.glob("*.c")), "-o", program], check=True)
    return program


def measure(program, mib, rounds):
    """What it costs here.

    Parameters
    ----------
    program : path-like
        Of `compiled`.
    mib, rounds : int
        The size of the base, and how often all of it is done.

    Returns
    -------
    dict
        As `table`, without kinds of pages that the system does not grant.
    """
    done = subprocess.run([program, str(mib), str(rounds)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {kind: {"fill": int(fill) / 1000, "page": int(page) / 1000} for kind, fill, page in rows}


def check(measured, expected):
    """The prices that are too dear for the table.

    Parameters
    ----------
    measured, expected : dict
        As `table`.

    Returns
    -------
    list of tuple
        Kind of pages, ``"fill"`` or ``"page"``.
    """
    return [
        (kind, what)
        for kind, prices in measured.items()
        for what, price in prices.items()
        if price > TOO_DEAR * expected[kind][what]
    ]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mib", type=int, nargs="+", default=[4, 16, 64, 256], help="sizes of bases")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true", help="fail where a price is more than twice the table's")
    options = parser.parse_args(arguments)
    program, expected, dear = compiled(), table(), []
    print("| pages | of | MiB | here | table |\n|---|---|---|---|---|")
    for mib in options.mib:
        measured = measure(program, mib, options.rounds)
        dear += check(measured, expected)
        for kind, prices in measured.items():
            for what, price in prices.items():
                print(f"| {kind} | {what} | {mib} | {price:.2f} | {expected[kind][what]:.2f} |", flush=True)
        if not measured:
            print("the system grants no bases", file=sys.stderr)
    for kind, what in dear:
        print(f"dearer than twice the table: {what}, on {kind} pages", file=sys.stderr)
    return 1 if dear and options.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
