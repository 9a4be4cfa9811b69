"""`wrap` puts our arrays into xarray's objects, `to_numpy` takes them out, and all else stays as it was."""

import re

import numpy as np
import pytest
from support.sources import ROOT

import cowarray

xr = pytest.importorskip("xarray", reason="xarray is not installed; it comes with cowarray[clients]")


def dataset():
    shared = np.arange(4.0)
    return xr.Dataset(
        {"x": (("a", "b"), np.ones((3, 4)), {"unit": "m"}), "y": ("b", shared), "z": ("b", shared), "k": 5},
        coords={
            "a": [1, 2, 3],
            "lon": ("b", np.arange(4.0), {"unit": "deg"}),
            "time": ("b", np.arange(4).astype("M8[ns]")),
        },
        attrs={"title": "made"},
    )


def variables(obj):
    return {
        name: obj.variables[name] if isinstance(obj, xr.Dataset) else obj.coords[name].variable for name in obj.coords
    }


@pytest.mark.parametrize("make", [dataset, lambda: dataset().x, lambda: dataset().z.rename(None)])
def test_there_and_back_nothing_is_lost(make):
    given = make()
    wrapped = cowarray.wrap({"here": given})["here"]
    assert type(wrapped) is type(given)
    xr.testing.assert_identical(cowarray.to_numpy(wrapped), given)
    assert list(wrapped.coords) == list(given.coords)
    assert {name: type(variable.data) for name, variable in variables(wrapped).items() if name != "a"} == {
        name: cowarray.ndarray for name in wrapped.coords if name != "a"
    }
    assert wrapped.xindexes.keys() == given.xindexes.keys()


def test_a_wrapped_dataset_is_a_snapshot():
    state = cowarray.wrap(dataset())
    with cowarray.no_copy():
        before = cowarray.wrap(state)
    assert cowarray.shares_bytes(state.lon.data, before.lon.data)
    kept = cowarray.to_numpy(before).copy(deep=True)
    state.x[0, 0] = 9
    state["y"] += 1
    state.lon[0] = -1
    state.time[0] = np.datetime64("2020-01-01", "ns")
    xr.testing.assert_identical(cowarray.to_numpy(before), kept)
    assert (float(state.x[0, 0]), float(state.y[0]), float(state.lon[0])) == (9, 1, -1)
    given = dataset()
    wrapped = cowarray.wrap(given)
    given.x[0, 0] = 9
    assert float(wrapped.x[0, 0]) == 1


def test_variables_and_what_is_not_in_memory(tmp_path):
    variable = cowarray.wrap(xr.Variable("a", np.ones(3), {"unit": "m"}))
    assert (type(variable.data), variable.attrs) == (cowarray.ndarray, {"unit": "m"})
    dask = pytest.importorskip("dask.array", reason="dask is not installed; it comes with cowarray[clients]")
    lazy = xr.DataArray(dask.ones(4, chunks=2), dims="a", coords={"lon": ("a", np.arange(4.0))})
    wrapped = cowarray.wrap(lazy)
    assert wrapped.chunks == ((2, 2),)
    assert type(wrapped.lon.data) is cowarray.ndarray
    assert cowarray.wrap(xr.Dataset({"x": lazy})).x.chunks == ((2, 2),)
    xr.Dataset({"x": ("a", np.arange(4.0))}).to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "x.nc", engine="scipy") as stored:
        assert type(cowarray.wrap(stored).x.variable._data) is type(stored.x.variable._data)
        assert not stored.x.variable._in_memory
        assert type(cowarray.wrap(stored.load()).x.data) is cowarray.ndarray


def test_an_array_in_two_variables_is_one_array_still():
    n = np.zeros(3)
    first, second = xr.Variable("a", n), xr.Variable("a", n)
    made = cowarray.wrap([first, second, n])
    assert made[0].data.storage is made[1].data.storage is made[2].storage


def test_the_example_of_the_page_is_so(capsys):
    page = (ROOT / "docs" / "interop.md").read_text()
    (code,) = re.findall(r"^```python\n(import numpy as np\nimport xarray.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "5.0 0.0 ndarray\n"
