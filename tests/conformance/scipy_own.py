"""Runs the array API tests of SciPy and scikit-learn on `cowarray.array_api`, and holds them to `scipy_expected.txt`.

`make conformance-scipy`; `python tests/conformance/scipy_own.py scipy.fft` runs one package. Each package has a process
and a time of its own (see `standard_backend.py` for what happens in it). It ends red if a test fails that is not
listed, if a listed one passes or is gone, or if a process dies. With `--aliasing`, all of it runs in
`cowarray.aliasing`.
"""

import argparse
import collections
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from numpy_own import judge, read_expected

HERE = Path(__file__).parent
VERSIONS = {"scipy": "1.17.1", "scikit-learn": "1.9.1"}  # what the list was made for
SCIPY = [
    "_lib",
    "cluster",
    "constants",
    "differentiate",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "spatial",
    "special",
    "stats",
]
# Arguments of pytest. SciPy marks the tests that get a namespace, scikit-learn's have it in their names.
PICKED = {
    "scipy": ["-m", "array_api_backends and not slow"],
    "sklearn": ["-k", "cowarray or array_api"],
}
FEWEST = {"scipy": 16_000, "sklearn": 700}  # tests that ran: fewer are not the whole


def run(package, seconds, aliasing=False):
    """The fates of a package's tests, and what ended its process before they were all known."""
    library = package.partition(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        fates, settings = Path(folder, "fates"), Path(folder, "pytest.ini")
        settings.write_text("[pytest]\n")
        command = [sys.executable, "-m", "pytest", "-c", str(settings), "-p", "standard_backend", "--library", library]
        command += ["--fates", str(fates), "-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=short"]
        command += ["--disable-warnings", *PICKED[library], "--pyargs", package, *["--aliasing"] * aliasing]
        paths = [str(HERE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths)), "SCIPY_ARRAY_API": "1"}
        ended = ""
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, timeout=seconds, capture_output=True, text=True, check=False
            )
            if done.returncode not in (0, 1, 5):
                ended = f"status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        except subprocess.TimeoutExpired:
            ended = f"no end after {seconds} s"
        lines = [json.loads(line) for line in fates.read_text().splitlines()] if fates.exists() else []
    known = {line["id"]: line for line in lines if line["outcome"] != "began"}
    unknown = [line["id"] for line in lines if line["id"] not in known]
    return list(known.values()), f"{unknown} {ended}" if unknown else ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="dotted names; all of SciPy's and scikit-learn by default")
    parser.add_argument("--expected", type=Path, default=HERE / "scipy_expected.txt")
    parser.add_argument("--seconds", type=float, default=1800, help="that a package may take")
    parser.add_argument("--fates", type=Path, help="file for the fate of every test, as lines of JSON")
    parser.add_argument("--aliasing", action="store_true", help="run in cowarray.aliasing")
    options = parser.parse_args()
    entries, _ = read_expected(options.expected, options.aliasing)
    if options.packages:
        entries = [each for each in entries if each.pattern.startswith(tuple(f"{name}." for name in options.packages))]
    for library, version in VERSIONS.items():
        if importlib.metadata.version(library) != version:
            print(f"the list is of {library} {version}, this is {importlib.metadata.version(library)}")
    fates, wrong = [], []
    for package in options.packages or [*(f"scipy.{name}" for name in SCIPY), "sklearn"]:
        found, ended = run(package, options.seconds, options.aliasing)
        fates += found
        wrong += [f"{package}: {ended}"] * bool(ended)
        counts = collections.Counter(fate["outcome"] for fate in found)
        print(f"{package}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items())) or 'no tests'}", flush=True)
    if options.fates:
        options.fates.write_text("".join(json.dumps(fate) + "\n" for fate in fates))
    return report(fates, entries, wrong, whole=not options.packages)


def report(fates, entries, wrong, whole):
    """Print what happened; the exit status."""
    unexpected, stale, causes = judge(fates, entries)
    errors = {fate["id"]: fate["error"] for fate in fates if fate["outcome"] == "failed"}
    for library, fewest in FEWEST.items():
        ran = [each for each in fates if each["id"].startswith(f"{library}.") and each["outcome"] != "skipped"]
        passed = sum(each["outcome"] != "failed" for each in ran)
        if whole and len(ran) < fewest:
            wrong.append(f"only {len(ran)} of at least {fewest} tests of {library} ran")
        print(f"{library}: {passed} of {len(ran)} tests passed")
    for name in unexpected:
        print(f"FAILED {name}\n    {errors[name][:300]}")
    for line in (*stale, *wrong):
        print(f"WRONG {line}")
    for cause, count in causes.most_common():
        print(f"{count:6} {cause}")
    if not fates:
        print("WRONG nothing was tested")
    return bool(unexpected or stale or wrong or not fates)


if __name__ == "__main__":
    sys.exit(main())
