"""A run and the replay of its own log evict and make again the same arrays, at the same operations.

Random programs of operations that write nothing; half of what they make is dropped at once or later, so that it comes
back only for others. Replay follows the log line by line; after each operation both must have the same arrays in
memory, and must have evicted, made again and computed as much.
"""

import random

import numpy as np
import pytest
from support.seeds import worlds

import cowarray
from cowarray._modes.budget import replaying
from cowarray._modes.budget.budgeting import where_away
from cowarray._modes.budget.pools import Pools
from cowarray._modes.budget.run_log import Call, Release, read_log

ITEMS = (1000, 2000, 3000)
UNARY = (cowarray.tanh, cowarray.sin, cowarray.exp, cowarray.cumsum, cowarray.negative, cowarray.sqrt)


class Program:
    """Operations on arrays that are named as the log names them."""

    def __init__(self, seed, length):
        self.random = random.Random(seed)
        self.length = length
        self.names = 0
        self.arrays = {}
        self.inputs = [cowarray.linspace(0, 1, self.random.choice(ITEMS)) for _ in range(self.random.randint(1, 3))]
        self.snapshots = []  # after each operation: (evictions, remakes, nanoseconds, live bytes, who is in memory)

    def run(self, budget):
        for x in self.inputs:
            self.add(cowarray.checkpoint(x))
        self.inputs.clear()
        for _ in range(self.length):
            try:
                made = self.operation()
            except MemoryError:
                break
            for each in made:
                self.add(each)
            del made, each
            if self.random.random() < 0.5 and len(self.arrays) > 2:
                del self.arrays[self.random.choice(list(self.arrays))]
            stats = budget.stats()
            now = round(stats["base_time"] * 1e9), round(stats["remat_time"] * 1e9)
            present = {name for name, x in self.arrays.items() if not where_away(x)}
            self.snapshots.append((stats["evictions"], stats["remakes"], *now, stats["live_bytes"], present))

    def add(self, x):
        self.names += 1
        self.arrays[f"x{self.names}"] = x

    def operation(self):
        recent = list(self.arrays)[-4:] if self.random.random() < 0.5 else list(self.arrays)
        x = self.arrays[self.random.choice(recent)]
        y = self.random.choice([y for y in self.arrays.values() if y.shape == x.shape])
        what = self.random.random()
        if what < 0.45:
            return [self.random.choice(UNARY)(x)]
        if what < 0.75:
            return [x * y]
        if what < 0.85:
            return list(cowarray.divmod(x, 0.5))
        return [cowarray.concatenate([x[:500], y[500:]])]


def replayed(path, nbytes, heuristic):
    """The same of a replay, until it does not fit."""
    run = replaying._Run(Pools(nbytes, heuristic, small=0))
    found = []
    for line, record in read_log(path):
        run.line = line
        try:
            replaying._STEPS[type(record)](run, record)
        except replaying._CannotGoOn:
            break
        state = (
            run.pools.evictions,
            run.pools.remakes,
            run.base_time,
            run.remat_time,
            run.pools.live,
            {name for name, value in run.names.items() if value.storage.is_present},
        )
        if type(record) is Call:
            found.append(state)
        elif type(record) is Release and found:
            found[-1] = state
    return found


@pytest.mark.parametrize("heuristic", ["dtr", "local", "lru", "size"])
@pytest.mark.parametrize("seed", worlds(40))
def test_a_run_and_its_replay_evict_the_same(tmp_path, heuristic, seed):
    program = Program(seed, 40)
    nbytes = 8 * random.Random(seed).choice((9000, 14_000, 20_000))
    with (
        np.errstate(all="ignore"),
        cowarray.budget(nbytes, small=0, heuristic=heuristic, cost="model", log=tmp_path / "log") as budget,
    ):
        program.run(budget)
    found = replayed(tmp_path / "log", nbytes, heuristic)
    assert len(found) > 3
    for i, (live, simulated) in enumerate(zip(program.snapshots, found, strict=False)):
        assert live == simulated, i
