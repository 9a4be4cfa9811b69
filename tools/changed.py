"""Run the tests of code that has changed since the last commit, by folder: changed.py [pytest argument ...]

In a clean tree it tests what the last commit changed. The sweep of dtypes is left to `make test`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The tests for changed files, by the longest prefix that matches. A test file that has changed is run itself.
NEEDS = {
    "src/cowarray/_modes/simulate": ["tests/simulation"],
    "src/cowarray/_modes/copies": ["tests/isolation", "tests/edges/test_lending.py"],
    "src/cowarray/_modes/layouts": ["tests/fakes"],
    "src/cowarray/_modes/fake": ["tests/fakes", "tests/deferred"],
    "src/cowarray/_modes/deferred": ["tests/deferred"],
    "src/cowarray/_modes/budget": ["tests/budget"],
    "src/cowarray/_modes": ["tests/simulation", "tests/fakes", "tests/deferred", "tests/budget"],
    "src/cowarray/_versions": ["tests/versions"],
    "src/cowarray/_tools": ["tests/project/test_demo.py", "tests/simulation", "tests/fakes"],
    "src/cowarray/_files": ["tests/edges/test_files.py", "tests/faults/test_hostile_files.py"],
    "src/cowarray/_face": ["tests/edges", "tests/isolation"],
    "src/cowarray/_": ["tests/isolation", "tests/gaps"],
    "src/cowarray": ["tests/like_numpy", "--ignore=tests/like_numpy/test_dtypes.py"],
    "src/core": ["tests/pages", "tests/isolation"],
    "include": ["tests/edges", "tests/project"],
    "bench": ["bench"],
    "docs": ["docs", "README.md", "tests/project"],
    "tests/support": ["tests/isolation"],
}
# Tests of the sources' layers and lists, which any change may break.
ALWAYS = ["tests/project"]


def names(*command):
    done = subprocess.run(["git", *command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def changed():
    """Return the files that differ from the last commit; in a clean tree, from the one before."""
    found = [*names("diff", "--name-only", "HEAD"), *names("ls-files", "--others", "--exclude-standard")]
    return found or names("diff", "--name-only", "HEAD~1")


def wanted(files):
    """Return pytest's arguments for changed files: each folder or file once."""
    found = dict.fromkeys(ALWAYS)
    for file in files:
        if Path(file).name.startswith("test_") and file.endswith(".py") and (ROOT / file).exists():
            found[file] = None
        beginning = max((each for each in NEEDS if file.startswith(each)), key=len, default=None)
        found |= dict.fromkeys(NEEDS.get(beginning, ()))
    return list(found)


if __name__ == "__main__":
    chosen = wanted(changed())
    print("changed:", *chosen, flush=True)
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", *chosen, *sys.argv[1:]], cwd=ROOT).returncode)
