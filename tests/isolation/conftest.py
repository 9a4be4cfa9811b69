"""What several tests of isolation need."""

import pytest

import cowarray

N = 1 << 20  # of float64: 8 MiB, from which pages are shared


@pytest.fixture
def can_page():
    """With small pages: whether there are huge ones depends on what else runs."""
    paging = cowarray.paging("ledger", small_pages=True)
    try:
        if cowarray.zeros(N).by_page().storage.own_nbytes == 8 * N:
            pytest.skip("the system grants no pages")
        yield
    finally:
        cowarray.paging(paging, small_pages=False)
