"""Near a limit on address space every operation works or raises MemoryError, and nothing is lost either way.

The limit is the real one (RLIMIT_AS), so what fails is whatever asks for memory first: the core, NumPy, Python.
"""

import sys
from textwrap import dedent

import pytest
from support.limits import NO_BLOCKS_ARE_KEPT
from support.programs import PRELUDE, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/statm")

LIMITS = (
    PRELUDE
    + """
import pickle, resource
import numpy.random  # the first fake loads it, and its libraries take addresses

MB = 1 << 20
HARD = resource.getrlimit(resource.RLIMIT_AS)[1]

def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

def leave(room):
    gc.collect()
    ca.keep_freed(ca.keep_freed(0))  # nothing is kept from before
    resource.setrlimit(resource.RLIMIT_AS, (used() + room, HARD))

def lift():
    resource.setrlimit(resource.RLIMIT_AS, (HARD, HARD))
"""
)


@pytest.mark.sampled
@pytest.mark.parametrize("gibibytes", [30, 4, 2])
@pytest.mark.parametrize("mode", ["fake", "deferred", "budget"])
def test_modes_work_under_a_limit_and_leave_the_addresses_to_the_program(gibibytes, mode):
    bodies = {
        "fake": """
            with ca.fake() as plan:
                x = ca.zeros((1 << 17, 1 << 10, 1 << 10)) + 1
                assert x[3:, ::2].T.copy().shape == (1 << 10, 1 << 9, (1 << 17) - 3)
                x[-1, -1, -1] = 5
                lines = [ca.zeros(1 << 40, "u1")[i:] for i in range(40_000)]
            assert plan.peak_bytes >= 40_000 << 40
        """,
        "deferred": """
            with ca.deferred():
                x = ca.zeros(MB) + 1
                x[5:] += 1
            assert x[4:7].tolist() == [1, 2, 2]
        """,
        "budget": """
            with ca.budget("4 MiB", small=0) as run:
                steps = [ca.ones(1 << 17)]
                for _ in range(40):
                    steps.append(ca.sin(steps[-1]))
                part = steps[3][5:]
                part += 1
            assert run.evictions
            assert steps[3][6] == np.sin(np.sin(np.sin(1.0))) + 1
        """,
    }
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({gibibytes << 30}, {gibibytes << 30}))\n"
    body = f"before = used()\n{dedent(bodies[mode])}\nassert used() - before < 512 * MB"
    run(body, prelude=limit + LIMITS)


def test_what_fails_is_said_where_no_address_is_left():
    run(
        """
        with ca.fake():
            # Room for Python's own objects, in arenas that one object each keeps.
            pins = [bytes(400) for _ in range(20_000)][::500]
            leave(14 * MB)  # for a region of 8 MiB and one of 4, and 2 MiB for all else
            kept = []
            try:
                while len(kept) < 10_000:
                    kept.append(ca.zeros(1000))
                raise AssertionError("never refused")
            except MemoryError as error:
                said, count = str(error), len(kept)
            assert said.endswith(f"leaves no addresses beside those of {count} fakes of {8000 * count} bytes"), said
            del kept
            assert (ca.zeros(1000) + 1).shape == (1000,)
            lift()
        """,
        prelude=LIMITS,
    )


# Of an array of 8 MiB that shares its bytes: what writes to it, with what that does to a twin of NumPy's, and what
# makes something new from it.
OPERATIONS = (
    LIMITS
    + """
import operator

N = MB  # elements: 8 MiB
values = np.arange(float(N))
values.setflags(write=False)
refusals = 0

def refused(operate, x):
    global refusals
    try:
        operate(x)
    except MemoryError:
        refusals += 1
    else:
        raise AssertionError(f"{name}: no MemoryError")

WRITES = {
    "item": (lambda x: x.__setitem__(1, -1), lambda n: n.__setitem__(1, -1)),
    "slice": (lambda x: x.__setitem__(slice(5, 9), -1), lambda n: n.__setitem__(slice(5, 9), -1)),
    "whole": (lambda x: x.__setitem__(..., -1), lambda n: n.fill(-1)),
    "fill": (lambda x: x.fill(3), lambda n: n.fill(3)),
    "+=": (lambda x: x.__iadd__(1), lambda n: n.__iadd__(1)),
    "+= itself": (lambda x: x.__iadd__(x), lambda n: n.__iadd__(n)),
    "out=": (lambda x: np.negative(x, out=x), lambda n: np.negative(n, out=n)),
    "where=": (lambda x: np.add(x, 1, out=x, where=[True]), lambda n: n.__iadd__(1)),
    "copyto": (lambda x: np.copyto(x, 7), lambda n: n.fill(7)),
    "sort": (lambda x: x.sort(), lambda n: n.sort()),
    "view": (lambda x: x[::2].fill(1), lambda n: n[::2].fill(1)),
    "materialize": (lambda x: x.materialize(), lambda n: None),
    "export": (lambda x: x.to_numpy(writable=True).fill(2), lambda n: n.fill(2)),
    "dlpack": (lambda x: np.from_dlpack(x), lambda n: None),
    "buffer": (lambda x: np.frombuffer(x.ctypes._arr).fill(4), lambda n: n.fill(4)),
}
MAKING = {
    "eager copy": lambda x: x[: N // 2 - 1].copy(),
    "order": lambda x: x.reshape(2, -1).copy(order="F"),
    "array": lambda x: ca.array(values),
    "astype": lambda x: x.astype("f4"),
    "astype f8": lambda x: x.reshape(2, -1).T.astype("f8", order="C"),
    "add": lambda x: x + x,
    "np.add": lambda x: np.add(x, 1),
    "sum of parts": lambda x: np.concatenate([x, x]),
    "repeat": lambda x: np.repeat(x, 2),
    "where": lambda x: np.where(x > 5, x, 0),
    "take": lambda x: x[np.arange(N)],
    "tobytes": lambda x: x.tobytes(),
    "unpickle": lambda x: pickle.loads(pickle.dumps(np.asarray(x))),
    "tolist": lambda x: x.tolist(),
    "small snapshot": lambda x: np.asarray(x[: N // 2 - 1]),
    "zeros_like": lambda x: np.zeros_like(x),
    "np.sort": lambda x: np.sort(x),
    "to_numpy copy": lambda x: np.array(x),
}
"""
)


# glibc would keep what NumPy frees, up to a bound that it moves about.
STEADY = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}


def test_every_write_fails_whole_and_works_when_something_large_is_dropped():
    printed = run(
        """
        for name, (write, plainly) in WRITES.items():
            for source in (ca.array(values), ca.asarray(values)):
                x, other, shown = source, source.copy(), np.asarray(source)
                del source
                ballast = ca.array(np.tile(values, 8))
                shares, address = x.storage.share_count, x.storage.data_ptr
                ca.reset_stats()
                leave(2 * MB)
                refused(write, x)
                assert (x.storage.share_count, x.storage.data_ptr) == (shares, address), name
                assert not any(ca.stats()[figure] for figure in ("copies", "overwrites", "steals")), name
                del ballast
                write(x)
                lift()
                expected = values.copy()
                plainly(expected)
                assert np.array_equal(x, expected), name
                assert np.array_equal(other, values) and np.array_equal(shown, values), name
                del x, other, shown
        print(refusals)
        """,
        prelude=OPERATIONS,
        **STEADY,
    )
    assert int(printed) == 2 * 15


def test_what_is_made_by_numpy_gets_the_memory_that_dropped_arrays_had():
    printed = run(
        """
        for name, make in MAKING.items():
            x = ca.array(values)
            other, shown = x.copy(), np.asarray(x)
            expected = make(values)
            ballast = ca.array(np.tile(values, 8))  # 64 MiB, as much as may be kept
            leave(2 * MB)
            refused(make, x)
            assert x.storage.share_count == 3, name
            del ballast
            made = make(x)
            lift()
            same = np.array_equal if hasattr(expected, "dtype") else operator.eq
            assert same(made, expected), name
            assert np.array_equal(x, values) and np.array_equal(other, values), name
            del made, expected
        print(refusals)
        """,
        prelude=OPERATIONS,
        **STEADY,
    )
    assert int(printed) == 18


def test_last_sharer_writes_where_nothing_is_left():
    run(
        """
        x = ca.array(values)
        leave(0)
        address = x.storage.data_ptr
        for name, (write, plainly) in WRITES.items():
            if name not in ("where=", "+= itself"):
                x.copy()
                write(x)
                assert x.storage.data_ptr == address, name
        """,
        prelude=OPERATIONS,
        **STEADY,
    )


@pytest.mark.skipif(bool(NO_BLOCKS_ARE_KEPT), reason=NO_BLOCKS_ARE_KEPT)
def test_small_blocks_get_the_memory_of_large_ones_that_were_kept():
    """The limit comes when the blocks are kept already: the first allocation that fails gives them back."""
    run(
        """
        step = 100_000
        for _ in range(2):
            kept = [ca.array(values) for _ in range(8)]  # 64 MiB
            del kept
            before = used()
            resource.setrlimit(resource.RLIMIT_AS, (before, HARD))
            made = [ca.array(values[:step // 8])]
            try:
                while True:
                    made.append(made[0][:].copy(order="K") if len(made) % 2 else ca.array(values[:step // 8]))
                    made[-1][0] = -1
            except MemoryError:
                pass
            lift()
            assert used() <= before
            assert len(made) * step > 56 * MB, len(made)
            assert all(array[1] == 1 for array in made)
            del made
        """,
        prelude=OPERATIONS,
        **STEADY,
    )


@pytest.mark.skipif(bool(NO_BLOCKS_ARE_KEPT), reason=NO_BLOCKS_ARE_KEPT)
def test_memory_that_was_large_blocks_is_anybodys_under_a_limit():
    run(
        """
        x = ca.array(values)
        ballast = [ca.array(values) for _ in range(8)]
        leave(2 * MB)
        del ballast
        theirs = np.ones(7 * N)
        del theirs
        text = bytes(56 * MB)
        del text
        assert ca.array(values.repeat(3)).sum() == 3 * x.sum()
        lift()
        before = used()
        y = x.copy()
        y[0] = -1
        del y
        assert used() >= before + 8 * MB  # without a limit it is kept
        """,
        prelude=OPERATIONS,
        **STEADY,
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_program_under_a_limit(seed):
    """Against NumPy: each write happens or raises MemoryError and has not happened; afterwards all values are right."""
    print("seed", seed)
    printed = run(
        """
        rng = np.random.default_rng(int(sys.argv[1]))
        N //= 8  # 1 MiB
        arrays = [(ca.array(values[:N]), values[:N].copy())]
        twins = [values[:N].copy() for _ in range(200)]  # allocated before the limit
        snapshots = []
        refusals = writes = 0
        leave(12 * MB)
        for step in range(1500):
            i = int(rng.integers(len(arrays)))
            x, twin = arrays[i]
            kind = rng.random()
            at, value = int(rng.integers(N)), float(rng.integers(100))
            try:
                if kind < 0.3 and twins:
                    made = x.copy() if kind < 0.2 else x.reshape(-1, 2).reshape(-1)
                    fresh = twins.pop()
                    fresh[:] = twin
                    arrays.append((made, fresh))
                elif kind < 0.5 and len(arrays) > 1:
                    x = made = None
                    twins.append(arrays.pop(i)[1])
                elif kind < 0.7:
                    x[at] = value
                    twin[at] = value
                elif kind < 0.8:
                    x += value
                    twin += value
                elif kind < 0.85:
                    x.fill(value)
                    twin.fill(value)
                elif kind < 0.9:
                    np.add(x, 1, out=x)
                    twin += 1
                elif len(snapshots) < 3 and twins:
                    shown = np.asarray(x)
                    fresh = twins.pop()
                    fresh[:] = twin
                    snapshots.append((shown, fresh))
                    shown = None
                elif snapshots:
                    twins.append(snapshots.pop()[1])
                writes += 1
            except MemoryError:
                refusals += 1
        resource.setrlimit(resource.RLIMIT_AS, (HARD, HARD))
        assert all(x.tobytes() == twin.tobytes() for x, twin in arrays + snapshots)
        for x, twin in arrays:
            x[0] = -7
            twin[0] = -7
        assert all(x.tobytes() == twin.tobytes() for x, twin in arrays + snapshots)
        print(writes, refusals)
        """,
        seed,
        prelude=OPERATIONS,
        **STEADY,
    )
    done, refused = map(int, printed.split())
    assert done > 300
    assert refused > 30
