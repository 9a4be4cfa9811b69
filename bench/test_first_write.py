"""What does a copy cost that is then written to? The lazy copy and the write together: neither is of use alone."""

import pytest
from paired import GIB, KIB, MIB, Way, numbers, show, sizes
from peers import ours, pandas_of, torch_of

SIZES = (8, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB)


@pytest.mark.parametrize("size", sizes(*SIZES, arrays=6))
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone", "pandas"])
def test_first_write(compare, who, size):
    def ways():
        n = numbers(size)
        t = torch_of(n)
        return {
            "cowarray": Way("y = x.lazy_clone(); y[0] = 5", x=ours(n), gives="y"),
            "numpy": Way("y = np.copy(n); y[0] = 5", n=n, gives="y"),
            "torch": Way("y = t._lazy_clone(); y[0] = 5", t=t, gives="y"),
            "torch clone": Way("y = t.clone(); y[0] = 5", t=t, gives="y"),
            "pandas": Way("y = s.copy(deep=False); y.iloc[0] = 5", s=pandas_of(n), gives="y"),
        }

    targets = {"numpy": 1.1, **({"torch": 0.5} if size >= 64 * MIB else {})} if size >= 4 * KIB else {}
    compare(
        who,
        ways,
        question="first write after a lazy clone",
        case=show(size),
        targets=targets,
        size=size,
        copied_limit=max(8, size),
    )


@pytest.mark.parametrize("size", sizes(4 * KIB, MIB, 64 * MIB, arrays=4))
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch"])
def test_write_of_the_last_sharer(compare, who, size):
    """The source is gone, so the copy steals its bytes. In NumPy it has been copied, and that is not timed."""

    def ways():
        n = numbers(size)
        t = torch_of(n)
        return {
            "cowarray": Way(
                "y[0] = 5", before="z = x.lazy_clone(); z[0] = 1; y = z.lazy_clone(); del z", x=ours(n), once=True
            ),
            "numpy": Way("y[0] = 5", before="z = n.copy(); z[0] = 1; y = z.copy(); del z", n=n, once=True),
            "torch": Way("y[0] = 5", before="z = t.clone(); y = z._lazy_clone(); del z", t=t, once=True),
        }

    compare(who, ways, question="write of the last sharer", case=show(size), size=size, seconds=0.5, copied_limit=size)
