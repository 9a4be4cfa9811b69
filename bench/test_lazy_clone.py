"""What does a copy cost that nobody writes to? It should not depend on the size."""

import pytest
from paired import GIB, KIB, MIB, Way, numbers, pick, show, sizes
from peers import ours, pandas_of, torch, torch_of

SIZES = (8, 80, 512, 4 * KIB, 32 * KIB, 256 * KIB, 2 * MIB, 16 * MIB, 128 * MIB, GIB)
TEN = "numpy copy of 10 elements"


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
        who, ways, question="lazy clone", case=show(size), targets={"torch": 0.25, TEN: 1.0}, size=size, copied_limit=0
    )


COPIES = {"reshape(r, c)": "reshape(2, -1)", "reshape(-1)": "reshape(-1)", "copy()": "copy()"}


@pytest.mark.parametrize("size", sizes(16, GIB, arrays=5))
@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("who", ["cowarray", "numpy view", "torch", "torch from_numpy"])
def test_copies_against_a_view(compare, who, copy, size):
    """Whatever ours is, the peer is NumPy's reshape to a view."""

    def ways():
        n = numbers(size).reshape(pick(1024, 2) if size >= MIB else 2, -1)
        shape = "reshape(2, -1)" if copy == "reshape(r, c)" else "reshape(-1)"
        t = torch_of(n)
        call = {"copy()": "_lazy_clone()"}.get(copy, shape)
        return {
            "cowarray": Way(f"y = x.{COPIES[copy]}", x=ours(n), gives="y"),
            "numpy view": Way(f"y = n.{shape}", n=n, gives="y"),
            "torch": Way(f"y = t.{call}", t=t, gives="y"),
            "torch from_numpy": Way(
                f"y = from_numpy(n).{shape}", n=n, from_numpy=torch and torch.from_numpy, gives="y"
            ),
        }

    compare(
        who,
        ways,
        question="copies against a view",
        case=f"x.{copy}, {show(size)}",
        targets={"numpy view": 1.0} if size >= MIB else {},
        size=size,
        copied_limit=0,
    )
