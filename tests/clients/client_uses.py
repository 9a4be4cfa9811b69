"""Hands arrays to a library as a user would, and says what becomes of each use: the verdicts of docs/libraries.md.

A use is a line of Python. It runs on NumPy's arrays and on ours, and three things are compared: the result, the inputs
afterwards, and lazy copies that were held beside the inputs, which must be as before. Then every input is written to:
whether the result follows tells whether it shares the input's memory.

The uses of a library run in a process of their own (`python client_uses.py MODULE TITLE`, a line of JSON for each), so
that no library sees what another one registers, and a crash is a finding, not the end of the tests.
"""

import ast
import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray

__all__ = [
    "COPIES",
    "INPUTS",
    "NEEDS_ASARRAY",
    "NEEDS_LEND",
    "REFUSED",
    "SILENT",
    "VERDICTS",
    "WORKS",
    "Client",
    "Use",
    "check",
    "judged",
    "use",
    "uses",
    "version",
]

WORKS = "works"
COPIES = "works on a copy"
NEEDS_ASARRAY = "needs np.asarray(x)"
NEEDS_LEND = "needs lend"
REFUSED = "refused"
SILENT = "silently different"
VERDICTS = {
    WORKS: "Result, inputs and later writes are as with NumPy's arrays.",
    COPIES: "The result is NumPy's, and does not share memory with the input, as it would with NumPy's array: "
    "a later write to the one is not seen in the other.",
    NEEDS_ASARRAY: "An error, and no harm. It works with a snapshot, which the line to write takes.",
    NEEDS_LEND: "An error, and no harm: the library writes. It works with a writable alias, by `cowarray.lend(x)` or "
    "`x.to_numpy(writable=True)`.",
    REFUSED: "An error, and no harm. The library wants something else.",
    SILENT: "**No error, and not what NumPy's array would give.** Write the other line.",
}

# What the letters of a use stand for.
INPUTS = {
    "x": ("12 floats", lambda: np.sin(np.arange(12.0)) + 0.1 * np.arange(12)),
    "y": ("12 other floats", lambda: np.cos(1.7 * np.arange(12.0)) + 0.2 * np.arange(12)),
    "m": ("floats of shape (12, 3)", lambda: np.sin(2.3 * np.arange(36.0)).reshape(12, 3)),
    "s": ("a positive definite matrix of shape (4, 4)", lambda: np.eye(4) * 5 + np.outer(*[np.arange(4.0)] * 2)),
    "v": ("4 floats", lambda: np.array([1.5, -2.0, 0.25, 3.0])),
    "n": ("12 integers", lambda: np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])),
    "labels": ("12 zeros and ones", lambda: np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1])),
    "b": ("12 booleans", lambda: np.arange(12) % 3 == 0),
    "f": ("12 floats of 4 bytes", lambda: np.linspace(-1, 2, 12, dtype=np.float32)),
    "z": ("12 complex numbers", lambda: np.exp(1j * np.arange(12))),
    "t": ("12 times", lambda: np.datetime64("2026-01-01", "ns") + np.arange(12).astype("m8[D]")),
    "image": (
        "a picture of 24 by 32 pixels, bytes of shape (24, 32, 3)",
        lambda: ((np.arange(24 * 32 * 3) * 7919) % 251).astype(np.uint8).reshape(24, 32, 3),
    ),
    "grey": (
        "a grey picture, floats of shape (24, 32)",
        lambda: ((np.arange(24 * 32) * 7919) % 251 / 251).reshape(24, 32),
    ),
    "out": ("12 zeros", lambda: np.zeros(12)),
}  # fmt: skip


@dataclass(frozen=True)
class Use:
    """A line, the verdict that it is expected to get, and, unless it works, the line to write instead."""

    code: str
    verdict: str = WORKS
    instead: str = ""
    close: float = 0.0  # a difference of results that is none, if it is more than the usual rounding


@dataclass(frozen=True)
class Client:
    """A library, what a program imports to use it, and its uses."""

    title: str
    package: str  # what is imported
    setup: str
    uses: list[Use]
    distribution: str = ""  # what is installed, if it has another name
    needs: tuple[str, ...] = ()  # other packages without which this one does not do it
    environment: dict[str, str] = field(default_factory=dict)

    def __str__(self):
        return self.title


def use(code, verdict=WORKS, instead="", close=0.0):
    """One use; `instead` is the line to write where it does not simply work."""
    return Use(textwrap.dedent(code).strip(), verdict, textwrap.dedent(instead).strip(), close)


def uses(*codes, verdict=WORKS):
    """Uses with the same verdict."""
    return [use(code, verdict) for code in codes]


def version(client):
    """The version that is installed; of a part of Python, Python's."""
    if client.package in sys.stdlib_module_names:
        return platform.python_version()
    return importlib.metadata.version(client.distribution or client.package).partition("+")[0]


# ---- what a use does -------------------------------------------------------------------------------------------------


def names(*codes):
    """The inputs that lines of code use."""
    found = {node.id for code in codes for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    return [name for name in INPUTS if name in found]


def run(code, space):
    """Execute code; its value is that of the last expression, if it ends with one."""
    tree = ast.parse(code)
    body = tree.body
    while isinstance(body[-1], ast.With):
        body = body[-1].body
    if isinstance(body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name("result", ast.Store())], body[-1].value), body[-1])
    space["result"] = None
    exec(compile(ast.fix_missing_locations(tree), "<use>", "exec"), space)
    return space["result"]


def plain(value):
    """What can be compared: copies of arrays, and Python's own values."""
    if isinstance(value, (cowarray.ndarray, np.ndarray)):
        return np.array(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, np.dtype, type)):
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if hasattr(value, "toarray"):
        return np.array(value.toarray())
    if hasattr(value, "to_pylist"):
        return value.to_pylist()
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.array(value)
    if hasattr(value, "dtype") and hasattr(value, "__dlpack__"):
        return np.array(np.from_dlpack(value))
    raise TypeError(f"a use gives a {type(value).__name__}, which is nothing to compare")


def same(left, right, close=0.0):
    """Equal in shape, dtype and value, but for rounding: how memory is aligned decides in which order libraries add."""
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(same(left[key], right[key], close) for key in left)
        )
    if isinstance(left, list):
        return (
            isinstance(right, list)
            and len(left) == len(right)
            and all(map(functools.partial(same, close=close), left, right))
        )
    if not isinstance(left, (np.ndarray, np.generic, float, complex)):
        return type(left) is type(right) and left == right
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind not in "fc":
        return left.tolist() == right.tolist()
    close = max(close, 64 * np.finfo(left.dtype).eps)
    return bool(np.allclose(left, right, rtol=close, atol=close, equal_nan=True))


def kinds(value):
    """Whose arrays a result is made of."""
    if isinstance(value, cowarray.ndarray):
        return {"cowarray"}
    if type(value) is np.ndarray:
        return {"NumPy"}
    if isinstance(value, (tuple, list)):
        return set().union(*map(kinds, value))
    if isinstance(value, dict):
        return set().union(*map(kinds, value.values()))
    return set()


def overwrite(array):
    """Give every element another value."""
    if array.flags.writeable and array.dtype.kind not in "OSUT":
        array[...] = (
            np.zeros((), array.dtype) if np.array(array).view("V1" if array.dtype.kind == "V" else "u1").any() else 1
        )


@dataclass
class Outcome:
    """What a use did to the arrays that it was given."""

    result: object = None
    kinds: tuple[str, ...] = ()
    after: dict[str, object] = field(default_factory=dict)
    follows: bool = False
    disturbed: str = ""
    error: str = ""


def as_it_is(array, stack):
    return array


def outcome(code, made, space, hand=as_it_is, aliasing=False):
    """Run code on arrays (`hand` says as what they are handed over), and look at everything that it could touch."""
    arrays = {name: make(INPUTS[name][1]()) for name, make in made.items()}
    before = {name: np.array(array) for name, array in arrays.items()}
    # Ours share their bytes with copies of each kind; NumPy's cannot.
    held = {
        name: [array.copy(), array.to_numpy(), array.reshape(-1)]
        for name, array in arrays.items()
        if isinstance(array, cowarray.ndarray)
    }
    found = Outcome()
    np.random.seed(0)  # noqa: NPY002 - libraries draw from it
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with contextlib.ExitStack() as stack:
                if aliasing:
                    cowarray.aliasing.start()
                    stack.callback(cowarray.aliasing.stop)
                handed = {name: hand(array, stack) for name, array in arrays.items()}
                result = run(code, {**space, **handed, "folder": folder})
                del handed
            found.result, found.kinds = plain(result), tuple(sorted(kinds(result)))
        except Exception as error:
            found.error = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            result = None
        found.after = {name: np.array(array) for name, array in arrays.items()}
        for array in arrays.values():
            overwrite(array)
        if not found.error:
            found.follows = not same(plain(result), found.result)
    for name, copies in held.items():
        for copy, kind in zip(copies, ("copy", "snapshot", "reshaped copy"), strict=True):
            if not same(np.array(copy).reshape(before[name].shape), before[name]):
                found.disturbed = f"a {kind} of {name} held beside it has changed"
    return found


def numpys(array):
    """NumPy's array, as aligned as ours are: JAX shares what is aligned, and copies the rest."""
    others = []
    while (made := np.array(array)).ctypes.data % 64 and len(others) < 1000:
        others.append(made)
    return made


def lent(array, stack):
    """The array, lent for as long as the use runs."""
    stack.enter_context(cowarray.lend(array))
    return array


# As what an array can be handed over where it is not taken itself, in the order in which a user would try.
WAYS = [
    (NEEDS_ASARRAY, lambda array, stack: np.asarray(array)),
    (NEEDS_LEND, lent),
    (NEEDS_LEND, lambda array, stack: array.to_numpy(writable=True)),
]


def judged(item, space, aliasing=False):
    """(verdict, why, whose arrays the result is made of) of a use, as observed."""
    given = names(item.code, item.instead or "None")
    expected = outcome(item.code, dict.fromkeys(given, numpys), space)
    if expected.error:
        raise AssertionError(f"with NumPy's arrays: {item.code}: {expected.error}")

    def compared(code, hand=as_it_is):
        found = outcome(code, dict.fromkeys(given, cowarray.array), space, hand, aliasing)
        return difference(found, expected, item.close, code != item.code), found

    wrong, found = compared(item.code)
    if not wrong:
        verdict = COPIES if expected.follows and not found.follows else WORKS
    elif not found.error or found.disturbed or not unchanged(found, given):
        verdict = SILENT  # an error that comes too late is none in time
    else:
        verdict = next((way for way, hand in WAYS if not compared(item.code, hand)[0]), REFUSED)
    if item.instead:
        wrong_instead = compared(item.instead)[0]
        if wrong_instead:
            raise AssertionError(f"the line to write instead does not do it: {item.instead}: {wrong_instead}")
    elif verdict in (NEEDS_ASARRAY, NEEDS_LEND, SILENT) and item.verdict == verdict:
        raise AssertionError(f"{item.code}: {verdict}, but no line to write instead is given")
    return verdict, wrong, found.kinds


def unchanged(found, given):
    return all(same(found.after[name], INPUTS[name][1]()) for name in given)


def difference(found, expected, close, other_line):
    """What is not as with NumPy's arrays, in words; nothing if all is."""
    if found.error:
        return found.error
    if found.disturbed:
        return found.disturbed
    for name, value in expected.after.items():
        if not same(found.after[name], value, close):
            return f"{name} is not what NumPy's would be afterwards"
    if not same(found.result, expected.result, close) and not (other_line and found.result is None):
        return f"the result is {found.result!r}, with NumPy's arrays {expected.result!r}"
    if found.follows and not expected.follows:
        return "the result changes with a later write to the input; with NumPy's arrays it does not"
    return ""


# ---- in a process of its own -----------------------------------------------------------------------------------------


def observe(module, title, aliasing=""):
    """Print a line of JSON for each use of a client."""
    [client] = [client for client in importlib.import_module(module).CLIENTS if client.title == title]
    space = {"np": np, "cowarray": cowarray}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(textwrap.dedent(client.setup), space)
    for item in client.uses:
        try:
            verdict, why, whose = judged(item, dict(space), bool(aliasing))
        except AssertionError as error:
            verdict, why, whose = "broken", str(error), ()
        print(json.dumps({"verdict": verdict, "why": why[:600], "gives": whose}), file=sys.__stdout__, flush=True)


def seen(module, client):
    """What is observed of each use of a client, in a process of its own: "verdict", "why", whose arrays it "gives"."""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-B", __file__, module, client.title],
        capture_output=True, text=True, timeout=LONGEST, env={**os.environ, **client.environment, "PYTHONPATH": path},
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"verdict"')]
    died = {"verdict": "died", "why": f"status {done.returncode}\n{done.stderr.strip()[-3000:]}", "gives": []}
    return lines + [died] * (len(client.uses) - len(lines))


def check(module, client):
    """Compare the verdicts on a library's uses with those written down, and note them where a record is kept."""
    for name in (client.package, *client.needs):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed; it comes with cowarray[clients]")
    found = dict(zip(client.uses, seen(module, client), strict=True))
    record = os.environ.get("COWARRAY_CLIENTS_RECORD")
    if record:
        with open(record, "a") as file:
            for item, told in found.items():
                line = {"title": client.title, "version": version(client), "code": item.code, "gives": told["gives"]}
                file.write(json.dumps(line) + "\n")
    differing = [
        f"{item.code}\n    {told['verdict']}, not {item.verdict}: {told['why']}"
        for item, told in found.items()
        if told["verdict"] != item.verdict
    ]
    assert not differing, "\n".join(differing)


if __name__ == "__main__":
    observe(*sys.argv[1:])
