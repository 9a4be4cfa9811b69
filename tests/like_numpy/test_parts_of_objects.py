"""The real and imaginary parts of arrays of objects are NumPy's: views and zeros before 2.5, and each object's since.

NumPy is asked, so the tests hold with any version, but for what an object's own code may do.
"""

import numpy as np
import pytest

import cowarray

pytestmark = pytest.mark.numpy_ends

ASKS = not np.may_share_memory((ONE := np.zeros(1, object)).real, ONE)  # since NumPy 2.5


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
    "an axis of one": lambda n: n[:, :1].transpose(2, 1, 0),
    "broadcast": lambda n: np.broadcast_to(n[0].T[:, ::-1], (2, 4, 3)),
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
        assert (ours.strides, ours.flags.writeable) == (theirs.strides, theirs.flags.writeable)


@every_read
@pytest.mark.parametrize("block", [cowarray.simulate, cowarray.deferred, lambda: cowarray.budget("1 MiB")])
def test_the_parts_are_numpys_in_each_mode(read, block):
    whole = objects()
    theirs = read(np, whole)
    with block():
        x = cowarray.array(whole)
        ours = read(cowarray, x)
        assert ours.flags.writeable == theirs.flags.writeable
        assert ours.tolist() == theirs.tolist()


@every_read
@pytest.mark.parametrize("dtype", [object, float, complex])
def test_parts_are_made_once(read, dtype):
    """They cost what NumPy's cost, and are nobody's copy; a plan knows their memory."""
    x = cowarray.array(np.zeros(1 << 16, dtype))
    with cowarray.trace() as copies:
        part = read(cowarray, x)
    assert list(copies) == []
    with cowarray.fake() as plan:
        planned = read(cowarray, x)
        assert plan.peak_bytes == (part.nbytes if part.storage is not x.storage else 0)
    assert planned.shape == x.shape


@every_read
@every_layout
def test_parts_of_a_fake_have_numpys_layout(layout, read):
    whole = objects()
    theirs = read(np, layout(whole))
    with cowarray.fake():
        x = layout(cowarray.zeros(whole.shape, object))
        assert cowarray.is_fake(x)
        ours = read(cowarray, x)
        assert cowarray.is_fake(ours)
        if not isinstance(theirs, np.ndarray):
            assert (ours.shape, ours.dtype) == ((), np.dtype(object))  # as of all ufuncs: nobody knows its class
            return
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert ours.flags.writeable == theirs.flags.writeable
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


@pytest.mark.skipif(not ASKS, reason="no object is asked before NumPy 2.5")
@every_read
def test_an_object_may_write_while_it_is_asked(read):
    class Writer:
        @property
        def real(self):
            x[...] = None
            return self

        imag = real

    writers = [Writer() for _ in range(50)]
    x = cowarray.array(writers)
    copy = x.copy()
    parts = read(cowarray, x)
    assert x.tolist() == [None] * 50
    assert parts[0] is writers[0]
    assert copy.tolist() == writers


@pytest.mark.parametrize("name", ["real", "imag"])
def test_setting_parts_asks_no_object(name):
    asked = []

    class Asked:
        @property
        def real(self):
            asked.append(self)

        imag = real

    x = cowarray.array([Asked()])
    if name == "real" and not ASKS:
        x.real = 5
        assert x.tolist() == [5]
    else:
        with pytest.raises(TypeError):
            setattr(x, name, 5)
    assert asked == []


@every_read
def test_an_array_that_is_the_only_object_stays_writable(read):
    """NumPy 2.5 makes it read-only."""
    inner = np.ones(3)
    x = cowarray.empty((), object)
    x[()] = inner
    read(cowarray, x)
    assert inner.flags.writeable


@pytest.mark.skipif(not ASKS, reason="no object is asked before NumPy 2.5")
@every_read
def test_an_object_may_give_its_array_axes_while_it_is_asked(read):
    class Reshaping:
        @property
        def real(self):
            x.shape = (1,)
            return 3

        imag = real

    x = cowarray.empty((), object)
    x[()] = Reshaping()
    assert read(cowarray, x) == 3
