"""User code in the middle of an operation: what it keeps, what it returns, and what it does to the arrays meanwhile."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import cowarray


def holding(element):
    array = np.empty(1, object)
    array[0] = element
    return cowarray.array(array)


class Index:
    def __init__(self, *values, then=lambda: None):
        self.values = list(values)
        self.then = then

    def __index__(self):
        self.then()
        return self.values.pop(0) if len(self.values) > 1 else self.values[0]


@pytest.mark.parametrize(
    "take",
    [
        lambda x: x.max(),
        lambda x: np.max(x),
        lambda x: np.add.reduce(x),
        lambda x: x.max(axis=0),
        lambda x: x.take(0),
        lambda x: np.take(x, 0),
        lambda x: x[Index(0)],
        lambda x: x.flat[Index(0)],
        lambda x: x.item(),
        lambda x: x[0],
        lambda x: np.positive(x[0, ...]),
        lambda x: abs(x[0, ...]),
        lambda x: np.frompyfunc(lambda v: v, 1, 1)(x),
    ],
)
def test_an_element_that_is_an_array_is_never_taken_for_ours(take):
    element = np.arange(3.0)
    got = take(holding(element))
    if isinstance(got, cowarray.ndarray) and got.shape == (3,):
        got[0] = 9
    assert element.flags.writeable
    assert element.tolist() == [0, 1, 2]


def test_what_a_function_of_the_user_returns_is_never_taken_for_ours():
    kept = np.arange(3.0)
    got = np.frompyfunc(lambda v: kept, 1, 1)(cowarray.array(5.0))
    if isinstance(got, cowarray.ndarray):
        got[0] = 9
    assert kept.flags.writeable
    assert kept.tolist() == [0, 1, 2]


def test_a_scalar_subclass_keeps_no_way_into_the_bytes():
    class Scalar(np.float64):
        __array_priority__ = 1e9

        def __radd__(self, other):
            return other

        __rmul__ = __radd__

    for make in (lambda: cowarray.array(np.arange(4.0)) + 0, lambda: cowarray.array(np.arange(4.0))):
        x = make()
        y = x.copy()
        for got in (x + Scalar(1), np.add(x, Scalar(1)), x * Scalar(2)):
            if got is not x:
                got = np.asarray(got).view()
                with pytest.raises(ValueError, match="WRITEABLE"):
                    got.setflags(write=True)
        assert x.tolist() == y.tolist() == [0, 1, 2, 3]


def test_a_printing_function_of_the_user_cannot_reopen_what_it_gets():
    x = cowarray.array(np.arange(4.0)) + 0
    y = x.copy()
    kept = []
    with np.printoptions(override_repr=lambda a: kept.append(a) or "shown"):
        assert repr(x) == "shown"
    with pytest.raises(ValueError, match="WRITEABLE"):
        kept[0].flags.writeable = True
    x[0] = 5
    y[1] = 6
    assert kept[0].tolist() == [0, 1, 2, 3]


def test_headers_in_tracebacks_cannot_be_reopened():
    x = cowarray.array(np.arange(4.0)) + 0
    with pytest.raises(np.linalg.LinAlgError) as caught:
        np.linalg.inv(x)
    traceback, found = caught.value.__traceback__, 0
    while traceback is not None:
        for value in traceback.tb_frame.f_locals.values():
            if type(value) is np.ndarray and value.shape == (4,):
                found += 1
                with pytest.raises(ValueError, match="WRITEABLE"):
                    value.flags.writeable = True
        traceback = traceback.tb_next
    assert found


@pytest.mark.parametrize("kind", [np.array, np.rec.array])
def test_records_are_not_changed_by_another_array(kind):
    x = cowarray.array(kind(np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")]))).copy()
    y = x.copy()
    kept = [x[0], x.flat[0], next(iter(x)), x.item(0), x.tolist()[0]]
    x[0] = (9, 9.0)
    y[0] = (7, 7.0)
    assert [tuple(item.tolist() if isinstance(item, np.void) else item) for item in kept] == [(1, 2.0)] * 5


def test_an_index_is_asked_once_where_it_decides_what_is_overwritten():
    x = cowarray.array(np.arange(100000.0))
    y = x.copy()
    x[Index(0, 99990) :] = 1
    assert set(x[:5].tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    assert y[:5].tolist() == [0, 1, 2, 3, 4]


def test_containers_that_contain_themselves_are_refused():
    nest = []
    nest.append(nest)
    deep = []
    for _ in range(200000):
        deep = [deep]
    x = cowarray.array(np.arange(3.0))
    for bad in (nest, deep):
        for use in (lambda bad=bad: x[bad], lambda bad=bad: np.concatenate([x, bad]), lambda bad=bad: np.add(x, bad)):
            with pytest.raises((RecursionError, ValueError, IndexError)):
                use()


def test_membership_is_numpys():
    x = cowarray.array(np.arange(3.0))
    assert 2 in x
    assert 7 not in x
    assert object() not in x
    assert cowarray.array(1.0) in x


@pytest.mark.parametrize("name", ["ndarray", "Storage", "FlatIterator", "Flags"])
def test_no_class_makes_half_an_object(name):
    kind = {
        "ndarray": cowarray.ndarray,
        "Storage": cowarray.Storage,
        "FlatIterator": type(cowarray.array([1]).flat),
        "Flags": type(cowarray.array([1]).flags),
    }[name]
    for make in (kind, lambda: kind.__new__(kind)):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(TypeError):
        object.__new__(kind)


def test_conjugate_writes_out():
    x = cowarray.array([1j, 2j])
    out = x.copy()
    other = out.copy()
    assert x.conj(out) is out
    assert out.tolist() == [-1j, -2j]
    assert other.tolist() == [1j, 2j]


RESIZING = {
    "the value of an element": """
        class Value:
            def __float__(self):
                x.resize(1)
                return 1.0
        try:
            x[1999999] = Value()
        except IndexError:
            pass
        """,
    "an index of a view": """
        class Index:
            def __index__(self):
                x.resize(1)
                return 1000000
        y = x[Index():]
        assert y.shape == (0,)
        """,
    "an index of a write": """
        class Index:
            def __index__(self):
                x.resize(1)
                return 1000000
        try:
            x[Index():] = 5
        except (IndexError, ValueError):
            pass
        """,
    "the end of foreign memory": """
        class Owner:
            def __init__(self):
                self.memory = np.arange(2000000.)
                self.__array_interface__ = dict(self.memory.__array_interface__)
                self.__array_interface__["data"] = (self.memory.ctypes.data, True)
            def __del__(self):
                x.resize(1)
        x = ca.asarray(np.asarray(Owner()), copy=False)
        x[1999999] = 20
        x = ca.asarray(np.asarray(Owner()), copy=False)
        x += 1
        x = ca.asarray(np.asarray(Owner()), copy=False)
        x.sort()
        """,
}


@pytest.mark.sanitized  # else a write to freed memory may go unnoticed
@pytest.mark.parametrize("when", RESIZING)
def test_an_array_that_is_resized_in_the_middle_touches_no_strange_memory(when):
    program = "import numpy as np, cowarray as ca\nx = ca.array(np.arange(2000000.))\n" + textwrap.dedent(
        RESIZING[when]
    )
    ran = subprocess.run([sys.executable, "-c", program + "\nprint('alive')"], capture_output=True, text=True)
    assert ran.stdout == "alive\n", (ran.returncode, ran.stderr)
