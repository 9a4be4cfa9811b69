"""What several tests of pages need."""

import gc

import pytest
from paged import pages_again

import cowarray as ca


@pytest.fixture
def eager():
    """Page from the first copy on; nothing of it is left behind."""
    before = ca.paging("eager", small_pages=True)
    yield
    gc.collect()
    ca.paging(before, small_pages=False)


@pytest.fixture(scope="module")
def can_page():
    """Whether this machine grants what pages need."""
    before = ca.paging("eager", small_pages=True)
    try:
        return pages_again(64)
    finally:
        ca.paging(before, small_pages=False)


@pytest.fixture
def pages(can_page):
    if not can_page:
        pytest.skip("the system grants no memory by the page")
    if not pages_again(256):
        pytest.fail("the skips do not end")
