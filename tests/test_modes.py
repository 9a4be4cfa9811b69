"""What the library tells of itself: `stats`, `explain`, `trace`, `no_copy`, `aliases`, `shares_bytes`."""

import asyncio
import contextvars
import inspect
import threading

import numpy as np
import pytest

import cowarray as ca

HERE = __file__


def pair(n=100):
    ca.reset_stats()
    x = ca.array(np.arange(float(n)))
    y = x.copy()
    ca.reset_stats()
    return x, y


def line():
    return inspect.currentframe().f_back.f_lineno


def nonzero():
    return {name: value for name, value in ca.stats().items() if value}


# ---- stats -----------------------------------------------------------------------------------------------------------


def test_stats_has_the_documented_figures_and_is_a_copy():
    figures = ca.stats()
    assert set(figures) == {"lazy_clones", "copies", "bytes_copied", "steals", "overwrites", "eager_copies"}
    figures["copies"] = -1
    assert ca.stats()["copies"] >= 0


def test_reset_stats():
    x, y = pair()
    y[0] = 1
    assert nonzero()
    ca.reset_stats()
    assert not nonzero()


def test_each_figure():
    x, y = pair()
    assert not nonzero()
    z = x.copy()
    assert nonzero() == {"lazy_clones": 1}
    y[0] = 1
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800}
    z += 1
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800, "overwrites": 1}
    x[0] = 2
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800, "overwrites": 1, "steals": 1}
    kept = x[:3].copy()
    assert nonzero() == {
        "lazy_clones": 1, "copies": 1, "bytes_copied": 824, "overwrites": 1, "steals": 1, "eager_copies": 1,
    }
    assert kept.tolist() == [2, 1, 2]


def test_reads_and_views_and_writes_to_sole_arrays_are_not_counted():
    x = ca.array(np.arange(100.0))
    ca.reset_stats()
    x.sum(), x[3], x[3:5], x.T, repr(x), list(x), x + x, x == x, np.sin(x), x.tolist(), x.tobytes(), np.split(x, 4)
    x[0] = 1
    x += 1
    x.sort()
    assert not nonzero()


# ---- explain ---------------------------------------------------------------------------------------------------------


def reasons():
    x = ca.array(np.arange(100.0))
    readonly = np.arange(100.0)
    readonly.setflags(write=False)
    pinned = ca.array(np.arange(100.0))
    export = pinned.to_numpy(writable=True)
    yield "computed", x + 1
    yield "a view", x[3:]
    yield "a lazy copy", x.copy()
    yield "a lazy copy", x.reshape(10, 10)
    yield "more than twice its size", x[:3].copy()
    yield "overlapped", np.broadcast_to(x, (2, 100)).reshape(2, 10, 10)
    yield "memory layout", x.reshape(10, 10).T.copy()
    yield "writable export", pinned.copy()
    yield "more than bytes", ca.array(np.array([1, "a"], dtype=object)).copy()
    yield "somebody else's memory", ca.asarray(readonly)
    yield "imported by a copy", ca.array(readonly)
    del export


@pytest.mark.parametrize("i", range(11))
def test_explain_tells_how_an_array_was_made(i):
    text, x = list(reasons())[i]
    found = ca.explain(x)
    assert text in found.made
    assert text in str(found)
    others = [other for j, (other, _) in enumerate(reasons()) if other != text]
    assert not any(other in found.made for other in others)


def test_explain_of_a_shared_array():
    x, y = pair()
    found = ca.explain(y)
    assert found._replace(made="", why="") == ca.Explanation(
        made="", nbytes=800, window=800, allocated=800, shares=2, pinned=False, foreign=False, next_write_copies=800, why=""
    )
    assert "2 share" in found.why
    part = ca.explain(y[:10])
    assert (part.nbytes, part.window, part.next_write_copies) == (80, 800, 800)
    window = ca.explain(x[:60].copy())
    assert (window.nbytes, window.window, window.allocated, window.shares) == (480, 480, 800, 3)


def test_explain_tells_what_the_next_write_does_copy():
    x, y = pair()
    readonly = np.arange(100.0)
    readonly.setflags(write=False)
    alone = ca.array(readonly)
    stolen = alone.copy()
    del alone
    for array in (y, x, x[:70].copy(), x[3:], ca.asarray(readonly), stolen, ca.array([1.0]), y.reshape(10, 10)):
        cost = ca.explain(array).next_write_copies
        ca.reset_stats()
        array[..., 0] = 1
        assert ca.stats()["bytes_copied"] == cost
        assert ca.explain(array).next_write_copies == 0
        assert "nobody else" in ca.explain(array).why


def test_explain_of_pinned_and_foreign_arrays():
    x = ca.array(np.arange(100.0))
    export = x.to_numpy(writable=True)
    assert ca.explain(x).pinned
    assert "pinned" in str(ca.explain(x))
    del export
    assert not ca.explain(x).pinned
    foreign = ca.asarray(memoryview(bytes(16)))
    assert ca.explain(foreign).foreign
    assert "somebody else" in ca.explain(foreign).why
    foreign[0] = 1
    assert not ca.explain(foreign).foreign


def test_explain_changes_nothing():
    x, y = pair()
    before = x.storage.share_count, x.storage.data_ptr
    ca.explain(x)
    str(ca.explain(y))
    assert (x.storage.share_count, x.storage.data_ptr) == before
    assert not nonzero()


@pytest.mark.parametrize("stranger", [None, 3, np.zeros(3), [1]])
def test_explain_takes_our_arrays_only(stranger):
    with pytest.raises(TypeError, match="explain"):
        ca.explain(stranger)


# ---- trace -----------------------------------------------------------------------------------------------------------

TRACED = {
    "item": lambda x: x.__setitem__(0, 1),
    "slice": lambda x: x.__setitem__(slice(0, 5), 1),
    "view": lambda x: x[3:].fill(1),
    "np.put": lambda x: np.put(x, [0], 1),
    "np.copyto": lambda x: np.copyto(x, 1),
    "np.place": lambda x: np.place(x, np.ones(100, bool), [1]),
    "np.put_along_axis": lambda x: np.put_along_axis(x, np.array([1]), 1, 0),
    "np.fill_diagonal": lambda x: np.fill_diagonal(x.reshape(10, 10, copy=False), 1),
    "np.add.at": lambda x: np.add.at(x, [0], 1),
    "where": lambda x: np.add(x, 1, out=x, where=x > 3),
    "sort": lambda x: x[::-1].sort(),
    "np.cumsum": lambda x: np.cumsum(x, out=x),
    "np.median": lambda x: np.median(x, overwrite_input=True),
    "np.nan_to_num": lambda x: np.nan_to_num(x, copy=False),
    "export": lambda x: x.to_numpy(writable=True),
    "materialize": lambda x: x.materialize(),
}


@pytest.mark.parametrize("write", TRACED)
def test_trace_tells_a_copy_with_the_line_of_the_user(write):
    x, y = pair()
    with ca.trace() as seen:
        TRACED[write](y)
    [event] = seen
    assert (event.kind, event.nbytes, event.filename) == ("copy", 800, HERE)
    assert event.lineno == TRACED[write].__code__.co_firstlineno
    assert event.lineno in {lineno for *_, lineno in TRACED[write].__code__.co_lines()}
    assert str(event) == f"{HERE}:{event.lineno}: copy, 800 bytes copied"


def test_trace_tells_steals_and_overwrites():
    x, y = pair()
    z = x.copy()
    with ca.trace() as seen:
        y += 1; first = line()  # noqa: E702
        z[...] = 3; second = line()  # noqa: E702
        x[0] = 1; third = line()  # noqa: E702
        x[0] = 2
    assert list(seen) == [
        ("overwrite", 0, HERE, first),
        ("overwrite", 0, HERE, second),
        ("steal", 0, HERE, third),
    ]
    assert len(seen) == 3
    assert "3 materializations" in repr(seen)


def test_trace_and_stats_tell_the_same():
    with ca.trace() as seen:
        x, y = pair()
        arrays = [x.copy() for _ in range(10)]
        for i, array in enumerate(arrays):
            if i % 3:
                array[i] = 1
            else:
                array += 1
        del array, arrays, y
        x[0] = 1
    kinds = [event.kind for event in seen]
    figures = ca.stats()
    assert [kinds.count(kind) for kind in ("copy", "overwrite", "steal")] == [
        figures["copies"], figures["overwrites"], figures["steals"],
    ]
    assert sum(event.nbytes for event in seen) == figures["bytes_copied"] == 6 * 800


def test_trace_names_the_line_that_called_numpy_and_not_what_lies_between():
    namespace = {"__name__": "numpy_users", "np": np}
    exec(compile("def helper(x):\n    np.copyto(x, 1)\n", "/somewhere/cowarray_users.py", "exec"), namespace)
    x, y = pair()
    with ca.trace() as seen:
        namespace["helper"](y)
    assert [event[2:] for event in seen] == [("/somewhere/cowarray_users.py", 2)]


def test_trace_takes_no_file_for_ours_whose_path_only_begins_like_ours():
    name = ca.__file__.replace("__init__.py", "").rstrip("/") + "_users.py"
    namespace = {}
    exec(compile("def helper(x):\n    x[0] = 1\n", name, "exec"), namespace)
    x, y = pair()
    with ca.trace() as seen:
        namespace["helper"](y)
    assert [event.filename for event in seen] == [name]


def test_nested_traces():
    x, y = pair()
    z = x.copy()
    with ca.trace() as outer:
        y[0] = 1
        with ca.trace() as inner:
            z[0] = 1
        x[0] = 1
    assert [event.kind for event in outer] == ["copy", "copy", "steal"]
    assert [event.kind for event in inner] == ["copy"]
    y.copy()[0] = 1
    assert len(outer) == 3


def test_trace_can_be_read_while_it_runs():
    x, y = pair()
    with ca.trace() as seen:
        assert list(seen) == []
        y[0] = 1
        assert len(list(seen)) == 1


def test_trace_holds_for_one_thread():
    x, y = pair()
    z = x.copy()

    def write(array, found):
        with ca.trace() as seen:
            array[0] = 1
        found.append(len(seen))

    found = []
    with ca.trace() as mine:
        thread = threading.Thread(target=write, args=(y, found))
        thread.start()
        thread.join()
        assert len(mine) == 0
        z[0] = 1
    assert (found, len(mine)) == ([1], 1)


def test_modes_hold_for_one_task():
    x, y = pair()
    z = x.copy()
    seen = {}

    async def careful(entered, leave):
        with ca.no_copy(), ca.trace() as seen["careful"]:
            entered.set()
            await leave.wait()
            with pytest.raises(ca.CopyError):
                y[0] = 1

    async def careless(entered, leave):
        await entered.wait()
        z[0] = 1
        leave.set()

    async def both():
        entered, leave = asyncio.Event(), asyncio.Event()
        await asyncio.gather(careful(entered, leave), careless(entered, leave))

    asyncio.run(both())
    assert len(seen["careful"]) == 0
    assert z[0] == 1


def test_modes_hold_inside_a_copied_context():
    x, y = pair()
    with ca.no_copy():
        context = contextvars.copy_context()
    y[0] = 1
    z = x.copy()

    def write():
        z[0] = 1

    # The context remembers, even where no block is open any more.
    with ca.trace():
        with pytest.raises(ca.CopyError):
            context.run(write)


# ---- no_copy ---------------------------------------------------------------------------------------------------------


def test_no_copy_names_the_bytes_and_the_sharers():
    x, y = pair()
    with ca.no_copy(), pytest.raises(ca.CopyError, match=r"no_copy.*800 bytes.*2 Storages"):
        y[0] = 1
    assert not nonzero()


def test_no_copy_lets_steals_overwrites_and_sole_writes_pass():
    x, y = pair()
    z = x.copy()
    with ca.no_copy():
        y += 1
        y[0] = 1
        z[...] = 1
        x[0] = 7
        x.copy()
    assert (y[0], z[0], x[0]) == (1, 1, 7)
    assert ca.stats()["bytes_copied"] == 0


def test_no_copy_allows_copies_that_a_program_asks_for():
    x = ca.array(np.arange(100.0))
    with ca.no_copy():
        assert x[:3].copy().tolist() == [0, 1, 2]
        assert ca.array(np.arange(3)).tolist() == [0, 1, 2]
        assert (x + 1).sum() == x.sum() + 100


def test_no_copy_ends_with_its_block_also_by_an_exception():
    x, y = pair()
    with pytest.raises(ZeroDivisionError), ca.no_copy():
        raise ZeroDivisionError
    y[0] = 1
    assert ca.stats()["copies"] == 1


def test_no_copy_nests_and_one_object_can_be_entered_again():
    x, y = pair()
    mode = ca.no_copy()
    with mode:
        with mode:
            pass
        with pytest.raises(ca.CopyError):
            y[0] = 1
    y[0] = 1


def test_no_copy_holds_for_one_thread():
    x, y = pair()
    z = x.copy()
    with ca.no_copy():
        thread = threading.Thread(target=lambda: z.__setitem__(0, 1))
        thread.start()
        thread.join()
        with pytest.raises(ca.CopyError):
            y[0] = 1
    assert z[0] == 1


def test_refused_write_is_not_traced():
    x, y = pair()
    with ca.trace() as seen, ca.no_copy(), pytest.raises(ca.CopyError):
        y[0] = 1
    assert len(seen) == 0


# ---- aliases and shares_bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [ca.aliases, np.shares_memory, np.may_share_memory])
def test_aliases(ask):
    x, y = pair()
    export = x.to_numpy(writable=True)
    assert ask(x, x)
    assert ask(x, x[3:])
    assert ask(x[3:], x[:4])
    assert ask(x, export)
    assert ask(export[3:], x[:4])
    assert not ask(x[:3], x[3:])
    assert not ask(x[::2], x[1::2])
    assert not ask(x, y)
    assert not ask(x, np.asarray(x))
    assert not ask(y, y.copy())
    assert not ask(y[:0], y)
    assert not ask(y, np.zeros(3))


@pytest.mark.parametrize("ask", [ca.aliases, np.shares_memory])
def test_nothing_read_only_that_left_the_library_aliases(ask):
    x, y = pair()
    foreign = np.arange(3.0)
    foreign.setflags(write=False)
    assert not ask(y, np.asarray(y))
    assert not ask(np.asarray(memoryview(y)), y[3:])
    assert not ask(ca.asarray(foreign), foreign)


def test_aliases_is_what_a_write_shows():
    x, y = pair()
    arrays = [x, y, x[::2], x[1::2], x[5:], y[5:], x.reshape(10, 10), x.reshape(10, 10, copy=False), y.T, x[::-1][:3]]
    for a in arrays:
        for b in arrays:
            before = b.tobytes()
            told = ca.aliases(a, b)
            a += 1
            assert (b.tobytes() != before) == told


def test_shares_bytes():
    x, y = pair()
    assert ca.shares_bytes(x, y)
    assert ca.shares_bytes(x, np.asarray(y))
    assert ca.shares_bytes(x[3:], y[:4])
    assert not ca.shares_bytes(x[:3], y[3:])
    y[0] = 1
    assert not ca.shares_bytes(x, y)
    assert ca.shares_bytes(y, y[3:])
    foreign = np.arange(3.0)
    foreign.setflags(write=False)
    z = ca.asarray(foreign)
    assert ca.shares_bytes(z, foreign)
    z[0] = 1
    assert not ca.shares_bytes(z, foreign)


def test_asking_copies_nothing_and_leaves_shares_as_they_were():
    x, y = pair()
    for ask in (ca.aliases, ca.shares_bytes, np.shares_memory, np.may_share_memory):
        ask(x, y)
    assert not nonzero()
    assert x.storage.share_count == 2


def test_storage_tells_who_shares():
    x, y = pair()
    assert x.storage is x[3:].storage
    assert x.storage is not y.storage
    assert (x.storage.is_cow, x.storage.share_count, x.storage.nbytes) == (True, 2, 800)
    assert x.storage.data_ptr == y.storage.data_ptr
    y[0] = 1
    assert (x.storage.is_cow, x.storage.share_count) == (False, 1)
    assert x.storage.data_ptr != y.storage.data_ptr
