"""docs/libraries.md says what the uses say: no use without its row, no row without its use, and true counts."""

from dataclasses import replace

import pytest
from client_uses import INPUTS, NEEDS_ASARRAY, NEEDS_LEND, REFUSED, SILENT, VERDICTS, names
from page import PAGE, clients, recorded, text

# The libraries of the promise, by what is imported.
PROMISED = [
    "PIL", "array_api_compat", "array_api_extra", "astropy", "autograd", "bottleneck", "cv2", "dask",
    "einops", "h5py", "jax", "joblib", "lightgbm", "matplotlib", "multiprocessing", "netCDF4", "networkx",
    "numba", "numexpr", "pandas", "polars", "pyarrow", "ray", "scipy", "seaborn", "skimage", "sklearn",
    "statsmodels", "sympy", "torch", "xarray", "xgboost", "zarr",
]  # fmt: skip


def test_the_page_is_of_the_uses():
    page = PAGE.read_text()
    assert text(clients(), recorded(page)) == page, "run: make clients"


def test_a_change_of_a_use_is_a_change_of_the_page():
    page = PAGE.read_text()
    first, *others = clients()
    changed = replace(first, uses=[replace(first.uses[0], verdict=REFUSED), *first.uses[1:]])
    assert text([changed, *others], recorded(page)) != page
    assert text([replace(first, uses=first.uses[1:]), *others], recorded(page)) != page
    with pytest.raises(KeyError):
        text([replace(first, uses=[replace(first.uses[0], code="x"), *first.uses[1:]]), *others], recorded(page))


def test_every_promised_library_is_there():
    assert sorted({client.package for client in clients()}, key=str) == sorted(PROMISED)


def test_titles_and_lines_are_told_apart():
    titles = [client.title for client in clients()]
    assert len(titles) == len(set(titles))
    for client in clients():
        lines = [item.code for item in client.uses]
        assert len(lines) == len(set(lines)), client.title
        assert len(lines) >= 3, client.title


@pytest.mark.parametrize("client", clients(), ids=lambda client: client.title)
def test_each_use_takes_an_array_and_says_what_to_write_instead(client):
    for item in client.uses:
        assert names(item.code), f"{item.code}: no array of {', '.join(INPUTS)} is handed in"
        assert item.verdict in VERDICTS
        if item.verdict in (NEEDS_ASARRAY, NEEDS_LEND, SILENT):
            assert item.instead, item.code


def test_each_input_is_handed_in_somewhere():
    assert set(INPUTS) == {name for client in clients() for item in client.uses for name in names(item.code)}
