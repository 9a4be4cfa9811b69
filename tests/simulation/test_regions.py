"""Sets of bytes do what Python's sets do."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cowarray._modes.simulate.regions import Region

pytestmark = pytest.mark.sanitized

RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda pair: (pair[0], sum(pair))), max_size=8)


def as_set(region):
    return {byte for start, stop in region for byte in range(start, stop)}


def is_settled(region):
    ranges = list(region)
    assert all(start < stop for start, stop in ranges)
    assert all(one[1] < next_one[0] for one, next_one in itertools.pairwise(ranges)), "two ranges touch"
    return True


@settings(max_examples=400)
@given(RANGES, RANGES, st.integers(0, 9))
def test_they_do_what_sets_of_bytes_do(one, other, by):
    a, b = Region(one), Region(other)
    first = {byte for start, stop in one for byte in range(start, stop)}
    second = {byte for start, stop in other for byte in range(start, stop)}
    assert as_set(a) == first
    for made, wanted in (
        (a & b, first & second),
        (a | b, first | second),
        (a - b, first - second),
        (a.moved(by), {byte + by for byte in first}),
    ):
        assert as_set(made) == wanted
        assert is_settled(made)
    assert a.meets(b) == bool(first & second)


@settings(max_examples=400)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-5, 5)), max_size=4),
    st.integers(1, 4),
)
def test_a_box_has_the_bytes_of_its_elements(axes, width):
    shape = tuple(length for length, _ in axes)
    strides = tuple(8 * step for _, step in axes)
    starts = np.full((), 1000)
    for length, step in zip(shape, strides, strict=True):
        starts = starts[..., None] + np.arange(length) * step
    region = Region.of_box(1000, shape, strides, width)
    assert as_set(region) == {start + byte for start in starts.ravel().tolist() for byte in range(width)}
    assert is_settled(region)


def test_a_box_of_many_ranges_becomes_coarser_and_loses_none():
    fine = Region.of_box(0, (1000,), (16,), 8)
    assert len(fine) == 1000
    coarse = Region.of_box(0, (100, 100), (1600 + 64, 16), 8)
    assert len(coarse) == 100  # one range a row: the gaps within rows are the smallest
    assert list(coarse)[1] == (1664, 1664 + 99 * 16 + 8)
    huge = Region.of_box(0, (10**12,), (16,), 8)
    assert list(huge) == [(0, 16 * (10**12 - 1) + 8)]


def test_a_union_of_many_ranges_stays_within_the_bound():
    region = Region()
    for start in range(0, 10**6, 100):
        region = region | Region([(start, start + 8)])
    assert len(region) <= 4096
    assert as_set(region) >= {start + 7 for start in range(0, 10**6, 100)}
