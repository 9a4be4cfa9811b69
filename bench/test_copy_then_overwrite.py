"""What does a copy cost if every byte of it is then replaced? None of it needs to be copied."""

import pytest
from paired import GIB, MIB, Way, numbers, show, sizes
from peers import ours, pandas_of, torch, torch_of

# How each of them says it; {copy} is its copy of x.
OVERWRITES = {
    "b[...] = 0": ("b = {copy}; b[...] = 0", "b = {copy}; b.iloc[:] = 0.0"),
    "np.add(x, y, out=b)": ("b = {copy}; np.add(x, y, out=b)", "b = {copy}; b[:] = x + y"),
}


@pytest.mark.parametrize("size", sizes(MIB, 64 * MIB, GIB, arrays=8))
@pytest.mark.parametrize("overwrite", OVERWRITES)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone", "pandas"])
def test_copy_then_overwrite(compare, who, overwrite, size):
    plain, for_pandas = OVERWRITES[overwrite]

    def ways():
        n = numbers(size)
        m = n[::-1].copy()
        x, y = ours(n), ours(m)
        t, u = torch_of(n), torch_of(m)
        s, r = pandas_of(n), pandas_of(m)
        in_torch = plain.replace("np.", "torch.")
        return {
            "cowarray": Way(plain.format(copy="x.copy()"), x=x, y=y, gives="b"),
            "numpy": Way(plain.format(copy="x.copy()"), x=n, y=m, gives="b"),
            "torch": Way(in_torch.format(copy="x._lazy_clone()"), x=t, y=u, torch=torch, gives="b"),
            "torch clone": Way(in_torch.format(copy="x.clone()"), x=t, y=u, torch=torch, gives="b"),
            "pandas": Way(for_pandas.format(copy="x.copy(deep=False)"), x=s, y=r, gives="b"),
        }

    compare(
        who,
        ways,
        question="copy, then overwrite",
        case=f"{overwrite}, {show(size)}",
        targets={"numpy": 0.75},
        size=size,
        copied_limit=0,
        copied_target=True,
    )
