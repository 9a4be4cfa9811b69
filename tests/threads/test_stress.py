"""The stress program in its short form, and what it is there to find; `make stress` runs it for longer."""

import numpy as np
import pytest
import stress
from support.seeds import chosen_seed

import cowarray as ca

pytestmark = [pytest.mark.threads, pytest.mark.sanitized, pytest.mark.usefixtures("quick_switches")]


@pytest.mark.parametrize("threads", [2, 6])
@pytest.mark.parametrize("traced", [True, False])
def test_nothing_is_found(threads, traced):
    seed = chosen_seed()
    assert stress.one_round(seed, 0.8, threads, traced) > 100


def lost_write(self):
    ours, _ = self.some()
    if ours.flags.writeable and ours.size:
        ours.fill(self.next())


def snapshot_that_is_none(self):
    ours, plain = self.some()
    if ours.flags.writeable:
        self.snapshots.append((ours.to_numpy(writable=True), plain.copy()))
        ours += 1
        plain += 1


def copy_that_aliases(self):
    ours, plain = self.some()
    self.keep(ours[...], plain.copy())


LOST = []


def array_that_is_kept(self):
    LOST.append(ca.array(np.zeros(100)))


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [lost_write, snapshot_that_is_none, copy_that_aliases, array_that_is_kept])
def test_planted_fault_is_found(fault, monkeypatch):
    monkeypatch.setattr(stress.Worker, "ask", fault)
    with pytest.raises(stress.Found):
        stress.one_round(7, 3, 2, True)
    LOST.clear()
