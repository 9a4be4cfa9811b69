"""Random histories against plain copies: ``python tests/versions/histories.py --programs 1000 --seed 7``.

A program edits a state (arrays of several sizes, dtypes and layouts, plain values, keys that come and go), commits,
goes back and forth, branches, merges, forgets, and holds views, exports, lazy copies and old versions meanwhile.
After each step everything is what NumPy's eager copies say it is.
"""

import argparse
import random

import numpy as np

import cowarray as ca

SMALL = [((7,), "f8"), ((40, 30), "u1"), ((), "i4"), ((0, 3), "f4"), ((33, 5), "c16"), ((2000,), "M8[s]")]
LARGE = [((1100, 1000), "f4"), ((4 << 20,), "u1"), ((600_001,), "f8")]


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
    def __init__(self, seed, large):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.large = large
        start = {"a": self.new_array(), "b": [self.new_array(), 1], "t": "x"}
        expected = frozen(start)
        self.history = ca.History(start)
        self.state = self.history.state
        self.versions = {0: expected}  # what each version was
        self.parents = {0: None}
        self.tips, self.branch, self.head = {"main": 0}, "main", 0
        self.kept = []  # (something that must not change, what it is)

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
        x = self.random.choice(self.arrays() or [ca.zeros(3)])
        if x.size == 0:
            return
        kind = self.random.randrange(5)
        value = self.numbers.integers(0, 5)
        if kind == 0:
            x[...] = value
        elif kind == 1 and x.dtype.kind != "M":
            x += 1 if x.dtype.kind != "M" else 0
        elif kind == 2 and x.ndim:
            with memoryview(x.view("u1") if x.dtype.kind == "M" and x.ndim else x) as exported:
                assert exported.nbytes == x.nbytes
            alias = x.to_numpy(writable=True)
            alias[self.random.randrange(len(alias))] = value
            if self.random.random() < 0.2:
                self.kept.append((None, alias))  # stays pinned
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

    def commit(self):
        now = frozen(self.state)
        number = self.history.commit("text")
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
        self.commit()
        other = self.random.choice(list(self.versions))
        policy = self.random.choice(["first", "last", "raise"])
        base = self.history._tree.common(self.head, other)
        ours, theirs, start = self.versions[self.head], self.versions[other], self.versions[base]
        try:
            number = self.history.merge(other, conflicts=policy)
        except ca.MergeConflict:
            assert policy == "raise"
            assert equal(self.state, ours)
            return
        if equal(ours, start):
            assert equal(self.state, theirs)
        if equal(theirs, start):
            assert equal(self.state, ours)
        if base != number and isinstance(start["a"], np.ndarray):
            self.check_merged(start, ours, theirs, policy)
        self.versions[number], self.parents[number] = frozen(self.state), self.head
        self.tips[self.branch], self.head = number, number

    def check_merged(self, start, ours, theirs, policy):
        s, o, t = (np.atleast_1d(x["a"]) for x in (start, ours, theirs))
        if not s.shape == o.shape == t.shape or not s.dtype == o.dtype == t.dtype or not self.same_slot(ours, theirs):
            return
        wanted = np.where((o != s) & ((policy == "first") | (t == s)), o, np.where(t != s, t, o))
        assert np.array_equal(np.atleast_1d(np.asarray(self.state["a"])), wanted)

    @staticmethod
    def same_slot(ours, theirs):
        return list(ours) == list(theirs) and len(ours["b"]) == len(theirs["b"])

    def keep(self):
        last = self.random.randrange(1, 12)
        self.history.keep(last=last)
        left = {version.number for version in self.history.log()}
        assert left >= {self.head, *self.tips.values()}
        assert len(left) <= last + len(self.tips) + 2
        self.versions = {number: value for number, value in self.versions.items() if number in left}
        assert set(self.versions) == left

    def hold(self):
        kind = self.random.randrange(4)
        if kind == 0:
            number = self.random.choice(list(self.versions))
            self.kept.append((self.history[number], self.versions[number]))
        elif self.arrays():
            x = self.random.choice(self.arrays())
            held = [x.copy, lambda: np.asarray(x), lambda: x[::2].copy() if x.ndim else x.copy()][kind - 1]()
            self.kept.append((held, np.array(held)))
        if len(self.kept) > 6:
            del self.kept[self.random.randrange(len(self.kept))]

    def look(self):
        a, b = (self.random.choice(list(self.versions)) for _ in range(2))
        found = self.history.changes(a, b)
        first, second = self.versions[a], self.versions[b]
        for path, difference in found.items():
            if path in first and isinstance(first[path], np.ndarray):
                x, y = first[path], second[path]
                unequal = np.array([p.tobytes() != q.tobytes() for p, q in zip(x.flat, y.flat, strict=True)])
                assert np.array_equal(np.asarray(difference.mask()).ravel(), unequal) or x.size > 5000

    def step(self):
        weights = {
            self.write: 30, self.commit: 20, self.go: 15, self.rebind: 8, self.hold: 10, self.change_branch: 4,
            self.merge: 4, self.keep: 2, self.look: 5,
        }  # fmt: skip
        self.random.choices(list(weights), list(weights.values()))[0]()
        assert self.history.version == self.head
        assert self.history.branches == self.tips
        for value, was in self.kept:
            assert value is None or equal(value, was), "something that was held has changed"


def run_program(seed, steps, large):
    world = World(seed, large)
    for _ in range(steps):
        world.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--large", type=float, default=0.1, help="the share of programs with arrays by the page")
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.programs):
        try:
            run_program(seed, options.steps, random.Random(seed).random() < options.large)
        except BaseException:
            print(f"program with seed {seed}")
            raise
    print(f"{options.programs} programs, no difference")


if __name__ == "__main__":
    main()
