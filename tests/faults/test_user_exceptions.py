"""What user code raises in the middle of an operation comes out of it, and nothing else has happened.

Each operation asks objects of the user's: for an index, a number, a buffer, what a ufunc gives. They raise at their
1st, 2nd, ... call, until the operation succeeds. What comes out is what comes out of the same operation on NumPy's
arrays; the arrays have their old values or what NumPy leaves, share what they shared or have bytes of their own, no pin
is left and no reference, and the operation then works.
"""

import gc
import io
import operator
import pickle
import weakref

import numpy as np
import pytest
from fuses import (
    Array,
    Fuse,
    Index,
    Interface,
    Number,
    Overriding,
    Prior,
    Sequence,
    Stop,
    Tensor,
    User,
    Wrapping,
    asarray_of,
    check_nothing_is_left,
    elements,
    is_ours,
    numpys,
    outcomes,
)
from scenes import Scene, bytes_of
from support.tracing import TracingAllocator

import cowarray
from cowarray._native.storage import set_doorkeeper


def a_function(fuse):
    def function(*args):
        fuse()
        return args[0]

    return function


class File(io.BytesIO):
    def __init__(self, fuse):
        super().__init__()
        self.fuse = fuse

    def write(self, data):
        self.fuse()
        return super().write(data)


# Each takes an array and a fuse, and works on NumPy's arrays, too.
OPERATIONS = {
    "x[index]": lambda x, f: x[Index(f)],
    "x[index, index]": lambda x, f: x[Index(f), Index(f)],
    "x[slice]": lambda x, f: x[Index(f, 0) : Index(f, 3) : Index(f, 2)],
    "x[index] =": lambda x, f: x.__setitem__(Index(f), 3.0),
    "x[index, index] = number": lambda x, f: x.__setitem__((Index(f), Index(f)), Number(f)),
    "x[slice] =": lambda x, f: x.__setitem__(slice(Index(f, 0), Index(f, 3)), 3.0),
    "item": lambda x, f: x.item(Index(f), Index(f)),
    "flat[index]": lambda x, f: x.flat[Index(f)],
    "flat[index] =": lambda x, f: x.flat.__setitem__(Index(f), 3.0),
    "reshape": lambda x, f: x.reshape(Index(f), Index(f, 8)),
    "reshape of a sequence": lambda x, f: x.reshape([Index(f), Index(f, 8)]),
    "transpose": lambda x, f: x.transpose(Index(f, 1), Index(f, 0)),
    "swapaxes": lambda x, f: x.swapaxes(Index(f, 1), Index(f, 0)),
    "sum axis": lambda x, f: x.sum(axis=Index(f, 1)),
    "take": lambda x, f: x.take([Index(f), Index(f)]),
    "put": lambda x, f: x.put([Index(f), Index(f)], [Number(f), Number(f)]),
    "sort axis": lambda x, f: x.sort(axis=Index(f, 0)),
    "partition": lambda x, f: x.partition(1, axis=Index(f, 0)),
    "np.roll": lambda x, f: np.roll(x, Index(f), axis=Index(f, 1)),
    "np.expand_dims": lambda x, f: np.expand_dims(x, Index(f)),
    "np.take": lambda x, f: np.take(x, Index(f), axis=Index(f, 0)),
    "np.repeat": lambda x, f: np.repeat(x, Index(f)),
    "x[0, 0] = number": lambda x, f: x.__setitem__((0, 0), Number(f)),
    "x[...] = numbers": lambda x, f: x.__setitem__(..., [Number(f) for _ in range(4)]),
    "x[...] = objects": lambda x, f: x.__setitem__(..., elements(f)),
    "x[1:] = objects": lambda x, f: x.__setitem__(slice(1, None), elements(f)[1:]),
    "x[mask] = objects": lambda x, f: x.__setitem__(x > 0, elements(f).ravel()),
    "x[...] = sequence": lambda x, f: x.__setitem__(..., Sequence(f)),
    "x[...] = array": lambda x, f: x.__setitem__(..., Array(f)),
    "x[...] = interface": lambda x, f: x.__setitem__(..., Interface(f)),
    "fill": lambda x, f: x.fill(Number(f)),
    "flat =": lambda x, f: setattr(x, "flat", elements(f)),
    "real =": lambda x, f: setattr(x, "real", Number(f)),
    "np.copyto": lambda x, f: np.copyto(x, elements(f), casting="unsafe"),
    "np.put": lambda x, f: np.put(x, [0, 1], [Number(f), Number(f)]),
    "x + objects": lambda x, f: x + elements(f),
    "objects + x": lambda x, f: elements(f) + x,
    "x += objects": lambda x, f: np.add(x, elements(f), out=x, casting="unsafe"),
    "x + array": lambda x, f: x + Array(f),
    "x + prior": lambda x, f: x + Prior(f),
    "x += prior": lambda x, f: operator.iadd(x, Prior(f)),
    "x + sequence": lambda x, f: x + Sequence(f),
    "x + number": lambda x, f: x + Number(f),
    "x += array": lambda x, f: x.__iadd__(Array(f)),
    "x < array": lambda x, f: np.less(x, Array(f)),
    "wrapping": lambda x, f: np.add(x, Wrapping(f)),
    "overriding +": lambda x, f: x + Overriding(f),
    "+ overriding": lambda x, f: Overriding(f).__array_ufunc__(np.add, "__call__", x, 3.0),
    "overriding +=": lambda x, f: np.add(x, Overriding(f), out=x),
    "overriding reduce": lambda x, f: np.add.outer(x, Overriding(f)),
    "overriding function": lambda x, f: np.concatenate([x, Overriding(f)]),
    "overriding where": lambda x, f: np.where(x > 3, x, Overriding(f)),
    "overriding copyto": lambda x, f: np.copyto(x, Overriding(f)),
    "frompyfunc": lambda x, f: np.frompyfunc(a_function(f), 1, 1)(x),
    "frompyfunc out": lambda x, f: np.frompyfunc(a_function(f), 1, 1)(x[::-1], out=x, casting="unsafe"),
    "frompyfunc at": lambda x, f: np.frompyfunc(a_function(f), 2, 1).at(x, [0], x[1]),
    "vectorize": lambda x, f: np.vectorize(a_function(f))(x),
    "apply_along_axis": lambda x, f: np.apply_along_axis(a_function(f), 0, x),
    "apply_over_axes": lambda x, f: np.apply_over_axes(a_function(f), x, [0]),
    "piecewise": lambda x, f: np.piecewise(x, [x > 3], [a_function(f), a_function(f)]),
    "array2string": lambda x, f: np.array2string(x, formatter={"float": lambda value: f() or "1"}),
    "pickle": lambda x, f: pickle.dump(x, File(f)),
    "pickle out of band": lambda x, f: pickle.dumps(x, protocol=5, buffer_callback=f),
    "dump": lambda x, f: x.dump(File(f)),
    "np.save": lambda x, f: np.save(File(f), x),
    "np.savetxt": lambda x, f: np.savetxt(File(f), x),
}

# On arrays of such objects; x is one.
ON_OBJECTS = {
    "sort": lambda x, f: x.sort(axis=0),
    "np.sort": lambda x, f: np.sort(x, axis=None),
    "argmin": lambda x, f: x.argmin(),
    "sum": lambda x, f: x.sum(),
    "sum out": lambda x, f: x.sum(axis=0, out=x[0]),
    "+": lambda x, f: x + x,
    "+=": lambda x, f: x.__iadd__(1),
    "==": lambda x, f: x == 3,
    "in": lambda x, f: 300 in x,
    "astype": lambda x, f: x.astype(float),
    "bool": lambda x, f: bool(x[0, 0] == 3),
    "all": lambda x, f: x.all(),
    "repr": lambda x, f: repr(x),
    "deepcopy": lambda x, f: x.__deepcopy__({}),
    "cumsum": lambda x, f: np.cumsum(x, axis=0, out=x),
}

# Conversions: no array is given.
INTO = {
    "sequence": lambda x, f: asarray_of(x)(Sequence(f)),
    "list of sequences": lambda x, f: asarray_of(x)([Sequence(f), Sequence(f)]),
    "numbers": lambda x, f: asarray_of(x)([Number(f), Number(f)], dtype=float),
    "array": lambda x, f: asarray_of(x)(Array(f)),
    "array, copied": lambda x, f: asarray_of(x)(Array(f), copy=True),
    "interface": lambda x, f: asarray_of(x)(Interface(f)),
    "objects": lambda x, f: asarray_of(x)(elements(f), dtype=float),
    "dlpack": lambda x, f: (cowarray if is_ours(x) else np).from_dlpack(Tensor(f)),
    "like": lambda x, f: np.array(Array(f), like=x),
    "ndmin": lambda x, f: np.array(x, ndmin=Index(f)),
}


@pytest.mark.parametrize("state", ["shared", "sole", "foreign", "pinned"])
@pytest.mark.parametrize("operation", [*OPERATIONS, *INTO])
def test_exception_of_the_users(operation, state):
    operate = {**OPERATIONS, **INTO}[operation]
    expected = numpys(operate, lambda: Scene(state, "float", "numpy"))
    # Ours may ask more often: for an index twice, say.
    kinds = {Stop, *(error for error, _ in expected)}
    left = {bytes_of(Scene(state, "float", "numpy").x), *(values for _, values in expected)}
    raised = 0
    with TracingAllocator() as tracing:
        twin = Scene(state, "float")
        before, seen = cowarray.explain(twin.x), twin.look_at_others()
        references = Scene(state, "float").references()
        for n, fuse, world, error in outcomes(operate, lambda: Scene(state, "float")):
            assert error in (kinds if fuse.calls >= n else {None}), (n, error, kinds)
            assert bytes_of(world.x) in left, n
            assert world.look_at_others() == seen
            if error is not None:
                raised += 1
                gc.collect()
                assert world.references()["x"] == references["x"], n
                check_nothing_is_left(world, fuse, operate, before)
                assert world.look_at_others() == seen
        del world, twin
        gc.collect()
    assert tracing.report()["live_blocks"] == 0
    assert raised > 0, "no user code has run"


@pytest.mark.parametrize("operation", ON_OBJECTS)
def test_exception_of_an_element(operation):
    operate = ON_OBJECTS[operation]
    raised = 0

    class Objects:
        def __init__(self, fuse, ours):
            self.values = elements(fuse)
            self.x = cowarray.array(self.values) if ours else self.values.copy()

    for n in range(1, 200):
        fuses = Fuse(0), Fuse(0)
        worlds = Objects(fuses[0], True), Objects(fuses[1], False)
        other = worlds[0].x.copy()
        errors = []
        for fuse, world in zip(fuses, worlds, strict=True):
            fuse.calls, fuse.n = 0, n
            try:
                operate(world.x, fuse)
                errors.append(None)
            except Exception as error:
                errors.append(type(error))
            fuse.n = 0
        assert errors[0] is errors[1], n
        ours, theirs = (
            [value.value if isinstance(value, User) else value for value in world.x.ravel().tolist()]
            for world in worlds
        )
        assert ours in (theirs, [value.value for value in worlds[0].values.ravel().tolist()])
        assert all(
            one is two for one, two in zip(other.ravel().tolist(), worlds[0].values.ravel().tolist(), strict=True)
        )
        if fuses[0].calls < n:
            break
        raised += errors[0] is not None
        assert not cowarray.explain(worlds[0].x).pinned
        operate(worlds[0].x, fuses[0])
    assert raised > 0


class Caught:
    """Memory whose end raises, and catches it."""

    def __init__(self, ended):
        self.ended = ended
        self.__array_interface__ = {**np.arange(4.0).__array_interface__, "version": 3}
        self.kept = np.arange(4.0)
        self.__array_interface__["data"] = (self.kept.ctypes.data, True)

    def __call__(self, *_):
        try:
            raise KeyError
        except KeyError:
            self.ended.append(self)

    def __del__(self):
        self(None)


class Keeper:
    def __init__(self, ended):
        self.ended = ended

    def __call__(self, *_):
        pass

    def __del__(self):
        Caught.__call__(self)


def kept(x, keeper):
    set_doorkeeper(x.storage, keeper)
    return x


# Arrays that end where an exception is in flight; the last two run user code then.
ENDING = {
    "a copy": lambda x, ended: x.lazy_clone(),
    "a view that was read": lambda x, ended: (view := x[1:], view.sum())[0],
    "a result": lambda x, ended: x + 1,
    "of many axes": lambda x, ended: cowarray.zeros((1,) * 9),
    "of memory whose end runs code": lambda x, ended: cowarray.asarray(Caught(ended), copy=False),
    "with a doorkeeper whose end runs code": lambda x, ended: kept(x.lazy_clone(), Keeper(ended)),
}


@pytest.mark.parametrize("ending", ENDING)
def test_an_exception_in_flight_outlives_arrays(ending):
    x = cowarray.array(np.arange(4.0))
    ended, watched, callbacks = [], [], []
    travelling = Stop()

    def arrays():
        for _ in range(20):
            made = ENDING[ending](x, ended)
            watched.append(weakref.ref(made, lambda _: callbacks.append(isinstance(x.sum(), float))))
            yield made
            del made
        raise travelling

    with pytest.raises(Stop) as raised:
        tuple(arrays())  # the tuple ends while the exception is in flight
    assert raised.value is travelling
    assert callbacks == [True] * 20
    assert len(ended) == (20 if "code" in ending else 0)
    assert x.tolist() == [0, 1, 2, 3]
