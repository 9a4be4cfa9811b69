"""What does ``asarray(n).reshape(r, c)`` cost, from NumPy's array to an independent value in another shape?"""

import pytest
from paired import GIB, MIB, Way, numbers, show, sizes
from peers import ours, torch

import cowarray

# cowarray's statement, NumPy's, and the highest acceptable ratio.
HEADLINES = {
    "asarray(n).reshape(r, c)": ("y = asarray(n).reshape(r, c)", "y = n.reshape(r, c).copy()", 1.1),
    "asarray(n, copy=False).reshape(r, c)": ("y = asarray(n, copy=False).reshape(r, c)", "y = n.reshape(r, c)", 2.0),
}


@pytest.mark.parametrize("size", sizes(80, MIB, 16 * MIB, 128 * MIB, GIB, arrays=5))
@pytest.mark.parametrize("headline", HEADLINES)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch from_numpy"])
def test_headline(compare, who, headline, size):
    own, theirs, target = HEADLINES[headline]
    with_copy = ".clone()" if "copy=False" not in headline else ""

    def ways():
        n = numbers(size)
        names = {"n": n, "r": 2, "c": n.size // 2, "gives": "y"}
        return {
            "cowarray": Way(own, asarray=cowarray.asarray, **names),
            "numpy": Way(theirs, **names),
            "torch from_numpy": Way(f"y = torch.from_numpy(n).reshape(r, c){with_copy}", torch=torch, **names),
        }

    compare(who, ways, question="headline", case=f"{headline}, {show(size)}", targets={"numpy": target}, size=size)


@pytest.mark.parametrize("size", sizes(16 * MIB, arrays=5))
@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_function_that_must_not_change_its_argument(compare, who, size):
    """Normalizes its argument and returns it: the defensive copy that many libraries make."""

    def ways():
        n = numbers(size)
        statement = "y = x.copy(); y -= 1.0; y /= 2.0"
        return {"cowarray": Way(statement, x=ours(n), gives="y"), "numpy": Way(statement, x=n, gives="y")}

    compare(who, ways, question="headline", case=f"y = x.copy(); y -= 1; y /= 2, {show(size)}", size=size)
