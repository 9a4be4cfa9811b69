"""Inside `lend`, `np.asarray(x)` and buffers of x are writable aliases; nothing else is, and nothing is afterwards."""

import copy
import gc
import pickle
from functools import partial

import numpy as np
import pytest
from exporting import SIMPLE, STRIDES, is_free, is_pinned, request
from support.oracle import typed
from support.programs import run
from support.threads import together

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

LOOKS = {
    "asarray": np.asarray,
    "asarray, copy=False": lambda x: np.asarray(x, copy=False),
    "__array__": lambda x: x.__array__(),
    "memoryview": lambda x: np.asarray(memoryview(x)),
    "data": lambda x: np.asarray(x.data),
    "frombuffer": lambda x: np.frombuffer(x, x.dtype).reshape(x.shape),
    "asanyarray": np.asanyarray,
    "ascontiguousarray of one axis": lambda x: np.asarray(x, order="C"),
}
SMALL = "?bhilBHILefdgFDG"


@pytest.fixture
def x():
    return cowarray.array(np.arange(10.0))


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_written_through_a_look_is_in_the_array_and_its_views_and_in_no_copy(x, look):
    view, lazy, shown = x[2:], x.copy(), np.asarray(x)
    with cowarray.lend(x):
        alias = LOOKS[look](x)
        alias[5] = -1
        assert x[5] == view[3] == -1
        x[6] = -2
        assert alias[6] == -2
    assert lazy.tolist() == shown.tolist() == list(range(10))


@pytest.mark.parametrize("look", LOOKS)
def test_before_and_after_the_block_it_is_a_snapshot(x, look):
    loan = cowarray.lend(x)
    before = LOOKS[look](x)
    with loan:
        pass
    after = LOOKS[look](x)
    for shown in (before, after):
        assert not shown.flags.writeable
    x[0] = -1
    assert before[0] == after[0] == 0
    del before, after
    assert is_free(x)


def test_a_request_for_plain_bytes_is_writable(x):
    with cowarray.lend(x):
        for flags in (SIMPLE, STRIDES):
            view, _ = request(x, flags)
            assert (view.readonly, view.buf) == (0, x.storage.data_ptr)


@pytest.mark.parametrize("char", [*SMALL, "M8[D]", "m8[s]", "S3", "U2", "O", ">i4", [("a", "i4"), ("b", "f8")], "V3"])
@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2, ::-1], np.s_[1], np.s_[1:1]], ids=str)
def test_every_dtype_and_layout_is_lent(char, part):
    n = typed(char, (4, 4)) if isinstance(char, str) and len(char) == 1 and char in SMALL else np.zeros((4, 4), char)
    x = cowarray.array(n)[part]
    with cowarray.lend(x):
        alias = np.asarray(x)
        assert alias.flags.writeable
        assert (alias.dtype, alias.shape, alias.strides) == (x.dtype, x.shape, x.strides)
        assert not x.size or cowarray.aliases(x, alias)


# ---- the pin ---------------------------------------------------------------------------------------------------------


def test_the_array_is_pinned_for_as_long_as_the_block(x):
    with cowarray.lend(x):
        assert is_pinned(x)
    assert is_free(x)


def test_the_array_is_pinned_until_each_alias_is_gone(x):
    with cowarray.lend(x):
        aliases = [look(x) for look in LOOKS.values()]
        aliases.append(memoryview(x))
    while aliases:
        assert is_pinned(x)
        last = aliases.pop()
        last[0] = len(aliases)
        assert x[0] == len(aliases)
        del last
    gc.collect()
    assert is_free(x)


def test_copies_made_in_the_block_are_made_at_once(x):
    with cowarray.lend(x):
        alias = np.asarray(x)
        copies = [x.copy(), x.reshape(2, 5), x.lazy_clone(), cowarray.array(x), copy.copy(x), x[:], x.to_numpy()]
        kept = [item.tolist() for item in copies]
        alias[...] = -1
        view = copies.pop(5)
        assert view.tolist() == [-1] * 10
    assert [item.tolist() for item in copies] == [item for i, item in enumerate(kept) if i != 5]


def test_shared_bytes_are_copied_when_the_block_begins(x):
    lazy = x.copy()
    with cowarray.lend(x):
        assert not cowarray.shares_bytes(x, lazy)
    with cowarray.lend(lazy), cowarray.no_copy():
        pass


def test_the_array_may_be_dropped_in_the_block():
    with cowarray.lend(cowarray.array(np.arange(5.0))) as x:
        alias = np.asarray(x)
        del x
        gc.collect()
        alias += 1
    gc.collect()
    alias += 1
    assert alias.tolist() == [2, 3, 4, 5, 6]


def test_a_block_names_what_it_lends(x):
    other = x.copy()
    with cowarray.lend(x) as lent:
        assert lent is x
    with cowarray.lend(x, other) as (first, second):
        assert (first is x) is (second is other) is True
    lending = cowarray.lend(x)
    with pytest.raises(RuntimeError, match="lend: it has no open block"):
        lending.__exit__(None, None, None)


def test_an_abandoned_block_ends(x):
    def borrower():
        with cowarray.lend(x):
            yield

    running = borrower()
    next(running)
    assert is_pinned(x)
    running.close()
    assert is_free(x)
    assert not np.asarray(x).flags.writeable


# ---- what is lent ----------------------------------------------------------------------------------------------------


def test_views_copies_and_other_objects_of_the_same_storage_are_not_lent(x):
    others = [x[:], x[3:], x.T, x.view(), x.reshape(10, copy=False)]
    with cowarray.lend(x):
        others += [x[:], x.T, x.copy()]
        for other in others:
            shown = np.asarray(other)
            assert not shown.flags.writeable
            first = shown[0]
            x[...] = x + 1
            assert shown[0] == first


def test_a_view_is_lent_alone(x):
    view = x[2:4]
    with cowarray.lend(view):
        np.asarray(view)[...] = -1
        assert not np.asarray(x).flags.writeable
    assert x.tolist() == [0, 1, -1, -1, 4, 5, 6, 7, 8, 9]


def test_what_is_asked_for_as_a_snapshot_or_a_copy_stays_one(x):
    with cowarray.lend(x):
        buffers = []
        data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
        shown = [
            x.to_numpy(),
            np.array(x),
            np.asarray(x, copy=True),
            np.asarray(x, "f4"),
            cowarray.asarray(memoryview(x)),
        ]
        x[...] = -1
        shown.append(pickle.loads(data, buffers=buffers))
    assert [item.tolist() for item in shown] == [list(range(10))] * len(shown)


def test_an_array_made_read_only_in_the_block_goes_out_as_a_snapshot(x):
    with cowarray.lend(x):
        x.flags.writeable = False
        shown = np.asarray(x)
        assert not shown.flags.writeable
        x.flags.writeable = True
        x[0] = 5
        assert shown[0] == 0
        assert np.asarray(x).flags.writeable


def test_blocks_nest(x):
    y = cowarray.array([1.0, 2.0])
    loan = cowarray.lend(x, x, y)
    with loan, cowarray.lend(x), loan:
        assert np.asarray(x).flags.writeable
    with loan:
        with cowarray.lend(x):
            pass
        with loan:
            pass
        for lent in (x, y):
            np.asarray(lent)[0] = 7
    assert x[0] == y[0] == 7
    for lent in (x, y):
        assert not np.asarray(lent).flags.writeable
        assert is_free(lent)


def test_an_exception_ends_the_block(x):
    with pytest.raises(KeyError), cowarray.lend(x):
        raise KeyError
    assert is_free(x)
    assert not np.asarray(x).flags.writeable


def test_every_thread_gets_an_alias(x):
    def fill(at):
        np.asarray(x)[at] = -at

    with cowarray.lend(x):
        together(*[partial(fill, at) for at in range(10)])
    assert x.tolist() == [-at for at in range(10)]


@pytest.mark.threads
def test_threads_lend_and_look_at_one_array_at_once(x):
    def lends(number):
        for i in range(300):
            with cowarray.lend(x):
                alias = np.asarray(x)
                alias[number] = i
                assert x[number] == i

    together(*[partial(lends, number) for number in range(4)])
    assert is_free(x)
    assert not np.asarray(x).flags.writeable


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_a_read_only_array_is_refused_and_none_is_lent(x):
    fixed = cowarray.array([1.0, 2.0])
    fixed.flags.writeable = False
    with (
        pytest.raises(ValueError, match=r"lend: an array must be writable.*read-only; lend a copy"),
        cowarray.lend(x, fixed),
    ):
        pytest.fail("entered")
    assert is_free(x)
    assert not np.asarray(x).flags.writeable
    assert not np.asarray(fixed).flags.writeable


@pytest.mark.parametrize("other", [np.zeros(3), [1, 2], 3, None])
def test_other_than_our_arrays_is_refused(x, other):
    with pytest.raises(TypeError, match=f"lend: expected cowarray.ndarray .got {type(other).__name__} at position 1"):
        cowarray.lend(x, other)
    advice = "pass the arrays one by one" if type(other) is list else "NumPy arrays need no lending"
    with pytest.raises(TypeError, match=f"; {advice}$"):
        cowarray.lend(other)
    with pytest.raises(TypeError, match="at least one"):
        cowarray.lend()


def test_where_no_copy_may_be_made_none_is_lent(x):
    y, lazy = cowarray.array([1.0, 2.0]), x.copy()
    with pytest.raises(cowarray.CopyError), cowarray.no_copy(), cowarray.lend(y, x):
        pytest.fail("entered")
    assert is_free(y)
    assert cowarray.shares_bytes(x, lazy)
    assert not np.asarray(y).flags.writeable


# ---- who borrows -----------------------------------------------------------------------------------------------------


def test_scipys_output_is_written():
    """In a process in which nobody has called `register`."""
    pytest.importorskip("scipy.ndimage", reason="scipy is not installed; it comes with cowarray[producers]")
    run("""
        import numpy as np
        import cowarray
        from scipy import ndimage

        x, out = cowarray.arange(10.0), cowarray.zeros(10)
        lazy = out.copy()
        try:
            ndimage.uniform_filter(x, 3, output=out)
        except ValueError as error:
            assert "read-only" in str(error)
        else:
            raise AssertionError("written")
        with cowarray.lend(out):
            ndimage.uniform_filter(x, 3, output=out)
        assert out.tolist() == ndimage.uniform_filter(np.arange(10.0), 3).tolist()
        assert not lazy.any() and not cowarray.explain(out).pinned
    """)
