"""The command line: ``python -m cowarray demo [FILE.npy]``, ``info``, ``run SCRIPT``, ``simulate SCRIPT``,
``plan SCRIPT``, and ``replay LOG``."""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : list of str, optional
        Default: the arguments of the process.

    Returns
    -------
    int
        Exit status: 0; 1 if a result was wrong, the machine failed, or a run does not fit its budget; 2 for a file or a
        command that cannot be used; 130 after an interrupt.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    parser, running = _parsers()
    if argv[:1] and argv[0] in running:
        # Arguments after the script are the script's, whatever they look like.
        options, program = _split(argv[1:])
        return _run_program(argv[0], running[argv[0]], options, program)
    arguments = parser.parse_args(argv)
    try:
        if arguments.command == "info":
            status = info()
        elif arguments.command == "replay":
            status = _replay(arguments)
        else:
            from cowarray._tools.demo import run

            status = run(arguments.file)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has gone. Output that Python still buffers for it must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parsers() -> Any:
    """Return the command line's parser and, by command that runs a program, the parser of what precedes the program."""
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
        help="default: a temporary file with 16 MB of numbers",
    )
    commands.add_parser("info", help="print versions, and where the C headers are")
    _add_replay(commands)
    simulate = commands.add_parser(
        "simulate",
        help="run a program that was written for NumPy, and say which of its lines relied on an alias",
        usage="python -m cowarray simulate [options] (SCRIPT | -m MODULE) [ARGUMENT ...]",
        description="Runs a program that was written for NumPy on cowarray's arrays. Its results are NumPy's. "
        "When it has ended, a report on stderr names the lines that relied on an alias where cowarray copies.",
        epilog="Exit status: the program's own if that is not 0; else 1 if a line relied on an alias, 0 if none did; 2 "
        "for a program that cannot be run.",
        allow_abbrev=False,
    )
    simulate.add_argument("--error", action="store_true", help="raise AliasingError where an alias is relied on")
    simulate.add_argument("--exact", action="store_true", help="also say whether the values differed from a copy's")
    plan = commands.add_parser(
        "plan",
        help="say how much memory a program that was written for NumPy would take, without computing it",
        usage="python -m cowarray plan [options] (SCRIPT | -m MODULE) [ARGUMENT ...]",
        description="Runs a program that was written for NumPy on arrays without bytes. Shapes, dtypes and memory are "
        "right, and nothing large is computed or read. When it has ended, a report on stderr says how much memory the "
        "program would take, how much it would copy, and where; which values were assumed; and where it stopped, if it "
        "needed a value or raised an exception, with the option that gets past it.",
        epilog="SIZE is bytes, or a number with a unit: 4096, '8 GiB', 500MB. Exit status: the program's own if that "
        "is not 0, which is 1 if it needed a value or raised an exception; else 1 if the peak is above the limit, 0 if "
        "not; 2 for a program that cannot be run, or options that cannot be used.",
        allow_abbrev=False,
    )
    plan.add_argument(
        "--real",
        "--sample",
        metavar="SIZE",
        type=_size,
        default=4096,
        help="compute arrays of less than SIZE, and read smaller files (default: 4096)",
    )
    plan.add_argument(
        "--assume",
        metavar="WHAT",
        type=_assumed,
        action="append",
        default=[],
        help="where a value is needed, assume an answer and go on: all; or pairs, as in "
        "masks=0.5,conditions=true,numbers=1,rounds=10, or solver.py:88=false for one line (may be repeated)",
    )
    plan.add_argument("--limit", metavar="SIZE", type=_size, help="exit with 1 if the peak is above SIZE")
    run = commands.add_parser(
        "run",
        help="run a program that was written for NumPy on cowarray's arrays",
        usage="python -m cowarray run [options] (SCRIPT | -m MODULE) [ARGUMENT ...]",
        description="Runs an unmodified program with cowarray in place of NumPy. Output, exit status, tracebacks and "
        "sys.argv are the program's.",
        epilog="Exit status: the program's own; 2 for a program that cannot be run.",
        allow_abbrev=False,
    )
    run.add_argument("--aliasing", action="store_true", help="make arrays alias as NumPy's do, in the whole process")
    run.add_argument(
        "--paging",
        choices=["off", "ledger", "eager"],
        help="which writes copy pages, not whole arrays (default: ledger)",
    )
    run.add_argument("--report", action="store_true", help="say at the end what was copied, and where")
    running = {"simulate": simulate, "plan": plan, "run": run}
    for each in running.values():
        each.add_argument("--json", action="store_true", help="report as one line of JSON")
        each.add_argument("--output", metavar="FILE", help="write the report to FILE (default: stderr)")
        each.add_argument(
            "--include",
            metavar="PACKAGE",
            action="append",
            default=[],
            help="treat PACKAGE as part of the program (may be repeated)",
        )
    return parser, running


def _add_replay(commands: Any) -> None:
    replay = commands.add_parser(
        "replay",
        help="say what a run under a memory budget would have cost under another one",
        description="Simulates the log of a run (of cowarray.budget, or of DTR's own tools) under other budgets and "
        "heuristics: how much would be recomputed, and how much memory it would take. Nothing is computed.",
        epilog="SIZE is bytes, or a number with a unit: 4096, '8 GiB', 500MB. Exit status: 0 if the run fits into "
        "every budget, 1 if not, 2 for a log or options that cannot be used.",
        allow_abbrev=False,
    )
    replay.add_argument("log", metavar="LOG")
    replay.add_argument(
        "--budget",
        metavar="SIZE",
        type=_size,
        action="append",
        default=[],
        help="a budget to simulate (may be repeated; default: none)",
    )
    replay.add_argument(
        "--heuristic",
        choices=["dtr", "local", "lru", "size", "random"],
        action="append",
        help="what to evict (default: dtr; may be repeated)",
    )
    replay.add_argument("--small", metavar="SIZE", type=_size, default=0, help="never evict arrays of less than SIZE")
    replay.add_argument("--sample", action="store_true", help="consider only a random sample of the arrays")
    replay.add_argument(
        "--seed", metavar="N", type=int, default=0, help="for --sample and heuristic random (default: 0)"
    )
    replay.add_argument(
        "--remat-limit",
        metavar="TIMES",
        type=_times,
        default=100.0,
        help="give up when recomputing takes more than TIMES what the log took (default: 100)",
    )
    replay.add_argument(
        "--end",
        choices=["remake", "keep"],
        default="remake",
        help="at the end, bring all live arrays into memory, or leave them as they are (default: remake)",
    )
    replay.add_argument("--json", action="store_true", help="report as one line of JSON")


def _replay(arguments: Any) -> Any:
    from cowarray._tools import replaying

    return replaying.run(
        arguments.log,
        arguments.budget,
        arguments.heuristic or ["dtr"],
        small=arguments.small,
        sample=arguments.sample,
        seed=arguments.seed,
        remat_limit=arguments.remat_limit,
        end=arguments.end,
        as_json=arguments.json,
    )


def _size(text: str) -> Any:
    from cowarray._modes.common.sizes import nbytes_of

    try:
        return nbytes_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _times(text: str) -> float:
    try:
        times = float(text)
    except ValueError:
        times = -1.0
    if not times >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0 on (got {text!r})")
    return times


def _assumed(text: str) -> Any:
    from cowarray._modes.fake.assumptions import Assumptions

    try:
        Assumptions(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("assume: ")) from None
    return text


_WITH_VALUE = ("--assume", "--include", "--limit", "--output", "--paging", "--real", "--sample")


def _split(arguments: Any) -> Any:
    """Split options of the command from the program and its arguments: from ``-m`` or the first non-option on."""
    i = 0
    while i < len(arguments) and arguments[i].startswith("-") and arguments[i] not in ("-", "-m", "--"):
        i += 2 if arguments[i] in _WITH_VALUE else 1
    return arguments[:i], arguments[i:]


def _run_program(command: Any, parser: Any, options: Any, program: Any) -> Any:
    options = parser.parse_args(options)
    module = program[:1] == ["-m"]
    if module or program[:1] == ["--"]:
        del program[0]
    if not program:
        parser.error("no program: give the path of a script, or -m and the name of a module")
    if command == "plan":
        from cowarray._tools import planning

        planned = planning.program(program[0], program[1:], module=module, include=options.include)
        return planning.run(
            planned,
            real=options.real,
            assume=",".join(options.assume) or None,
            limit=options.limit,
            as_json=options.json,
            output=options.output,
        )
    from cowarray._tools import programs, running, simulation

    started = programs.Program(program[0], program[1:], module=module, include=options.include)
    if command == "run":
        report = options.report or options.json or options.output is not None
        return running.run(
            started,
            aliasing=options.aliasing,
            paging=options.paging,
            report=report,
            as_json=options.json,
            output=options.output,
        )
    return simulation.run(
        started, error=options.error, exact=options.exact, as_json=options.json, output=options.output
    )


def info() -> int:
    """Print the facts that a problem report should include."""
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


def _huge_pages() -> Any:
    """Tell what the system does with the library's advice to use huge pages for large blocks."""
    try:
        setting = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return "unknown"
    chosen = setting.partition("[")[2].partition("]")[0]
    use = "not used" if chosen == "never" else "used for large arrays"
    return f"{use} (the system's setting: {chosen or 'unknown'})"


if __name__ == "__main__":
    sys.exit(main())
