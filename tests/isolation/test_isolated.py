"""`isolated`: what a function writes to its arguments nobody else sees, wherever in them the arrays are."""

import asyncio
import collections
import inspect
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


def test_coroutines_and_generators_have_arrays_of_the_call():
    @cowarray.isolated
    async def later(x):
        await asyncio.sleep(0)
        x[0] += 1
        return x

    @cowarray.isolated
    def steps(x):
        x[0] += 1
        yield x

    x = cowarray.ones(3)
    waiting, begun = later(x), steps(x)
    x[0] = 9
    for found in (asyncio.run(as_awaited(waiting)), next(begun)):
        assert (type(found), found.tolist()) == (cowarray.ndarray, [2, 1, 1])
    assert x.tolist() == [9, 1, 1]


async def as_awaited(waiting):
    return await waiting


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
