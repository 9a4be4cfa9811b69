"""`x.resize` gives NumPy's elements, shape and strides, in each order in memory, and changes no copy and no view."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Witness, agree, outcome, same

import cowarray

DTYPES = ["?", "i1", ">i4", "f8", "c16", "U2", "S3", "V5", "M8[s]", "O", "T", [("a", "i2"), ("b", "S1", (2,))], "S0"]
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def made(shape, dtype, axes):
    """Elements that differ, in memory of their own; axes: their order in memory."""
    dtype = np.dtype(dtype)
    values = np.arange(1, 1 + int(np.prod(shape))).reshape([shape[axis] for axis in axes])
    if dtype.kind == "V":
        made = np.frombuffer(values.astype("i8").tobytes() + bytes(16), dtype, values.size)
        values = made.reshape(values.shape)
    return values.astype(dtype).transpose(np.argsort(axes)).copy("K")


@given(shape=SHAPES, new_shape=SHAPES, dtype=st.sampled_from(DTYPES), data=st.data())
@settings(max_examples=400, deadline=None)
def test_resize_in_every_order(shape, new_shape, dtype, data):
    axes = tuple(range(len(shape)))
    n = made(shape, dtype, data.draw(st.sampled_from([axes, axes[::-1], axes]) | st.permutations(axes)))
    x = cowarray.array(n)
    same(x, n, strides=True)
    witness, view, before = Witness(x), x[...], n.copy("K")
    theirs = outcome(n.resize, new_shape, refcheck=False)
    agree(outcome(x.resize, new_shape, refcheck=False), theirs)
    same(x, n, strides=True)
    same(view, before, strides=True)
    witness.check()
    if theirs[1] is None and x.size:
        x[...] = x.reshape(-1)[-1]
        same(view, before)
        witness.check()


@pytest.mark.parametrize("new_shape", [(2, 1), (2, 7), (5, 2), (7,), (), (2, 2, 2, 2), (0, 3)], ids=str)
def test_fortran_order_stays(new_shape):
    n = np.array(np.arange(10).reshape(2, 5), order="F")
    x = cowarray.array(n)
    n.resize(new_shape, refcheck=False)
    x.resize(new_shape)
    same(x, n, strides=True)
    assert x.flags.f_contiguous == n.flags.f_contiguous


def test_resize_takes_no_other_order():
    x = cowarray.array(np.zeros((2, 3, 4)).transpose(1, 0, 2))
    with pytest.raises(ValueError, match="not contiguous"):
        x.resize(3)
    assert x.shape == (3, 2, 4)


@given(shape=SHAPES, new_shape=SHAPES, dtype=st.sampled_from(DTYPES), data=st.data())
@settings(max_examples=200, deadline=None)
def test_the_function_repeats_elements(shape, new_shape, dtype, data):
    n = made(shape, dtype, data.draw(st.permutations(range(len(shape)))))
    x = cowarray.array(n)
    witness = Witness(x)
    theirs = outcome(np.resize, n, new_shape)
    for resize in (cowarray.resize, np.resize):
        agree(outcome(resize, x, new_shape), theirs, strides=True)
    witness.check()
