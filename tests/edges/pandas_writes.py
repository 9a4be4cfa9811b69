"""Series, DataFrames and arrays on the same memory: ``python tests/edges/pandas_writes.py --worlds 2000 --seed 7``.

A world makes Series, DataFrames, shallow copies and arrays of them, and writes to each at random, pandas in every way
that is listed here. After each step everything is what NumPy's eager copies say it is.
"""

import argparse
import warnings

import numpy as np
import pandas as pd

import cowarray

# Each line writes to s, or to t, which has been made of it.
SERIES_WRITES = """\
s.iloc[0] = 9
s.iloc[1:3] = 9
s.iloc[[0, 2]] = 9
s.loc[s.index[0]] = 9
s.loc[s > 2] = 9
s[s > 2] = 9
s[1:3] = 0
s.at[s.index[0]] = 9
s.iat[0] = 9
s += 1
s *= 2
s -= 1
s /= 2
s //= 2
s **= 2
s %= 2
s.fillna(0, inplace=True)
s.ffill(inplace=True)
s.bfill(inplace=True)
s.interpolate(inplace=True)
s.replace(3.0, 7.0, inplace=True)
s.replace([3.0, 1.0], [7.0, 8.0], inplace=True)
s.where(s > 2, 0, inplace=True)
s.mask(s > 2, 0, inplace=True)
s.clip(2, 3, inplace=True)
s.update(pd.Series([7.0, 8.0]))
s.sort_values(inplace=True)
s.sort_index(ascending=False, inplace=True)
s.rename("x", inplace=True); s.iloc[0] = 8
s.reset_index(drop=True, inplace=True); s.iloc[0] = 8
s.index = range(10, 10 + len(s)); s.iloc[0] = 8
np.add(s, 1, out=s)
np.negative(s, out=s)
t = s.copy(deep=False); t.iloc[0] = 8
t = s[:]; t.iloc[0] = 8
t = s.iloc[1:]; t.iloc[0] = 8
t = s[::-1]; t.iloc[0] = 8
t = s.to_frame(); t.iloc[0, 0] = 8
t = s.reset_index(drop=True); t.iloc[0] = 8
t = s.astype(s.dtype); t.iloc[0] = 8
t = pd.Series(s, copy=False); t.iloc[0] = 8
t = pd.DataFrame({"z": s}, copy=False); t.iloc[0, 0] = 8
t = pd.concat([s, s], axis=1); t.iloc[0, 0] = 8
t = s.reindex(s.index); t.iloc[0] = 8
t = s.align(s)[0]; t.iloc[0] = 8
t = s.T; t.iloc[0] = 8
t = s.fillna(s); t.iloc[0] = 8
t = s.groupby([0] * len(s)).transform(lambda g: (g.__setitem__(g.index[0], 99), g)[1])
for _, g in s.groupby([0] * len(s)): g.iloc[0] = 99
for window in s.rolling(3): window.iloc[0] = 99
s.agg(lambda v: (v.__setitem__(v.index[0], 99), 1)[1])
t = pd.Index(s).to_series(); t.iloc[0] = 8
""".splitlines()
FRAME_WRITES = """\
s.iloc[0, 0] = 9
s.iloc[:, 0] = 9
s.iloc[0] = 9
s.iloc[:, :] = 0
s.loc[s.index[0], "a"] = 9
s.loc[:, "a"] = 9
s.loc[s.a > 2] = 9
s.loc[s.a > 2, "a"] = 9
s.loc[:, ["a", "b"]] = 0
s["a"] = s["b"]; s.iloc[0, 0] = 77
s["a"] = s["a"].to_numpy(); s.iloc[0, 0] = 55
s[["a", "b"]] = 0
s[s > 2] = 0
s.at[s.index[0], "a"] = 9
s.a += 1
s["a"] *= 2
s += 1
s *= 2
s.fillna(0, inplace=True)
s.ffill(inplace=True)
s.interpolate(inplace=True)
s.replace(3.0, 7.0, inplace=True)
s.replace({"a": {3.0: 7.0}}, inplace=True)
s.where(s > 2, 0, inplace=True)
s.mask(s > 2, 0, inplace=True)
s.clip(2, 3, inplace=True)
s.update(pd.DataFrame({"a": [7.0, 8.0]}))
s.sort_values("a", inplace=True)
s.sort_index(ascending=False, inplace=True)
s.insert(0, "z", s["a"]); s.iloc[0, 0] = 9; s.iloc[0, 1] = 9; del s["z"]
s.eval("a = b + 1", inplace=True)
s.eval("d = a + 1", inplace=True); s.iloc[0, 0] = 9; s.pop("d")
s.query("a > -1e300", inplace=True) if s.a.notna().all() else None; s.iloc[0, 0] = 9
s.columns = list("abc"); s.iloc[0, 0] = 9
np.add(s, 1, out=s)
np.add(s["a"], 1, out=s["a"])
s.apply(lambda r: (r.__setitem__("a", 99), r)[1], axis=1)
s.apply(lambda r: (r.__setitem__(r.index[0], 99), r)[1], axis=0)
for _, r in s.iterrows(): r["a"] = 99
for _, c in s.items(): c.iloc[0] = 99
for _, g in s.groupby([0] * len(s)): g.iloc[0, 0] = 99
t = s.T; t.iloc[0, 0] = 8
t = s.iloc[0]; t.iloc[0] = 8
t = s.xs(s.index[0]); t["a"] = 8
t = s[["a"]]; t.iloc[0, 0] = 8
t = s.iloc[:, 0:2]; t.iloc[0, 0] = 8
t = s.iloc[1:]; t.iloc[0, 0] = 8
t = s.assign(q=1); t.iloc[0, 0] = 8
t = pd.concat([s], axis=1); t.iloc[0, 0] = 8
t = pd.DataFrame(s, copy=False); t.iloc[0, 0] = 8
t = pd.DataFrame(dict(s.items()), copy=False); t.iloc[0, 0] = 8
t = s.astype(float); t.iloc[0, 0] = 8
t = s.reindex(columns=["a", "b"]); t.iloc[0, 0] = 8
t = s.set_index("b"); t.iloc[0, 0] = 8
t = s.drop(columns="b"); t.iloc[0, 0] = 8
t = s.squeeze(); t.iloc[0, 0] = 8
""".splitlines()
# What pandas does not see: a NumPy array is written to that lies on the memory of s.
UNSEEN = """\
s.array[0] = 99
v = s.values; v.flags.writeable = True; v[0] = 99
v = s.to_numpy(); v.flags.writeable = True; v[0] = 99
v = np.asarray(s); v.flags.writeable = True; v[0] = 99
t = pd.Series(s.array, copy=False); t.iloc[0] = 99
t = pd.array(s, copy=False); t[0] = 99
s.rolling(2).apply(lambda v: (v.__setitem__(0, 99), 1.0)[1], raw=True)
""".splitlines()

CODE = {line: compile(line, line, "exec") for line in SERIES_WRITES + FRAME_WRITES + UNSEEN}

ARRAY_WRITES = [
    lambda x, at: x.__setitem__(at % len(x), at),
    lambda x, at: x.__setitem__(slice(at % len(x), None), 3),
    lambda x, at: x.__setitem__(..., at),
    lambda x, at: x.fill(at),
    lambda x, at: x.__iadd__(1),
    lambda x, at: x.__isub__(3),
    lambda x, at: x.sort(axis=0),
    lambda x, at: x.copy().__setitem__(0, 5),
    lambda x, at: x.T.__setitem__(..., 4),
    lambda x, at: np.negative(x, out=x),
]


def run(line, s):
    """Run a line, and tell what s is afterwards."""
    names = {"s": s, "pd": pd, "np": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # pandas means to give up `inplace`
        exec(CODE[line], names)
    return names["s"]


def values(obj):
    return np.array(obj.to_numpy() if isinstance(obj, (pd.Series, pd.DataFrame)) else obj)


def series(random):
    numbers = random.integers(0, 6, int(random.integers(4, 20))).astype(float)
    numbers[random.integers(len(numbers))] = np.nan
    return pd.Series(numbers)


def frame(random):
    rows = int(random.integers(4, 12))
    return pd.DataFrame({name: random.integers(0, 6, rows).astype(float) for name in "abc"})


class World:
    """Objects that may share memory; beside each a copy that NumPy made at once."""

    SIZE = 8

    def __init__(self, random):
        self.random = random
        self.objects = []
        self.shared = 0

    def keep(self, obj):
        entry = [obj, values(obj)]
        if len(self.objects) < self.SIZE:
            self.objects.append(entry)
        else:
            self.objects[self.random.integers(self.SIZE)] = entry

    def step(self):
        random = self.random
        if len(self.objects) < 2 or random.random() < 0.05:
            return self.keep(random.choice([series, frame])(random))
        entry = self.objects[random.integers(len(self.objects))]
        obj, expected = entry
        if isinstance(obj, cowarray.ndarray):
            if random.random() < 0.3:
                return self.keep(obj.copy())
            if obj.ndim == 1 and random.random() < 0.1:
                return self.keep(cowarray.wrap(pd.Series(obj, copy=False)))
            write, at = ARRAY_WRITES[random.integers(len(ARRAY_WRITES))], int(random.integers(100))
            write(obj, at)
            write(expected, at)
            return None
        if random.random() < 0.4:
            source = obj
            if isinstance(obj, pd.DataFrame) and random.random() < 0.6:
                source = obj[str(random.choice(list(obj.columns)))]
            x = cowarray.asarray(source)
            self.shared += np.shares_memory(x.to_numpy(), source.to_numpy())
            del source
            return self.keep(x)
        if random.random() < 0.2:
            return self.keep(obj.copy(deep=False) if random.random() < 0.5 else cowarray.wrap(obj))
        lines = SERIES_WRITES if isinstance(obj, pd.Series) else FRAME_WRITES
        line = lines[random.integers(len(lines))]
        twin = type(obj)(expected.copy(), index=obj.index.copy(), **self.names(obj))
        entry[0], twin = run(line, obj), run(line, twin)
        del obj
        entry[1] = values(twin)
        if not np.isfinite(entry[1]).any() or np.nanmax(np.abs(entry[1])) > 1e6:
            self.objects = [kept for kept in self.objects if kept is not entry]
        return line

    @staticmethod
    def names(obj):
        return {"columns": obj.columns.copy()} if isinstance(obj, pd.DataFrame) else {}

    def check(self, did):
        for obj, expected in self.objects:
            found = obj.to_numpy()
            if found.shape != expected.shape or found.tobytes() != expected.tobytes():
                np.testing.assert_array_equal(found, expected, err_msg=f"after {did!r}")


def run_world(seed, steps=500):
    """Take steps in a world; how often it has shared memory of pandas."""
    world = World(np.random.default_rng(seed))
    for _ in range(steps):
        world.check(world.step())
    return world.shared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=2000, help="of 500 steps each")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shared = 0
    for seed in range(options.seed, options.seed + options.worlds):
        try:
            shared += run_world(seed)
        except BaseException:
            print(f"world with seed {seed}")
            raise
    print(f"{options.worlds * 500} steps, memory of pandas shared {shared} times, no difference")


if __name__ == "__main__":
    main()
