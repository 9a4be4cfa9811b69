"""No write shows what was in fresh memory: where an array gets bytes of its own, each is written or copied.

In processes whose fresh memory is poisoned, since malloc must be told so before it starts.
"""

import json
import os
import platform
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import poison
import pytest
from support.limits import NO_BLOCKS_ARE_KEPT
from support.programs import SANITIZED
from support.seeds import chosen_seed

import cowarray as ca

pytestmark = pytest.mark.numpy_ends

PROGRAM = Path(poison.__file__)
# Of each group: one case in so many, but for the long tests; how many there are in all, at least; and how many of these
# give an array fresh bytes: arrays that are written as a whole by what surely writes all of it.
GROUPS = {
    "elementwise": (4, 60_000, 20_000),
    "strings": (3, 25_000, 0),
    "generalized": (1, 5_000, 0),
    "assignments": (4, 35_000, 6_000),
    "functions": (2, 12_000, 0),
    "large": (2, 20, 15),
}

needs_poison = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or SANITIZED,
    reason="it is glibc's malloc that can be told to poison what it gives",
)


def look(group, share, seed):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", PROGRAM, group, str(share), str(seed)],
        env={**os.environ, **poison.poisoned_environment()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    _, cases, overwrites = GROUPS[group]
    assert (said["cases"] >= cases / share / 2, said["overwrites"] >= overwrites / share / 2) == (True, True), said
    assert said["found"] == {}, f"{PROGRAM.name} {group} {share} {seed}"


def test_each_group_is_run():
    assert GROUPS.keys() == poison.GROUPS.keys()


KEPT = pytest.mark.skipif(bool(NO_BLOCKS_ARE_KEPT), reason=NO_BLOCKS_ARE_KEPT)
IN_GROUPS = [pytest.param(group, marks=[KEPT] * (group == "large")) for group in GROUPS]


@pytest.mark.sampled
@needs_poison
@pytest.mark.parametrize("group", IN_GROUPS)
def test_what_is_written_as_a_whole_shows_no_fresh_memory(group):
    look(group, GROUPS[group][0], chosen_seed(0))


@needs_poison
@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("group", IN_GROUPS)
def test_what_is_written_as_a_whole_shows_no_fresh_memory_in_any_case(group, seed):
    look(group, 1, seed)


# ---- the checker finds what it is there for --------------------------------------------------------------------------


def found(write, dtype="f8"):
    findings = poison.Findings()
    poison.check(findings, "name", "how", dtype, (3, 4), "C", write, random.Random(1))
    return list(findings.found)


def fails(x):
    x.fill(1)
    raise ValueError


def fails_where_ours(x):
    if type(x) is ca.ndarray:
        raise ValueError


def fails_where_theirs(x):
    if type(x) is np.ndarray:
        raise ValueError


def poisons_and_fails(x):
    x.view("u1")[0, 0] = poison.FRESH if type(x) is ca.ndarray else 1
    raise ValueError


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (lambda x: x.fill(1), []),
        (lambda x: x[: 3 if type(x) is ca.ndarray else 2].fill(20), ["name: other bytes"]),
        (fails, []),
        (fails_where_ours, ["name: an error"]),
        (fails_where_theirs, ["name: no error"]),
        (poisons_and_fails, ["name: after an error"]),
    ],
)
def test_the_checker_finds_a_difference(write, name):
    assert found(write) == name


class OneForAll(np.ndarray):
    """An array whose copies are the array itself."""

    def copy(self, order="C"):
        return self


def test_the_checker_finds_a_lazy_copy_that_changes(monkeypatch):
    def made(values):
        return np.array(values).view(OneForAll)

    monkeypatch.setattr(poison, "ca", SimpleNamespace(array=made, asarray=made))
    assert found(lambda x: x.fill(20)) == ["name: the lazy copy"]
