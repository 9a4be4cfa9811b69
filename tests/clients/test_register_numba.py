"""After `cowarray.register()` numba compiles functions of our arrays as of NumPy's: what its code reads and writes."""

import subprocess
import sys

import pytest
from registered import need, passes, program
from support.limits import LONGEST

LAYOUTS = """
import numba

@numba.njit
def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * (i + 10 * j)
    return s

@numba.njit
def negate(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = -a[i, j]

cowarray.register()
base = np.arange(24.0).reshape(6, 4)
views = [
    lambda b: b, lambda b: b.T, lambda b: b[::2], lambda b: b[:, 1:3], lambda b: b.T[1:3], lambda b: b[::-1],
    lambda b: b[1:5], lambda b: b[:5, :3], lambda b: b[1:2, :],
]
"""


def test_numba_reads_every_layout_writable_and_not_in_any_order():
    need("numba")
    passes(
        LAYOUTS,
        """
        for _ in range(2):
            for view in [*views, *reversed(views)]:
                for readonly in (False, True):
                    y = view(cowarray.array(base))
                    y.flags.writeable = not readonly
                    assert total(y) == total(view(base)), (view(base).strides, readonly)
        """,
    )


def test_numba_writes_every_layout_and_no_copy():
    need("numba")
    passes(
        LAYOUTS,
        """
        for view in [*views, *reversed(views)]:
            n, y = base.copy(), cowarray.array(base)
            copy, snapshot = y.copy(), y.to_numpy()
            negate(view(n)), negate(view(y))
            assert y.tolist() == n.tolist()
            assert copy.tolist() == snapshot.tolist() == base.tolist()
        """,
    )


def test_numba_does_not_write_to_a_read_only_array():
    need("numba")
    passes(
        LAYOUTS,
        """
        y = cowarray.array(base)
        negate(y)
        y.flags.writeable = False
        try:
            negate(y)
        except numba.TypingError as error:
            assert "readonly" in str(error)
        else:
            raise AssertionError
        assert y.tolist() == (-base).tolist()
        """,
    )


def test_numba_reads_a_read_only_array_without_a_copy():
    need("numba")
    passes(
        LAYOUTS,
        """
        y = cowarray.array(np.arange(1e6).reshape(1000, 1000))
        held = y.copy()
        y.flags.writeable = False
        total(y)
        cowarray.reset_stats()
        total(y)
        assert cowarray.stats()["bytes_copied"] == 0 and cowarray.shares_bytes(y, held)
        """,
    )


def test_numba_lets_go_of_what_it_was_given():
    need("numba")
    passes(
        LAYOUTS,
        """
        import gc, weakref
        y = cowarray.array(base)
        total(y)
        gc.collect()
        assert cowarray.shares_bytes(y, y.copy())  # no pin is left
        storage = weakref.ref(y.storage)
        del y
        gc.collect()
        assert storage() is None
        """,
    )


def test_what_numba_has_no_type_for_is_its_error():
    need("numba")
    done = program(LAYOUTS, "total(cowarray.array([[object()]]))")
    assert "TypingError" in done.stderr


DECLARED = """
import numba
cowarray.register()
from cowarray import sqrt
from cowarray.linalg import norm

@numba.njit("void(float64[:])")
def put(a):
    a[0] = 99.0

@numba.njit(["float64(float64[:, :])", "float64(float64[::1])", "float64(UniTuple(float64[:], 2))"])
def first(a):
    return a[0][0] if isinstance(a, tuple) else a.flat[0]

@numba.njit("float64(float64[:], optional(float64[:]))")
def total(a, b):
    return a.sum() if b is None else a.sum() + b.sum()

x, n = cowarray.array([4.0, 5.0, 6.0]), np.array([4.0, 5.0, 6.0])
"""


def test_numba_takes_arrays_where_types_are_declared():
    need("numba")
    passes(
        DECLARED,
        """
        copy = x.copy()
        put(x), put(n)
        assert x.tolist() == n.tolist() == [99, 5, 6] and copy.tolist() == [4, 5, 6]
        assert total(x, None) == total(n, None) == 110 and total(x, x) == total(n, x) == total(x, n) == 220
        assert first(copy) == first(copy.reshape(3, 1)) == first((copy, copy)) == 4
        x.flags.writeable = False
        for wrong in (x, x.astype("f4"), x.reshape(1, 3)):
            try:
                put(wrong)
            except TypeError as error:
                assert "No matching definition" in str(error)
            else:
                raise AssertionError
        """,
    )


def test_functions_of_cowarray_are_numpys_where_numba_compiles():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def length(a):
            return norm(sqrt(a))

        assert length(x) == length(n) and abs(length(x) - np.linalg.norm(np.sqrt(n))) < 1e-12
        """,
    )


def test_numba_may_give_one_of_ours_or_one_of_its_own():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def later(a, times):
            for _ in range(times):
                a = a + 1
            return a

        assert [later(x, times).tolist() for times in (0, 2)] == [[4, 5, 6], [6, 7, 8]] and x.tolist() == [4, 5, 6]
        """,
    )


def test_numba_puts_arrays_of_its_own_into_a_list_of_ours():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def grow(arrays):
            arrays[0] = arrays[0] + 1
            arrays.append(arrays[0] * 2)
            arrays.append(arrays[1][::-1].copy())
            return arrays[-1][0]

        warnings.simplefilter("ignore")  # such lists are to go from numba
        ours, theirs = [x, x.copy()], [n, n.copy()]
        assert grow(ours) == grow(theirs) == 6
        assert [each.tolist() for each in ours] == [each.tolist() for each in theirs] and x.tolist() == [4, 5, 6]
        """,
    )


def test_what_numba_has_no_dtype_for_is_an_object_to_it():
    need("numba")
    passes(
        DECLARED,
        """
        swapped = cowarray.ones(3, dtype=">f8")
        assert numba.jit(lambda a: a.sum(), forceobj=True)(swapped) == 3
        try:
            put(swapped)
        except TypeError as error:
            assert "No matching definition" in str(error)
        else:
            raise AssertionError
        """,
    )


def test_what_an_export_for_numba_raises_is_raised():
    need("numba")
    passes(
        DECLARED,
        """
        inferred = numba.njit(lambda a: a[0])
        inferred(x), put(x)
        copy = x.copy()
        for function in (inferred, put):
            try:
                with cowarray.no_copy():
                    function(x)
            except cowarray.CopyError:
                pass
            else:
                raise AssertionError
        assert x[0] == copy[0] == 99 and inferred(x) == 99
        """,
    )


def test_what_numba_keeps_in_files_is_kept_apart(tmp_path):
    need("numba")
    (tmp_path / "kept.py").write_text(
        "import numba\n@numba.njit('f8(f8[:])', cache=True)\ndef total(a): return a.sum()\n"
    )
    plain = (
        f"import numpy as np, sys; sys.path.insert(0, {str(tmp_path)!r}); import kept; print(kept.total(np.ones(3)))"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", plain], capture_output=True, text=True)
        assert done.stdout == "3.0\n", done.stderr
        passes(
            "cowarray.register()",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import kept; assert kept.total(cowarray.ones(3)) == 3",
        )


@pytest.mark.parametrize("options", [(), ("--aliasing",)])
def test_a_program_that_is_run_has_numba_compile_its_numpy(tmp_path, options):
    need("numba")
    (tmp_path / "program.py").write_text("""
import numba
import numpy as np

TABLE = np.arange(4.0)

@numba.njit
def looked_up(x):
    x[0] = np.sqrt(TABLE[2] ** 4)
    return np.sum(x) + np.linalg.norm(x)

@numba.vectorize
def raised(a):
    return a + np.pi

x = np.ones(3)
copy = x.copy()
print(looked_up(x), x.tolist(), copy.tolist(), raised(x).tolist(), looked_up(np.ones(3)[::2]))
""")
    ours, theirs = (
        subprocess.run(
            [sys.executable, *command, "program.py"],
            cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, check=False,
        )
        for command in (("-m", "cowarray", "run", *options), ())
    )  # fmt: skip
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, 0)
