"""Ufuncs that report to the user in the middle: `out` is whole, and what the report writes stays."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import cowarray as ca

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]


@pytest.mark.parametrize("dtype", ["U", "S"])
def test_no_byte_of_out_is_left_from_freed_memory(dtype):
    for _ in range(50):
        trash = [bytes([65 + i]) * 160 for i in range(20)]
        del trash
        x = ca.array(np.full(4, "x" * 10, dtype + "10"))
        copy = x.copy()
        plain = np.full(4, "x" * 10, dtype + "10")
        short = np.full(4, "a", dtype + "1")
        np.add(short, short, out=x)
        np.add(short, short, out=plain)
        assert x.to_numpy().tobytes() == plain.tobytes()
        assert copy.tolist() == ca.array(np.full(4, "x" * 10, dtype + "10")).tolist()


def test_out_need_not_be_a_tuple():
    x = ca.array(np.arange(3.0))
    copy = x.copy()
    assert x.__array_ufunc__(np.add, "__call__", x, x, out=x) is x
    assert (x.tolist(), copy.tolist()) == ([0.0, 2.0, 4.0], [0.0, 1.0, 2.0])
    assert x.__array_ufunc__(np.add, "reduce", x, out=None) == 6
    with pytest.raises(TypeError):
        x.__array_ufunc__(np.add, "__call__", x, x, out=3)
    with pytest.raises(TypeError):
        x.__array_ufunc__(np.add, "__call__")


def test_a_warning_in_the_middle_of_a_write_runs_in_the_context_of_the_write(monkeypatch):
    import contextvars

    variable = contextvars.ContextVar("variable")
    variable.set(1)
    seen = []

    def tell(*args, **kwargs):
        seen.append(variable.get())
        np.seterr(all="ignore")

    monkeypatch.setattr(warnings, "showwarning", tell)
    for write in (
        lambda x: x.__setitem__(Ellipsis, np.full(3, 1 + 1j)),
        lambda x: np.add(1j, np.ones(3), out=x, casting="unsafe"),
    ):
        x = ca.array(np.ones(3))
        _copy = x.copy()
        with warnings.catch_warnings(), np.errstate(all="warn"):
            warnings.simplefilter("always")
            write(x)
            assert np.geterr()["divide"] == "ignore"
        assert seen.pop() == 1
        with np.errstate(all="raise"):
            _other = x.copy()
            with pytest.raises(FloatingPointError):
                x /= 0.0


def test_an_errstates_callable_ends_with_its_block():
    class Handler:
        def __call__(self, *args):
            pass

    call = Handler()
    gone = weakref.ref(call)
    x = ca.array(np.ones(3))
    with np.errstate(all="call", call=call):
        _copy = x.copy()
        x += 1.0
    del call
    gc.collect()
    assert gone() is None


ERRORS = {
    "/=": lambda x: x.__itruediv__(0.0),
    "out=": lambda x: np.divide(x, 0.0, out=x),
    "xp.divide": lambda x: ca.divide(x, 0.0, out=x),
    "[...]": lambda x: x.__setitem__(Ellipsis, np.array([1e300, 2.0, 3.0], np.longdouble) * np.longdouble(1e300)),
    "fill": lambda x: x.fill(np.longdouble(1e300) * np.longdouble(1e300)),
}


@pytest.mark.parametrize("report", ["call", "warn"])
@pytest.mark.parametrize("write", ERRORS)
@pytest.mark.parametrize("shared", [False, True])
def test_what_the_report_of_an_error_writes_stays_and_it_reads_what_was_computed(shared, write, report, monkeypatch):
    def outcome(x, copy):
        seen = []

        def tell(*args, **kwargs):
            seen.append(x.tolist())
            x[0] = 5.0

        kept = copy(x) if shared else None
        monkeypatch.setattr(warnings, "showwarning", tell)
        with warnings.catch_warnings(), np.errstate(all=report, call=tell):
            warnings.simplefilter("always")
            ERRORS[write](x)
        return x.tolist(), seen, kept is None or kept.tolist()

    ours = outcome(ca.array(np.array([1.0, 2.0, 3.0])), lambda x: x.copy())
    numpys = outcome(Plain(np.array([1.0, 2.0, 3.0])), lambda x: x.array.copy())
    assert ours == numpys


class Plain:
    """NumPy's array, for what is written as methods above."""

    def __init__(self, array):
        self.array = array
        self.tolist = array.tolist
        self.fill = array.fill
        self.__array_interface__ = array.__array_interface__

    def __setitem__(self, key, value):
        self.array[key] = value

    def __itruediv__(self, value):
        self.array /= value
        return self

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        inputs = [item.array if type(item) is Plain else item for item in inputs]
        return getattr(ufunc, method)(*inputs, out=self.array, **kwargs)
