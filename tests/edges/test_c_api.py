"""What other extensions get: headers that compile everywhere, and scopes, lazy clones and imports from C and Cython.

The extensions in tests/extension are built here against `cowarray.get_include()` of the package that runs.
"""

import ctypes
import gc
import sys
from pathlib import Path

import numpy as np
import pytest
from support.extensions import INCLUDE, SOURCES, STRICT, SUFFIX, build, compiler, python_flags, run
from support.sources import load
from support.tracing import TracingAllocator

import cowarray
from cowarray._native.storage import set_doorkeeper

pytestmark = pytest.mark.sanitized


@pytest.fixture(scope="session")
def outside_file(tmp_path_factory):
    target = tmp_path_factory.mktemp("extension") / f"outside{SUFFIX}"
    build(SOURCES / "outside.c", target, "-std=c11", *STRICT)
    return target


@pytest.fixture(scope="session")
def outside(outside_file):
    return load(outside_file)


@pytest.fixture
def x():
    return cowarray.array(np.arange(64.0))


def is_pinned(x):
    return not cowarray.shares_bytes(x, x.copy())


# ---- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("variable", "suffix", "standard"), [("CC", "c", "c11"), ("CXX", "cpp", "c++17")], ids=["C11", "C++17"]
)
@pytest.mark.parametrize("text", ["core.h", "python.h", "python.h without the functions", "both, twice"])
def test_headers_compile_without_a_warning(tmp_path, text, variable, suffix, standard):
    lines = {
        "core.h": ["#include <cowarray/core.h>"],
        "python.h": ["#include <cowarray/python.h>"],
        "python.h without the functions": ["#define COWARRAY_NO_API", "#include <cowarray/python.h>"],
        "both, twice": ["#include <cowarray/python.h>", "#include <cowarray/core.h>"] * 2,
    }[text]
    source = tmp_path / f"header.{suffix}"
    source.write_text("\n".join([*lines, "int defined_here;", ""]))
    command = compiler(variable, "c++", "g++") if variable == "CXX" else compiler(variable, "cc", "gcc")
    run(
        [
            *command,
            f"-std={standard}",
            *STRICT,
            "-I",
            INCLUDE,
            *python_flags(),
            "-c",
            source,
            "-o",
            tmp_path / "header.o",
        ]
    )


def test_core_needs_no_python(tmp_path):
    source = tmp_path / "core.c"
    source.write_text("#include <cowarray/core.h>\n#ifdef PY_VERSION_HEX\n#error\n#endif\nint defined_here;\n")
    run([*compiler("CC", "cc", "gcc"), "-std=c11", *STRICT, "-I", INCLUDE, "-c", source, "-o", tmp_path / "core.o"])


def test_get_include_is_inside_the_package():
    assert INCLUDE.parent == Path(cowarray.__file__).parent
    assert sorted(path.name for path in (INCLUDE / "cowarray").iterdir()) == ["core.h", "python.h"]


# ---- const scopes ----------------------------------------------------------------------------------------------------


def test_check(outside, x):
    assert outside.check(x)
    assert outside.check(x[1:])
    for other in (np.zeros(3), None, 3, [1.0], cowarray.ndarray):
        assert not outside.check(other)


def test_a_const_scope_reads_every_layout_and_copies_nothing(outside, x):
    y = x.reshape(4, 4, 4)
    views = [y, y.T, y[::2, 1:, ::-1], y[1, 2, 3, None], y[:0], np.broadcast_to(y[0], (3, 4, 4))]
    cowarray.reset_stats()
    for view in views:
        assert outside.total(view) == view.sum()
    assert outside.total(cowarray.asarray(memoryview(np.arange(3.0).tobytes()).cast("d"))) == 3
    assert cowarray.stats()["bytes_copied"] == 0
    assert cowarray.shares_bytes(x, y)


@pytest.mark.parametrize(
    "dtype", ["?", "i4", ">i4", "f8", ">f8", "c16", "M8[s]", "S3", "U2", "V5", "O", [("a", "i4")]], ids=str
)
@pytest.mark.parametrize("writable", [False, True])
def test_a_scope_describes_the_array(outside, dtype, writable):
    x = cowarray.array(np.zeros((3, 4), dtype))[::2, 1:]
    scope = outside.open_scope(x, writable)
    address = x.storage.data_ptr + x.dtype.itemsize
    expected = (address, x.shape, x.strides, x.dtype.itemsize, x.dtype.kind, x.dtype.byteorder, 0)
    assert outside.describe(scope) == expected
    outside.close_scope(scope)


def test_a_const_scope_tells_read_only_and_is_no_pin(outside, x):
    y = x[...]
    y.setflags(write=False)
    scope = outside.open_scope(y, False)
    assert outside.describe(scope)[-1] == 1
    assert x.storage.share_count == 1
    assert not is_pinned(x)
    outside.close_scope(scope)


def test_a_const_scope_keeps_its_bytes_whatever_happens_to_the_array(outside):
    x = cowarray.array(np.arange(64.0))
    y = x.copy()
    address = x.storage.data_ptr
    scope = outside.open_scope(x, False)
    x[0] = -1
    assert x.storage.data_ptr != address == outside.describe(scope)[0]
    assert outside.peek(scope, 0) == 0
    y[1] = -1  # the last sharer writes in place, which somebody who reads without a share has to expect
    assert outside.peek(scope, 0) == 0
    del x, y
    gc.collect()
    assert [outside.peek(scope, i) for i in (0, 5, 63)] == [0, 5, 63]
    outside.close_scope(scope)


def test_foreign_memory_lives_while_a_const_scope_is_open(outside):
    x = outside.fresh(10)
    before = outside.freed()
    scope = outside.open_scope(x, False)
    del x
    gc.collect()
    assert outside.freed() == before
    assert outside.peek(scope, 9) == 9
    outside.close_scope(scope)
    assert outside.freed() == before + 1


# ---- mutable scopes --------------------------------------------------------------------------------------------------


def test_a_mutable_scope_writes_into_the_array_and_its_views_and_no_copy(outside, x):
    view, lazy, shown = x[8:], x.reshape(8, 8), x.to_numpy()
    cowarray.reset_stats()
    outside.scale(x, 2)
    assert cowarray.stats()["bytes_copied"] == x.nbytes
    assert x.tolist() == [2 * i for i in range(64)]
    assert view[0] == 16
    assert lazy.ravel().tolist() == shown.tolist() == list(range(64))
    outside.scale(view[::2], -1)
    assert x.tolist() == [2 * i if i < 8 or i % 2 else -2 * i for i in range(64)]


def test_a_mutable_scope_pins_until_its_end(outside, x):
    scope = outside.open_scope(x, True)
    assert is_pinned(x)
    copies = [x.copy(), x.reshape(8, 8), cowarray.asarray(x.to_numpy()), outside.lazy_clone(x)]
    outside.poke(scope, 3, -1)
    assert x[3] == -1
    assert all(copy.sum() == 63 * 32 for copy in copies)
    outside.close_scope(scope)
    assert not is_pinned(x)


def test_scopes_nest_and_outlive_the_array(outside):
    x = cowarray.array(np.arange(64.0))
    scopes = [outside.open_scope(x, True), outside.open_scope(x[1:], False), outside.open_scope(x[2:], True)]
    outside.poke(scopes[0], 5, 55)
    assert outside.peek(scopes[1], 4) == outside.peek(scopes[2], 3) == 55
    outside.close_scope(scopes[0])
    assert is_pinned(x)
    del x
    gc.collect()
    outside.poke(scopes[2], 3, 66)
    assert outside.peek(scopes[1], 4) == 66
    for scope in scopes[1:]:
        outside.close_scope(scope)


def test_the_last_sharer_steals_in_a_mutable_scope(outside, x):
    y = x.copy()
    address = x.storage.data_ptr
    outside.scale(x, 2)
    outside.scale(y, 2)
    assert y.storage.data_ptr == address
    assert cowarray.stats()["steals"] >= 1


def test_a_mutable_scope_obeys_the_modes(outside, x):
    lazy = x.copy()
    with cowarray.no_copy(), pytest.raises(cowarray.CopyError):
        outside.scale(x, 2)
    assert cowarray.shares_bytes(x, lazy)
    with cowarray.trace() as events:
        outside.scale(x, 2)
    assert len(list(events)) == 1


def test_a_write_that_an_open_scope_sees_is_not_lost(outside):
    x = cowarray.array(np.arange(64.0))
    with cowarray.trace() as events:
        y = x.copy()
        del x
        scope = outside.open_scope(y, False)
        y[0] = 99
        del y
        outside.close_scope(scope)
    assert [event.kind for event in events] == ["steal"]


def test_a_write_before_a_scope_is_not_lost(outside, x):
    for writable in (False, True):
        with cowarray.trace() as events:
            y = x.copy()
            y[0] = 99
            outside.close_scope(outside.open_scope(y, writable))
            del y
        assert [event.kind for event in events] == ["copy"]


def test_each_scope_comes_through_the_door(outside, x):
    """A doorkeeper is told of it, and one who refuses leaves nothing open and nothing changed."""
    seen = []
    set_doorkeeper(x.storage, lambda storage, intent, behalf, box: seen.append((intent, behalf)))
    outside.total(x)
    outside.scale(x, 2)
    outside.lazy_clone(x)
    assert seen == [("reads", "C API"), ("writes", "C API"), ("shares", "operation")]

    def refuse(*_):
        raise PermissionError

    before = np.asarray(x.copy())
    set_doorkeeper(x.storage, refuse)
    for call in (outside.total, lambda x: outside.scale(x, 2), outside.lazy_clone):
        with pytest.raises(PermissionError):
            call(x)
    set_doorkeeper(x.storage, None)
    assert (np.asarray(x) == before).all()
    assert x.copy().storage.is_cow  # it is not pinned


# ---- lazy clones and imports -----------------------------------------------------------------------------------------


def test_a_lazy_clone_is_one(outside, x):
    for source in (x, x.reshape(8, 8).T):
        cowarray.reset_stats()
        y = outside.lazy_clone(source)
        assert (type(y), y.shape, y.strides) == (cowarray.ndarray, source.shape, source.strides)
        assert y.storage is not source.storage
        assert cowarray.shares_bytes(y, source)
        assert cowarray.stats()["bytes_copied"] == 0
        outside.scale(y, 0)
    assert x.sum() == 63 * 32


def test_fresh_memory_is_written_in_place_and_stolen_by_the_last(outside):
    before = outside.freed()
    x = outside.fresh(100)
    cowarray.reset_stats()
    address = x.storage.data_ptr
    x += 1
    assert x.tolist() == list(range(1, 101))
    clones = [x.copy() for _ in range(3)]
    for clone in clones:
        clone[0] = -1
    x[0] = -2
    assert x.storage.data_ptr == address
    figures = cowarray.stats()
    assert (figures["copies"], figures["steals"], figures["bytes_copied"]) == (3, 1, 2400)
    assert outside.freed() == before
    del x
    gc.collect()
    assert outside.freed() == before + 1
    assert clones[0][99] == 100


@pytest.mark.parametrize(
    ("offset", "shape", "strides"),
    [(0, (12,), None), (0, (3, 4), None), (0, (3, 4), (8, 24)), (88, (12,), (-8,)), (8, (2, 3), (48, 16)),
     (16, (), None), (0, (0, 4), None), (0, (5, 4), (8, 8)), (0, (1,) * 64, None)],
)  # fmt: skip
def test_foreign_memory_is_shared_and_never_written_to(outside, offset, shape, strides):
    memory = np.arange(12.0)
    owner = memory.tobytes()
    count = sys.getrefcount(owner)
    expected = np.ndarray(shape, "f8", owner, offset, strides)
    x = outside.from_memory(owner, offset, len(shape), shape, strides, "f8")
    np.testing.assert_array_equal(x, expected)
    if x.size:
        assert cowarray.shares_bytes(x, np.frombuffer(owner))
    y = x.copy()
    if shape == (5, 4):  # elements overlap
        assert not x.flags.writeable
    else:
        x += 1
        np.testing.assert_array_equal(x, expected + 1)
        assert not x.size or not cowarray.shares_bytes(x, np.frombuffer(owner))
    y[...] = 0
    assert np.frombuffer(owner).tolist() == memory.tolist()
    del x, y, expected
    gc.collect()
    assert sys.getrefcount(owner) == count


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_what_is_no_array_is_a_type_error(outside):
    for other in (np.zeros(3), None, [1.0], cowarray.ndarray):
        for call in (outside.total, outside.lazy_clone, lambda other: outside.scale(other, 2)):
            with pytest.raises(TypeError, match="cowarray"):
                call(other)


def test_a_read_only_array_refuses_a_mutable_scope(outside, x):
    view = x[...]
    view.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        outside.scale(view, 2)
    assert not is_pinned(x)
    assert x[1] == 1


def test_an_allocation_failure_changes_nothing(outside):
    with TracingAllocator() as allocator:
        x = cowarray.array(np.arange(1000.0))
        y = x.copy()
        allocator.refuse(1, True)
        with pytest.raises(MemoryError):
            outside.scale(x, 2)
        allocator.refuse(0)
        assert cowarray.shares_bytes(x, y)
        assert x.tolist() == list(range(1000))
        outside.scale(x, 2)
        del x, y
        gc.collect()
        report = allocator.report()
    assert (report["live_blocks"], report["faults"]) == (0, 0)
    assert report["refused"] >= 1


@pytest.mark.parametrize(
    ("offset", "ndim", "shape", "dtype", "error"),
    [(0, -1, (), "f8", ValueError), (0, 65, (1,) * 65, "f8", ValueError), (0, 1, (-1,), "f8", ValueError),
     (0, 1, (3,), "O", ValueError), (0, 1, (3,), [("a", "O")], ValueError), (0, 1, (3,), "no such", TypeError),
     (0, 1, (3,), np.dtypes.StringDType(), ValueError), (-1, 1, (3,), "f8", ValueError),
     (0, 2, (2**40, 2**40), "f8", ValueError)],
)  # fmt: skip
def test_malformed_imports_raise_and_keep_nothing(outside, offset, ndim, shape, dtype, error):
    owner = bytes(range(96))
    count = sys.getrefcount(owner)
    with pytest.raises(error):
        outside.from_memory(owner, offset, ndim, shape, None, dtype)
    assert sys.getrefcount(owner) == count


def test_an_older_library_is_an_import_error(outside_file):
    script = f"""
import ctypes, importlib.util
import cowarray
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
at = pointer(cowarray._C_API, b"cowarray._C_API")
assert ctypes.c_int.from_address(at).value == 1
ctypes.c_int.from_address(at).value = 0
spec = importlib.util.spec_from_file_location("outside", {str(outside_file)!r})
try:
    importlib.util.module_from_spec(spec)
except ImportError as error:
    assert "version 0, and 1 is needed" in str(error), error
else:
    raise SystemExit("imported")
"""
    run([sys.executable, "-c", script])


# ---- Cython ----------------------------------------------------------------------------------------------------------


def test_cython_does_what_c_does(tmp_path, x):
    pytest.importorskip("Cython", reason="Cython is not installed; it is needed to build cowarray from source")
    source = tmp_path / "outside_cython.c"
    run([sys.executable, "-m", "cython", "-3", SOURCES / "outside_cython.pyx", "-o", source])
    target = tmp_path / f"outside_cython{SUFFIX}"
    build(source, target)
    module = load(target)
    assert module.total(x[::2]) == x[::2].sum()
    y = module.scaled(x, 2)
    assert y.tolist() == [2 * i for i in range(64)]
    assert x.tolist() == list(range(64))
    with pytest.raises(TypeError, match="cowarray"):
        module.total(np.zeros(3))


def test_the_struct_of_functions_has_the_size_that_the_header_says():
    """A function added without a new COWARRAY_API_VERSION would be missed by older libraries."""
    lines = (INCLUDE / "cowarray" / "python.h").read_text().partition("typedef struct CowArray_API {")[2]
    members = lines.partition("}")[0].count(";")
    assert (members, ctypes.sizeof(ctypes.c_void_p)) == (7, 8)
