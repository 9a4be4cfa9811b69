"""Runs the stages of `make check`, and says at the end where the time went.

usage: stages.py run NAME COMMAND ...     run a stage; its output is shown when it ends, and stays in build/check
       stages.py table NAME ...           what they took, what was skipped or sampled, and the ends of those that failed

The last line that a stage prints says what it ran and how many, or that it was skipped: else the stage has failed.
"""

import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path("build")
LOGS = BUILD / "check"


def last_line(log):
    """Return the last line of a stage, without pytest's frame and the time that it took."""
    lines = [line.strip("= ") for line in log.read_text(errors="replace").splitlines() if line.strip("= ")]
    return re.sub(r" in [\d.]+s( \([\d:]+\))?$", "", lines[-1]) if lines else ""


def end_of(name, most=60):
    """Return the last lines that a stage printed."""
    return (LOGS / f"{name}.log").read_text(errors="replace").splitlines()[-most:]


def run(name, command):
    """Run a stage, note the time it took, and return its status."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    start = time.time()
    with log.open("wb") as output:
        # make passes its job server on in descriptors.
        status = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, close_fds=False).returncode
    end = time.time()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = last_line(log)
    counted = said.startswith("skipped: ") or any(int(number) for number in re.findall(r"\d+", said))
    failed = status != 0 or not counted
    times = {"start": start, "end": end, "seconds": end - start, "cpu": used.ru_utime + used.ru_stime}
    row = {"stage": name, "failed": failed, "said": said, **times}
    with (LOGS / "stages.jsonl").open("a") as stages:
        stages.write(json.dumps(row) + "\n")
    # One write, so that parallel stages do not mix their lines.
    text = f"---- {name}: {end - start:.0f} s ----\n{log.read_text(errors='replace')}"
    if failed:
        text += f"---- {name}: FAILED" + ("" if status else ": its last line counts nothing") + " ----\n"
    print(text, end="", flush=True)
    return status or failed


def table(names):
    """Print stages' times, what was skipped or sampled, and the ends of failed stages; return True if any failed."""
    stages = LOGS / "stages.jsonl"
    rows = [json.loads(line) for line in stages.read_text().splitlines()] if stages.exists() else []
    missing = sorted(set(names) - {row["stage"] for row in rows})
    print(f"{'stage':20} {'seconds':>7} {'cpu s':>7}  what it ran")
    for row in rows:
        said = f"FAILED: {row['said']}" if row["failed"] else row["said"]
        print(f"{row['stage']:20} {row['seconds']:7.0f} {row['cpu']:7.0f}  {said}")
    for name in missing:
        print(f"{name:20} {'':7} {'':7}  did not run")
    elapsed = max((row["end"] for row in rows), default=0) - min((row["start"] for row in rows), default=0)
    print(f"{'all':20} {elapsed:7.0f} {sum(row['cpu'] for row in rows):7.0f}  {len(rows)} stages")
    for name in "skipped", "sampled":
        notes = BUILD / name
        if notes.exists():
            print(*sorted(set(notes.read_text().splitlines())), sep="\n")
    for row in rows:
        if row["failed"]:
            print(f"---- {row['stage']}: its end ----", *end_of(row["stage"]), sep="\n")
    return bool(missing) or not rows or any(row["failed"] for row in rows)


def main(arguments):
    match arguments:
        case ["run", name, *command] if command:
            return run(name, command)
        case ["table", *names] if names:
            return table(names)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
