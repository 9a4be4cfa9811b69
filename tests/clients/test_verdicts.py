"""The helper gives each verdict where it is due: small functions that do what libraries do, right and wrong."""

import numpy as np
import pytest
from client_uses import COPIES, NEEDS_ASARRAY, NEEDS_LEND, REFUSED, SILENT, WORKS, Use, judged, outcome

import cowarray

KEPT = []


def only_numpys(array):
    if type(array) is not np.ndarray:
        raise TypeError("NumPy's arrays alone")
    return array.sum()


def zero_unasked(array):
    """Writes through a read-only array, as BLAS does behind NumPy's back."""
    header = np.asarray(array)
    address = header.__array_interface__["data"][0]
    np.ctypeslib.as_array((np.ctypeslib.ctypes.c_double * header.size).from_address(address))[...] = 0


def ignored(array):
    """Writes to a copy where NumPy's array is written to."""
    np.array(array)[...] = 0
    if type(array) is np.ndarray:
        array[...] = 0


def refused(array):
    if hasattr(array, "flags") and not array.flags.writeable:
        raise ValueError("read-only")
    if not isinstance(array, np.ndarray) or array.base is not None:
        raise TypeError("owners alone")
    return array


def half_done(array):
    array[0] = 9.5
    only_numpys(array)


def add_one(array):
    np.asarray(array)[...] += 1


SPACE = {"np": np, "cowarray": cowarray, "half": np.float32, **{function.__name__: function for function in (
    only_numpys, zero_unasked, ignored, refused, half_done, add_one
)}}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "verdict", "instead"),
    [
        ("x.sum()", WORKS, ""),
        ("x[0] = 3; x", WORKS, ""),
        ("np.add(x, y, out=out)", WORKS, ""),
        ("{'all': [x, x[1:]]}", WORKS, ""),
        ("np.asarray(x)", COPIES, ""),
        ("x.reshape(3, 4)", COPIES, ""),
        ("only_numpys(x)", NEEDS_ASARRAY, "only_numpys(np.asarray(x))"),
        ("add_one(x)", NEEDS_LEND, "with cowarray.lend(x):\n    add_one(x)"),
        ("add_one(x)", NEEDS_LEND, "add_one(x.to_numpy(writable=True))"),
        ("refused(x)", REFUSED, ""),
        ("zero_unasked(x)", SILENT, "with cowarray.lend(x):\n    zero_unasked(x)"),
        ("ignored(x)", SILENT, "x[...] = 0"),
        ("half_done(x)", SILENT, "x[0] = 9.5"),
        ("x if type(x) is np.ndarray else x.copy()", COPIES, ""),
        ("x.copy() if type(x) is np.ndarray else x", SILENT, "x.copy()"),
        ("x if type(x) is np.ndarray else np.asarray(x).astype('f4')", SILENT, "x"),
        ("x.copy() if type(x) is np.ndarray else x + 1e-3", SILENT, "x.copy()"),
    ],
)
def test_verdict(code, verdict, instead):
    found = judged(Use(code, verdict, instead), dict(SPACE))
    assert found[0] == verdict, found


def test_a_line_to_write_instead_must_do_it():
    with pytest.raises(AssertionError, match="does not do it"):
        judged(Use("ignored(x)", SILENT, "ignored(np.asarray(x))"), dict(SPACE))


@pytest.mark.parametrize(("code", "verdict"), [("ignored(x)", SILENT), ("only_numpys(x)", NEEDS_ASARRAY)])
def test_a_line_to_write_instead_must_be_there(code, verdict):
    with pytest.raises(AssertionError, match="no line to write instead"):
        judged(Use(code, verdict), dict(SPACE))


def test_a_use_must_work_with_numpys_arrays():
    with pytest.raises(AssertionError, match="with NumPy's arrays"):
        judged(Use("x.no_such_name"), dict(SPACE))


@pytest.mark.parametrize("name", ["x", "n", "b", "t", "z", "f", "image"])
def test_whether_a_result_follows_its_input_is_seen_with_every_dtype(name):
    assert outcome(name, {name: np.array}, {}).follows
    assert not outcome(f"{name}.copy()", {name: np.array}, {}).follows
    assert outcome(name, {name: cowarray.array}, {}).follows


def test_what_has_no_comparison_is_no_use():
    assert "nothing to compare" in outcome("object()", {}, {}).error
