"""`trace` names each materialization's line, `no_copy` refuses copies; both for the current context alone."""

import asyncio
import contextvars
import inspect

import numpy as np
import pytest
from support.threads import together

import cowarray as ca

HERE = __file__


def pair(n=100):
    x = ca.array(np.arange(float(n)))
    y = x.copy()
    ca.reset_stats()
    return x, y


def line():
    return inspect.currentframe().f_back.f_lineno


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
    _x, y = pair()
    with ca.trace() as seen:
        TRACED[write](y)
    [event] = seen
    assert (event.kind, event.nbytes, event.filename) == ("copy", 800, HERE)
    assert event.reason == "2 Storages share them"
    assert event.lineno == TRACED[write].__code__.co_firstlineno
    assert event.lineno in {lineno for *_, lineno in TRACED[write].__code__.co_lines()}
    assert str(event) == f"{HERE}:{event.lineno}: copy, 800 bytes copied: {event.reason}"


def test_trace_tells_steals_and_overwrites():
    x, y = pair()
    z = x.copy()
    with ca.trace() as seen:
        first = line() + 1
        y += 1
        z[...] = 3
        x[0] = 1
        x[0] = 2
    assert [(event.kind, event.nbytes, event.filename, event.lineno) for event in seen] == [
        ("overwrite", 0, HERE, first),
        ("overwrite", 0, HERE, first + 1),
        ("steal", 0, HERE, first + 2),
    ]
    assert ["every byte" in event.reason for event in seen] == [True, True, False]
    assert "last sharer" in list(seen)[2].reason
    assert len(seen) == 3
    assert "3 events" in repr(seen)


def test_trace_and_stats_tell_the_same():
    x, y = pair()
    with ca.trace() as seen:
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
        figures["copies"],
        figures["overwrites"],
        figures["steals"],
    ]
    assert sum(event.nbytes for event in seen) == figures["bytes_copied"] == 6 * 800


def test_trace_names_the_line_that_called_numpy_and_not_what_lies_between():
    namespace = {"__name__": "numpy_users", "np": np}
    exec(compile("def helper(x):\n    np.copyto(x, 1)\n", "/somewhere/cowarray_users.py", "exec"), namespace)
    _x, y = pair()
    with ca.trace() as seen:
        namespace["helper"](y)
    assert [event[3:] for event in seen] == [("/somewhere/cowarray_users.py", 2)]


def test_trace_takes_no_file_for_ours_whose_path_only_begins_like_ours():
    name = ca.__file__.replace("__init__.py", "").rstrip("/") + "_users.py"
    namespace = {}
    exec(compile("def helper(x):\n    x[0] = 1\n", name, "exec"), namespace)
    _x, y = pair()
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
    _x, y = pair()
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
        together(lambda: write(y, found))
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
    with ca.trace(), pytest.raises(ca.CopyError):
        context.run(write)


# ---- no_copy ---------------------------------------------------------------------------------------------------------


def test_no_copy_names_the_bytes_and_the_sharers():
    _x, y = pair()
    with ca.no_copy(), pytest.raises(ca.CopyError, match=r"no_copy.*800 bytes.*2 Storages"):
        y[0] = 1
    assert not any(ca.stats().values())


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
    _x, y = pair()
    with pytest.raises(ZeroDivisionError), ca.no_copy():
        raise ZeroDivisionError
    y[0] = 1
    assert ca.stats()["copies"] == 1


def test_no_copy_nests_and_one_object_can_be_entered_again():
    _x, y = pair()
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
        together(lambda: z.__setitem__(0, 1))
        with pytest.raises(ca.CopyError):
            y[0] = 1
    assert z[0] == 1


def test_refused_write_is_not_traced():
    _x, y = pair()
    with ca.trace() as seen, ca.no_copy(), pytest.raises(ca.CopyError):
        y[0] = 1
    assert len(seen) == 0
