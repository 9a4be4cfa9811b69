"""Examples print what they print in a program of their own: there the first copies are whole, by the ledger."""

import pytest

import cowarray


@pytest.fixture(autouse=True)
def whole_copies():
    """What other tests in the process have copied has paid for pages."""
    before = cowarray.paging("off")
    yield
    cowarray.paging(before)
