"""What does a copy cost that nobody writes to? It should not depend on the size."""

import pytest
from paired import GIB, KIB, MIB, Way, numbers, pick, show, sizes
from peers import ours, pandas_of, torch, torch_of

SIZES = (8, 80, 512, 4 * KIB, 32 * KIB, 256 * KIB, 2 * MIB, 16 * MIB, 128 * MIB, GIB)
TEN = "numpy copy of 10 elements"
FLAT = 1.1  # "the same" at 80 B and at 1 GiB


@pytest.mark.parametrize("size", sizes(*SIZES, arrays=6))
@pytest.mark.parametrize("who", ["cowarray", TEN, "numpy", "torch", "torch clone", "pandas"])
def test_lazy_clone(compare, who, size):
    def ways():
        n = numbers(size)
        t = torch_of(n)
        return {
            "cowarray": Way("y = x.lazy_clone()", x=ours(n), gives="y"),
            TEN: Way("y = ten.copy()", ten=numbers(80)),
            "numpy": Way("y = n.copy()", n=n, gives="y"),
            "torch": Way("y = t._lazy_clone()", t=t, gives="y"),
            "torch clone": Way("y = t.clone()", t=t, gives="y"),
            "pandas": Way("y = s.copy(deep=False)", s=pandas_of(n), gives="y"),
        }

    compare(
        who, ways, question="lazy clone", case=show(size), targets={"torch": 0.16, TEN: 0.7}, size=size, copied_limit=0
    )


@pytest.mark.parametrize("size", sizes(GIB, arrays=2))
@pytest.mark.parametrize("who", ["cowarray", "cowarray 80 B"])
def test_lazy_clones_cost_the_same(compare, who, size):
    """Of a large array and of a small one, in the same rounds."""

    def ways():
        return {
            "cowarray": Way("y = x.lazy_clone()", x=ours(numbers(size)), gives="y"),
            "cowarray 80 B": Way("y = x.lazy_clone()", x=ours(numbers(80))),
        }

    case = f"{show(size)} against 80 B"
    compare(who, ways, question="lazy clone", case=case, targets={"cowarray 80 B": FLAT}, copied_limit=0)


# cowarray's call, and NumPy's view in its place.
COPIES = {
    "reshape(r, c)": ("x.reshape(r, c)", "reshape(r, c)"),
    "reshape(-1)": ("x.reshape(-1)", "reshape(-1)"),
    "copy()": ("x.copy()", "reshape(-1)"),
}


@pytest.mark.parametrize("size", sizes(16, GIB, arrays=5))
@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("who", ["cowarray", "numpy view", "torch", "torch from_numpy"])
def test_copies_against_a_view(compare, who, copy, size):
    """Whatever the operation is, the peer is NumPy's reshape to a view."""

    def ways():
        n = numbers(size).reshape(pick(1024, 2) if size >= MIB else 2, -1)
        own, shape = COPIES[copy]
        t = torch_of(n)
        call = "_lazy_clone()" if copy == "copy()" else shape
        names = {"r": 2, "c": n.size // 2, "gives": "y"}
        return {
            "cowarray": Way(f"y = {own}", x=ours(n), **names),
            "numpy view": Way(f"y = n.{shape}", n=n, **names),
            "torch": Way(f"y = t.{call}", t=t, **names),
            "torch from_numpy": Way(f"y = torch.from_numpy(n).{shape}", n=n, torch=torch, **names),
        }

    compare(
        who,
        ways,
        question="copies against a view",
        case=f"x.{copy}, {show(size)}",
        targets={"numpy view": 0.95} if size >= MIB else {},
        size=size,
        copied_limit=0,
    )
