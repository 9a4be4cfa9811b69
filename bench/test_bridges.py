"""What does it cost to come from NumPy and to go back? Nothing is copied, so the peers are buffers without a copy."""

import pytest
from paired import MIB, Way, numbers, show, sizes
from peers import MISSING, ours, pandas, torch

BRIDGES = {
    "asarray(n, copy=False)": ("y = cowarray.asarray(n, copy=False)", "y = np.asarray(memoryview(n))", "numpy"),
    "np.asarray(x)": ("y = np.asarray(x)", "y = np.asarray(memoryview(n))", "numpy"),
    "memoryview(x)": ("y = memoryview(x)", "y = memoryview(n)", "numpy"),
    "torch.from_dlpack(x)": ("y = torch.from_dlpack(x)", "y = torch.from_dlpack(n)", "torch from_dlpack"),
}


@pytest.mark.parametrize("size", sizes(80, 16 * MIB))
@pytest.mark.parametrize("bridge", BRIDGES)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch from_dlpack", "torch from_numpy", "pandas"])
def test_bridge(compare, who, bridge, size):
    own, theirs, peer = BRIDGES[bridge]
    skip = MISSING.get("torch") if bridge == "torch.from_dlpack(x)" else None

    def ways():
        n = numbers(size)
        names = {"x": ours(n), "n": n, "torch": torch, "pandas": pandas}
        found = {
            "cowarray": Way(own, gives="y", **names),
            "numpy": Way("y = np.asarray(memoryview(n))", gives="y", **names),
            "torch from_numpy": Way("y = torch.from_numpy(n)", gives="y", **names),
            "torch from_dlpack": Way("y = torch.from_dlpack(n)", gives="y", **names),
            "pandas": Way("y = pandas.Series(n, copy=False)", gives="y", **names),
        }
        found[peer] = Way(theirs, gives="y", **names)
        return found

    compare(
        who,
        ways,
        question="conversions",
        case=f"{bridge}, {show(size)}",
        targets={peer: 1.5},
        size=size,
        copied_limit=0,
        skip=skip,
    )


@pytest.mark.parametrize("size", sizes(16 * MIB))
@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_way_back_after_a_write(compare, who, size):
    """A snapshot for each step of a program that reads with NumPy what it wrote with cowarray."""

    def ways():
        n = numbers(size)
        return {
            "cowarray": Way("x[0] = 1; r = np.asarray(x)[:100].sum()", x=ours(n), gives="r"),
            "numpy": Way("x[0] = 1; r = np.asarray(memoryview(x))[:100].sum()", x=n, gives="r"),
        }

    case = f"x[0] = 1, then np.asarray(x), {show(size)}"
    compare(who, ways, question="conversions", case=case, size=size)
