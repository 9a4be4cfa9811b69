"""Check types: run mypy and basedpyright, both strict, on the code, and compare the extensions with their stubs.

usage: check_types.py [check ...]     only these of stubs, stubtest, mypy, basedpyright; without, all of them
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
BUILD = ROOT / "build"
PACKAGE = ROOT / "src" / "cowarray"
EXAMPLES = BUILD / "examples"
CHECKED = (PACKAGE, ROOT / "tests" / "typing", EXAMPLES)

# Names that Cython adds to modules and classes, and a method that has its name from Python 3.12 on.
ADDED = [r".*\.__pyx_.*", r".*\.__test__", r".*\.__(reduce|setstate)_cython__", r".*\.__buffer__"]


def modules(*endings):
    """Return the package's modules whose files have these endings, as paths without them."""
    return {path.with_suffix("") for ending in endings for path in PACKAGE.rglob(f"*.{ending}")}


def files():
    """Count the files that a type checker must see: Python files, and the stubs of Cython files."""
    counts = [len([path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi")]) for folder in CHECKED]
    if not all(counts):
        sys.exit(f"types: of {[str(folder.relative_to(ROOT)) for folder in CHECKED]} there are {counts} files")
    return sum(counts)


def run(*command):
    return subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


# Each check returns whether all is right, how many files it saw, how many there are, and what to print.


def check_stubs():
    """Check that each Cython file has a stub, and nothing else has: a stub hides code beside it from type checkers."""
    extensions, stubs = modules("pyx"), modules("pyi")
    wrong = [f"no stub beside {path.relative_to(ROOT)}.pyx" for path in sorted(extensions - stubs)]
    wrong += [f"{path.relative_to(ROOT)}.pyi is a stub of no .pyx" for path in sorted(stubs - extensions)]
    wrong += [f"{path.relative_to(ROOT)}.pyi hides the .py beside it" for path in sorted(stubs & modules("py"))]
    return not wrong, len(stubs), len(extensions), "\n".join(wrong)


def check_stubtest():
    """Compare the extensions with their stubs: this tree's, wherever the package is installed from."""
    extensions = sorted(".".join(path.relative_to(PACKAGE.parent).parts) for path in modules("pyx"))
    BUILD.mkdir(exist_ok=True)
    allowlist = BUILD / "stubtest-allowlist"
    allowlist.write_text("\n".join(ADDED) + "\n")
    settings = BUILD / "stubtest.ini"
    settings.write_text(f"[mypy]\nmypy_path = {PACKAGE.parent}\nignore_missing_imports = true\nignore_errors = true\n")
    options = "--mypy-config-file", settings, "--allowlist", allowlist, "--ignore-unused-allowlist"
    done = run("stubtest", *options, *extensions)
    return done.returncode == 0, number(r"(\d+) modules", done.stdout), len(extensions), done.stdout


def check_mypy():
    done = run("mypy", *CHECKED)
    return done.returncode == 0, number(r"(\d+) source files", done.stdout), files(), done.stdout


def check_basedpyright():
    done = run("basedpyright", "--pythonpath", sys.executable, "--outputjson")
    report = json.loads(done.stdout)
    said = []
    for each in report["generalDiagnostics"]:
        path, line = Path(each["file"]).relative_to(ROOT), each["range"]["start"]["line"] + 1
        message = " ".join(each["message"].split())
        said.append(f"{path}:{line}: {each['severity']}: {message} [{each.get('rule', '')}]")
    return done.returncode == 0 and not said, report["summary"]["filesAnalyzed"], files(), "\n".join(said)


CHECKS = {
    "stubs": check_stubs,
    "stubtest": check_stubtest,
    "mypy": check_mypy,
    "basedpyright": check_basedpyright,
}


def main(names):
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        sys.exit(f"types: no check {unknown}; there are {', '.join(CHECKS)}")
    shutil.rmtree(EXAMPLES, ignore_errors=True)
    subprocess.run([sys.executable, "docs/examples.py", EXAMPLES], cwd=ROOT, check=True)
    failed = []
    for name in names or CHECKS:
        is_right, seen, there, said = CHECKS[name]()
        if not is_right or not there or seen != there:
            print(said)
            print(f"types: {name} has looked at {seen} of {there} files")
            failed.append(name)
    if failed:
        sys.exit(f"types: {', '.join(failed)}")
    print(f"types: {files()} files are right")


if __name__ == "__main__":
    main(sys.argv[1:])
