"""A pytest plugin that has every operation of NumPy's own tests done both ways, on arrays with bytes and on fakes.

Beside `numpy_swap`, whose arrays are ours: ``-p numpy_swap -p numpy_crosscheck --fates FILE --crosscheck FILE``. What
has been counted is a JSON object: of each verdict how many, and of each operation what was different or refused, and
why. `python tests/conformance/numpy_crosscheck.py MODULE ...` runs modules so, and adds up.
"""

import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption("--crosscheck", type=Path, required=True)


def pytest_configure(config):
    import cowarray

    sys.path.insert(0, str(HERE.parent))
    from support.crosscheck import CrossCheck

    with cowarray.fake():
        pass  # operations are handed over from here on
    config.crosscheck = CrossCheck(keep=False)
    config.watching = config.crosscheck.watching()


def pytest_runtest_call(item):
    item.config.watching = item.config.crosscheck.watching()
    item.config.watching.__enter__()


def pytest_runtest_teardown(item):
    if item.config.watching is not None and getattr(item.config, "watching", None):
        with contextlib.suppress(RuntimeError, AttributeError):
            item.config.watching.__exit__(None, None, None)
        item.config.watching = None


def pytest_sessionfinish(session):
    check = session.config.crosscheck
    verdicts = collections.Counter()
    for (_, verdict), count in check.counts.items():
        verdicts[verdict] += count
    told = {
        "verdicts": verdicts,
        "different": [[*what, count] for what, count in check.differences.most_common()],
        "refused": [[*what, count] for what, count in check.refusals.most_common()],
    }
    session.config.getoption("crosscheck").write_text(json.dumps(told))


def main(modules):
    from numpy_own import read_expected

    total = collections.Counter()
    different = collections.Counter()
    for module in modules:
        with tempfile.TemporaryDirectory() as folder:
            counts = Path(folder, "counts")
            (Path(folder) / "pytest.ini").write_text("[pytest]\n")
            command = [sys.executable, "-m", "pytest", "-c", str(Path(folder, "pytest.ini")), "-p", "numpy_swap"]
            command += ["-p", "numpy_crosscheck", "--fates", str(Path(folder, "fates")), "--crosscheck", str(counts)]
            command += ["-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=no", "-m", "not slow"]
            command += ["--pyargs", module]
            command += [f"--not-run={name}" for name in read_expected(HERE / "numpy_expected.txt")[1]]
            paths = [str(HERE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))}
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1800
            )
            if not counts.exists():
                print(f"{module}: no end: {done.stdout[-500:]}{done.stderr[-1500:]}")
                continue
            told = json.loads(counts.read_text())
        total.update(told["verdicts"])
        print(f"{module}: {told['verdicts']}", flush=True)
        for operation, reason, count in told["different"]:
            different[operation, reason] += count
    print(f"in all: {dict(total)}")
    for (operation, reason), count in different.most_common():
        print(f"{count:6} {operation}: {reason}")
    return bool(total["different"] or not total["exact"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
