"""What does a large result cost? Fresh pages are most of it, so memory that was used before is what decides.

In a cache it is how the result is aligned.
"""

import pytest
from paired import KIB, MIB, Way, numbers, show, sizes
from peers import ours

EXPRESSIONS = {"a * 2 + 1": "r = a * 2 + 1", "a + b": "r = a + b", "(a - b) ** 2": "r = (a - b) ** 2"}


@pytest.mark.parametrize(
    "size", sizes(128 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 32 * MIB, 64 * MIB, 256 * MIB, arrays=8)
)
@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_large_result(compare, who, expression, size):
    def ways():
        n = numbers(size)
        m = n[::-1].copy()
        statement = EXPRESSIONS[expression]
        return {
            "cowarray": Way(statement, a=ours(n), b=ours(m), gives="r"),
            "numpy": Way(statement, a=n, b=m, gives="r"),
        }

    compare(
        who,
        ways,
        question="large results",
        case=f"{expression}, {show(size)}",
        targets={"numpy": 1.0},
        size=size,
        copied_limit=0,
    )
