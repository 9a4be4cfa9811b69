"""No test leaves a lease, a frozen file, a socket or a thread behind."""

import threading

import pytest
from support.descriptors import left, wait_until

import cowarray as ca


@pytest.fixture(autouse=True)
def nothing_is_left():
    paging = ca.paging("ledger", small_pages=True)  # where no huge pages can be had, or not soon enough, as well
    before = left()
    yield
    ca.paging(paging, small_pages=False)
    wait_until(lambda: all(now <= then for now, then in zip(left(), before, strict=True)))
    wait_until(lambda: all(thread.name != "cowarray" for thread in threading.enumerate()))
