"""The prices of paging are measured with the core's own functions, and a table that is too cheap is found."""

import shutil

import prices
import pytest


def test_the_table_is_read():
    assert {kind: set(row) for kind, row in prices.table().items()} == {
        "huge": {"fill", "page"},
        "small": {"fill", "page"},
    }
    assert all(1 <= price <= 8 for row in prices.table().values() for price in row.values())


def test_a_price_of_more_than_twice_the_table_is_found():
    expected = prices.table()
    twice = {kind: {what: 2 * price for what, price in row.items()} for kind, row in expected.items()}
    assert prices.check(twice, expected) == []
    twice["huge"]["page"] += 0.01
    assert prices.check(twice, expected) == [("huge", "page")]


def test_prices_are_measured():
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    measured = prices.measure(prices.compiled(), 4, 3)
    if not measured:
        pytest.skip("the system grants no bases")
    assert all(price > 0 for row in measured.values() for price in row.values())
    assert set(measured) <= set(prices.KINDS)
