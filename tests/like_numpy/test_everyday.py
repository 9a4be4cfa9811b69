"""What the namespace has of NumPy's beside the array API standard, and reads and writes of files: NumPy's results."""

import inspect
import io
import itertools

import numpy as np
import pytest
from support.calls import Run, numpys
from support.cases.registry import sources
from support.numpy_versions import happens
from support.oracle import LAYOUTS, OWNERSHIPS, Witness, agree, outcome, same, subject, value
from support.programs import run

import cowarray
from cowarray._chapters import callbacks as _callbacks
from cowarray._chapters import elementwise_numpy as _elementwise_numpy
from cowarray._chapters import iterators as _iterators
from cowarray._chapters import numpys_own as _numpys_own
from cowarray._chapters import polynomials as _polynomials
from cowarray._files import npy as _files
from cowarray._files import raw as _raw_files

CALLS = sources("everyday")


@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_numpys_give_and_leave_operands_as_they_are(call):
    worked = 0
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held = subject(layout, ownership)
        before = held.x.storage.share_count, held.x.storage.data_ptr
        cowarray.reset_stats()
        ours, theirs = Run(call, held.x)(), Run(as_numpys(call), held.n)()
        agree((ours.result, ours.error), (theirs.result, theirs.error))
        worked += theirs.error is None
        stats = cowarray.stats()
        assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0
        ours.result = ours.names = None
        assert (held.x.storage.share_count, held.x.storage.data_ptr) == before
        assert ours.written == theirs.written
        held.check()
    assert worked


def as_numpys(call):
    return numpys(call.replace("[*cowarray", "[*np").replace("cowarray.", "np."))


def test_every_name_has_a_call():
    called = "\n".join([*CALLS, *sources("namespace")])
    for module in (_callbacks, _elementwise_numpy, _iterators, _numpys_own, _polynomials, _raw_files):
        assert module.__all__ == sorted(module.__all__)
        for name in module.__all__:
            ufunc = isinstance(getattr(np, name), np.ufunc)  # which `test_ufunc_options.py` has
            assert ufunc or name in ("errstate", "printoptions") or f"cowarray.{name}(" in called, name


@pytest.mark.parametrize("module", [_elementwise_numpy, _polynomials, _callbacks, _raw_files])
def test_parameters_are_numpys(module):
    for name in module.__all__:
        ours, theirs = getattr(cowarray, name), getattr(np, name)
        if inspect.isfunction(inspect.unwrap(ours)) and not isinstance(theirs, np.ufunc) and name != "genfromtxt":
            if inspect.isbuiltin(theirs) and happens("functions in C tell no signature"):
                continue
            found = [
                [(each.name, each.kind) for each in inspect.signature(f).parameters.values()] for f in (ours, theirs)
            ]
            assert found[0] == found[1], name


def test_functions_that_give_no_arrays_are_numpys_own():
    assert all(getattr(cowarray, name) is getattr(np, name) for name in _numpys_own.__all__)


# ---- functions of the user -------------------------------------------------------------------------------------------


def test_what_a_function_keeps_is_not_taken_over():
    kept = np.arange(3.0)
    x = cowarray.array([1.0, 2.0])
    results = [
        cowarray.apply_over_axes(lambda a, axis: kept, x, [0]),
        cowarray.apply_along_axis(lambda v: kept, 0, x),
    ]
    for result in results:
        assert type(result) is cowarray.ndarray
        result[...] = 9
    assert kept.tolist() == [0.0, 1.0, 2.0]
    assert kept.flags.writeable
    objects = np.array([None])
    result = cowarray.vectorize(lambda a: objects, otypes=[object])(1.0)
    result[...] = 9
    assert objects[0] is None


@pytest.mark.parametrize("given", [[0, 1, 0], (0, 1, 0), [0, 0], [], range(3), [0.0, "a"]], ids=str)
def test_a_part_of_a_sequence_without_its_zeros_is_of_its_type(given):
    for options in ({}, {"trim": "f"}, {"trim": "b"}):
        same(cowarray.trim_zeros(given, **options), np.trim_zeros(given, **options))
    assert type(cowarray.trim_zeros(np.array([0, 1, 0]))) is cowarray.ndarray


def test_vectorize_in_each_of_its_ways():
    n = np.arange(6.0).reshape(2, 3)
    x = cowarray.array(n)
    for options in ({}, {"otypes": "f"}, {"otypes": [object]}, {"cache": True}, {"excluded": {1}}):
        for args in ((x, 2), ([1, 2], 3), (2.5, 2)):
            theirs = [value(each) if each is x else each for each in args]
            same(
                cowarray.vectorize(lambda a, b: a * b, **options)(*args),
                np.vectorize(lambda a, b: a * b, **options)(*theirs),
            )
    two = cowarray.vectorize(lambda a: (a, -a))(x)
    same(two, (n, -n))
    same(cowarray.vectorize(lambda v: v.sum(), signature="(n)->()")(x), n.sum(1))

    @cowarray.vectorize(otypes=["d"])
    def halved(a):
        return a / 2

    same(halved(x), n / 2)
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    assert type(cowarray.vectorize(abs)(masked)) is type(np.vectorize(abs)(masked))


def test_ndenumerate_reads_each_element_when_its_turn_comes():
    x, n = cowarray.array(np.zeros((2, 2))), np.zeros((2, 2))
    witness = Witness(x)
    seen = []
    for array, enumerate_ in ((x, cowarray.ndenumerate), (n, np.ndenumerate)):
        found = []
        for index, item in enumerate_(array):
            found.append((index, float(item)))
            array[1, 1] += 1
        seen.append(found)
    assert seen[0] == seen[1]
    witness.check()
    assert [*cowarray.ndenumerate([5])] == [*np.ndenumerate([5])]


def test_nan_to_num_in_place():
    for ownership in OWNERSHIPS:
        held = subject("contiguous", ownership)
        held.x[0] = held.n[0] = np.nan
        assert cowarray.nan_to_num(held.x, copy=False, nan=7.0) is held.x
        np.nan_to_num(held.n, copy=False, nan=7.0)
        held.check()


# ---- files -----------------------------------------------------------------------------------------------------------

DTYPES = ["f8", ">i4", "i1,f4", "U2", "c8", ("f4", 2), "M8[s]", "?", "S0", "O"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("options", [{}, {"count": 3}, {"count": 1000}, {"offset": 5}, {"offset": 1000}, {"count": 0},
                                     {"count": -1}, {"count": -5}, {"offset": -1}], ids=str)  # fmt: skip
def test_fromfile_gives_what_numpys_gives(dtype, options, tmp_path):
    path = tmp_path / "elements"
    path.write_bytes(bytes(range(1, 100)) if dtype not in ("U2",) else "ab\0".encode("utf-32-le") * 9)
    for file in (path, str(path)):
        agree(outcome(cowarray.fromfile, file, dtype, **options), outcome(np.fromfile, file, dtype, **options))
    with open(path, "rb") as ours, open(path, "rb") as theirs:
        ours.seek(8), theirs.seek(8)
        agree(outcome(cowarray.fromfile, ours, dtype, **options), outcome(np.fromfile, theirs, dtype, **options))
        assert ours.tell() == theirs.tell()


def test_a_file_at_a_path_is_mapped_and_never_written(tmp_path):
    path = tmp_path / "elements"
    np.arange(1000.0).tofile(path)
    cowarray.reset_stats()
    x = cowarray.fromfile(path)
    assert cowarray.stats()["bytes_copied"] == 0
    assert cowarray.explain(x).foreign
    copy = x.copy()
    x[0] = 5
    assert cowarray.stats()["bytes_copied"] == x.nbytes
    assert (copy[0], np.fromfile(path)[0]) == (0, 0)


def test_fromfile_of_what_cannot_be_mapped(tmp_path):
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    same(cowarray.fromfile(empty), np.fromfile(empty))
    text = tmp_path / "text"
    text.write_text("1 2 3")
    same(cowarray.fromfile(text, sep=" "), np.fromfile(text, sep=" "))
    same(cowarray.fromfile("/dev/zero", "u1", 3), np.zeros(3, "u1"))
    for bad in (tmp_path / "missing", tmp_path, 5, None, io.BytesIO(b"12345678")):
        agree(outcome(cowarray.fromfile, bad), outcome(np.fromfile, bad))


def test_frombuffer_shares_what_nobody_writes_and_copies_the_rest_once():
    for source in (bytes(range(24)), memoryview(bytes(range(24))), cowarray.array(np.arange(3.0))):
        cowarray.reset_stats()
        x = cowarray.frombuffer(source, "u1", offset=1)
        assert cowarray.stats()["bytes_copied"] == 0
        same(x, np.frombuffer(bytes(source), "u1", offset=1))
        before = bytes(source)
        x[...] = 0
        assert bytes(source) == before
    for source in (bytearray(24), memoryview(bytearray(24)), np.zeros(3)):
        x = cowarray.frombuffer(source)
        memoryview(source).cast("B")[0] = 1
        x[1] = 7
        assert (value(x).tolist(), bytes(source)[8:]) == ([0, 7, 0], bytes(16))
    for args in (
        (b"123",),
        (b"",),
        (b"12345678", "O"),
        (b"12345678", "f8", 2),
        (b"12345678", "f8", 1, 9),
        ("text",),
        (5,),
    ):
        agree(outcome(cowarray.frombuffer, *args), outcome(np.frombuffer, *args))


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_archives_are_saved_and_loaded(save, tmp_path):
    function, theirs = getattr(cowarray, save), getattr(np, save)
    for layout in LAYOUTS:
        held = subject(layout, "lazy copy")
        for file in (io.BytesIO(), tmp_path / "archive", str(tmp_path / "archive.npz")):
            function(file, held.x, held.n, named=held.x[...])
            at = file if isinstance(file, io.BytesIO) else tmp_path / "archive.npz"
            if at is file:
                file.seek(0)
            with cowarray.load(at) as archive:
                assert sorted(archive) == ["arr_0", "arr_1", "named"]
                for array in archive.values():
                    same(array, held.n)
        held.check()
    for args, named in (((1, 2), {"arr_1": 3}), ((), {}), (("text",), {"a": [1]})):
        agree(outcome(function, io.BytesIO(), *args, **named), outcome(theirs, io.BytesIO(), *args, **named))
    objects = cowarray.array([None], dtype=object)
    with pytest.raises(ValueError, match=f"{save}.*allow_pickle"):
        function(io.BytesIO(), objects)
    file = io.BytesIO()
    function(file, objects, allow_pickle=True)
    file.seek(0)
    assert cowarray.load(file, allow_pickle=True)["arr_0"].tolist() == [None]


def test_an_archive_is_replaced_when_it_is_whole(tmp_path):
    path = tmp_path / "archive.npz"
    cowarray.savez(path, cowarray.array([1.0, 2.0]))
    with cowarray.load(path) as archive:
        cowarray.savez(path, cowarray.array([3.0]))
        assert archive["arr_0"].tolist() == [1.0, 2.0]
    before = path.read_bytes()
    with pytest.raises(ValueError, match="arr_0"):
        cowarray.savez(path, [1], arr_0=[2])
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["archive.npz"]


def test_text_goes_out_and_comes_back(tmp_path):
    path = tmp_path / "text"
    for layout, ownership in itertools.product(LAYOUTS, OWNERSHIPS):
        held = subject(layout, ownership)
        agree(outcome(cowarray.savetxt, path, held.x), outcome(np.savetxt, path, held.n))
        held.check()
    n = np.arange(6.0).reshape(2, 3)
    cowarray.savetxt(path, cowarray.array(n), fmt="%d", header="a b c")
    for options in (
        {},
        {"unpack": True},
        {"usecols": [1]},
        {"dtype": "i4,f4,f8", "unpack": True},
        {"max_rows": 1, "ndmin": 2},
    ):
        agree(outcome(cowarray.loadtxt, path, **options), outcome(np.loadtxt, path, **options))
    for options in ({"names": True}, {"unpack": True}, {"dtype": "i4,f4,f8", "unpack": True}, {"usemask": True}):
        agree(outcome(cowarray.genfromtxt, path, **options), outcome(np.genfromtxt, path, **options))
    agree(
        outcome(cowarray.fromregex, path, r"(\d)", [("a", "i4")]), outcome(np.fromregex, path, r"(\d)", [("a", "i4")])
    )
    for name in ("loadtxt", "genfromtxt"):
        agree(outcome(getattr(cowarray, name), tmp_path / "missing"), outcome(getattr(np, name), tmp_path / "missing"))


def test_columns_that_are_unpacked_share_one_storage_and_cost_no_copy():
    cowarray.reset_stats()
    a, b = cowarray.loadtxt(["1 2", "3 4"], unpack=True)
    assert a.storage is b.storage
    columns = cowarray.loadtxt(["1 2", "3 4"], dtype="f8,i4", unpack=True)
    assert columns[0].storage is columns[1].storage
    columns[0][0] = 9
    assert columns[1].tolist() == [2, 4]
    assert cowarray.stats()["bytes_copied"] == 0


def test_names_of_the_module_of_files():
    assert _files.__all__ == ["Archive", "header_of", "load", "save", "savez", "savez_compressed"]


def test_without_docstrings():
    """`python -OO` takes from NumPy's methods the signatures, too."""
    printed = run(
        """
        x = ca.array([3.0, 1.0, 2.0])
        kept = x.copy()
        sums = ca.zeros(3)
        print(x.cumsum(out=sums) is sums, sums)
        x.sort()
        print(x.byteswap(inplace=True) is x, x.byteswap(True) is x)
        np.copyto(sums, x)
        print(sums, kept)
        pair, total = ca.zeros(6), ca.zeros(())
        print(np.concatenate([x, kept], 0, pair) is pair, pair, x.sum(0, None, total) is total, total)
        """,
        PYTHONOPTIMIZE="2",
    )
    assert printed == ("True [3. 4. 6.]\nTrue True\n[1. 2. 3.] [3. 1. 2.]\nTrue [1. 2. 3. 3. 1. 2.] True 6.0\n")


LAID_OUT = (
    np.arange(10.0)[::-2],
    np.zeros((3, 0)),
    np.zeros((0, 3)),
    np.asfortranarray(np.arange(24).reshape(2, 3, 4))[:, ::-1],
    np.array(["a", "b"]),
    np.array([1, None], object),
    np.zeros(3, "i4,f8"),
    np.arange(6, dtype=">i4").reshape(3, 2),
    np.ones(4, "f2"),
)


@pytest.mark.parametrize("n", LAID_OUT, ids=lambda n: f"{n.dtype}{n.shape}")
def test_iteration_and_bytes(n):
    x = cowarray.array(n)
    found = list(x)
    assert len(found) == len(n)
    for one, expected in zip(found, n, strict=True):
        assert type(one) is (cowarray.ndarray if n.ndim > 1 else type(expected))
        assert np.array_equal(np.asarray(one), expected)
        assert np.shape(one) == np.shape(expected)
    for row in x if n.ndim > 1 and n.size else ():
        row[...] = 7
        assert cowarray.aliases(row, x)
    assert n.ndim == 1 or (x == 7).all()
    x = cowarray.array(n)
    assert x.tobytes() == n.tobytes()
    for order in ("C", "F", "A", "K", None):
        assert x.tobytes(order) == np.array(n).tobytes(order)


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
def test_large_parts_a_few_bytes_further_into_their_page_than_what_they_are_given(dtype):
    given = cowarray.asarray(np.arange(400_000) % 251, dtype=dtype)
    x = cowarray.zeros(400_000, dtype=dtype)
    kept, expected = x.copy(), np.zeros(400_000, dtype)
    for start in (1, 2, 3, 15):
        for size in (70_000, 262_145, 399_000):
            x[start : start + size] = given[:size]
            expected[start : start + size] = np.asarray(given)[:size]
            x[start + 1 : start + 1 + size] = x[start : start + size]
            expected[start + 1 : start + 1 + size] = expected[start : start + size]
            np.testing.assert_array_equal(np.asarray(x), expected)
    assert not kept.any()
