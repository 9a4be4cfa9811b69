"""What does the library add to a NumPy operation? Small arrays show it; 16 MiB should not."""

import math

import pytest
from paired import MIB, Way, numbers, pick
from peers import ours, torch_of

OPERATIONS = {
    "a + b": "r = a + b",
    "a += b": "a += b",
    "a.sum()": "r = a.sum()",
    "a[i]": "r = a[i]",
    "a[i] = v": "a[i] = v",
    "a[1:3]": "r = a[1:3]",
    "a == b": "r = a == b",
    "a @ b": "r = a @ b",
}
SIZES = {"10 elements": 10, "1,000 elements": 1000, "16 MiB": 2 * MIB}


def data(length):
    n = numbers(8 * pick(length, min(length, 1000)))
    return n, n[::-1].copy()


def way(statement, a, b):
    # Bound before the clock starts, so that ``a += b`` and the others find their operands in the same way.
    before = "a, b, i, v = operands()"
    gives = statement.split()[0].partition("[")[0]
    return Way(statement, before=before, gives=gives, operands=lambda: (a, b, 3, 1.5))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch"])
def test_operator(compare, who, operation, size):
    def ways():
        a, b = data(SIZES[size])
        return {
            "cowarray": way(OPERATIONS[operation], ours(a), ours(b)),
            "numpy": way(OPERATIONS[operation], a, b),
            "torch": way(OPERATIONS[operation], torch_of(a), torch_of(b)),
        }

    limit, mean = (1.05, 1.05) if size == "16 MiB" else (1.6, 1.25)
    compare(
        who,
        ways,
        question=f"operations on {size}",
        case=operation,
        targets={"numpy": limit},
        mean_target=mean,
        copied_limit=0,
    )


@pytest.mark.parametrize("length", [10, 100, 1000])
@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_small_copies_that_are_written(compare, who, length):
    """What a search in game trees and a resampling of particles do: a block for each, and no pages."""

    def ways():
        a, b = data(length)
        statement = "y = a.copy(); y[i] = v"
        return {"cowarray": way(statement, ours(a), ours(b)), "numpy": way(statement, a, b)}

    limit = 1.1 if length == 1000 else 1.25
    compare(who, ways, question="small copies, written", case=f"{length:,} elements", targets={"numpy": limit})


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("function", ["np.add(a, b)", "cowarray.add(a, b)"])
@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_add_as_a_function(compare, who, function, size):
    """Against np.add of NumPy's arrays. NumPy's question to the array costs as much as its small add."""

    def ways():
        a, b = data(SIZES[size])
        return {"cowarray": way(f"r = {function}", ours(a), ours(b)), "numpy": way("r = np.add(a, b)", a, b)}

    limit = 1.05 if size == "16 MiB" else 2.3 if function == "np.add(a, b)" else 1.5
    compare(
        who,
        ways,
        question=f"functions on {size}",
        case=function,
        targets={"numpy": limit},
        copied_limit=0,
    )


def test_the_results_are_those_of_numpy():
    """What the statements above compute, written out once more by hand: a benchmark of the wrong thing is quick."""
    a, b = data(1000)
    assert math.isclose(float(ours(a).sum()), float(a.sum()))
    assert float(ours(a) @ ours(b)) == float(a @ b)
