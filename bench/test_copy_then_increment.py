"""What does ``b = x.copy(); b += 1`` cost? NumPy goes over the memory twice, once is enough.

There are three ways to treat freed memory: none is kept, it is reused, or every result lives on and none is freed.
NumPy uses the C library's way in all three, which returns blocks of this size to the system.
"""

import pytest
from paired import GIB, MIB, Way, numbers, show, sizes
from peers import ours, pandas_of, torch_of

KEPT = 3  # results that stay alive
MODES = {"no reuse": (0, 0.80), "reuse": (4 * GIB, 0.55), "results kept alive": (0, 0.80)}


@pytest.mark.parametrize("size", sizes(64 * MIB, 256 * MIB, GIB, arrays=4 + KEPT))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone", "pandas"])
def test_copy_then_increment(compare, who, mode, size):
    keep, target = MODES[mode]

    def way(copy, **names):
        once = f"b = {copy}; b += 1"
        if mode == "results kept alive":
            return Way(
                "\n".join([once, "kept.append(b)"] * KEPT), before="kept = []", once=True, per=KEPT, gives="b", **names
            )
        return Way(once, once=True, gives="b", **names)

    def ways():
        n = numbers(size)
        t = torch_of(n)
        return {
            "cowarray": way("x.copy()", x=ours(n)),
            "numpy": way("n.copy()", n=n),
            "torch": way("t._lazy_clone()", t=t),
            "torch clone": way("t.clone()", t=t),
            "pandas": way("s.copy(deep=False)", s=pandas_of(n)),
        }

    compare(
        who,
        ways,
        question="copy, then increment",
        case=f"{show(size)}, {mode}",
        targets={"numpy": target},
        keep=keep,
        size=size,
        copied_limit=0,
    )
