"""Sizes as text: what is read is what was meant, and nothing else is taken for a size."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cowarray
from cowarray._modes.common.sizes import nbytes_of, readable, whole_nbytes


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("0", 0),
        ("4096", 4096),
        ("4096 B", 4096),
        ("12 bytes", 12),
        ("8GiB", 8 << 30),
        ("8 GiB", 8 << 30),
        (" 8 gib ", 8 << 30),
        ("500 MB", 500_000_000),
        ("1.5 KiB", 1536),
        (".5 kB", 500),
        ("2.TiB", 2 << 40),
        ("1 PB", 10**15),
        ("1 EiB", 1 << 60),
        ("0.0001 kB", 0),
        (7, 7),
        (1e9, 10**9),
        (np.float32(4096), 4096),
        (np.int64(1 << 40), 1 << 40),
    ],
)
def test_a_size_is_read(text, nbytes):
    assert nbytes_of(text) == nbytes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GiB",
        "8 GX",
        "8 Gi",
        "-1",
        "8 GiB x",
        "1e3",
        "1.2.3 MB",
        "٣",
        "8\u00a0",
        "inf",
        -1,
        -1.0,
        1.5,
        float("nan"),
        float("inf"),
    ],
)
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match=r"^small must be bytes, .* as in '8 GiB' .*got "):
        nbytes_of(text, "small")


@pytest.mark.parametrize("value", [True, np.True_, None, b"8 GiB", 1j, [1]], ids=repr)
def test_what_is_neither_a_number_nor_text_is_of_the_wrong_type(value):
    with pytest.raises(TypeError, match=r"^a size must be bytes, .* as in '8 GiB' .*got "):
        nbytes_of(value)


class Index:
    def __index__(self):
        return 4096


@pytest.mark.parametrize(
    "size", [4096, np.int64(4096), np.uint8(0), np.array(4096), Index()], ids=lambda size: type(size).__name__
)
def test_a_whole_number_of_bytes_is_any_integer(size):
    assert whole_nbytes(size, "real") == operator.index(size)
    assert type(whole_nbytes(size, "real")) is int
    cowarray.fake(real=size)
    cowarray.deferred(at_least=size)
    before = cowarray.paging(size)
    try:
        assert cowarray.paging() == operator.index(size)
    finally:
        cowarray.paging(before)


def test_an_integer_is_asked_once():
    class Asked:
        def __init__(self):
            self.answers = iter([4096])

        def __index__(self):
            return next(self.answers)

    assert whole_nbytes(Asked(), "real") == 4096
    before = cowarray.paging(Asked())
    assert cowarray.paging(before) == 4096
    assert cowarray.keep_freed(cowarray.keep_freed(Asked())) == 4096


@pytest.mark.parametrize("size", [-1, np.int64(-1), True, np.True_, 4096.0, np.float64(1), "4096", None], ids=repr)
def test_what_is_no_whole_number_of_bytes_is_refused(size):
    for take in (lambda size: cowarray.fake(real=size), lambda size: cowarray.deferred(at_least=size)):
        with pytest.raises(ValueError, match="must be an integer from 0 on, a number of bytes"):
            take(size)
    if size is not None:
        with pytest.raises((TypeError, ValueError), match=r"^paging: "):
            cowarray.paging(size)


@given(st.integers(0, 2**70))
def test_integers_are_read_exactly_however_large(nbytes):
    assert nbytes_of(str(nbytes)) == nbytes_of(nbytes) == nbytes


@given(st.integers(0, 2**69))
def test_a_size_that_is_shown_is_short_and_nearly_right(nbytes):
    text = readable(nbytes)
    number, unit = text.split(" ")
    assert float(number) < 1024
    assert len(number) <= 6
    assert abs(nbytes_of(text) - nbytes) <= 0.05 * nbytes_of(f"1 {unit}") * (1 + 1e-9) + 1


def test_sizes_are_shown_in_units_of_1024():
    shown = [readable(n) for n in (0, 1023, 1024, 1536, (1 << 20) - 1, 1 << 20, 1 << 40, 1 << 60)]
    assert shown == ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "1.0 MiB", "1.0 TiB", "1.0 EiB"]
