"""The real and imaginary parts of arrays of objects are NumPy's: views and zeros before 2.5, and each object's since.

NumPy is asked, so the tests hold with any version; only what an object's own code may do is asked of ours alone.
"""

import contextlib

import numpy as np
import pytest

import cowarray


class Part:
    real, imag = "its real part", "its imaginary part"


def objects():
    return np.array([1 + 2j, 3, 4.5, Part(), 5, 6j] * 4, dtype=object).reshape(2, 3, 4)


LAYOUTS = {
    "C": lambda n: n,
    "F": lambda n: n.T,
    "permuted": lambda n: n.transpose(1, 0, 2),
    "backwards": lambda n: n[::-1, :, ::2],
    "one axis": lambda n: n[0, 1],
    "empty": lambda n: n[:, :0],
    "no axes": lambda n: n[0, 0, 0, ...],
}
READ = {
    "x.real": lambda module, x: x.real,
    "x.imag": lambda module, x: x.imag,
    "real(x)": lambda module, x: module.real(x),
    "imag(x)": lambda module, x: module.imag(x),
}
every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
every_read = pytest.mark.parametrize("read", READ.values(), ids=READ)


@every_read
@every_layout
def test_the_parts_are_numpys(layout, read):
    whole = objects()
    n, x = layout(whole), layout(cowarray.array(whole))
    theirs, ours = read(np, n), read(cowarray, x)
    assert np.shape(ours) == np.shape(theirs)
    assert getattr(ours, "dtype", type(ours)) == getattr(theirs, "dtype", type(theirs))
    assert np.asarray(ours, dtype=object).tolist() == np.asarray(theirs, dtype=object).tolist()
    if isinstance(theirs, np.ndarray) and n.size:
        assert (ours.storage is x.storage) == np.shares_memory(theirs, n)


@every_read
@every_layout
def test_parts_of_a_fake_have_numpys_layout_or_are_refused(layout, read):
    whole = objects()
    theirs = read(np, layout(whole))
    with cowarray.fake():
        x = layout(cowarray.zeros(whole.shape, object))
        assert cowarray.is_fake(x)
        if not isinstance(theirs, np.ndarray):
            with pytest.raises(cowarray.FakeError, match="object is needed"):
                read(cowarray, x)
            return
        ours = read(cowarray, x)
        assert cowarray.is_fake(ours)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert theirs.size == 0 or ours.strides == theirs.strides


@every_layout
@pytest.mark.parametrize("name", ["real", "imag"])
def test_parts_are_set_where_numpy_sets_them(layout, name):
    whole = objects()
    n, x = layout(whole), layout(cowarray.array(whole))
    copy, before = x.copy(), n.tolist()
    failed = []
    for one in (n, x):
        try:
            setattr(one, name, 7)
        except (TypeError, ValueError) as error:
            failed.append(type(error))
    assert failed in ([], [TypeError] * 2, [ValueError] * 2)
    assert x.tolist() == n.tolist()
    assert copy.tolist() == before


@every_read
def test_an_object_that_writes_while_it_is_asked_changes_no_copy(read):
    class Writer:
        def __init__(self, part):
            self.part = part

        @property
        def real(self):
            x[...] = None
            return self.part

        imag = real

    x = cowarray.array([Writer([number]) for number in range(50)])
    copy = x.copy()
    writers = copy.tolist()
    parts = read(cowarray, x)
    assert copy.tolist() == writers
    assert len(parts.tolist()) == 50


@pytest.mark.parametrize("name", ["real", "imag"])
def test_setting_parts_asks_no_object(name):
    """NumPy 2.5 makes an array that is the only object read-only when it is asked."""
    inner = np.ones(3)
    x = cowarray.empty((), object)
    x[()] = inner
    with contextlib.suppress(TypeError):
        setattr(x, name, 5)
    assert inner.flags.writeable
