"""Arguments beside the arrays (axes, dtypes, flags, classes) may run user code, or give NumPy the user's own arrays."""

import warnings

import numpy as np
import pytest

import cowarray as ca


class Kept(int):
    """0 to NumPy, but true."""

    def __bool__(self):
        return True


class Positive:
    """An object whose `+value` is the user's array."""

    def __init__(self, own):
        self.own = own

    def __pos__(self):
        return self.own


def holding(value):
    x = np.empty(1, object)
    x[0] = value
    return x


def lying(x, name):
    """An argument whose class depends on who asks, and that drops x's axis when it is asked."""

    class Lying:
        @property
        def __class__(self):
            x.shape = ()
            return np.dtype if name == "dtype" else object

        @property
        def dtype(self):
            return np.dtype(object)

        def __array__(self, dtype=None, copy=None):
            return np.array(True)

    return Lying()


def element_with_keepdims(reduce):
    return lambda own: reduce(ca.array(holding(own)), keepdims=Kept(0))


def element_with(name):
    def call(own):
        x = ca.array(holding(Positive(own)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of where= without out=
            return np.positive(x, **{name: lying(x, name)})

    return call


class Giving:
    """What NumPy calls for the array of a class, with nothing."""

    def __init__(self, own):
        self.own = own

    def __call__(self, *args, **kwargs):
        return self.own


def class_with_array(call):
    return lambda own: call(type("Arrayed", (), {"__array__": Giving(own)}))


class Claiming(type):
    """A class of classes that claim to be that of None."""

    def __hash__(cls):
        return hash(type(None))

    def __eq__(cls, other):
        return other is type(None) or cls is other


def array_of_a_claiming_class(own):
    made = Claiming("Claimed", (), {"__array__": lambda self, dtype=None, copy=None: own})()
    return np.broadcast_arrays(ca.zeros(2), made)


def operand_without_its_axis(own):
    n = holding(Positive(own))

    def drop_the_axis(*args, **kwargs):
        n.shape = ()

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("always", UserWarning)  # of where= without out=
        patch.setattr(warnings, "showwarning", drop_the_axis)
        return np.positive(n, where=ca.array(True))


def options_by_position(own):
    x = np.empty((1, 1), object)
    x[0, 0] = own
    x = ca.array(x)
    return x.__array_ufunc__(np.add, "reduce", x, None)


@pytest.mark.parametrize(
    "call",
    [
        array_of_a_claiming_class,
        operand_without_its_axis,
        options_by_position,
        element_with_keepdims(np.add.reduce),
        element_with_keepdims(ca.add.reduce),
        element_with_keepdims(np.maximum.reduce),
        element_with("dtype"),
        element_with("where"),
        class_with_array(lambda each: np.broadcast_arrays(ca.zeros(2), each)),
        class_with_array(lambda each: ca.ix_(each)),
        class_with_array(lambda each: ca.einsum("i->i", each)),
        class_with_array(lambda each: ca.meshgrid(ca.zeros(2), each, copy=False)),
    ],
    ids=[
        "claim",
        "shape",
        "by position",
        "keepdims",
        "ours",
        "maximum",
        "dtype",
        "where",
        "broadcast",
        "ix_",
        "einsum",
        "meshgrid",
    ],
)
def test_the_users_array_stays_the_users(call):
    own = np.array([1.0, 2.0])
    made = call(own)
    for each in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(each, (ca.ndarray, np.ndarray)) and each.flags.writeable and each is not own:
            each[...] = 7
    assert own.tolist() == [1.0, 2.0]
    assert own.flags.writeable


def writer(x):
    class Writer:
        def __get__(self, instance, owner):
            x[:] = 100
            return np.dtype("f8")

    return Writer()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, each: np.add.reduce(x, dtype=each),
        lambda x, each: np.add(x, 1, dtype=each).sum(),
        lambda x, each: np.add(x, 1, signature=(each, None, None)).sum(),
        lambda x, each: x.sum(dtype=each),
        lambda x, each: np.add.accumulate(x, dtype=each)[-1],
    ],
    ids=["reduce", "add", "signature", "sum", "accumulate"],
)
def test_a_class_that_writes_when_it_is_asked_for_a_dtype_is_seen_by_all_or_none(call):
    found = []
    for shared in (False, True):
        x = ca.array([1.0, 2.0, 3.0, 4.0])
        copy = x.copy() if shared else None
        found.append(call(x, type("Typed", (), {"dtype": writer(x)})))
        assert copy is None or copy.tolist() == [1, 2, 3, 4]
        assert x.tolist() == [100] * 4
    assert found[0] == found[1]


def test_an_axis_may_fail_when_it_is_asked_for_its_class():
    class Axis:
        @property
        def __class__(self):
            return 1 / 0

        def __index__(self):
            return 0

    assert np.add.reduce(ca.array([1.0, 2.0]), axis=Axis()) == np.add.reduce(np.array([1.0, 2.0]), axis=Axis())


@pytest.mark.parametrize("name", ["axis", "dtype", "initial"])
def test_a_dict_whose_keys_change_their_hash_is_numpys_error(name):
    class Key:
        turns = 0

        def __hash__(self):
            self.turns += 1
            return self.turns

    for x in (np.array([1.0]), ca.array([1.0])):
        with pytest.raises(TypeError):
            np.add.reduce(x, **{name: {Key(): 1}})


def test_a_record_asks_its_objects_while_nothing_changes_for_others():
    """NumPy's scalars of records may hold the user's objects, which it asks."""
    found = []
    for shared in (False, True):
        x = ca.array(np.array([(float(i),) for i in range(30_000)], [("a", "f8")]))
        copy = x.copy() if shared else None
        seen = []

        class Writer:
            def __eq__(self, other):
                if not seen:  # noqa: B023
                    x["a"][:] = 100  # noqa: B023
                seen.append(float(other))  # noqa: B023
                return True

            __hash__ = None

        assert np.all(x == np.array([(Writer(),)], [("a", "O")])[0])
        assert copy is None or copy["a"][-1] == 29_999
        found.append(seen[-1])
    assert found[0] == found[1]


def test_options_may_be_nested_as_deep_as_numpys():
    deep = {}
    for _ in range(600):
        deep = {"a": deep}
    for x in (np.zeros(2), ca.zeros(2)):
        with pytest.raises(TypeError):
            np.add.reduce(x, axis=deep)


def test_a_class_of_classes_without_a_hash_is_as_good_as_another(capfd):
    class Unhashable(type):
        __hash__ = None

    each = Unhashable("Unhashed", (), {"__index__": lambda self: 0})()
    assert np.add.reduce(ca.array([1.0, 2.0]), axis=each) == 3
    assert capfd.readouterr().err == ""


def test_numpys_own_classes_cost_no_copy():
    x = ca.zeros((300, 300))
    for dtype in (np.dtype(float), np.float64, np.dtypes.Float64DType, float):
        ca.reset_stats()
        copy = x.copy()
        np.matmul(x, x, dtype=dtype)
        np.add.reduce(x[None, None], axis=(0, 1), dtype=dtype)
        assert ca.stats()["bytes_copied"] == 0
        assert ca.shares_bytes(copy, x)


def test_in_simulation_a_result_that_is_an_argument_is_that_argument():
    n = np.eye(3)
    with ca.simulate():
        same = ca.linalg.matrix_power(n, 1)
        n[0, 0] = 5
        assert same[0, 0] == 5
    same = ca.linalg.matrix_power(n, 1)
    n[0, 0] = 6
    assert same[0, 0] == 5
