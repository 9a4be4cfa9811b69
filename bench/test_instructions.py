"""No hot path takes more instructions than it did: counts, and no timing.

`python bench/instructions.py` renews the figures.
"""

import instructions
import pytest


def test_hot_paths_take_no_more_instructions():
    if reason := instructions.cannot() or instructions.not_comparable():
        pytest.skip(reason)
    grown = instructions.check()
    assert not grown, "\n".join(grown)
