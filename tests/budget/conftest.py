"""What several tests of spilling need."""

import pytest

from cowarray._modes.budget.spilling import Spill


@pytest.fixture
def spill(tmp_path):
    return Spill(tmp_path)
