"""Run the public test suite of the array API standard, data-apis/array-api-tests, against `cowarray.array_api`.

The suite is no part of the project; its folder is named, with its submodule (the text of the standard) in place:

    make conformance-standard ARRAY_API_TESTS=../array-api-tests

Examples are drawn from fixed seeds: two runs ask the same. What may fail, and why, is in `standard-xfails.txt`.
"""

import argparse
import os
import random
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "standard-xfails.txt"
# Of the suite of April 2026, at version 2025.12: a run that finds less is no run of the whole. The suite itself skips 5
# as flaky; of the 26 that may fail 24 always do, and 2 as numbers are drawn.
TESTS = 1384
PASSED = TESTS - 5 - 26


class Tally:
    """Counts outcomes as pytest does, and what was wrong with the run."""

    def __init__(self):
        self.collected = 0
        self.counts = {}

    def pytest_collection_finish(self, session):
        self.collected = len(session.items)

    def pytest_runtest_call(self, item):
        random.seed(0)  # picks the only example of a special case, which --derandomize leaves to chance

    def pytest_terminal_summary(self, terminalreporter):
        self.counts = {
            kind: len(terminalreporter.stats.get(kind, ()))
            for kind in ("passed", "xpassed", "failed", "error", "xfailed", "skipped")
        }

    def complaints(self):
        if self.counts.get("failed", 0) or self.counts.get("error", 0):
            yield "there are failures"
        if self.collected < TESTS:
            yield f"only {self.collected} of at least {TESTS} tests were found"
        if self.passed < PASSED:
            yield f"only {self.passed} tests passed, of at least {PASSED}"

    @property
    def passed(self):
        return self.counts.get("passed", 0) + self.counts.get("xpassed", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, help="folder of data-apis/array-api-tests")
    parser.add_argument(
        "--module", default="cowarray.array_api", help="the namespace to test (default: cowarray.array_api)"
    )
    parser.add_argument("--standard", default="2025.12", help="version of the standard (default: 2025.12)")
    parser.add_argument("--examples", type=int, default=20, help="examples for each test (default: 20)")
    options, more = parser.parse_known_args()
    suite = options.suite.expanduser().resolve()
    for part in ("array_api_tests", f"array-api/spec/{options.standard}"):
        if not (suite / part).is_dir():
            sys.exit(f"conformance-standard: no {part} in {suite}, which is no array-api-tests with its submodule")

    os.environ["ARRAY_API_TESTS_MODULE"] = options.module
    os.environ["ARRAY_API_TESTS_VERSION"] = options.standard
    os.environ.setdefault("ARRAY_API_STRICT_API_VERSION", options.standard)  # for --module=array_api_strict
    os.chdir(suite)
    sys.path.insert(0, str(suite))
    tally = Tally()
    status = pytest.main(
        [
            "array_api_tests",
            "--derandomize",
            "--disable-deadline",  # a busy machine is no failure
            f"--max-examples={options.examples}",
            f"--xfails-file={EXPECTED}",
            f"--rootdir={suite}",
            *["-q", "-rfE", "--tb=short", "--disable-warnings", "-p", "no:cacheprovider", "-p", "no:randomly"],
            *more,
        ],
        plugins=[tally],
    )

    import numpy as np

    listed = ", ".join(f"{count} {kind}" for kind, count in tally.counts.items() if count)
    print(f"conformance-standard: {options.module}, NumPy {np.__version__}, standard {options.standard}, {listed}:")
    print(f"conformance-standard: {tally.passed} of {tally.collected} tests passed")
    if more:  # a part of it, which has no number to reach
        sys.exit(status)
    complaints = list(tally.complaints())
    for complaint in complaints:
        print(f"conformance-standard: {complaint}")
    sys.exit(1 if complaints else status)


if __name__ == "__main__":
    main()
