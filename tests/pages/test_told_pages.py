"""What a write says that it touches is never less than what it touches, and close to it where that is cheap to know."""

import numpy as np
import pytest
from paged import MIB, PAGE
from support.programs import run
from support.seeds import all_or

import cowarray as ca
from cowarray._native.storage import set_doorkeeper

REGION = 2 << 20
SEEDS = all_or(400, 100)

pytestmark = pytest.mark.usefixtures("eager")


@pytest.fixture(autouse=True)
def pages(can_page):
    if not can_page:
        pytest.skip("the system grants no memory by the page")


def told_of(write, x):
    """(bytes that a write to a shared x said it would take, beside a base; bytes that it has taken); None: a copy."""
    base = ca.explain(x).base
    before = ca.stats()["committed_regions"]
    with ca.trace() as seen:
        write(x)
    events = [event for event in seen if event.kind in ("pages", "copy", "overwrite", "steal")]
    assert len(events) <= 1
    if [event.kind for event in events] != ["pages"] or ca.stats()["committed_regions"] != before:
        return None
    # Of the last region only what the array has of it is copied.
    own = [min(own, x.storage.nbytes - i * REGION) for i, own in enumerate(ca.explain(x).regions)]
    return events[0].nbytes - base, sum(own)


# ---- one by one: what is told is close -------------------------------------------------------------------------------

N = MIB  # numbers
SQUARE = 1024


def square(x):
    return x.reshape(SQUARE, SQUARE, copy=False)


def few(n=100, start=5000):
    """A mask of N of which n are true, side by side."""
    mask = np.zeros(N, bool)
    mask[start : start + n] = True
    return mask


# What writes, and how many pages it may say at most.
WRITES = {
    "putmask": (lambda x: np.putmask(x, ca.array(few()), -1), 3),
    "place": (lambda x: np.place(x, few(), -1), 3),
    "a long run of a mask": (lambda x: x.__setitem__(few(30_000), -1), 62),
    "put": (lambda x: np.put(x, [1, 700, -1], -1), 3),
    "put of neighbours": (lambda x: np.put(x, np.arange(2000, 5000), -1), 8),
    "put, out of bounds": (lambda x: np.put(x, [1, 2 * N], -1, mode="wrap"), 2),
    "put, clipped": (lambda x: np.put(x, [-5, -9], -1, mode="clip"), 2),
    "method put": (lambda x: x.put(ca.array([1, 300_000]), -1), 2),
    "put_along_axis": (lambda x: np.put_along_axis(x, np.array([5, 600]), -1, 0), 3),
    "put_along_axis of a matrix": (
        lambda x: np.put_along_axis(x.reshape(16, -1, copy=False), np.array([[5]]), -1, 1),
        16,
    ),
    "put_along_axis, flat": (lambda x: np.put_along_axis(x, np.array([5, 99_000]), -1, None), 2),
    "fill_diagonal": (lambda x: np.fill_diagonal(square(x)[:50, :50], -1), 101),
    "fill_diagonal, wrapping": (lambda x: np.fill_diagonal(x.reshape(-1, 8, copy=False)[:900], -1, wrap=True), 60),
    "at": (lambda x: np.add.at(x, np.array([1, 2, 1]), 1), 1),
    "at, by a list": (lambda x: np.add.at(x, [1, 700_000, 1], 1), 3),
    "at, by a tuple": (lambda x: np.add.at(square(x), (slice(2), np.array([7])), 1), 4),
    "flat element": (lambda x: square(x).T.flat.__setitem__(3, -1), 1),
    "flat slice": (lambda x: square(x).flat.__setitem__(slice(3, 3000), -1), 8),
    "flat slice of a transposed matrix": (lambda x: square(x).T.flat.__setitem__(slice(3, 60), -1), 57),
    "flat mask": (lambda x: square(x).flat.__setitem__(few(), -1), 3),
    "flat list": (lambda x: square(x).flat.__setitem__([1, 5, 9000], -1), 3),
    "where": (lambda x: np.add(x, 1, out=x, where=few()), 3),
    "where, of columns": (lambda x: np.add(square(x)[:90], 1, out=square(x)[:90], where=np.arange(SQUARE) == 7), 90),
    "where, of rows": (lambda x: np.add(square(x), 1, out=square(x), where=np.arange(SQUARE)[:, None] == 7), 3),
    "copyto": (lambda x: np.copyto(x, 5.0, where=ca.array(few())), 3),
    "rows": (lambda x: square(x).__setitem__(np.array([3, 5]), -1), 9),
    "rows of a mask": (lambda x: square(x).__setitem__(np.arange(SQUARE) % 200 == 0, -1), 18),
    "rows of a mask of ours": (lambda x: square(x).__setitem__(ca.array(np.arange(SQUARE) == 3), -1), 3),
    "slice and array": (lambda x: square(x).__setitem__((slice(3, 5), np.array([3, 900])), -1), 4),
    "ellipsis and array": (lambda x: x.reshape(16, -1, copy=False).__setitem__((..., np.array([3, 900])), -1), 48),
    "open mesh": (lambda x: square(x).__setitem__(np.ix_(np.arange(9), np.arange(9)), -1), 9),
    "columns of a transposed matrix": (lambda x: square(x).T.__setitem__((slice(None), [4]), -1), 3),
    "None and array": (lambda x: x.__setitem__((None, np.array([4, 5])), -1), 1),
    "nothing": (lambda x: x.__setitem__(np.zeros(N, bool), -1), 0),
    "in place on a view": (lambda x: x[::2][:300].__imul__(2), 2),
    "in place on columns": (lambda x: square(x)[:40, 3:5].__iadd__(1), 40),
    "in place by a mask": (lambda x: square(x)[:40].__setitem__(square(x)[:40] > 40_900, -1), 12),
}


@pytest.mark.parametrize("name", WRITES)
def test_write_says_what_it_touches(name):
    write, most = WRITES[name]
    x = ca.array(np.arange(float(N)))
    held, y = x.copy(), x.copy()
    theirs = np.arange(float(N))
    write_to_numpys(write, theirs)
    told, taken = told_of(write, y)
    assert taken <= told
    assert told <= most * PAGE or REGION in ca.explain(y).regions  # dense ones are copied whole
    np.testing.assert_array_equal(np.asarray(y), theirs)
    for other in (x, held):
        np.testing.assert_array_equal(np.asarray(other), np.arange(float(N)))


def write_to_numpys(write, theirs):
    """The same to NumPy's array; those that it cannot write to by way of ours are told so."""
    ca.paging("off")
    ours = ca.array(theirs)
    write(ours)
    theirs[...] = np.asarray(ours)
    ca.paging("eager")


def test_a_doorkeeper_hears_of_elements_and_pages_are_copied():
    x = ca.array(np.arange(float(N)).reshape(SQUARE, SQUARE))
    y = x.copy()
    heard = []
    set_doorkeeper(y.storage, lambda storage, intent, behalf, box: heard.append((intent, box)))
    y[np.array([3, 5]), :20] = -1
    assert [each for each in heard if each[0] != "locates"] == [("writes", (0, (SQUARE, SQUARE), (8 * SQUARE, 8), 8))]
    assert y.storage.own_nbytes == 2 * PAGE
    assert (y[5, 19], y[4, 19], x[5, 19]) == (-1, 4 * SQUARE + 19, 5 * SQUARE + 19)


def test_elements_of_no_bytes_touch_nothing():
    dtype = np.dtype({"names": ["a", "b"], "formats": ["V0", "f8"], "offsets": [0, 0], "itemsize": 8})
    x = ca.array(np.zeros(N, dtype))
    y = x.copy()
    y["a"][np.array([1, 2])] = b""
    y["a"][few()] = b""
    np.put(y["a"], [1], b"")
    assert (y["b"] == 0).all()


class Index:
    """An index that does something when it is looked at."""

    def __init__(self, index, deed):
        self.index = index
        self.deed = deed

    def __index__(self):
        self.deed()
        return self.index


LOOKED_AT = {
    "item": lambda x, index: x.__setitem__((index, np.array([0, 1])), -1),
    "put": lambda x, index: np.put(x, [index, 9], -1),
    "flat": lambda x, index: x.flat.__setitem__(index, -1),
    "at": lambda x, index: np.add.at(x, (index, np.array([0, 1])), -1),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_index_that_writes_is_no_surprise(name):
    """User code runs before the write has begun, or the write has said nothing: every value is as in NumPy."""
    results = []
    for make in (ca.array, np.array):
        x = make(np.arange(float(N)).reshape(SQUARE, SQUARE))
        y = x.copy()

        def deed(x=x, y=y):
            y[500] = 4
            x[501] = 5

        LOOKED_AT[name](y, Index(3, deed))
        results.append((np.asarray(x), np.asarray(y)))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, theirs)


# ---- at random: what is told is never less ---------------------------------------------------------------------------


def random_shape(random, size):
    shape = [size]
    while len(shape) < 3 and random.random() < 0.6:
        divisors = [each for each in (2, 3, 8, 64, 500) if shape[-1] % each == 0]
        if not divisors:
            break
        divisor = int(random.choice(divisors))
        shape[-1:] = [divisor, shape[-1] // divisor]
    random.shuffle(shape)
    return shape


def random_slice(random, length):
    start, stop = sorted(random.integers(0, length + 1, 2))
    step = int(random.choice([1, 1, 2, 7]))
    if random.random() < 0.3:
        return slice(int(stop), int(start) - 1 if start else None, -step)
    return slice(int(start), int(stop), step)


def random_view(random, shape):
    """An index and a permutation: what to make of an array before it is written."""
    index = tuple(random_slice(random, each) if random.random() < 0.3 else slice(None) for each in shape)
    return index, random.permutation(len(shape))


def random_places(random, length, count):
    low = int(random.integers(0, length))
    high = int(random.integers(low, min(length, low + 1 + int(length * random.random() ** 4)))) + 1
    return random.integers(low, high, count) - (length if random.random() < 0.3 else 0)


def random_mask(random, shape):
    mask = np.zeros(shape, bool)
    flat = mask.reshape(-1)
    start = int(random.integers(0, max(1, flat.size)))
    length = int(2.0 ** random.uniform(0, 16))
    flat[start : start + length] = random.random(flat[start : start + length].size) < random.random()
    return mask


def random_index(random, shape):
    """A settled index with arrays and all the rest."""
    items, axis, arrays = [], 0, 0
    count = int(random.choice([1, 1, 5, 300]))
    while axis < len(shape):
        kind = random.integers(7)
        if kind == 0:
            items.append(int(random.integers(-shape[axis], shape[axis])))
        elif kind == 1:
            items.append(random_slice(random, shape[axis]))
        elif kind == 2 and Ellipsis not in [each for each in items if each is Ellipsis]:
            items.append(Ellipsis)
            axis += int(random.integers(0, len(shape) - axis + 1)) - 1
        elif kind == 3 and len(items) < 5:
            items.append(None)
            axis -= 1
        elif kind == 4 and not arrays:
            nd = int(random.integers(1, len(shape) - axis + 1))
            items.append(random_mask(random, shape[axis : axis + nd]))
            arrays += 1
            axis += nd - 1
        else:
            places = random_places(random, shape[axis], count)
            if random.random() < 0.2:
                places = places[:1].reshape(1, 1)
            items.append(places)
            arrays += 1
        axis += 1
    return tuple(items)


def random_write(random, shape):
    """A function that writes a few elements of an array of that shape."""
    size = int(np.prod(shape))
    kind = random.integers(9)
    value = int(random.integers(1, 100))
    if kind <= 2:
        index = random_index(random, shape)
        if kind == 0:
            return lambda x: np.add.at(x, index, value)
        return lambda x: x.__setitem__(index, value)
    if kind == 3:
        places = random_places(random, size, int(random.choice([1, 7, 400])))
        mode = str(random.choice(["raise", "wrap", "clip"]))
        return lambda x: np.put(x, places, value, mode=mode)
    if kind == 4:
        key = random.choice(["slice", "places", "mask"])
        index = {
            "slice": lambda: random_slice(random, size),
            "places": lambda: random_places(random, size, 30),
            "mask": lambda: random_mask(random, size),
        }[key]()
        return lambda x: x.flat.__setitem__(index, value)
    if kind == 5:
        axis = int(random.integers(len(shape)))
        lengths = [1 if random.random() < 0.5 else each for each in shape]
        lengths[axis] = int(random.integers(1, 4))
        indices = random.integers(0, shape[axis], lengths)
        return lambda x: np.put_along_axis(x, indices, value, axis)
    if kind == 6 and len(shape) == 2:
        wrap = bool(random.integers(2))
        return lambda x: np.fill_diagonal(x, value, wrap=wrap)
    mask = random_mask(random, shape)
    if kind == 7:
        function = random.choice([np.putmask, np.place])
        return lambda x: function(x, mask, value)
    some = tuple(1 if random.random() < 0.3 else each for each in shape)
    mask = random_mask(random, some[int(random.integers(len(shape))) :])
    if random.random() < 0.5:
        return lambda x: np.copyto(x, value, where=mask)
    return lambda x: np.add(x, value, out=x, where=mask)


def overlapping(random, shape):
    """A write of what the same array holds elsewhere, or in the same place."""
    mask = random_mask(random, shape)
    places = random_places(random, int(np.prod(shape)), 5)
    rows = random_places(random, shape[0], 3)
    backwards = tuple(slice(None, None, -1) for _ in shape)
    return [
        lambda x: np.add(x, 1, out=x, where=mask),
        lambda x: np.add(x[backwards], 1, out=x, where=mask),
        lambda x: np.copyto(x, x[backwards], where=mask),
        lambda x: np.copyto(x, x, where=mask),
        lambda x: np.putmask(x, mask, x[backwards]),
        lambda x: np.putmask(x, mask, x),
        lambda x: np.place(x, mask, x[:1]),
        lambda x: np.put(x, places, x[:1]),
        lambda x: np.add.at(x, rows, x[rows[0]]),
        lambda x: x.__setitem__(rows, x[0]),
        lambda x: x.__setitem__(mask, x[mask][:1]),
    ][int(random.integers(11))]


def one_write(seed):
    """One write at random to a copy of a copy, as it is in NumPy. Returns whether it was by the page."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(str(random.choice(["f8", "f4", "i2", "u1", "c16"])))
    shape = random_shape(random, 4_608_000 // dtype.itemsize)
    first = random.integers(0, 100, shape).astype(dtype)
    source = ca.array(first)
    if random.random() < 0.5:
        source = source.copy()
        source.reshape(-1, copy=False)[::50_000] = 1
    x = source.copy()
    theirs = np.array(np.asarray(x))
    expected = np.array(theirs)
    index, order = random_view(random, shape)
    view = x[index].transpose(order)
    if view.size == 0:
        return False
    write = random_write(random, view.shape)
    if random.random() < 0.2:
        write = overlapping(random, view.shape)
    try:
        write(theirs[index].transpose(order))
    except Exception as error:
        with pytest.raises(type(error)):
            write(view)
        return False
    found = told_of(lambda _: write(view), x)
    np.testing.assert_array_equal(np.asarray(x), theirs)
    np.testing.assert_array_equal(np.asarray(source), expected)
    if found is not None:
        told, taken = found
        assert taken <= told, f"seed {seed}: {taken} bytes were taken, and {told} told"
    return found is not None


def test_what_picks_may_get_another_shape_while_it_is_looked_at():
    printed = run("""
        import warnings

        x = ca.zeros((1, 1 << 20))
        kept = x.copy()
        mask = np.array([True])

        def reshape(frame, event, arg):
            if frame.f_code.co_name == "count_nonzero" and mask.shape:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mask.shape = ()

        sys.setprofile(reshape)
        x[mask, 1:5] = 1
        sys.setprofile(None)
        print(mask.shape, kept.any())
    """)
    assert printed == "() False\n"


def test_no_write_touches_more_than_it_says():
    by_page = sum(one_write(seed) for seed in range(SEEDS))
    assert by_page > SEEDS // 3
