"""What a result's shape, dtype and strides are is known without computing it, and exactly.

NumPy is the oracle: random calls, made by it and inferred. What is inferred is given headers over addresses without
memory, so that a single byte that is touched ends the process. `inference_programs.py` makes as many as one likes.
"""

import subprocess
import sys
import tracemalloc

import inference_programs
import numpy as np
import pytest
from support.seeds import chosen_seed

from cowarray._modes.layouts import inference

pytestmark = pytest.mark.numpy_ends

PROGRAMS = 1000
LARGE = (1 << 17, 1 << 10, 1 << 10)
EXACT = {"copied"}  # no call of this kind is an error


@pytest.mark.parametrize("kind", inference_programs.KINDS)
def test_random_calls_are_inferred_as_numpy_makes_them(kind):
    reports = []
    results, errors, different = inference_programs.run(kind, PROGRAMS, chosen_seed(), reports.append)
    assert different == 0, "\n".join(reports)
    assert results > PROGRAMS / 4
    assert errors > 0 or kind in EXACT


def test_a_difference_is_found(monkeypatch):
    monkeypatch.setattr(inference, "copied", lambda x, **_: inference.fresh(x.shape, x.dtype))
    assert inference_programs.run("copied", 300, 1, lambda _: None)[2] > 0


def test_memory_that_may_not_be_touched_is_not_there():
    text = (
        "import inference_programs as p, numpy as np;"
        "x = p.without_bytes(np.zeros(3)); print(x.shape, flush=True); x.sum()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert ran.stdout == "(3,)\n"
    assert ran.returncode < 0


def test_layouts_of_a_tebibyte_take_no_memory():
    x = np.ndarray(LARGE, "f8", inference_programs.NOWHERE)
    y = x.transpose(2, 0, 1)[::-1, :, None]
    index = np.ndarray((1 << 30, 1 << 6), "i8", inference_programs.NOWHERE)
    inference.elementwise(np.add, (x, 1.0))  # what is kept once
    tracemalloc.start()
    (added,) = inference.elementwise(np.add, (x, y[:, :, 0].transpose(1, 2, 0)))
    (compared,) = inference.elementwise(np.less, (x, 1))
    summed = inference.reduction(np.add, x, axis=(0, 2), keepdims=True)
    copied = inference.copied(y)
    taken = inference.indexed(x, (slice(None), 3, index))
    joined = inference.concatenated([x, x], axis=1)
    flat = inference.reshaped_copy(y, (-1,))
    (multiplied,) = inference.generalized(np.matmul, (index[:, 0], x.reshape(1 << 30, -1)))
    (solved,) = inference.generalized(np.linalg._umath_linalg.inv, (x,))
    contracted = inference.einsum("ijk,kl->il", x, x[0].T)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    assert added == (LARGE, np.dtype(float), x.strides)
    assert compared.strides == (1 << 20, 1 << 10, 1)
    assert (summed.shape, summed.dtype) == ((1, 1 << 10, 1), np.dtype(float))
    assert copied.strides[:2] == (8, 1 << 23)
    assert taken.shape == (1 << 17, 1 << 30, 1 << 6)
    assert joined.shape == (1 << 17, 1 << 11, 1 << 10)
    assert flat.shape == (1 << 37,)
    assert multiplied == ((1 << 7,), np.dtype(float), (8,))
    assert solved == (LARGE, np.dtype(float), x.strides)
    assert contracted == ((1 << 17, 1 << 10), np.dtype(float), (1 << 13, 8))


def test_what_no_array_can_hold_is_refused_in_numpys_words():
    x = np.broadcast_to(np.zeros(1, "i1"), (1 << 31, 1 << 31))
    for call in [
        lambda: inference.elementwise(np.add, (x, 1.0)),
        lambda: inference.fresh((1 << 31, 1 << 31, 2)),
        lambda: inference.outer(np.add, x, x[0, :4]),
        lambda: inference.copied(x, dtype="f8"),
    ]:
        with pytest.raises(ValueError, match="array is too big"):
            call()


def test_shapes_that_do_not_fit_are_refused_in_numpys_words():
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(4,\)"):
        inference.elementwise(np.add, (np.zeros(3), np.zeros(4)))
    with pytest.raises(ValueError, match="non-broadcastable output operand with shape"):
        inference.elementwise(np.add, (np.zeros((2, 3)), 1), out=(np.zeros(3),))
    with pytest.raises(ValueError, match="must match exactly"):
        inference.concatenated([np.zeros((2, 3)), np.zeros((2, 4))])
    with pytest.raises(ValueError, match="cannot reshape array of size 6"):
        inference.reshaped_copy(np.zeros((2, 3)), (4,))


def test_pythons_numbers_are_weak_and_their_values_count():
    x = np.zeros(3, np.uint8)
    assert inference.elementwise(np.add, (x, 1))[0].dtype == np.uint8
    assert inference.elementwise(np.add, (x, 1.0))[0].dtype == np.float64
    assert inference.elementwise(np.add, (np.zeros(3, "f4"), 1.0))[0].dtype == np.float32
    assert inference.elementwise(np.add, (1, 1.5))[0].dtype == np.float64
    with pytest.raises(OverflowError):
        inference.elementwise(np.add, (x, 300))
    with pytest.raises(ValueError, match="negative integer powers"):
        inference.elementwise(np.power, (x.astype(int), -1))


def test_equal_dtypes_of_two_types_are_told_apart():
    for letter in "lqlqQLQL":
        x = np.zeros((2, 3), letter)
        assert inference.elementwise(np.negative, (x,))[0].dtype.char == np.negative(x).dtype.char
        assert inference.reduction(np.bitwise_or, x).dtype.char == np.bitwise_or.reduce(x).dtype.char


def test_a_mask_needs_values_once_its_shape_is_right():
    x = np.zeros((2, 3))
    with pytest.raises(inference.ValuesNeeded):
        inference.indexed(x, np.zeros((2, 3), bool))
    with pytest.raises(IndexError, match="boolean index did not match"):
        inference.indexed(x, np.zeros((2, 2), bool))
    inference.assigned(x, np.zeros((2, 3), bool), ((), np.dtype(float)))
    with pytest.raises(inference.ValuesNeeded):
        inference.assigned(x, np.zeros((2, 3), bool), ((4,), np.dtype(float)))


def test_axes_that_einsum_sums_over_count_in_the_order_of_their_letters():
    a = np.lib.stride_tricks.as_strided(np.zeros(400), (4, 2, 2, 2), (8, 0, 256, 64))
    b = np.zeros((4, 3, 2), int)
    assert inference.einsum("kLmL,kiL", a, b).strides == np.einsum("kLmL,kiL", a, b).strides == (16, 8)


def test_axes_with_equal_steps_keep_their_order():
    x = np.lib.stride_tricks.as_strided(np.zeros(20), (3, 4), (8, 8))
    y = x.T
    for z in (x, y):
        assert inference.elementwise(np.negative, (z,))[0].strides == np.negative(z).strides
        assert inference.copied(z).strides == z.copy("K").strides


def test_objects_are_not_asked():
    class Sullen:
        def __add__(self, other):
            raise AssertionError("was asked")

        __radd__ = __lt__ = __bool__ = __add__

    x = np.array([Sullen(), Sullen()])
    assert inference.elementwise(np.add, (x, 1))[0].dtype == object
    assert inference.reduction(np.add, x).dtype == object
    assert inference.concatenated([x, x]).shape == (4,)
    assert inference.indexed(x, [0]).shape == (1,)
