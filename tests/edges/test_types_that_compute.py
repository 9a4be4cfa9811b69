"""Types with an `__array_ufunc__` of their own compute with our arrays, and what they compute is the mode's.

Quantities with units, autograd's boxes and the like are given the arrays, and do with them what any code does.
"""

import contextlib

import numpy as np
import pytest

import cowarray as ca


class Quantity:
    """A number of metres."""

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [value.value if isinstance(value, Quantity) else value for value in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(value.value if isinstance(value, Quantity) else value for value in kwargs["out"])
        if isinstance(kwargs.get("where"), Quantity):
            kwargs["where"] = kwargs["where"].value
        return Quantity(getattr(ufunc, method)(*plain, **kwargs))

    def __rmul__(self, other):
        return np.multiply(other, self)


COMPUTE = {
    "a ufunc": lambda x: np.add(x, Quantity(x)),
    "the other way round": lambda x: np.add(Quantity(x), x),
    "an operator": lambda x: x * Quantity(x),
    "two results": lambda x: Quantity(np.divmod(x, Quantity(x + 1)).value[0]),
    "a method": lambda x: np.subtract.outer(x[:5], Quantity(x[:7])),
    "out": lambda x: np.add(x, Quantity(x), out=x + 0),
    "our namespace": lambda x: ca.hypot(x, Quantity(x)) if isinstance(x, ca.ndarray) else np.hypot(x, Quantity(x)),
    "where": lambda x: np.add(x, 1, where=Quantity(x > 3), out=x + 0),
    "where in our namespace": lambda x: (ca if isinstance(x, ca.ndarray) else np).add(
        x, 1, where=Quantity(x > 3), out=-x
    ),
    "where in a sum": lambda x: np.sum(x.reshape(20, 50), axis=0, where=Quantity(x.reshape(20, 50) > 70)),
    "where in a method": lambda x: x.reshape(20, 50).max(axis=0, where=Quantity(x.reshape(20, 50) > 70), initial=-1),
    "where in a ufunc's method": lambda x: np.add.reduce(x.reshape(20, 50), where=Quantity(x[:50] > 7)),
    "a bound": lambda x: np.clip(x, 10, Quantity(x - 5)),
    "a bound of a method": lambda x: x.clip(Quantity(x[::-1])),
    "a product": lambda x: np.matmul(x.reshape(20, 50), Quantity(x.reshape(50, 20))),
}
MODES = {
    "none": contextlib.nullcontext,
    "aliasing": ca.aliasing,
    "simulate": ca.simulate,
    "deferred": ca.deferred,
    "budget": lambda: ca.budget("64 MiB", small=0),
}
VALUES = np.arange(1000.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("compute", COMPUTE)
def test_they_give_what_they_give_with_numpys_arrays(compute, mode):
    wanted = COMPUTE[compute](VALUES).value
    with MODES[mode]():
        made = COMPUTE[compute](ca.arange(1000.0)).value
        assert type(made) is ca.ndarray
    assert np.array_equal(made, wanted)


@pytest.mark.parametrize("compute", COMPUTE)
def test_a_plan_follows_them(compute):
    with ca.fake():
        made = COMPUTE[compute](ca.arange(1000.0)).value
        assert type(made) is ca.ndarray
        assert (made.shape, made.dtype) == (COMPUTE[compute](VALUES).value.shape, np.float64)


@pytest.mark.parametrize("compute", COMPUTE)
def test_what_is_deferred_stays_so(compute):
    with ca.deferred():
        made = COMPUTE[compute](ca.arange(1000.0)).value
        assert "deferred" in repr(made)
    assert np.array_equal(ca.materialize(made), COMPUTE[compute](VALUES).value)


@pytest.mark.parametrize("compute", COMPUTE)
def test_a_budget_can_make_again_what_they_gave(compute):
    x = ca.arange(1000.0)
    with ca.budget("64 MiB", small=0):
        made = COMPUTE[compute](x).value
        made.evict()
        assert np.array_equal(made, COMPUTE[compute](VALUES).value)


class Marked(np.ndarray):
    """A subclass that leaves the computing to NumPy, which knows nothing of our arrays."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [value.view(np.ndarray) if isinstance(value, Marked) else value for value in inputs]
        return super().__array_ufunc__(ufunc, method, *plain, **kwargs)


def test_a_budget_counts_what_is_computed_when_they_decline():
    two = np.full(1, 2.0).view(Marked)
    with ca.budget("4 MiB", small=0) as run:
        x = ca.ones(1 << 17) * 1
        kept = [np.add(x, two)]
        assert run.live_bytes == 2 << 20
        with pytest.raises(MemoryError, match="no room"):
            kept.extend(np.add(x, two) for _ in range(12))
    assert len(kept) == 4  # x has left
    assert all((each == 3).all() for each in kept)


def test_a_budget_remembers_what_they_wrote():
    class Writer:
        def __array_ufunc__(self, ufunc, method, *inputs, out, **kwargs):
            out[0][:2] = -1
            raise FloatingPointError

    with ca.budget("64 MiB", small=0):
        x = ca.arange(1000.0) * 1
        with pytest.raises(FloatingPointError):
            np.add(x, Writer(), out=x)
        x.evict()
        assert x[:4].tolist() == [-1, -1, 2, 3]


@pytest.mark.parametrize("is_shared", [False, True])
def test_what_they_wrote_before_they_failed_is_nobody_elses(is_shared):
    class Writer:
        def __array_ufunc__(self, ufunc, method, *inputs, out, **kwargs):
            out[0][:2] = -1
            raise FloatingPointError

    n = 1 << 17
    x = ca.linspace(0, 8, n)
    with ca.budget("16 MiB") as run:
        y = x * 1
        copy = y.copy() if is_shared else y + 0
        reader = y * 3
        with pytest.raises(FloatingPointError):
            np.add(y, Writer(), out=y)
        for each in (y, copy, reader):
            each.evict()
        assert run.live_bytes <= 2 << 20
        wanted = np.linspace(0, 8, n)
        assert np.array_equal(copy, wanted)
        assert np.array_equal(reader, wanted * 3)
        wanted[:2] = -1
        assert np.array_equal(y, wanted)


def test_simulate_sees_the_aliases_that_they_rely_on():
    class Clearer:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            inputs[0].ravel()[:] = 0
            return 1

    with ca.simulate() as found:
        x = ca.ones((10, 10))
        np.add(x, Clearer())
        with pytest.warns(ca.AliasingWarning):
            assert x.sum() == 0
    assert len(found) == 1


@pytest.mark.parametrize("mode", MODES)
def test_one_that_changes_the_array_and_declines_leaves_its_copies(mode):
    class Restless:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            if type(inputs[0]) is ca.ndarray:
                inputs[0].resize(10_000, refcheck=False)
                inputs[0][:] = 7
            return NotImplemented

    with MODES[mode]():
        x = ca.arange(1000.0)
        copy = x.copy()
        with pytest.raises(TypeError, match="NotImplemented"):
            np.add(x, Restless(), out=x)
        assert x.tolist() == [7] * 10_000
        assert np.array_equal(copy, VALUES)
