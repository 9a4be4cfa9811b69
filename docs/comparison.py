"""Write the tables of comparison.md from what its programs found; with --run, run the programs first.

usage: comparison.py [--run [PROGRAM ...]]     `make comparison` runs all, where the libraries are; or only these
"""

import hashlib
import importlib.metadata
import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "comparison.md"
FOLDER = HERE / "examples" / "comparison"
RESULTS = FOLDER / "results.json"
BEGIN, END = "<!-- findings: written by docs/comparison.py -->\n", "<!-- end of findings -->\n"

# In the order of the page: what to call the feature, and its program.
PROGRAMS = {
    "Lazy copies": "lazy_copies",
    "Small copies": "small_copies",
    "`reshape` is a value": "reshape_is_a_value",
    "Snapshots": "snapshots",
    "Read-only inputs": "read_only_inputs",
    "DLPack of read-only inputs": "dlpack_read_only",
    "Mapped files": "mapped_files",
    "Copies in threads": "threads",
    "Which line copied": "which_line_copied",
    "Which lines count on an alias": "lines_that_alias",
    "Shapes without bytes": "shapes_without_bytes",
    "Peak memory, ahead": "peak_memory_ahead",
    "Deferred values": "deferred_values",
    "A budget of memory": "memory_budget",
    "The array API standard": "standard_namespace",
    "Gradients": "gradients",
    "Labels": "labels",
    "Larger than memory": "larger_than_memory",
}
LIBRARIES = ("cowarray", "numpy", "torch", "jax", "pandas", "xarray", "cubed")
TIME_LIMIT = 300


def source(program):
    return FOLDER / f"{program}.py"


def fingerprint(program):
    """Of the program that gave a result: another one needs another run."""
    return hashlib.sha256(source(program).read_bytes()).hexdigest()[:16]


def run(program):
    """What a program found: its first line, and a verdict and a sentence for each library."""
    command = [sys.executable, source(program), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        sys.exit(f"comparison: {program} fails\n{done.stdout}\n{done.stderr}")
    question = source(program).read_text().partition('"""')[2].partition('"""')[0].strip()
    found = json.loads(done.stdout.splitlines()[-1])  # profilers also print
    print(f"{program}: {', '.join(f'{library} {verdict}' for library, (verdict, _) in found.items())}", flush=True)
    return {"question": question, "fingerprint": fingerprint(program), "found": found}


def measure(names):
    """The record, with what the named programs, or all, find now. One record has the versions of one environment."""
    versions = {library: importlib.metadata.version(library) for library in LIBRARIES}
    before = json.loads(RESULTS.read_text()) if names else {"versions": versions, "programs": {}}
    if before["versions"] != versions:
        sys.exit(f"comparison: run all programs: {RESULTS.name} is of {before['versions']}, here are {versions}")
    programs = before["programs"] | {program: run(program) for program in names or PROGRAMS.values()}
    return {
        "versions": versions,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "programs": programs,
    }


def as_text(results):
    """The record as JSON, with a line for each program."""
    lines = {key: json.dumps(value, ensure_ascii=False) for key, value in results.items()}
    programs = [f"{json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in results["programs"].items()]
    lines["programs"] = "{\n" + ",\n".join(programs) + "\n}"
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {line}" for key, line in lines.items()) + "\n}\n"


def cell(found, library):
    return found[library][0] if library in found else "–"


def tables(results):
    """The summary, and a list for each feature."""
    versions = ", ".join(f"{library} {version}" for library, version in results["versions"].items())
    lines = [
        f"{versions}; Python {results['python']}, {results['system']}, CPU only, {results['date']}.",
        "",
        f"| feature | {' | '.join(LIBRARIES)} |",
        "|---" * (len(LIBRARIES) + 1) + "|",
    ]
    for feature, program in PROGRAMS.items():
        found = results["programs"][program]["found"]
        lines.append(f"| [{feature}](#{anchor(feature)}) | {' | '.join(cell(found, one) for one in LIBRARIES)} |")
    for feature, program in PROGRAMS.items():
        recorded = results["programs"][program]
        lines += ["", f"## {feature}", "", recorded["question"]]
        lines += [f"([{program}.py](examples/comparison/{program}.py))", ""]
        lines += [f"- **{one}**, {verdict}: {sentence}." for one, (verdict, sentence) in recorded["found"].items()]
    return "\n".join(lines) + "\n"


def anchor(heading):
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def with_tables(page, results):
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables(results)}\n{END}{after}"


def main():
    if "--run" in sys.argv[1:]:
        results = measure(sys.argv[2:])
        RESULTS.write_text(as_text(results))
    PAGE.write_text(with_tables(PAGE.read_text(), json.loads(RESULTS.read_text())))


if __name__ == "__main__":
    main()
