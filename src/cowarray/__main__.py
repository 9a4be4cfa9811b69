"""The command line: ``python -m cowarray demo [FILE.npy]`` and ``python -m cowarray info``."""

import argparse
import os
import platform
import sys
from pathlib import Path

__all__ = ["main"]


def main(argv=None):
    """Run one command.

    Parameters
    ----------
    argv : list of str, optional
        Default: the arguments of the process.

    Returns
    -------
    int
        Exit status: 0, 1 if a result was wrong or the machine failed, 2 for a file or a command that cannot be used.
    """
    parser = argparse.ArgumentParser(prog="python -m cowarray", description="Arrays that are copied when written to.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="edit copies of an array, with NumPy and with cowarray, and compare",
        description="Opens an array by a read-only memory map, edits copies of it with NumPy and with cowarray, "
        "compares time, bytes copied and memory, and verifies every result. The file is only read.",
    )
    demo.add_argument(
        "file",
        nargs="?",
        metavar="FILE.npy",
        help="default: the planets' positions from 1800 to 2050, computed on the spot",
    )
    commands.add_parser("info", help="print versions, and where the C headers are")
    arguments = parser.parse_args(argv)
    try:
        if arguments.command == "info":
            status = info()
        else:
            from cowarray._tools.demo import run

            status = run(arguments.file)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has gone. What Python still holds back for it must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def info():
    """Print what a report of a problem should say."""
    import numpy as np

    import cowarray

    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    include = Path(cowarray.get_include())
    missing = "" if (include / "cowarray" / "core.h").is_file() else " (missing)"
    print(f"cowarray    {cowarray.__version__}")
    print(f"NumPy       {np.__version__}")
    print(f"Python      {platform.python_version()} ({platform.python_implementation()}), GIL {'on' if gil else 'off'}")
    print(f"system      {platform.system()} {platform.machine()}")
    print(f"C headers   {include}{missing}")
    print(f"huge pages  {_huge_pages()}")
    return 0


def _huge_pages():
    """What the system does with the library's advice to use huge pages for large blocks."""
    try:
        setting = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return "unknown"
    chosen = setting.partition("[")[2].partition("]")[0]
    use = "not used" if chosen == "never" else "used for large arrays"
    return f"{use} (the system's setting: {chosen or 'unknown'})"


if __name__ == "__main__":
    sys.exit(main())
