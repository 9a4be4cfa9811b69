"""`isolated`: what a function writes to its arguments nobody else sees, wherever in them the arrays are."""

import collections
import inspect
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

import cowarray
from cowarray import array_api


class Pair(NamedTuple):
    first: object
    second: object


def arange():
    return cowarray.array(np.arange(1000.0))


PLACES = {
    "an argument": lambda x: ((x,), lambda x: x),
    "a tuple": lambda x: (((x, 1),), lambda found: found[0]),
    "a named tuple": lambda x: ((Pair(1, x),), lambda found: found.second),
    "a list": lambda x: (([1, x],), lambda found: found[1]),
    "a dict": lambda x: (({"x": x},), lambda found: found["x"]),
    "an ordered dict": lambda x: ((collections.OrderedDict(x=x),), lambda found: found["x"]),
    "all of them": lambda x: (([({"x": Pair(x, 1)},)],), lambda found: found[0][0]["x"].first),
}


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_a_write_reaches_nobody_else(place):
    x = arange()
    kept = x.copy()
    arguments, find = place(x)

    @cowarray.isolated
    def write(found):
        find(found)[...] = -1
        return find(found)

    written = write(*arguments)
    assert (x == kept).all()
    assert find(arguments[0]) is x
    assert (written == -1).all()
    assert type(find(arguments[0])) is cowarray.ndarray


def test_containers_are_those_of_the_argument(place):
    arguments, find = place(arange())
    [found] = cowarray.isolated(lambda *found: found)(*arguments)
    assert type(found) is type(arguments[0])
    assert type(find(found)) is cowarray.ndarray


def test_keywords_are_isolated_too():
    x = arange()
    cowarray.isolated(lambda *, of: of["x"].fill(3))(of={"x": x})
    assert x[5] == 5


def test_a_function_that_reads_copies_nothing(place):
    x = arange()
    arguments, find = place(x)
    cowarray.reset_stats()
    assert cowarray.isolated(lambda found: find(found).sum())(*arguments) == 499500
    assert cowarray.stats()["bytes_copied"] == 0
    cowarray.isolated(lambda found: find(found).__setitem__(0, 1))(*arguments)
    assert cowarray.stats()["bytes_copied"] == x.nbytes


def test_containers_are_made_anew():
    given = [1, [2]]
    cowarray.isolated(lambda found: (found.append(3), found[1].append(4)))(given)
    assert given == [1, [2]]


def test_an_array_that_comes_twice_is_one_array():
    x = arange()

    @cowarray.isolated
    def write(a, b, more, view):
        a[0] = 7
        return b is a, more[0] is a, view[0]

    assert write(x, x, more=[x], view=x[:600]) == (True, True, 0.0)


def test_containers_in_themselves():
    given = {"x": arange()}
    given["self"] = [given]
    found = cowarray.isolated(lambda found: found)(given)
    assert found["self"][0] is found
    assert found["x"].storage is not given["x"].storage


class Counted(tuple):
    def __new__(cls, count):
        return super().__new__(cls, range(count))


def test_what_is_no_array_is_passed_on():
    others = [object(), "text", None, 5, {1, 2}, np.float64(3), Counted(3), np.dtype("f8")]
    found = cowarray.isolated(lambda *found: found)(*others)
    assert all(one is other for one, other in zip(found, others, strict=True))


# ---- NumPy's arrays --------------------------------------------------------------------------------------------------


def test_a_writable_array_of_numpys_is_copied():
    n = np.arange(1000.0)
    cowarray.reset_stats()
    found = cowarray.isolated(lambda found: found)(n)
    assert type(found) is cowarray.ndarray
    assert cowarray.stats()["bytes_copied"] == n.nbytes
    found[...] = -1
    assert cowarray.stats()["bytes_copied"] == n.nbytes, "the copy is the call's own"
    assert n[5] == 5


def test_a_read_only_array_of_numpys_is_shared_and_may_be_written(tmp_path):
    fixed = np.arange(1000.0)
    fixed.flags.writeable = False
    np.save(tmp_path / "x.npy", fixed)
    for n in (fixed, np.load(tmp_path / "x.npy", mmap_mode="r"), arange().to_numpy()):
        cowarray.reset_stats()
        found = cowarray.isolated(lambda found: found)(n)
        assert cowarray.stats()["bytes_copied"] == 0
        assert cowarray.shares_bytes(found, n)
        found[0] = -1
        assert n[0] == 0
    assert np.load(tmp_path / "x.npy")[0] == 0


def test_a_broadcast_array_gets_elements_of_its_own():
    found = cowarray.isolated(lambda found: found)(np.broadcast_to(1.0, (3, 4)))
    found[0, 0] = 5
    assert found.sum() == 16


def test_arrays_of_numpys_subclasses_keep_their_class():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    records = np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])

    @cowarray.isolated
    def write(masked, records):
        masked[1] = 5
        records.a[0] = 7
        return type(masked), type(records)

    assert write(masked, records) == (np.ma.MaskedArray, np.recarray)
    assert masked.mask.tolist() == [False, True]
    assert records.a[0] == 1


def test_arrays_of_the_standard_stay_so():
    x = array_api.asarray(arange())
    found = cowarray.isolated(lambda found: found)(x)
    assert type(found[0]) is cowarray.ndarray


def test_read_only_arrays_become_writable():
    x = arange()
    x.setflags(write=False)
    assert cowarray.isolated(lambda found: found.fill(1) or found[0])(x) == 1
    assert x[3] == 3


# ---- the function ----------------------------------------------------------------------------------------------------


class Member:
    def __init__(self, state):
        self.state = state

    @cowarray.isolated
    def step(self, change):
        """Take a step."""
        self.state += change
        change += 1
        return self


def test_methods_have_their_self():
    member, change = Member(arange()), arange()
    assert member.step(change) is member
    assert member.state[3] == 6
    assert change[3] == 3
    assert (Member.step.__doc__, Member.step.__qualname__) == ("Take a step.", "Member.step")


@cowarray.isolated
def halved(x, times=1):
    for _ in range(times):
        x /= 2
    return x


def test_a_decorated_function_is_itself_to_pickle_and_to_inspect():
    assert pickle.loads(pickle.dumps(halved)) is halved
    assert str(inspect.signature(halved)) == "(x, times=1)"


def test_errors_pass():
    with pytest.raises(ZeroDivisionError):
        cowarray.isolated(lambda: 1 / 0)()
    with pytest.raises(TypeError, match=r"isolated: expected a function \(got ndarray\)"):
        cowarray.isolated(arange())


@pytest.mark.threads
def test_tasks_on_threads_see_what_was_submitted():
    state = cowarray.array(np.ones(100_000))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda times: halved(state, times).sum(), range(40)))
    assert results == [100_000 / 2**times for times in range(40)]
    assert state.sum() == 100_000


# ---- NumPy's arrays, and files ---------------------------------------------------------------------------------------

LARGE = 5 << 18  # numbers: 10 MiB


def stamped(x):
    """What a library does that knows NumPy's arrays only."""
    assert type(x) is np.ndarray
    assert x.flags.writeable
    total = float(x.sum())
    x.reshape(-1)[3] = -1.0
    return total, cowarray.asarray(x)


def mapped(folder, count=LARGE, mode="r", dtype="f8"):
    path = folder / "numbers.dat"
    if not path.exists():
        np.arange(count).astype(dtype).tofile(path)
    return np.memmap(path, dtype, mode, shape=(count,))


@pytest.mark.parametrize("size", [10, LARGE])
@pytest.mark.parametrize("kind", ["ours", "view", "writable", "read-only", "map"])
def test_numpys_arrays_of_the_tasks_own(tmp_path, size, kind):
    plain = np.arange(float(size))
    given = {
        "ours": lambda: cowarray.array(plain),
        "view": lambda: cowarray.array(np.arange(-1.0, size))[1:],
        "writable": plain.copy,
        "read-only": lambda: np.frombuffer(plain.tobytes()),
        "map": lambda: mapped(tmp_path, size),
    }[kind]()
    run = cowarray.isolated(stamped, as_numpy=True)
    for _ in range(3):
        total, result = run(given)
        assert total == plain.sum()
        assert type(result) is np.ndarray
        assert (result[3], result[4], result.flags.writeable) == (-1.0, 4.0, True)
        assert np.array_equal(given, plain)
    (again,) = cowarray.isolated(as_numpy=True)(lambda *, one: (one["x"],))(one={"x": given})
    assert np.array_equal(again, plain)


def test_one_array_that_is_passed_twice_is_one_array_of_numpys():
    def same(one, two):
        one[0] = 5.0
        return one is two["x"][0], two["x"][0][0]

    x = cowarray.zeros(3)
    assert cowarray.isolated(same, as_numpy=True)(x, {"x": [x]}) == (True, 5.0)


def copied_by(function, *args):
    before = cowarray.stats()["bytes_copied"]
    function(*args)
    return cowarray.stats()["bytes_copied"] - before


def one(x):
    x[7] = 1.0
    return float(x[8])


@pytest.mark.parametrize("as_numpy", [False, True])
def test_a_mapped_file_costs_pages(tmp_path, as_numpy):
    x = mapped(tmp_path)
    run = cowarray.isolated(one, as_numpy=as_numpy)
    assert run(x) == 8.0
    assert copied_by(run, x) <= 1 << 16
    part = x[1000:]
    assert run(part) == 1008.0
    assert copied_by(run, part) <= 1 << 16
    square = x[: 1024 * 1024].reshape(1024, 1024)
    assert cowarray.isolated(lambda y: (y.fill(3), float(y[1, 1]))[1], as_numpy=as_numpy)(square.T) == 3.0
    assert np.array_equal(x, np.arange(LARGE))
    assert np.array_equal(np.fromfile(tmp_path / "numbers.dat"), np.arange(LARGE))


def test_arrays_of_ours_cost_pages_from_the_second_task_on():
    x = cowarray.zeros(LARGE).by_page()
    if x.storage.own_nbytes == x.nbytes:
        pytest.skip("the system grants no pages")
    run = cowarray.isolated(one, as_numpy=True)
    assert run(x) == 0.0
    assert copied_by(run, x) <= 1 << 16
    y = cowarray.zeros(4 << 20)  # 32 MiB: by the page at the first write
    run(y)
    assert copied_by(run, y) <= 1 << 16


def replaced(folder):
    x = mapped(folder)
    (folder / "other").write_bytes(bytes(x.nbytes))
    (folder / "other").rename(folder / "numbers.dat")
    return x


def shortened(folder):
    x = mapped(folder)
    x = x[: LARGE // 2]
    os.truncate(folder / "numbers.dat", x.nbytes)
    return x


def private(folder):
    x = mapped(folder, mode="c")
    x[9] = -9.0
    x.flags.writeable = False
    return x


def gone(folder):
    x = mapped(folder)
    (folder / "numbers.dat").unlink()
    return x


@pytest.mark.parametrize("make", [replaced, shortened, private, gone, lambda folder: mapped(folder, mode="r+")])
@pytest.mark.parametrize("as_numpy", [False, True])
def test_files_that_are_not_what_they_were_mapped_as(tmp_path, make, as_numpy):
    x = make(tmp_path)
    wanted = np.array(x)

    def values(y):
        found = np.array(y)
        y[9] = 1.0
        return found

    assert np.array_equal(cowarray.isolated(values, as_numpy=as_numpy)(x), wanted)
    assert np.array_equal(x, wanted)


def test_misaligned_and_foreign_maps_are_read_right(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(256)) * (1 << 15))
    x = np.memmap(path, "u1", "r", offset=1)
    assert np.array_equal(cowarray.isolated(np.array)(x), np.asarray(x))
    odd = x[: (x.size // 8 - 1) * 8].view("<u8")
    assert np.array_equal(cowarray.isolated(np.array)(odd), np.asarray(odd))
    backwards = x[::-1]
    assert np.array_equal(cowarray.isolated(np.array)(backwards), np.asarray(backwards))
