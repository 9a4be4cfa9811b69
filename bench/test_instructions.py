"""No hot path takes more instructions than recorded: counts, without timing.

`python bench/instructions.py` renews the figures.
"""

import os

import instructions
import pytest


def test_hot_paths_take_no_more_instructions():
    if not os.environ.get("COWARRAY_INSTRUCTIONS"):
        pytest.skip("counts depend on how the extensions were built: ask for them with COWARRAY_INSTRUCTIONS=1")
    if reason := instructions.cannot() or instructions.not_comparable():
        pytest.skip(reason)
    grown = instructions.check()
    assert not grown, "\n".join(grown)
