"""What several tests of versions need."""

import pytest


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "history"
