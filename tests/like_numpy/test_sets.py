"""Set functions: NumPy's results, as ours, but for unique_values, which is sorted; operands are only read."""

import numpy as np
import pytest
from support.oracle import same

import cowarray


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u8", "f4", "f8", "D", "U2", "O"])
def test_unique_values_are_sorted_and_nans_are_distinct(dtype):
    values = np.random.default_rng(3).integers(0, 90, 400).astype(dtype)
    given = cowarray.array(values)
    expected = np.unique(values)
    same(cowarray.unique_values(given), expected)
    for result in (cowarray.unique_all(given), cowarray.unique_counts(given), cowarray.unique_inverse(given)):
        same(result.values, expected)
    if expected.dtype.kind in "fc":
        assert np.isnan(cowarray.unique_values([np.nan, 1, np.nan])).sum() == 2


def test_unique_may_be_left_unsorted():
    values = np.random.default_rng(3).integers(0, 90, 400)
    for sorted_ in (False, True):
        result = cowarray.unique(cowarray.array(values), sorted=sorted_)
        assert type(result) is cowarray.ndarray
        assert sorted(result.tolist()) == np.unique(values).tolist()
