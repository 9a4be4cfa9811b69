"""`verify`: bytes that come back are compared with those that left, but for bytes that mean nothing."""

import ctypes

import numpy as np
import pytest

import cowarray

PADDED = np.dtype([("a", "u1"), ("b", "f8")], align=True)
N = 1000


def dirty():
    """Leave memory in which something was, for those who ask for some next."""
    for _ in range(8):
        cowarray.full(N * 16, 255, "u1")
        np.full(N * 16, 255, "u1")


@pytest.fixture
def run():
    with cowarray.budget("16 MiB", small=0, verify=True) as run:
        yield run


def test_other_bytes_that_come_back_are_noticed(run):
    x = cowarray.arange(1.0 * N)
    y = x + 1
    cowarray.evict(y)
    # Nobody else does this: write where the bytes of a constant lie.
    ctypes.memset(np.asarray(x).__array_interface__["data"][0], 65, 8)
    with pytest.raises(RuntimeError, match="other bytes came back"):
        y.tolist()


def test_what_is_empty_is_zero_and_comes_back_so(run):
    dirty()
    made = [
        cowarray.empty(N),
        cowarray.empty((10, N // 10), "i4", "F"),
        cowarray.empty_like(cowarray.ones(N)),
        np.empty_like(cowarray.ones(N)),
        cowarray.array_api.empty(N),
        cowarray.empty(N, "S5"),
        cowarray.empty(N, PADDED),
    ]
    for x in made:
        assert x.tobytes() == bytes(x.nbytes)
        x[:1] = 1
        wanted = x.tobytes()
        cowarray.evict(x)
        dirty()
        assert x.tobytes() == wanted
    assert made[1].flags.f_contiguous


@pytest.mark.parametrize(
    "make",
    [
        lambda x, where: np.add(x, 1, where=where),
        lambda x, where: np.divmod(x, 3, out=(None, cowarray.zeros(N)), where=where)[0],
        lambda x, where: cowarray.ndarray((N,)),
    ],
)
@pytest.mark.filterwarnings("ignore:'where' used without")
def test_what_nobody_sets_stays(run, make):
    dirty()
    x = make(cowarray.arange(1.0 * N), cowarray.arange(N) % 2 == 0)
    wanted = x.tobytes()
    with pytest.raises(BufferError, match="cannot be made again"):
        cowarray.evict(x)
    assert x.tobytes() == wanted


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.add(x, 1, where=x > 3, out=cowarray.zeros(N)),
        lambda x: np.sum(x.reshape(-1, 10), axis=0, where=x.reshape(-1, 10) > 3),
        lambda x: np.where(x > 3, x, 0),
    ],
)
def test_what_is_set_leaves(run, make):
    x = make(cowarray.arange(1.0 * N))
    wanted = x.tobytes()
    cowarray.evict(x)
    assert x.tobytes() == wanted


@pytest.mark.parametrize("dtype", [PADDED, np.dtype([("x", PADDED, 3), ("y", "u1")], align=True), "g", "G"])
def test_bytes_between_fields_are_not_compared(run, dtype):
    plain = np.zeros(N, dtype)
    x = cowarray.asarray(plain)
    dirty()
    made = [x[cowarray.arange(N)], x.copy(), np.concatenate([x, x]), np.repeat(x, 2), np.roll(x, 1)]
    if plain.dtype.kind in "fc":
        made += [x + 1, np.sqrt(x), x.real.astype("f8").astype(dtype)]
    for each in made:
        each[:5] = each[5:10]
        wanted = repr(each.tolist())  # a text: parts of elements would be views
        cowarray.evict(each)
        dirty()
        assert repr(each.tolist()) == wanted


def test_which_bytes_mean_nothing():
    from cowarray._modes.layouts.dtypes import has_gaps

    assert has_gaps(PADDED)
    assert has_gaps(np.dtype((PADDED, 2)))
    assert has_gaps(np.dtype([("a", PADDED)]))
    assert has_gaps(np.dtype({"names": ["a"], "formats": ["u1"], "offsets": [2]}))
    assert has_gaps(np.dtype({"names": ["a"], "formats": ["u1"], "itemsize": 4}))
    assert not has_gaps(np.dtype([("a", "u1"), ("b", "f8")]))
    assert not has_gaps(np.dtype({"names": ["a", "b"], "formats": ["f8", "u1"], "offsets": [0, 2]}))
    assert not any(has_gaps(np.dtype(char)) for char in "?bBhHiIlLqQefdFDMm")
    assert has_gaps(np.dtype("g")) == (np.dtype("g").itemsize > 8)


def signed_nan(sign):
    return cowarray.asarray(np.copysign(np.full(1, np.nan), sign)) * 1


def test_what_was_written_in_place_is_written_in_place_again(run):
    # Where NumPy writes what it reads, it keeps the second of two NaNs; else the first.
    x = signed_nan(-1)
    y = -x
    y += x
    wanted = y.tobytes()
    cowarray.evict(y)
    assert y.tobytes() == wanted


def test_what_was_copied_for_a_write_is_copied_again(run):
    x = signed_nan(-1)
    y = cowarray.asarray(np.copysign(np.full(1, np.nan), 1))
    before = y + 0
    y += x
    z = y * 1
    wanted = y.tobytes(), z.tobytes()
    for each in (y, z):
        cowarray.evict(each)
    assert (y.tobytes(), z.tobytes()) == wanted
    assert before.tobytes() == np.copysign(np.full(1, np.nan), 1).tobytes()
