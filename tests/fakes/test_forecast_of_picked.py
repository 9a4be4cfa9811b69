"""A plan copies what the run copies, to the byte, whatever picks the elements of the first write to a copy."""

import numpy as np
import pytest
from support.seeds import all_or

import cowarray as ca

N = 1 << 20  # numbers, 8 MiB
SEEDS = all_or(600, 80)
SHAPES = [(N,), (1024, 1024), (16, N // 16), (64, 128, 128)]


@pytest.fixture(scope="module", autouse=True)
def eager():
    before = ca.paging("eager", small_pages=True)
    yield
    ca.paging(before, small_pages=False)


def copied_by(write, shape, view):
    """Bytes that a write to a copy copies: in a plan, and when it is run."""
    with ca.fake() as plan:
        x = ca.zeros(shape)
        y = x.copy()
        write(view(y))
    x = ca.array(np.zeros(shape))
    y = x.copy()
    before = ca.stats()["bytes_copied"]
    write(view(y))
    return plan.bytes_copied, ca.stats()["bytes_copied"] - before


# ---- at random -------------------------------------------------------------------------------------------------------


def some_places(random, length, count):
    low = int(random.integers(length))
    high = int(random.integers(low, length)) + 1 if random.random() < 0.7 else min(length, low + 3 * count)
    return random.integers(low, high, count) - (length if random.random() < 0.2 else 0)


def some_mask(random, shape):
    mask = np.zeros(shape, bool)
    flat = mask.reshape(-1)
    start, length = int(random.integers(flat.size)), int(2.0 ** random.uniform(0, 14))
    part = flat[start : start + length]
    part[...] = random.random(part.size) < random.random()
    return mask


def some_slice(random, length):
    start, step = int(random.integers(length)), int(random.choice([1, 3, 700, -1]))
    return slice(start, None if step > 1 else max(0, start + int(random.integers(1, 3000)) * step), step)


def write_of(random, shape):
    """Something that writes a few elements of an array of this shape, in one of all the ways that there are."""
    size, count = int(np.prod(shape)), int(random.choice([1, 7, 60, 300]))
    flat, mask, value = some_places(random, size, count), some_mask(random, shape), int(random.integers(1, 9))
    rows = some_places(random, shape[0], min(count, 7))
    along = random.integers(0, shape[-1], (*[1] * (len(shape) - 1), 2))
    of_all, of_first, of_last = [some_slice(random, each) for each in (size, shape[0], shape[-1])]
    ways = {
        "put": lambda x: np.put(x, flat, value, mode="wrap"),
        "method put": lambda x: x.put(flat.tolist(), value),
        "putmask": lambda x: np.putmask(x, mask, value),
        "place": lambda x: np.place(x, mask, value),
        "flat places": lambda x: x.flat.__setitem__(flat, value),
        "flat list": lambda x: x.flat.__setitem__(flat.tolist(), value),
        "flat slice": lambda x: x.flat.__setitem__(of_all, value),
        "flat mask": lambda x: x.flat.__setitem__(mask.reshape(-1), value),
        "flat element": lambda x: x.flat.__setitem__(int(flat[0]), value),
        "where": lambda x: np.add(x, 1, out=x, where=mask),
        "where of rows": lambda x: np.multiply(x, 2, out=x, where=mask[..., :1]),
        "copyto": lambda x: np.copyto(x, value, where=mask),
        "mask": lambda x: x.__setitem__(mask, value),
        "list of rows": lambda x: x.__setitem__(rows.tolist(), value),
        "mask that is a list": lambda x: x.__setitem__(mask.reshape(shape[0], -1)[:, 0].tolist(), value),
        "rows": lambda x: x.__setitem__(rows, value),
        "places and slice": lambda x: (
            x.__setitem__((rows, ..., of_last), value) if len(shape) > 1 else x.__setitem__((rows, ...), value)
        ),
        "at": lambda x: np.add.at(x, rows, value),
        "at a list": lambda x: np.add.at(x, rows.tolist(), value),
        "put_along_axis": lambda x: np.put_along_axis(x, along, value, -1),
        "fill_diagonal": lambda x: np.fill_diagonal(x, value) if len(set(shape)) == 1 < len(shape) else None,
        "strided window": lambda x: x[..., of_last].fill(value),
        "strided sum": lambda x: x[of_first].__iadd__(value),
        "into itself": lambda x: np.copyto(x, x[tuple([slice(None, None, -1)] * x.ndim)], where=mask),
    }
    name = str(random.choice(list(ways)))
    return name, ways[name]


def view_of(random, shape):
    """What is written: the copy, or a view of it, and the view's shape."""
    kind = int(random.integers(4))
    if kind == 0 and len(shape) > 1:
        return (lambda x: x.T), shape[::-1]
    if kind == 1:
        start = int(random.integers(shape[0] // 2))
        length = len(range(start, shape[0], 2))
        return (lambda x: x[start::2]), (length, *shape[1:])
    return (lambda x: x), shape


def test_a_plan_copies_what_the_run_copies():
    by_page, wrong = 0, []
    for seed in range(SEEDS):
        random = np.random.default_rng(seed)
        shape = SHAPES[int(random.integers(len(SHAPES)))]
        view, its_shape = view_of(random, shape)
        name, write = write_of(random, its_shape)
        planned, copied = copied_by(write, shape, view)
        if planned != copied:
            wrong.append((seed, name, its_shape, planned, copied))
        by_page += copied > N * 8  # with the base
    assert not wrong
    assert by_page > SEEDS / 3
