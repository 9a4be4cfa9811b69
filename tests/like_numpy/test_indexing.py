"""Any index that Hypothesis thinks of reads and writes what it reads and writes with NumPy, in any memory layout.

A write is seen by the base and by every view, and by no lazy copy; an index that NumPy refuses is refused, and nothing
has changed then.
"""

import hypothesis.extra.numpy as extra
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.numpy_versions import without
from support.oracle import Subject, agree, outcome, same

import cowarray

pytestmark = pytest.mark.numpy_ends

DTYPES = st.sampled_from(["f8", "i4", ">i2", "c8", "?", "S2", "M8[s]", "O"])
OWNERSHIPS = st.sampled_from(["owner", "view", "lazy copy", "source", "imported"])

thorough = settings(max_examples=300, deadline=None)


@st.composite
def views(draw):
    """A view as a chain of NumPy's own operations, for both kinds."""
    steps = draw(
        st.lists(st.sampled_from(["transpose", "reverse", "slice", "newaxis", "broadcast", "none"]), max_size=3)
    )

    def view(base):
        for step in steps:
            if step == "transpose":
                base = base.T
            elif step == "reverse" and base.ndim:
                base = base[::-1]
            elif step == "slice" and base.ndim:
                base = base[..., ::2]
            elif step == "newaxis" and base.ndim < 4:
                base = base[None]
            elif step == "broadcast" and base.ndim < 4:
                base = np.broadcast_to(base, (2, *base.shape))
        return base

    return view


@st.composite
def subjects(draw):
    shape = draw(extra.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    dtype = draw(DTYPES)
    values = np.arange(int(np.prod(shape)), dtype=int).reshape(shape).astype(dtype)
    ownership = draw(OWNERSHIPS.filter(lambda name: dtype != "O" or name != "imported"))
    return Subject(values, draw(views()), ownership)


@st.composite
def keys(draw, shape):
    """An index of any of NumPy's forms, most of them valid."""
    forms = ["basic", "mixed", "any"]
    if shape and 0 not in shape:
        forms += ["integers", "adjacent"]
    form = draw(st.sampled_from([*forms, "mask", "rows"]))
    if form == "basic":
        return draw(extra.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    if form == "integers":
        return draw(extra.integer_array_indices(shape, result_shape=extra.array_shapes(max_dims=2, max_side=3)))
    if form == "adjacent":
        axis = draw(st.integers(0, len(shape) - 1))
        picked = draw(
            extra.arrays(np.intp, draw(st.integers(0, 4)), elements=st.integers(-shape[axis], shape[axis] - 1))
        )
        before = tuple(draw(st.slices(length)) for length in shape[:axis])
        return (*before, picked) if axis else picked
    if form == "mask":
        return draw(extra.arrays(bool, shape))
    if form == "rows":
        return draw(extra.arrays(bool, shape[:1]))
    parts = st.one_of(
        st.integers(-5, 5),
        st.slices(4),
        st.none(),
        st.just(...),
        st.booleans(),
        st.lists(st.integers(-4, 3), max_size=3),
        extra.arrays(np.int64, extra.array_shapes(max_dims=2, max_side=2), elements=st.integers(-3, 3)),
        extra.arrays(bool, extra.array_shapes(max_dims=2, max_side=4)),
    )
    return tuple(draw(st.lists(parts, max_size=4))) if form == "mixed" else draw(parts)


def with_ours(key, convert):
    """The index, with arrays of ours for NumPy's where convert says so."""
    if isinstance(key, tuple):
        return tuple(with_ours(item, convert) for item in key)
    return cowarray.array(key) if convert and isinstance(key, np.ndarray) else key


@thorough
@given(st.data())
def test_reading(data):
    held = data.draw(subjects())
    key = data.draw(keys(held.n.shape))
    shares, address = held.x.storage.share_count, held.x.storage.data_ptr
    ours_key = with_ours(key, data.draw(st.booleans()))
    cowarray.reset_stats()
    ours = outcome(lambda: held.x[ours_key])
    stats = cowarray.stats()
    theirs = outcome(lambda: held.n[key])
    agree(ours, theirs)
    assert stats["copies"] == stats["steals"] == stats["bytes_copied"] == stats["lazy_clones"] == 0
    assert (held.x.storage.share_count, held.x.storage.data_ptr) == (shares, address)
    if isinstance(theirs[0], np.ndarray) and theirs[0].size:
        assert (ours[0].storage is held.x.storage) == np.shares_memory(theirs[0], held.n)
        assert ours[0].flags.writeable == theirs[0].flags.writeable
    held.check()


@st.composite
def values_for(draw, held, key):
    """A right-hand side: a scalar, or an array of a shape that fits, or one that may not."""
    selected = outcome(lambda: held.n[key])[0]
    shape = np.shape(selected)
    kind = draw(st.sampled_from(["scalar", "fits", "broadcasts", "misfits", "list", "itself"]))
    if kind == "scalar":
        return np.ones(1, held.n.dtype)[0]
    if kind == "itself":
        return None
    if kind == "broadcasts":
        shape = shape[len(shape) // 2 :]
    elif kind == "misfits":
        shape = draw(extra.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    made = np.arange(100, 100 + int(np.prod(shape))).reshape(shape).astype(held.n.dtype)
    return made.tolist() if kind == "list" and held.n.dtype.kind in "ifc" and made.ndim else made


@thorough
@given(st.data())
def test_writing(data):
    held = data.draw(subjects())
    key = data.draw(keys(held.n.shape))
    value = data.draw(values_for(held, key))
    ours_key = with_ours(key, data.draw(st.booleans()))
    if value is None:  # from the array itself, backwards
        theirs = outcome(lambda: held.n.__setitem__(key, held.n[key][::-1]))
        ours = outcome(lambda: held.x.__setitem__(ours_key, held.x[ours_key][::-1]))
    else:
        given_value = with_ours(value, data.draw(st.booleans()))
        theirs = outcome(held.n.__setitem__, key, value)
        cowarray.reset_stats()
        ours = outcome(held.x.__setitem__, ours_key, given_value)
        assert cowarray.stats()["bytes_copied"] <= (held.x.storage.nbytes if held.ownership in SHARED else 0)
    assert (ours[1] is None) == (theirs[1] is None), (ours, theirs)
    held.check()


SHARED = ("lazy copy", "source", "imported")


@thorough
@given(st.data())
def test_inplace_arithmetic_on_a_part(data):
    held = data.draw(subjects().filter(lambda held: held.n.dtype.kind in "ifc"))
    key = data.draw(keys(held.n.shape))

    def add(a):
        a[key] += a.dtype.type(3)

    agree(outcome(add, held.x), outcome(add, held.n))
    held.check()


@thorough
@given(st.data())
def test_views_of_views_alias_their_base(data):
    held = data.draw(subjects().filter(lambda held: held.n.flags.writeable and held.n.dtype.kind in "ifc"))
    x, n = held.x, held.n
    for _ in range(3):
        if not n.ndim:
            break
        key = data.draw(extra.basic_indices(n.shape, allow_newaxis=True))
        if not isinstance(n[key], np.ndarray):
            break
        x, n = x[key], n[key]
        assert x.storage is held.x.storage
    x[...] = n[...] = 7
    same(x, n)
    held.check()


@thorough
@given(st.data())
def test_flat_reads_and_writes_as_numpys(data):
    held = data.draw(subjects())
    key = data.draw(
        st.one_of(st.integers(-70, 70), st.slices(70), st.lists(st.integers(-3, 3), max_size=3), st.just(...))
    )
    agree(outcome(lambda: held.x.flat[key]), outcome(lambda: held.n.flat[key]))
    value = np.ones(2, held.n.dtype)
    ours, theirs = outcome(held.x.flat.__setitem__, key, value), outcome(held.n.flat.__setitem__, key, value)
    assert (ours[1] is None) == (theirs[1] is None)
    held.check()


@pytest.mark.parametrize(
    "text", [[], *(pytest.param(n, marks=without("flat reads other indices")) for n in (["a"], ["a", "b"]))], ids=str
)
@pytest.mark.parametrize("flat", [False, True], ids=["list", "flat"])
def test_text_as_an_index_of_flat_is_none(text, flat):
    """But if it is empty, an iterator is read as an empty list is: NumPy does not tell the two apart."""
    n = np.arange(9).reshape(3, 3)
    found = []
    for xp, array in ((cowarray, cowarray.array(n)), (np, n)):
        key = xp.array(text, "S1").flat if flat else text
        found.append(outcome(lambda array=array, key=key: array.flat[key]))
        if text:
            with pytest.raises(IndexError, match=r"only integers, slices \(`:`\), ellipsis .* are valid indices"):
                array.flat[key]
    agree(*found)


@pytest.mark.parametrize("key", [(slice(1, None), 0), [0, 2], np.array([True, False, True]), (..., None), 1])
def test_an_index_of_a_subclass_is_read_as_numpy_reads_it(key):
    class Tuple(tuple):
        pass

    class Sub(np.ndarray):
        pass

    n = np.arange(12).reshape(3, 4)
    x = cowarray.array(n)
    if isinstance(key, tuple):
        key = Tuple(key)
    elif isinstance(key, np.ndarray):
        key = key.view(Sub)
    same(x[key], n[key])
    x[key] = n[key] = 5
    same(x, n)


class Index:
    def __index__(self):
        return 1


def test_anything_with_index_is_an_integer():
    n = np.arange(12).reshape(3, 4)
    x = cowarray.array(n)
    for key in (Index(), (Index(), Index()), slice(Index(), None), cowarray.array(1), np.int64(1)):
        plain = {cowarray.ndarray: 1}.get(type(key), key)
        same(x[key], n[plain])
        x[key] = n[plain] = -1
        same(x, n)


def test_views_without_elements_are_copied_and_shown():
    """Where they begin does not matter, and can be beyond all memory that there is."""
    for shape, key in [
        ((0, 3), (slice(None), 1)),
        ((0, 3), (slice(None), slice(2, None))),
        ((0, 3, 2), (slice(None), -1, slice(None, None, -1))),
        ((3, 0), 2),
        ((4, 3), (slice(3, None), slice(3, None))),
        ((2, 3, 0), (slice(1, None), 1)),
    ]:
        plain = np.zeros(shape)[key]
        for view in (cowarray.array(np.zeros(shape))[key], (cowarray.array(np.zeros(shape)) + 0)[key]):
            assert view.shape == view.copy().shape == view.to_numpy().shape == view.T.T.copy().shape == plain.shape
            assert memoryview(view).shape == plain.shape
            assert view.reshape(-1).shape == (0,)


@pytest.mark.parametrize("key", [(slice(0, 1, 0), 2**64), (slice(0, 1, 0), Ellipsis, Ellipsis), (slice(0, 1, 0), 0)])
def test_of_several_mistakes_in_an_index_numpy_tells_its_own(key):
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        np.zeros((2, 2))[key]
    with pytest.raises(expected.type) as found:
        cowarray.array(np.zeros((2, 2)))[key]
    assert str(found.value) == str(expected.value)


# ---- what cannot be deleted ------------------------------------------------------------------------------------------

ATTRIBUTES = ["shape", "strides", "dtype", "real", "imag", "flat", "ndim", "flags", "size", "base", "T", "data"]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_are_not_deleted(name):
    for array in (np.ones(2), cowarray.ones(2)):
        with pytest.raises(AttributeError):
            delattr(array, name)
        assert array.tolist() == [1, 1]


@pytest.mark.parametrize("key", [0, slice(1), 7])
def test_elements_are_not_deleted(key):
    for array in (np.ones(2), cowarray.ones(2)):
        with pytest.raises(TypeError):
            del array.flat[key]
        with pytest.raises(ValueError, match="cannot delete array elements"):
            del array[key]


@pytest.mark.parametrize("refcheck", ["no", None, 1.0])
def test_refcheck_is_a_flag(refcheck):
    x = cowarray.ones(2)
    with pytest.raises(TypeError):
        np.ones(2).resize(3, refcheck=refcheck)
    with pytest.raises(TypeError, match="refcheck"):
        x.resize(3, refcheck=refcheck)
    assert x.shape == (2,)
    x.resize(3, refcheck=False)
    x.resize(4, refcheck=1)
    assert x.shape == (4,)


VIEWS_OF_ITSELF = {
    "turned": lambda x: x[::-1],
    "turned along the last axis": lambda x: x[..., ::-1],
    "transposed": lambda x: x.T,
    "a part": lambda x: x[:2],
}


@pytest.mark.parametrize("shape", [(12,), (3, 4)])
@pytest.mark.parametrize("view", VIEWS_OF_ITSELF)
@pytest.mark.parametrize("order", ["C", "F"])
def test_flat_takes_a_view_of_the_same_array(shape, view, order):
    seen = []
    for module in (np, cowarray):
        x = module.array(np.arange(12.0).reshape(shape), order=order)
        x.flat = VIEWS_OF_ITSELF[view](x)
        seen.append(x.tolist())
    assert seen[1] == seen[0]


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (1, 0), (0, 1), (3,)])
def test_what_fits_where_nothing_is_picked_is_numpys_to_say(shape):
    def assigned(x):
        x[np.array([], np.intp)] = np.zeros(shape)

    x = cowarray.ones(3)
    kept = x.copy()
    assert outcome(assigned, np.ones(3))[1] is outcome(assigned, x)[1]
    assert x.tolist() == kept.tolist() == [1, 1, 1]


@pytest.mark.parametrize("shared", [False, True])
def test_an_index_that_the_value_writes_to_is_read_after_it(shared):
    """As with NumPy, whether or not the index shares its bytes with a copy."""

    def assigned(module):
        x, index = module.zeros(10), module.array([1, 2, 3])
        kept = index.copy() if shared else None

        class Value:
            def __array__(self, dtype=None, copy=None):
                index[0] = 7
                return np.ones(3)

        x[index] = Value()
        assert kept is None or kept.tolist() == [1, 2, 3]
        return x.tolist()

    assert assigned(cowarray) == assigned(np)


MASK = np.array([True, False, True, False, False, False])
MISFITS = {
    "too many": (MASK, [1, 2, 3]),
    "of two axes": (MASK, np.ones((2, 2))),
    "of a mask and an index": ((MASK, None), np.ones((3, 1))),
    "at indices": ([0, 1], [1, 2, 3]),
    "at one index": (np.array([0, 1]), np.ones((2, 2))),
    "in a slice": (slice(2, 4), [1, 2, 3]),
}


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("key", "value"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_is_refused_in_numpys_words(key, value, shared):
    x, n = cowarray.arange(6.0), np.arange(6.0)
    kept = x.copy() if shared else None
    with pytest.raises((ValueError, TypeError)) as wanted:
        n[key] = value
    with pytest.raises(wanted.type) as raised:
        x[key] = value
    assert type(raised.value) is type(wanted.value)
    assert str(raised.value) == str(wanted.value)
    assert x.tolist() == list(range(6))
    assert kept is None or x.storage.share_count == 2
