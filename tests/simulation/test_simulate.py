"""`simulate` computes what NumPy computes, and finds each access that relies on an alias where cowarray copies: at its
line, with the line that copied and the line that wrote, once, and nothing else.

It is one file because most of it is a table of programs and what is to be found in each.
"""

import contextvars
import gc
import pickle
import sys
import threading
import tracemalloc
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from support.limits import taken_by
from support.numpy_versions import happens
from support.seeds import all_or

import cowarray
from cowarray import AliasingError, AliasingWarning

pytestmark = pytest.mark.sanitized

NAME = "<program>"


def run(program, *, module=cowarray, **names):
    """Run a program's lines, numbered from 1, as a user's."""
    names = {"np": module, "numpy": np, "t": None, **names}
    exec(compile(program, NAME, "exec"), names)
    return names


def found_in(program, *, exact=False, **names):
    """What a program's divergences are: kind and the three lines."""
    with warnings.catch_warnings(), cowarray.simulate(exact=exact) as found:
        warnings.simplefilter("ignore", AliasingWarning)
        names = run(program, **names)
    assert all(site.filename == NAME for each in found for site in each[3:6])
    return [(each.kind, *(site.lineno for site in each[3:6])) for each in found], names, found


# Each program, and what is found: kind, and the lines that copied, that wrote, that accessed.
PROGRAMS = {
    "written through one, then updated through the other": (
        "t = np.ones(4)\nu = t.reshape(2, 2)\nt += np.arange(4)\nt += 1\nv = u.view()\nu += 1",
        [("write", 2, 4, 6)],
    ),
    "through a temporary": (
        "h = np.zeros((3, 3))\nh.reshape(-1)[::4] += 2\nh.sum()",
        [("read", 2, 2, 3)],
    ),
    "other bytes": ("t = np.zeros(8)\nu = t.reshape(2, 4)\nt[:4] = 1\nu[1].sum()", []),
    "overwritten before it is read": (
        "t = np.zeros(8)\nu = t.reshape(2, 4)\nt[0] = 1\nu[...] = 0\nu.sum()\nt.sum()",
        [("read", 2, 4, 6)],
    ),
    "copied after the write": ("t = np.zeros(8)\nt.ravel()\nt[0] = 1\nu = t.ravel()\nu.sum()", []),
    "one copy of another": (
        "t = np.zeros(8)\na = t.reshape(2, 4)\nb = a.reshape(8)\na += 1\nb.sum()\nt.sum()",
        [("read", 3, 4, 5), ("read", 2, 4, 6)],
    ),
    "where NumPy copies too": ("t = np.zeros(8)\nt.copy()[0] = 1\nt.flatten()[0] = 1\nt.sum()", []),
    "exported before the write, and released": (
        "t = np.zeros(8)\nmemoryview(t.reshape(2, 4))\nt[0] = 1",
        [],
    ),
    "written by somebody outside": (
        "t = np.zeros(8)\nw = t.reshape(2, 4).to_numpy(writable=True)\nw[0] = 1\nt.sum()",
        [("left the library", 2, 2, 4)],
    ),
    "written through np.asarray": (
        "t = np.zeros(8)\nw = numpy.asarray(t.reshape(2, 4))\nw[0] = 1\nt.sum()",
        [("left the library", 2, 2, 4)],
    ),
    "only read outside": ("t = np.zeros(8)\nu = t.reshape(2, 4)\nnumpy.asarray(u).sum()\nt.sum()", []),
    "read by whoever takes a buffer": (
        "t = np.zeros(8)\nu = t.reshape(2, 4)\nt[0] = 1\nbytes(u)",
        [("read", 2, 3, 4)],
    ),
    "an export from before the copy": (
        "t = np.zeros(8)\nw = numpy.asarray(t)\nu = t.reshape(2, 4)\nw[0] = 1\nu.sum()",
        [("left the library", 3, 2, 5)],
    ),
    # PyTorch's tests of its simulation.
    "one array, written twice": ("t = np.ones(4)\nt += 1\nt += np.arange(4)\nt.sum()", []),
    "a view of a copy that is not read": (
        "t = np.ones(4)\nu = t.reshape(2, 2)\nt += 1\nv = u.view()\nw = u[0]",
        [],
    ),
    "both written, and the copy is written first": (
        "t = np.ones(4)\nu = t.reshape(2, 2)\nu += 1\nt += 1",
        [("write", 2, 3, 4)],
    ),
    "a view of the copy writes": (
        "t = np.ones(4)\nu = t.reshape(2, 2)\nv = u[0]\nt += 1\nv += 1",
        [("write", 2, 4, 5)],
    ),
    # Lines of released packages.
    "scikit-learn, _linear_loss": (
        "n = 3\nhess = np.zeros((n, n))\nhess.reshape(-1)[:: n + 1] += 0.5\nhess.sum()",
        [("read", 3, 3, 4)],
    ),
    "scikit-image, j_invariant": (
        "filter = np.ones((3, 3))\nfilter.ravel()[4] = 0\nfilter /= filter.sum()",
        [("read", 2, 2, 3)],
    ),
    "SciPy, the reader of IDL": (
        "variable = np.zeros((2, 2))\nfor i in range(4):\n    variable.reshape(-1)[i] = i\nvariable[1, 1]",
        [("read", 3, 3, 4)],
    ),
    "SciPy, tanhsinh": (
        "x = np.zeros((2, 3))\nw = x.reshape(-1)\nw[1:4] = 2\nx * 2",
        [("read", 2, 3, 4)],
    ),
    "NumPy's own test": ("y = np.zeros((5, 4))\ny.ravel()[::5] = -1\ny.min()", [("read", 2, 2, 3)]),
    # What is carried, and what is not.
    "a copy of what diverged": (
        "t = np.zeros(8)\nt.reshape(2, 4)[0] = 1\nc = t.copy()\nc[:4].sum()\nc[4:].sum()",
        [("read", 2, 2, 4)],
    ),
    "a copy in another order": (
        "t = np.zeros((2, 4))\nt.reshape(-1)[1] = 1\nc = t.copy('F')\nc[0, 1]\nc[1, 1]",
        [("read", 2, 2, 4)],
    ),
    "a copy of a copy, by pickle": (
        "import pickle\nt = np.zeros(8)\nt.reshape(2, 4)[0] = 1\nc = pickle.loads(pickle.dumps(t))\nc.sum()",
        [("read", 3, 3, 4)],
    ),
    "a value computed from a found read": (
        "t = np.zeros(8)\nt.ravel()[0] = 1\nc = t + 1\nc.sum()",
        [("read", 2, 2, 3)],
    ),
    "what returns its argument": (
        "t = np.zeros(4)\nnp.ascontiguousarray(t)[0] = 1\nt[0]\nu = np.asanyarray(t)\nt[1] = 1\nu[1]",
        [("read", 2, 2, 3), ("read", 4, 5, 6)],
    ),
    # More ranges of bytes than are kept apart.
    "overwritten in part": ("t = np.zeros(20_000)\nu = t.ravel()\nt[...] = 1\nu[::2] = 5\nu[1]", [("read", 2, 3, 5)]),
    # Where the real rules of lazy copies do not hold.
    "a small part": (
        "t = np.zeros((4, 4))\nu = t[0].reshape(2, 2)\nu[0, 0] = 1\nt[0, 0]\nt[1, 1]",
        [("read", 2, 3, 4)],
    ),
    "elements that overlap": (
        "t = np.zeros(3)\nu = np.broadcast_to(t, (2, 3)).reshape(2, 3)\nt[0] = 1\nu.sum()",
        [("read", 2, 3, 4)],
    ),
    "a pinned array": (
        "t = np.zeros(8)\nw = t.to_numpy(writable=True)\nu = t.reshape(2, 4)\nt[0] = 1\nu.sum()",
        [("read", 3, 4, 5)],
    ),
    "objects": (
        "t = np.array([None, 2, 'x'], dtype=object)\nu = t.reshape(3, 1)\nu[0] = 1\nt[0]\nt[1]",
        [("read", 2, 3, 4)],
    ),
    # Kinds of access.
    "an index, and another": (
        "t = np.zeros(8)\nu = t.ravel()\nt[3] = 1\nu[2]\nu[[1, 4]]\nu[3]\nu[[3, 1]]\nu[u[3] > 5]",
        [("read", 2, 3, 6), ("read", 2, 3, 7), ("read", 2, 3, 8)],
    ),
    "a mask writes, and reads nothing": (
        "t = np.zeros(4)\nu = t.ravel()\nt[1] = 1\nu[np.array([True, True, False, False])] = 2\nu.sum()\nt[0]\nt[2]",
        [("read", 2, 4, 6)],
    ),
    "printing is reading": ("t = np.zeros(2)\nt.ravel()[0] = 1\nrepr(t)", [("read", 2, 2, 3)]),
    "functions that give views read nothing": (
        "t = np.zeros((2, 2))\nu = t.ravel()\nt[0] = 1\nv = np.flip(u)\nw = np.split(u, 2)\n"
        "np.broadcast_to(u, (2, 4))\n"
        "np.require(u)",
        [],
    ),
    "fields": (
        "t = np.zeros(4, [('a', 'f8'), ('b', 'i4')])\nu = t.reshape(2, 2)\nt['a'] = 1\nb = u['b']\nb.sum()\n"
        "a = u['a']\n"
        "u['a'] = 3\na.sum()\nt['b'].sum()\nt['a'].sum()",
        [("read", 2, 7, 10)],
    ),
    "indices of views that NumPy makes": (
        "t = np.zeros((4, 4))\nu = t.ravel()\nt[0] = 1\nu[None, 2:3, ...]\nu[numpy.int64(1) : 3]\nu[()]\n"
        "u[2:][::-1]\nu[...,]\nu[numpy.int64(1)]",
        [("read", 2, 3, 9)],
    ),
    "element by element": (
        "t = np.zeros(4)\nu = t.ravel()\nt[0] = 1\nu[0] += 1\nu[0]\nt[0]",
        [("read", 2, 3, 4), ("read", 2, 4, 6)],
    ),
    "out= is written, and not read": (
        "t = np.zeros(4)\nu = t.reshape(2, 2)\nu[0] = 1\nnp.add(np.ones(4), 1, out=t)\nt.sum()\nu.sum()",
        [("read", 2, 4, 6)],
    ),
    "reads itself before it is written": (
        "t = np.ones(4)\nu = t.reshape(2, 2)\nnp.multiply(u, 2, out=t.reshape(2, 2, copy=False))\nu.sum()",
        [("read", 2, 3, 4)],
    ),
}


@pytest.mark.filterwarnings("ignore::cowarray.AliasingWarning")
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_found_and_where(program, exact):
    text, wanted = PROGRAMS[program]
    found, names, _ = found_in(text, exact=exact)
    assert found == wanted
    numpys = run(text, module=np) if ".to_numpy" not in text and "copy=False" not in text else {}
    for name, value in numpys.items():
        if isinstance(value, np.ndarray) and isinstance(names[name], cowarray.ndarray):
            assert names[name].tolist() == value.tolist(), name


def test_each_three_lines_are_one_divergence_and_one_warning():
    program = "t = np.zeros(4)\nfor _ in range(3):\n    t.ravel()[0] = 1\n    t.sum()\nt.ravel()[1] = 2\nt.sum()"
    with pytest.warns(AliasingWarning) as told, cowarray.simulate() as found:
        run(program)
    assert [(each.made.lineno, each.accessed.lineno, each.times) for each in found] == [(3, 4, 3), (3, 6, 1), (5, 6, 1)]
    assert (found.watched, found.relied_upon, found.never_written) == (4, 4, 0)
    assert [each.message.divergence.accessed for each in told] == [each.accessed for each in found]
    assert [(each.filename, each.lineno) for each in told] == [tuple(each.accessed) for each in found]


def test_a_warning_that_is_an_error_loses_no_array():
    with warnings.catch_warnings(), cowarray.simulate():
        warnings.simplefilter("error")
        x = cowarray.zeros(4)
        view = memoryview(x)
        died = weakref.ref(x)
        with pytest.raises(AliasingWarning):
            np.add(x, 1, out=x)
        del view, x
        gc.collect()
        assert died() is None


def test_a_divergence_says_all_of_it():
    _, _, found = found_in("t = np.zeros(8)\nt.reshape(-1)[2:4] = 1\nt.sum()")
    (each,) = found
    assert (each.operation, each.copied_by, each.nbytes, each.times, each.differed) == (
        "ndarray.sum",
        "ndarray.reshape",
        16,
        1,
        None,
    )
    assert str(each.accessed) == f"{NAME}:3"
    assert all(part in str(each) for part in ("ndarray.sum", f"{NAME}:2", f"{NAME}:3", "ndarray.reshape"))
    assert pickle.loads(pickle.dumps(AliasingWarning(each))).divergence == each
    assert pickle.loads(pickle.dumps(AliasingError(each))).divergence == each


@pytest.mark.parametrize("convert", [cowarray.ndarray.tolist, cowarray.ndarray.tobytes, str, repr, format])
def test_a_conversion_is_called_so(convert):
    _, _, found = found_in("t = np.zeros(2)\nt.ravel()[0] = 1\nconvert(t)", convert=convert)
    assert [each.operation for each in found] == ["conversion"]


def test_exact_says_whether_values_differed():
    _, _, found = found_in(
        "t = np.zeros(4)\nt.ravel()[0] = 0\nt[0]\nt.ravel()[1] = 1\nt[1]\nt.ravel()[2] = 5\nt += 1\nt[2]", exact=True
    )
    assert [(each.accessed.lineno, each.differed) for each in found] == [
        (3, False),
        (5, True),
        (7, False),
        (7, True),
        (7, True),
        (8, True),
    ]


def test_an_error_stops_the_access():
    with cowarray.simulate(error=True) as found:
        t = cowarray.zeros(4)
        u = t.ravel()
        t[0] = 1
        with pytest.raises(AliasingError) as raised:
            u += 1
        assert raised.value.divergence.kind == "write"
        assert t.tolist() == [1, 0, 0, 0], "it has been written in spite of the error"
        with pytest.raises(AliasingError):
            u.sum()
    assert len(found) == 2


def test_a_warning_made_an_error_stops_it_too():
    with warnings.catch_warnings(), cowarray.simulate():
        warnings.simplefilter("error", AliasingWarning)
        t = cowarray.zeros(4)
        t.ravel()[0] = 1
        with pytest.raises(AliasingWarning):
            t += 1
        assert t[1] == 0


def test_the_summary_counts_would_be_copies():
    program = "t = np.zeros(4)\na = t.ravel()\nb = t.reshape(2, 2)\nt[0] = 1\na.sum()\nc = t.ravel()\ndel c"
    _, _, found = found_in(program)
    assert (found.watched, found.relied_upon, found.never_written) == (3, 1, 1)
    assert repr(found) == (
        "<cowarray.simulate: 1 divergence; 3 would-be copies watched, 1 relied upon, 1 never written>"
    )


def test_views_are_numpys_where_copies_are_meant():
    with cowarray.simulate():
        t = cowarray.arange(6)
        for text in (
            "t.reshape(2, 3)",
            "t.ravel()",
            "np.ravel(t)",
            "np.atleast_2d(t)",
            "np.reshape(t, (3, 2))",
            "np.asarray(t)",
            "t.conj()",
            "np.meshgrid(t, t, copy=False)[0]",
            "np.ix_(t)[0]",
            "np.asanyarray(t)",
            "np.ascontiguousarray(t)",
            "np.asfortranarray(t)",
            "np.require(t)",
            "np.from_dlpack(t)",
        ):
            made = eval(text, {"t": t, "np": cowarray})
            assert cowarray.aliases(made, t), text
        for text in (
            "t.copy()",
            "t.flatten()",
            "np.array(t)",
            "np.copy(t)",
            "t.reshape(2, 3, copy=True)",
            "np.conj(t)",
            "t.astype(t.dtype)",
            "np.tile(t, 1)",
            "np.resize(t, 6)",
            "np.append(t, [])",
            "t.lazy_clone()",
            *([] if happens("round of integers is no copy") else ["np.round(t)"]),
            "np.block([t])",
            "np.sort(t)",
            "np.asanyarray(t, copy=True)",
            "np.ascontiguousarray(t, dtype='f4')",
            "np.from_dlpack(t, copy=True)",
        ):
            made = eval(text, {"t": t, "np": cowarray})
            assert not cowarray.aliases(made, t), text
    assert not cowarray.aliases(t.ravel(), t), "the block is over"


def test_a_storage_without_would_be_copies_is_not_watched():
    with cowarray.simulate():
        t = cowarray.zeros(4)
        t[0] = 1
        t += 1
        assert t.sum() == 5
        assert "doorkeeper" not in repr(t.storage)
        u = t.ravel()
        u[0] = 3
        u[0] = 3
        del u
        t[...] = 0  # what was foreign is its own now
        assert t.sum() == 0
    t + t  # keeps a header again, which a watched Storage does not allow
    before = cowarray.stats()
    assert before is not None
    assert not is_watched(t)


def is_watched(x):
    """Whether each access is asked about: then a refusal stands in the way of nothing."""
    from cowarray._ops.operands import register

    seen = []
    before = register(lambda operation, function, args, kwargs: seen.append(operation) or function(*args, **kwargs))
    try:
        x.sum()
    finally:
        register(before)
    return bool(seen)


def test_what_was_watched_stays_so_in_threads_and_after_the_block():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with cowarray.simulate() as found:
            t = cowarray.zeros(4)
            u = t.ravel()
        t[0] = 1
        thread = threading.Thread(target=u.sum)
        thread.start()
        thread.join()
    assert len(found) == len(told) == 1
    assert not cowarray.aliases(u.ravel(), u)


def test_a_thread_copies_as_ever():
    with cowarray.simulate():
        t = cowarray.zeros(4)
        seen = []
        for context in (contextvars.Context(), contextvars.copy_context()):
            thread = threading.Thread(target=context.run, args=(lambda: seen.append(cowarray.aliases(t.ravel(), t)),))
            thread.start()
            thread.join()
    assert seen == [False, True]


def test_what_is_copied_for_real_outside_is_found_all_the_same():
    with warnings.catch_warnings(), cowarray.simulate() as found:
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(4)
        t.ravel()[0] = 1
        context = contextvars.Context()
        copied = context.run(t.ravel)
        assert not cowarray.aliases(copied, t)
        assert not found
        copied.sum()
        assert len(found) == 1


def test_blocks_nest_and_each_has_its_own():
    with warnings.catch_warnings(), cowarray.simulate() as outer:
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(4)
        with cowarray.simulate() as inner:
            t.ravel()[0] = 1
        t.ravel()[1] = 1
        t.sum()
    assert (inner.watched, outer.watched, len(inner), len(outer)) == (1, 1, 1, 1)


def test_a_simulation_ends_with_its_last_user():
    with warnings.catch_warnings(), cowarray.simulate() as found:
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(4)
        t.ravel()[0] = 1
        t.sum()
    ended = weakref.ref(found)
    del found, t
    gc.collect()
    assert ended() is None


@pytest.mark.parametrize("outside", [False, True])
def test_arrays_may_end_while_others_values_are_kept(outside):
    """The collector ends some while a write goes through the shadows of all."""

    class Circle:
        def __init__(self, held):
            self.held, self.itself = held, self

    before = gc.get_threshold()
    with warnings.catch_warnings(), cowarray.simulate(exact=True):
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(64)
        alias = np.asarray(t) if outside else t
        kept = []
        try:
            for later in range(1, 60):
                gc.disable()
                for _ in range(20):
                    Circle(t.ravel())
                kept.append(t.ravel())
                t[later % 64 - 1] = -later  # of which all take note at the next write
                lists = [[] for _ in range(200)]  # so that those to come are allocated, and counted
                gc.set_threshold(gc.get_count()[0] + later)
                gc.enable()
                alias[later % 64] = later
                assert t[later % 64] == later
                del lists
                gc.collect()
        finally:
            gc.set_threshold(*before)
            gc.enable()
        assert kept[0].tolist() == t.tolist()


def test_exports_are_writable_aliases_inside():
    with cowarray.simulate():
        x = cowarray.zeros(4)
        np.asarray(x)[0] = 1
        memoryview(x)[1] = 2.0
        np.add(np.asarray(x), 1, out=np.asarray(x))
        assert x.tolist() == [2, 3, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 1


def test_foreign_memory_is_aliased_inside():
    given = np.arange(4.0)
    with cowarray.simulate():
        x = cowarray.asarray(given)
        x[0] = 7
        given[1] = 8
        assert x.tolist() == given.tolist() == [7, 8, 2, 3]
        copied = x.copy()
        given[2] = 9
        assert copied.tolist() == [7, 8, 2, 3], "a real copy shares bytes that others write"
        assert cowarray.array(given).storage is not x.storage
    assert x.tolist() == given.tolist()


def test_many_writes_take_no_more_memory_than_some():
    many = all_or(10_000, 3_000)
    with warnings.catch_warnings(), cowarray.simulate():
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(50_000)
        u = t.ravel()

        def write_many():
            for i in range(many):
                t[i * 7919 % 50_000] = i
                t.ravel()[i * 104_729 % 50_000] = i
                if not i % 1000:
                    u[0]  # takes note
            gc.collect()
            return taken()

        with taken_by(__file__, f"{Path(cowarray.__file__).parent}/*") as taken:
            some, more = (max(write_many(), write_many()) for _ in range(2))  # every other time keeps more
        assert some < 2_000_000
        assert more - some < 10 * many


def test_strided_writes_of_two_lines_take_no_more_memory_than_some():
    with warnings.catch_warnings(), cowarray.simulate():
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros((2000, 4))
        u = t.ravel()
        tracemalloc.start()
        for _ in range(500):
            t[:, 0] = 1
            t[:, 2] = 2
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert u.sum() == 6000
    assert taken < 3_000_000


def test_an_outstanding_copy_takes_less_than_a_kilobyte():
    with warnings.catch_warnings(), cowarray.simulate():
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros(1000)
        t.ravel()[0] = 1
        tracemalloc.start()
        kept = [t.ravel() for _ in range(all_or(5000, 1000))]  # each write looks at all that are kept
        for i, each in enumerate(kept):
            each[i % 1000] = i
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    assert taken / len(kept) < 1024


def test_sites_are_the_users_and_not_a_librarys():
    with warnings.catch_warnings(), cowarray.simulate() as found:
        warnings.simplefilter("ignore", AliasingWarning)
        t = cowarray.zeros((2, 2))
        u = np.ravel(t)
        made = sys._getframe().f_lineno - 1
        np.copyto(u, 1)
        np.linalg.norm(t)
        accessed = sys._getframe().f_lineno - 1
    (each,) = found
    assert [site.lineno for site in each[3:6]] == [made, made + 2, accessed]
    assert {site.filename for site in each[3:6]} == {__file__}


@pytest.mark.parametrize("name", ["error", "exact"])
def test_a_flag_must_be_one(name):
    with pytest.raises(TypeError, match=f"simulate: {name} must be True or False"):
        cowarray.simulate(**{name: 1})
