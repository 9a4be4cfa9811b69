"""Random histories against plain copies: ``python tests/versions/histories.py --programs 1000 --seed 7``.

A program edits a state (arrays of several sizes, dtypes and layouts, plain values, keys that come and go), commits,
goes back and forth, branches, merges, forgets; one in a folder also closes it, compacts it and opens it again. It
holds views, exports, lazy copies, old versions and saves under way meanwhile, and writes through them. After each step
everything is what NumPy's eager copies say it is.
"""

import argparse
import random
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import cowarray as ca
from cowarray._versions.containers import arrays_of

SMALL = [((7,), "f8"), ((40, 30), "u1"), ((), "i4"), ((0, 3), "f4"), ((33, 5), "c16"), ((2000,), "M8[s]")]
LARGE = [((1100, 1000), "f4"), ((4 << 20,), "u1"), ((600_001,), "f8")]


def unequal(x, y):
    """Which elements of two arrays of one shape and dtype have other bytes, in C order."""
    one, other = (np.frombuffer(z.tobytes(), np.uint8).reshape(z.size, z.dtype.itemsize) for z in (x, y))
    return (one != other).any(axis=1)


def at(state, path):
    """What a path like ``b[0]`` leads to."""
    name, *indices = path.replace("]", "").split("[")
    for index in indices:
        state = state[name][int(index)]
    return state if indices else state[name]


def frozen(value):
    """A copy of a state by NumPy."""
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list):
        return [frozen(item) for item in value]
    return np.array(value) if hasattr(value, "shape") else value


def equal(a, b):
    if isinstance(b, dict):
        return isinstance(a, dict) and list(a) == list(b) and all(equal(a[key], b[key]) for key in b)
    if isinstance(b, list):
        return isinstance(a, list) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(b, np.ndarray):
        a = np.asarray(a)
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


class World:
    def __init__(self, seed, large, folder):
        self.folder = folder
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.large = large
        start = {"a": self.new_array(), "b": [self.new_array(), 1], "t": "x"}
        expected = frozen(start)
        self.history = self.begin(start)
        self.state = self.history.state
        self.versions = {0: expected}  # what each version was
        self.parents = {0: None}
        self.tips, self.branch, self.head = {"main": 0}, "main", 0
        self.kept = []  # (something that must not change, what it is)
        self.live = []  # (an array, a view or a writable export of it, the index of its part of the array)
        self.saves = []  # (a save under way, what its file has to have)
        self.counts = Counter()

    def begin(self, start):
        return ca.History(start)

    # ---- edits

    def new_array(self):
        pool = SMALL + (LARGE if self.large else [])
        shape, dtype = self.random.choice(pool)
        x = self.numbers.integers(0, 3, shape).astype(dtype)
        return np.asfortranarray(x) if self.random.random() < 0.3 else x

    def arrays(self):
        """Those of the state that the history has taken in."""
        found, open_ones = [], [self.state]
        while open_ones:
            value = open_ones.pop()
            if isinstance(value, dict):
                open_ones += value.values()
            elif isinstance(value, list):
                open_ones += value
            elif isinstance(value, ca.ndarray):
                found.append(value)
        return found

    def write(self):
        if self.live and self.random.random() < 0.3:
            x = self.random.choice(self.live)[1]
        else:
            x = self.random.choice(self.arrays() or [ca.zeros(3)])
        if x.size == 0:
            return
        kind = self.random.randrange(4)
        value = self.numbers.integers(0, 5)
        if kind == 0:
            x[...] = value
        elif kind == 1 and x.dtype.kind != "M":
            x += 1
        else:
            index = tuple(self.random.randrange(length) for length in x.shape)
            x[index] = value

    def rebind(self):
        where = self.random.randrange(5)
        if where == 0:
            self.state["a"] = self.new_array()
        elif where == 1:
            self.state["b"][self.random.randrange(len(self.state["b"]))] = self.random.choice([2, 2.5, "y", None])
        elif where == 2:
            self.state[self.random.choice("cde")] = self.random.choice([self.new_array(), 5])
        elif where == 3 and "c" in self.state:
            del self.state["c"]
        else:
            self.state["b"].append(self.new_array())
            if len(self.state["b"]) > 4:
                del self.state["b"][0]

    # ---- steps

    def commit(self, **how):
        now = frozen(self.state)
        number = self.history.commit("text", **how)
        if number not in self.versions:
            self.versions[number], self.parents[number] = now, self.head
            self.tips[self.branch], self.head = number, number
        assert equal(self.versions[number], now), "a commit that is not what the state was"

    def is_clean(self):
        return equal(frozen(self.state), self.versions[self.head])

    def go(self):
        discard = self.random.random() < 0.7
        steps = [
            lambda: self.history.undo(discard=discard),
            lambda: self.history.redo(discard=discard),
            lambda: self.history.checkout(self.random.choice(list(self.versions)), discard=discard),
        ]
        before = frozen(self.state)
        clean = self.is_clean()
        try:
            self.head = self.random.choice(steps)()
        except ValueError as refusal:
            text = str(refusal)
            if (clean or discard) and "first" not in text and "last" not in text:
                raise
            if not equal(frozen(self.state), before):
                raise AssertionError("what is refused has changed the state") from refusal
        else:
            assert clean or discard
            assert equal(self.state, self.versions[self.head])

    def change_branch(self):
        name = self.random.choice("pqr")
        if name not in self.tips:
            self.history.branch(name)
            self.tips[name], self.branch = self.head, name
        else:
            self.head = self.history.switch(name, discard=True)
            self.branch = name
            assert equal(self.state, self.versions[self.head])

    def merge(self):
        discard = self.random.random() < 0.3
        if not discard:
            self.commit()
        before = frozen(self.state)
        other = self.random.choice(list(self.versions))
        policy = self.random.choice(["first", "last", "raise"])
        base = self.history._tree.common(self.head, other)
        three = [self.versions[number] for number in (base, self.head, other)]
        start, ours, theirs = three
        arrays = [{index: path for path, index in self.layout_of(number)} for number in (base, self.head, other)]
        lost = self.lost_changes(three, arrays)
        try:
            number = self.history.merge(other, conflicts=policy, discard=discard)
        except ca.MergeConflict:
            assert policy == "raise"
            assert equal(self.state, before)
            return
        if base == other:
            assert number == self.head
            assert equal(self.state, ours)
            return
        assert not lost or policy != "raise", "a change of an array that the other dropped is lost"
        for index in lost:
            is_left = index in {at for _, at in self.layout_of(number)}
            assert is_left == (index in arrays[1 if policy == "first" else 2])
        if equal(ours, start):
            assert equal(self.state, theirs)
        if equal(theirs, start):
            assert equal(self.state, ours)
        for index in arrays[0].keys() & arrays[1].keys() & arrays[2].keys():
            path = dict(map(reversed, self.layout_of(number))).get(index)
            if path is not None:
                self.check_merged(*(at(x, paths[index]) for x, paths in zip(three, arrays, strict=True)), path, policy)
        self.versions[number], self.parents[number] = frozen(self.state), self.head
        self.tips[self.branch], self.head = number, number

    def layout_of(self, number):
        """The path and the number of each array of a version."""
        return list(arrays_of(self.history._tree[number].layout))

    @staticmethod
    def lost_changes(three, arrays):
        """The arrays that one of two versions lacks and the other has changed."""
        return {
            index
            for one in (1, 2)
            for index in arrays[0].keys() & arrays[one].keys()
            if index not in arrays[3 - one]
            and not equal(at(three[0], arrays[0][index]), at(three[one], arrays[one][index]))
        }

    def check_merged(self, start, ours, theirs, path, policy):
        s, o, t = (np.frombuffer(x.tobytes(), np.dtype((np.void, x.itemsize))) for x in (start, ours, theirs))
        mine, other = unequal(ours, start), unequal(theirs, start)
        wanted = np.where(mine & ((policy == "first") | ~other), o, np.where(other, t, s))
        assert np.asarray(at(self.state, path)).tobytes() == wanted.tobytes()

    def keep(self):
        last = self.random.randrange(1, 12)
        self.history.keep(last=last)
        left = {version.number for version in self.history.log()}
        assert left >= {self.head, *self.tips.values()}
        assert len(left) <= last + len(self.tips) + 2
        self.versions = {number: value for number, value in self.versions.items() if number in left}
        assert set(self.versions) == left

    def hold(self):
        kinds = [self.hold_version, self.hold_copy, self.hold_snapshot, self.hold_view, self.hold_export, self.save]
        if self.arrays():
            kind = self.random.choice(kinds)
            kind()
            self.counts[kind.__name__] += 1
        for held, most in ((self.kept, 6), (self.live, 5)):
            if len(held) > most:
                del held[self.random.randrange(len(held))]

    def hold_version(self):
        number = self.random.choice(list(self.versions))
        self.kept.append((self.history[number], self.versions[number]))

    def hold_copy(self):
        """A lazy copy, which is perhaps written to."""
        x = self.random.choice(self.arrays())
        kinds = [x.copy, lambda: x.copy().by_page().copy(), lambda: x[::2].copy() if x.ndim else x.copy()]
        held = self.random.choice(kinds)()
        if held.size and self.random.random() < 0.4:
            held[...] = self.numbers.integers(0, 5)
        self.kept.append((held, np.array(held)))

    def hold_snapshot(self):
        x = self.random.choice(self.arrays())
        held = memoryview(x) if self.random.random() < 0.5 and x.dtype.kind != "M" else x
        self.kept.append((np.asarray(held), np.array(x)))

    def hold_view(self):
        x = self.random.choice(self.arrays())
        index = self.random.choice([..., (..., *(slice(None, None, 2),) * x.ndim), (..., *(slice(1, None),) * x.ndim)])
        self.live.append((x, x[index], index))

    def hold_export(self):
        """Its array is pinned while it is held."""
        x = self.random.choice(self.arrays())
        self.live.append((x, x.to_numpy(writable=True), ...))

    def save(self):
        if self.folder is not None:
            x = self.random.choice(self.arrays())
            path = self.folder.with_name(f"{self.folder.name}-{len(self.saves)}.npy")
            self.saves.append((ca.save_async(path, x), np.array(x)))

    def check_saves(self):
        for future, was in self.saves:
            assert equal(np.load(future.result(60)), was), "a save is not what the array was at the call"
        self.saves.clear()

    def look(self):
        a, b = (self.random.choice(list(self.versions)) for _ in range(2))
        found = self.history.changes(a, b)
        layouts = (self.history._tree[number].layout for number in (a, b))
        first, second = (set(arrays_of(layout)) for layout in layouts)
        for path, _ in first & second:
            which = unequal(at(self.versions[a], path), at(self.versions[b], path))
            assert (path in found) == which.any()
            assert path not in found or np.array_equal(np.asarray(found[path].mask()).ravel(), which)

    def weights(self):
        return {
            self.write: 30, self.commit: 20, self.go: 15, self.rebind: 8, self.hold: 10, self.change_branch: 4,
            self.merge: 4, self.keep: 2, self.look: 5,
        }  # fmt: skip

    def plan(self, steps):
        """Each kind of step once, and the rest by weight, in any order."""
        weights = self.weights()
        rest = self.random.choices(list(weights), list(weights.values()), k=max(steps - len(weights), 0))
        return self.random.sample([*weights, *rest], steps)

    def step(self, chosen):
        chosen()
        self.counts[chosen.__name__] += 1
        assert self.history.version == self.head
        assert self.history.branches == self.tips
        for value, was in self.kept:
            assert equal(value, was), "something that was held has changed"
        for x, part, index in self.live:
            assert equal(part, np.asarray(x)[index]), "a view or an export is not its array"
        if self.random.random() < 0.1:
            self.check_saves()

    def close(self):
        self.check_saves()


class Stored(World):
    """A world whose history lies in a folder, and is opened again now and then."""

    def begin(self, start):
        return ca.History(self.folder, start)

    def commit(self):
        super().commit(durable=self.random.choice([True, "background"]))

    def compact(self):
        before = frozen(self.state)
        self.history.compact()
        assert equal(self.state, before)

    def reopen(self):
        if not self.is_clean():
            self.commit()
        self.history.close()
        with ca.History(self.folder, mode="r") as reader:
            assert equal(reader.state, self.versions[self.head])
            assert reader.verify() == []
            for number, value in self.versions.items():
                assert equal(reader[number], value)
        self.history = ca.History(self.folder)
        self.state = self.history.state
        assert equal(self.state, self.versions[self.head])

    def weights(self):
        return {**super().weights(), self.compact: 2, self.reopen: 4}

    def close(self):
        super().close()
        self.history.close()


@contextmanager
def world(seed, large, stored):
    with tempfile.TemporaryDirectory(prefix="cowarray-world-") as folder:
        made = (Stored if stored else World)(seed, large, Path(folder, "history"))
        try:
            yield made
        finally:
            made.close()


def run_program(seed, steps, *, large=False, stored=False):
    """How often each kind of step was made."""
    with world(seed, large, stored) as made:
        for chosen in made.plan(steps):
            made.step(chosen)
        return made.counts


def kinds_of(seed, large, stored):
    """Whether a program has arrays by the page, and a folder, if these shares of all programs do."""
    chosen = random.Random(seed)
    return {"large": chosen.random() < large, "stored": chosen.random() < stored}


def run_programs(seeds, steps, large, stored):
    """Run a program for each seed; one that fails is named."""
    counts = Counter()
    for seed in seeds:
        try:
            counts += run_program(seed, steps, **kinds_of(seed, large, stored))
        except BaseException:
            print(f"program with seed {seed}", flush=True)
            raise
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--large", type=float, default=0.1, help="the share of programs with arrays by the page")
    parser.add_argument("--stored", type=float, default=0.3, help="the share of programs in a folder")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    counts = run_programs(seeds, options.steps, options.large, options.stored)
    print(f"{options.programs} programs, no difference; {dict(counts)}")


if __name__ == "__main__":
    main()
