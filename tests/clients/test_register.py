"""`cowarray.register()` enters our arrays with libraries once they are imported, imports none, and says where it fails.

Each case is a program of its own: what a process has registered stays so. It is one file because one call
enters them all.
"""

import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest
from support.limits import LONGEST

# What each library does once it knows our arrays, and does not do before.
EFFECTS = {
    "autograd": """
        import autograd.numpy as anp
        from autograd import grad
        gradient = grad(lambda a: anp.sum(a ** 2))(x)
        assert type(gradient) is cowarray.ndarray and gradient.tolist() == [2, 4, 6]
    """,
    "bottleneck": """
        import bottleneck
        from bottleneck import nonreduce
        copy, snapshot = x.copy(), x.to_numpy()
        bottleneck.replace(x[:2], 2, 7), bottleneck.replace(a=x, old=3, new=8)
        assert x.tolist() == [1, 7, 8] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
        plain = np.ones(2)
        bottleneck.replace(plain, 1, 2)
        assert plain.tolist() == [2, 2] and cowarray.shares_bytes(x, x.copy())  # no pin is left
        x.flags.writeable = False
        kept = x.copy()
        try:
            bottleneck.replace(x, 1, 9)  # which does not ask for the flag
        except ValueError:
            assert x.tolist() == kept.tolist() == [1, 7, 8]
        else:
            raise AssertionError
        assert nonreduce.replace is bottleneck.replace is pickle.loads(pickle.dumps(bottleneck.replace))
    """,
    "cv2": """
        import cv2
        image = cowarray.zeros((9, 9), dtype=np.uint8)
        copy, snapshot, out = image.copy(), image.to_numpy(), cowarray.zeros((9, 9), dtype=np.uint8)
        assert cv2.rectangle(image, (2, 2), (4, 4), 7, -1) is image and image.sum() == 9 * 7
        assert copy.sum() == snapshot.sum() == 0 and cowarray.shares_bytes(image, image.copy())  # no pin is left
        level, result = cv2.threshold(image, 5, 255, cv2.THRESH_BINARY, dst=out)
        assert level == 5 and result is out and out.sum() == 9 * 255
        assert cv2.calcHist([image], [0], None, [2], [0, 256]).max() == 81 and cv2.norm(x, x) == 0
        kept = [1]
        kept.append(kept)
        seen = []
        cowarray._tools.frameless.lending_aliases(lambda *each: seen.extend(each))(kept, 2)
        assert seen[0] is kept
        image.flags.writeable = False
        try:
            cv2.circle(image, (1, 1), 1, 1)
        except cv2.error:
            assert image.sum() == 9 * 7
        else:
            raise AssertionError
        assert cv2.flip(image, 0).sum() == 9 * 7 and cv2.flip(np.ones((2, 2)), 0).sum() == 4
        assert pickle.loads(pickle.dumps(cv2.flip)) is cv2.flip

        class Filter:
            flip = cv2.flip  # a function of C is no method

        assert Filter().flip(image, 0).sum() == Filter.flip(src=image, flipCode=0).sum() == 9 * 7
        assert "flip(src, flipCode" in pydoc.render_doc(cv2.flip)
    """,
    "dask": """
        import dask.array as da
        joined = np.concatenate([x, da.ones(3, chunks=3)]).compute()
        assert type(joined) is cowarray.ndarray and joined.tolist() == [1, 2, 3, 1, 1, 1]
    """,
    "einops": """
        import einops
        repeated = einops.repeat(x, "a -> (two a)", two=2)
        assert type(repeated) is cowarray.ndarray and repeated.tolist() == [1, 2, 3] * 2
    """,
    "h5py": """
        import h5py
        file = h5py.File("here.h5", "w", driver="core", backing_store=False)
        table, copy, snapshot, where = file.create_dataset("table", data=x * 2), x.copy(), x.to_numpy(), x > 1.5
        assert table[where].tolist() == [4, 6] and table.astype("f4")[where].tolist() == [4, 6]
        table[where] = x[where]
        assert table[:].tolist() == [2, 2, 3]
        table.read_direct(x)
        assert x.tolist() == [2, 2, 3] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
        table.read_direct(x[1:], np.s_[:2], dest_sel=np.s_[:2]), table.write_direct(copy)
        assert x.tolist() == [2, 2, 2] and table[:].tolist() == [1, 2, 3] and cowarray.shares_bytes(x, x.copy())
        table[cowarray.array([0, 2])] = 9
        assert table[:].tolist() == [9, 2, 9]
        file.attrs["names"] = cowarray.array(["a", "b"], dtype=object)
        assert file.attrs["names"].tolist() == ["a", "b"]
        x.flags.writeable = False
        try:
            table.read_direct(x)
        except TypeError as error:
            assert "writable" in str(error) and x.tolist() == [2, 2, 2]
        else:
            raise AssertionError
    """,
    "jax": """
        import jax
        gradient = jax.grad(lambda a: (a ** 2).sum())(x)
        assert isinstance(gradient, jax.Array) and gradient.tolist() == [2, 4, 6]
        square, where, few = jax.numpy.arange(9.0).reshape(3, 3), x > 1.5, cowarray.array([0, 2])
        assert square[where, 0].tolist() == [3, 6] and square[few].sum() == 24
        assert square.at[where].set(0).sum() == 3 and jax.jit(lambda a: a[few, 1])(square).tolist() == [1, 7]
    """,
    "lightgbm": """
        import lightgbm
        few = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_threads": 1, "deterministic": True}
        of = lambda guess, data: (x - x + guess - data.get_label(), cowarray.ones(3))

        def trained(m, y, objective):
            made = lightgbm.Dataset([m, m[:0]], y, weight=y, init_score=y)
            return lightgbm.train({**few, "objective": objective}, made, 2).predict(m).tolist()

        for objective in ("regression", of):
            assert trained(x.reshape(3, 1), x, objective) == trained(np.array(x).reshape(3, 1), np.array(x), objective)
    """,
    "numba": """
        import numba

        @numba.njit
        def double(a):
            for i in range(a.shape[0]):
                a[i] *= 2

        copy, snapshot = x.copy(), x.to_numpy()
        double(x)
        assert x.tolist() == [2, 4, 6] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
    """,
    "pandas": """
        import pandas as pd
        copy, where = x.copy(), x > 1.5
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
        for rows in (frame[where], frame.loc[where], frame.iloc[where], frame[["a", "b"]].iloc[where, [0, 1]]):
            assert rows.a.tolist() == [2, 3]
        assert frame.a[where].tolist() == frame.a.iloc[where].tolist() == [2, 3]
        ones = cowarray.ones((3, 2))
        assert frame.groupby(where).b.sum().tolist() == [4, 11]
        assert frame.groupby([where, "a"]).b.sum().tolist() == [4, 5, 6]
        assert frame.set_index(x).loc[2.0, "b"] == 5
        assert frame.merge(frame, left_on=x, right_on="a").b_y.tolist() == [4, 5, 6]
        assert (frame * ones).equals(frame) and frame.eq(ones).a.tolist() == [True, False, False]
        square = frame.assign(b=[7, 8, 9]), cowarray.array([[1, 2], [3, 4], [5, 6]])
        for chosen in (square[0].where(square[1] > 9, square[1]), square[0].mask(square[1] < 9, other=square[1])):
            assert chosen.values.tolist() == [[1, 2], [3, 4], [5, 6]]
        days = cowarray.array(["2020-01-01", "2020-01-03"], dtype="M8[ns]")
        assert pd.Series(days).searchsorted(days).tolist() == [0, 1]
        drawn = [frame.a.sample(2, random_state=each).tolist() for each in (where, np.array(where))]
        assert drawn[0] == drawn[1]
        assert pd.factorize(x)[0].tolist() == [0, 1, 2] and pd.unique(x).tolist() == [1, 2, 3]
        assert pd.Index(x).delete(cowarray.array([0, 1])).tolist() == [3] and pd.array(x)[where].tolist() == [2, 3]
        assert list(pd.DataFrame.from_records(cowarray.array([(1, 2.0)], dtype="i4,f8"))) == ["f0", "f1"]
        assert list(pd.DataFrame(cowarray.array([(1, 2.0)], dtype="i4,f8"))) == ["f0", "f1"]
        frame.loc[where, "a"] = x[where] * 10
        assert frame.a.tolist() == [1, 20, 30] and x.tolist() == copy.tolist() == [1, 2, 3]
        for function in (pd.factorize, pd.unique, pd.merge, pd.DataFrame.groupby):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
    "polars": """
        import polars as pl
        gaps, where, number = cowarray.array([1, np.nan, 3]), x > 1.5, cowarray.array([0, 2])
        assert pl.Series(gaps, nan_to_null=True).to_list() == [1, None, 3]
        assert pl.Series(x, dtype=pl.Float32).dtype == pl.Float32
        frame = pl.DataFrame({"x": x})
        assert frame[number]["x"].to_list() == [1, 3] and frame.filter(where)["x"].to_list() == [2, 3]
        assert frame.lazy().filter(where).collect()["x"].to_list() == [2, 3]
        assert frame["x"].search_sorted(x).to_list() == [0, 1, 2]
        added, doubled = frame.select(pl.col("x") + x)["x"], frame.select(pl.lit(x) * 2)["literal"]
        for sums in (frame["x"] + x, x + frame["x"], added, doubled):
            assert sums.to_list() == [2, 4, 6]
        assert frame.with_columns(y=x)["y"].to_list() == [1, 2, 3] and pl.DataFrame(x.reshape(3, 1)).shape == (3, 1)
        series, copy = pl.Series(x), x.copy()
        x[0] = 9
        assert series.to_list() == copy.tolist() == [1, 2, 3]
        assert pl.from_records([copy, copy]).shape == (3, 2)
        for nest in (
            *(lambda n: pl.DataFrame([{"a": n}] * 2), lambda n: pl.from_dicts([{"a": n}] * 2)),
            *(lambda n: pl.DataFrame([[n, 1]] * 2, orient="row"), lambda n: pl.DataFrame({"a": [{"b": {"c": n}}]})),
            *(lambda n: pl.Series([[n], [n]]).to_frame(), lambda n: pl.Series([(n, n)]).to_frame()),
            lambda n: pl.select(pl.lit({"a": n})),
        ):
            assert nest(copy).equals(nest(np.array(copy))) and nest(copy).schema == nest(np.array(copy)).schema
        for function in (pl.lit, pl.from_records, pl.from_dicts):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
    "pyarrow": """
        import pyarrow as pa
        gaps, where = cowarray.array([1, np.nan, 3]), x > 1.5
        assert pa.array(gaps, from_pandas=True).to_pylist() == [1, None, 3]
        assert pa.array(x, mask=where).to_pylist() == pa.array(np.array(x), mask=where).to_pylist() == [1, None, None]
        assert pa.array([x, x]).to_pylist() == [[1, 2, 3]] * 2
        swapped = cowarray.array([1, 2, 3], dtype=">i4")  # of NumPy's it takes none
        for nest in (
            *(lambda n: [{"a": n}] * 2, lambda n: [[n], [n]], lambda n: [(n,)], lambda n: [{"a": {"b": [n]}}]),
            lambda n: [[swapped if n is x else n]],
        ):
            assert pa.array(nest(x)).to_pylist() == pa.array(nest(np.array(x))).to_pylist()
        assert pa.scalar(x).as_py() == pa.scalar({"a": x})["a"].as_py() == [1, 2, 3]
        own = []
        own.append(own)
        assert cowarray._tools.frameless.numpys(own) is own
        kept, copy = pa.array(x), x.copy()
        x[0] = 9
        assert kept.to_pylist() == copy.tolist() == [1, 2, 3]
        assert pa.array(swapped).to_pylist() == [1, 2, 3] and pa.array(swapped, mask=where)[2].as_py() is None
        with cowarray.aliasing():
            assert pa.array(swapped, pa.int64()).to_pylist() == [1, 2, 3]
        numbers, table = pa.array([1, 2, 3]), pa.table({"x": x})
        assert numbers.filter(where).to_pylist() == [2, 3]
        assert numbers.take(cowarray.array([0, 2])).to_pylist() == [1, 3]
        assert table.filter(where)["x"].to_pylist() == [2, 3]
        import pyarrow.compute as pc
        assert pc.add(x, numbers).to_pylist() == pc.add(numbers, np.array(x)).to_pylist()
        assert pc.quantile(copy, q=cowarray.array([0.5])).to_pylist() == [2]
        assert pc.call_function("add", [copy, numbers]).to_pylist() == pc.add(copy, numbers).to_pylist() == [2, 4, 6]
        for function in (pa.array, pa.scalar, pc.add, pc.call_function):
            assert pickle.loads(pickle.dumps(function)) is function
    """,
    "netCDF4": """
        import netCDF4
        with netCDF4.Dataset("here.nc", "w", diskless=True) as file:
            file.createDimension("n", 3), file.createDimension("m", None)
            variable, grid = file.createVariable("a", "f8", ("n",)), file.createVariable("b", "f4", ("m", "n"))
            ragged = file.createVariable("c", file.createVLType("i4", "row"), ("m",))
            variable[:], copy = x, x.copy()
            x[0] = 9
            assert np.asarray(variable[:]).tolist() == copy.tolist() == [1, 2, 3]
            variable[cowarray.array([True, False, True])] = x[:2]
            assert np.asarray(variable[:]).tolist() == [9, 2, 2] and np.ma.isMA(variable[x > 2])
            grid[0], grid[1:3, ::2] = x, cowarray.ones((2, 2))
            assert grid[:].tolist() == [[9, 2, 3], [1, None, 1], [1, None, 1]]
            rows = np.empty(2, object)
            rows[0], rows[1] = cowarray.arange(2, dtype="i4"), np.arange(3, dtype="i4")
            ragged[:2], ragged[2] = rows, cowarray.arange(4, dtype="i4")
            assert [each.tolist() for each in ragged[:]] == [[0, 1], [0, 1, 2], [0, 1, 2, 3]]
            assert type(rows[0]) is cowarray.ndarray
            for wrong, error in (
                (lambda: variable.__delitem__(0), NotImplementedError),
                (lambda: variable.__setitem__("no", x), IndexError),
            ):
                try:
                    wrong()
                except error:
                    pass
                else:
                    raise AssertionError
    """,
    "scipy": """
        from scipy.sparse.linalg import aslinearoperator, cg, eigsh
        matrix = cowarray.array(np.diag([1.0, 2.0, 4.0]))
        assert aslinearoperator(matrix).matvec(x).tolist() == [1, 4, 12]
        assert np.allclose(cg(matrix, x)[0], [1, 1, 0.75]) and np.allclose(eigsh(matrix, 1)[0], [4])
        assert pickle.loads(pickle.dumps(aslinearoperator)) is aslinearoperator
    """,
    "scipy.ndimage": """
        from scipy import ndimage
        from scipy.ndimage import gaussian_filter
        n = np.arange(25.0).reshape(5, 5) % 3
        for name, given, kind in (
            *(("gaussian_filter", (1,), "f8"), ("sobel", (), "f8"), ("zoom", (1,), "f4"), ("spline_filter", (), "f8")),
            *(("generic_filter", (np.max, 3), "f8"), ("binary_erosion", (), "?"), ("label", (), "i4")),
            *(("fourier_gaussian", (1,), "c16"), ("map_coordinates", ([[1.0], [2]],), "f8")),
        ):
            shape = 1 if name == "map_coordinates" else (5, 5)
            theirs, ours = np.zeros(shape, kind), cowarray.zeros(shape, dtype=kind)
            copy, snapshot = ours.copy(), ours.to_numpy()
            told = getattr(ndimage, name)(n, *given, output=theirs)
            said = getattr(ndimage, name)(cowarray.array(n), *given, output=ours)
            assert ours.tolist() == theirs.tolist() and not copy.any() and not snapshot.any(), name
            assert said is ours if told is theirs else np.all(said == told), name
            assert cowarray.shares_bytes(ours, ours.copy())  # no pin is left
        distances, indices = cowarray.zeros((5, 5)), cowarray.zeros((2, 5, 5), dtype="i4")
        assert ndimage.distance_transform_edt(n, None, True, True, distances, indices) is None
        assert distances.max() > 0 and indices.max() == 4
        image, kept = cowarray.array(n), cowarray.array(n)
        assert gaussian_filter(image, 1, 0, image) is image and np.allclose(image, gaussian_filter(n, 1))
        assert gaussian_filter(kept, 1, output=np.float32).dtype == np.float32
        image.flags.writeable = False
        try:
            gaussian_filter(n, 1, output=image)
        except ValueError:
            assert np.allclose(image, gaussian_filter(n, 1))
        else:
            raise AssertionError
        assert pickle.loads(pickle.dumps(gaussian_filter)) is gaussian_filter is ndimage.gaussian_filter
    """,
    "torch": """
        import torch
        from torch.utils.data import DataLoader

        copy, fixed = x.copy(), x[1:].copy()
        fixed.flags.writeable = False
        for tensor in (torch.from_numpy(x), torch.asarray(x), torch.asarray(obj=x, dtype=torch.float64)):
            tensor += 1
        assert x.tolist() == tensor.tolist() == [4, 5, 6] and copy.tolist() == [1, 2, 3]
        for tensor in (torch.from_numpy(fixed), torch.asarray(fixed)):
            tensor += 1
            assert tensor.tolist() == [3, 4] and fixed.tolist() == [2, 3]
        assert torch.asarray(np.ones(2)).tolist() == torch.asarray([1.0, 1.0]).tolist() == [1, 1]
        kept = x.copy()
        tensor = torch.asarray(x, copy=True)
        tensor += 1
        assert x.tolist() == [4, 5, 6] and tensor.tolist() == [5, 6, 7] and cowarray.shares_bytes(x, kept)
        batch, = DataLoader(cowarray.array(np.arange(4.0).reshape(2, 2)), batch_size=2)
        assert batch.tolist() == [[0, 1], [2, 3]] and batch.dtype == torch.float64
    """,
}
BEGINNING = """
import pickle
import pydoc
import sys
import warnings
warnings.simplefilter("error", RuntimeWarning)
import numpy as np
import cowarray
x = cowarray.array([1.0, 2.0, 3.0])
"""
NONE_IMPORTED = f"assert not {set(EFFECTS)} & set(sys.modules)\n"


def program(*parts):
    """Run parts of a program one after the other; its output and status."""
    text = "".join(textwrap.dedent(part) + "\n" for part in (BEGINNING, *parts))
    return subprocess.run(
        [sys.executable, "-B", "-c", text], capture_output=True, text=True, timeout=LONGEST,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


def passes(*parts):
    done = program(*parts)
    assert done.returncode == 0, done.stderr
    return done.stdout


TORCH_ALONE = """
import pickle
import torch
from torch.overrides import TorchFunctionMode, resolve_name

class Followed(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append((resolve_name(function), function in torch.overrides.get_ignored_functions()))
        return function(*args, **(kwargs or {}))

n = np.ones(2)
with torch.device("meta"):
    print(torch.asarray([1.0]).device, torch.asarray(n).device, torch.zeros(1).device)
torch.set_default_device("meta")
print(torch.asarray(n).device, torch.asarray([1, 2]).device)
torch.set_default_device(None)
with Followed() as followed:
    print(torch.asarray([1.0]), torch.from_numpy(n))
print(followed.seen)
for function in (torch.from_numpy, torch.asarray):
    print(function.__name__, function.__module__, pickle.loads(pickle.dumps(function)) is function)
tensor = torch.from_numpy(n)
tensor += 1
print(n)
"""


@pytest.mark.parametrize("when", ["before torch", "after torch"])
def test_torch_does_with_its_own_and_numpys_what_it_did(when):
    need("torch")
    parts = ["cowarray.register()"] if when == "before torch" else ["import torch", "cowarray.register()"]
    assert passes(*parts, TORCH_ALONE) == passes(TORCH_ALONE) != ""


PANDAS_ALONE = """
import pandas as pd

frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
def write():
    own = frame["b"]
    own[0] = 1.0
    frame["c"] = 1
    frame.loc[0, "b"] = 2.0
    frame["a"][0] = 5
    frame["a"].loc[0] = 5
    frame.loc[0:1]["a"] = 9
    frame.__setitem__(key="d", value=1)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    write()
    frame.merge(pd.DataFrame({"a": [1.5, 2.5]}), on="a")
print([(each.category.__name__, each.filename) for each in told], frame)
"""


@pytest.mark.parametrize("when", ["before pandas", "after pandas"])
def test_pandas_warns_of_the_callers_own_lines_as_it_did(when):
    need("pandas")
    parts = ["cowarray.register()"] if when == "before pandas" else ["import pandas", "cowarray.register()"]
    done = passes(*parts, PANDAS_ALONE)
    assert done == passes(PANDAS_ALONE)
    assert "<string>" in done


# Calls with what is no array of ours: what a library is called here, and the calls.
ORDINARY = {
    "cv2": ("cv2", "cv2.flip(n, 0), cv2.rectangle(m, (1, 1), (2, 2), (1, 2, 3)), cv2.merge([n, n])"),
    "pandas": ("pd", "pd.Series(many), pd.Series(n) + n, pd.DataFrame({'a': n})[['a']], pd.factorize(n)"),
    "polars": ("pl", "pl.Series(many), pl.Series(n) + n, pl.lit(3), pl.DataFrame({'a': n})['a']"),
    "pyarrow": ("pa", "pa.array(many), pa.array(n, mask=n > 1)"),
}


@pytest.mark.parametrize("library", ORDINARY)
def test_what_is_no_array_of_ours_takes_no_step_of_python(library):
    need(library)
    name, calls = ORDINARY[library]
    passes(
        f"import {library} as {name}",
        "cowarray.register()",
        f"""
        steps, many, n, m = 0, list(range(1000)), np.arange(3.0), np.ones((9, 9))

        def count(frame, event, arg):
            global steps
            steps += "cowarray" in frame.f_code.co_filename

        {calls}
        sys.setprofile(count)
        {calls}
        sys.setprofile(None)
        assert steps == 0, steps
        """,
    )


def need(library):
    if importlib.util.find_spec(library.partition(".")[0]) is None:
        pytest.skip(f"{library} is not installed; it comes with cowarray[clients]")


@pytest.mark.parametrize("library", EFFECTS)
def test_without_it_the_library_does_not_know_our_arrays(library):
    need(library)
    assert program(EFFECTS[library]).returncode != 0


@pytest.mark.parametrize("library", EFFECTS)
def test_a_library_imported_later(library):
    need(library)
    passes("cowarray.register()", NONE_IMPORTED, EFFECTS[library])


@pytest.mark.parametrize("library", EFFECTS)
def test_a_library_imported_before(library):
    need(library)
    passes(f"import {library}", "cowarray.register()", EFFECTS[library])


@pytest.mark.parametrize("library", EFFECTS)
def test_any_number_of_calls(library):
    need(library)
    passes("cowarray.register(); cowarray.register()", EFFECTS[library], "cowarray.register()")


def test_nothing_is_imported():
    passes(
        NONE_IMPORTED,
        """
        before = set(sys.modules)
        cowarray.register()
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        assert new <= {"cowarray", "numpy"}, new
        """,
        NONE_IMPORTED,
    )


def test_a_part_of_scipy_whose_import_somebody_prevents_is_passed_over():
    passes(
        """
        import types
        solvers = sys.modules["scipy.sparse.linalg"] = types.ModuleType("scipy.sparse.linalg")
        solvers.aslinearoperator = type
        sys.modules["scipy.io"] = None
        from cowarray._tools.neighbours import buffers
        buffers.scipy()
        assert solvers.aslinearoperator(x) is np.ndarray
        """
    )


def test_dasks_list_has_it_once():
    need("dask")
    passes(
        "import dask.array",
        "for _ in range(3): cowarray.register()",
        "assert dask.array.chunk_types._HANDLED_CHUNK_TYPES.count(cowarray.ndarray) == 1",
    )


# ---- the finder, with packages made for it ---------------------------------------------------------------------------

# A package whose `inner` module takes as long as it is told to, and a door that notes who came.
STAGE = """
import pathlib, tempfile, threading, time
from cowarray._tools import registering
folder = tempfile.mkdtemp()
package = pathlib.Path(folder, "slow")
package.mkdir()
(package / "__init__.py").write_text("")
(package / "data.txt").write_text("data")
(package / "inner.py").write_text("import sys; sys.delay(); done = True")
sys.delay = lambda: time.sleep(0.3)
sys.path.insert(0, folder)
entered = []
registering._WAITING.clear()
registering._WAITING["slow.inner"] = lambda: entered.append(sys.modules["slow.inner"].done)
"""


def test_a_door_is_entered_after_the_module_has_run_and_once():
    passes(
        STAGE,
        """
        cowarray.register()
        import slow
        assert entered == []
        import slow.inner
        assert entered == [True]
        import importlib
        importlib.reload(slow.inner)
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_threads_that_import_and_register_at_once_enter_it_once():
    passes(
        STAGE,
        """
        begin = threading.Barrier(8)
        def act(number):
            begin.wait()
            if number % 2:
                import slow.inner
                assert slow.inner.done
            cowarray.register()
        threads = [threading.Thread(target=act, args=(i,)) for i in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_a_module_that_another_thread_is_importing_is_entered_when_it_is_done():
    passes(
        STAGE,
        """
        begun, goes_on = threading.Event(), threading.Event()
        sys.delay = lambda: begun.set() or goes_on.wait()
        thread = threading.Thread(target=__import__, args=("slow.inner",))
        thread.start()
        begun.wait()
        cowarray.register()
        assert entered == []
        goes_on.set()
        thread.join()
        import wave
        assert entered == [True]
        """,
    )


def test_register_may_be_called_by_the_module_itself():
    passes(
        STAGE,
        """
        (package / "inner.py").write_text("import cowarray; cowarray.register(); done = True")
        import slow.inner
        assert entered == []
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_the_module_has_its_own_loader():
    passes(
        STAGE,
        """
        cowarray.register()
        import importlib.machinery, importlib.resources, importlib.util, inspect
        found = importlib.util.find_spec("slow.inner")
        assert found.origin.endswith("inner.py") and "delay" in found.loader.get_source("slow.inner")
        assert entered == [] and "slow.inner" not in sys.modules
        import slow.inner
        assert type(slow.inner.__loader__) is type(slow.inner.__spec__.loader) is importlib.machinery.SourceFileLoader
        assert "delay" in inspect.getsource(slow.inner)
        assert importlib.resources.files("slow").joinpath("data.txt").read_text() == "data"
        """,
    )


def test_the_finder_leaves_when_nobody_is_waited_for():
    passes(
        STAGE,
        """
        cowarray.register()
        assert registering._FINDER is sys.meta_path[0]
        import slow.inner
        cowarray.register()
        assert registering._FINDER not in sys.meta_path
        """,
    )


def test_a_module_that_fails_to_import_is_entered_when_it_succeeds():
    passes(
        STAGE,
        """
        text = (package / "inner.py").read_text()
        (package / "inner.py").write_text("raise ValueError('not today')")
        cowarray.register()
        try:
            import slow.inner
        except ValueError:
            pass
        assert entered == []
        (package / "inner.py").write_text(text + "# another size")
        import slow.inner
        assert entered == [True]
        """,
    )


def test_a_door_that_is_gone_is_a_warning_and_the_import_goes_on():
    passes(
        STAGE,
        """
        def gone():
            raise AttributeError("no such list")
        registering._WAITING["slow.inner"] = gone
        cowarray.register()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            import slow.inner
        assert slow.inner.done
        [warning] = told
        assert "slow does not take cowarray's arrays: AttributeError: no such list" in str(warning.message)
        """,
    )


def test_what_is_not_installed_is_not_missed():
    passes(
        STAGE,
        """
        registering._WAITING["no_such_package"] = lambda: entered.append(1)
        cowarray.register()
        try:
            import no_such_package
        except ModuleNotFoundError as error:
            assert error.name == "no_such_package"
        else:
            raise AssertionError
        """,
    )


# ---- numba: what compiled code reads and writes ----------------------------------------------------------------------

LAYOUTS = """
import numba

@numba.njit
def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * (i + 10 * j)
    return s

@numba.njit
def negate(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = -a[i, j]

cowarray.register()
base = np.arange(24.0).reshape(6, 4)
views = [
    lambda b: b, lambda b: b.T, lambda b: b[::2], lambda b: b[:, 1:3], lambda b: b.T[1:3], lambda b: b[::-1],
    lambda b: b[1:5], lambda b: b[:5, :3], lambda b: b[1:2, :],
]
"""


def test_numba_reads_every_layout_writable_and_not_in_any_order():
    need("numba")
    passes(
        LAYOUTS,
        """
        for _ in range(2):
            for view in [*views, *reversed(views)]:
                for readonly in (False, True):
                    y = view(cowarray.array(base))
                    y.flags.writeable = not readonly
                    assert total(y) == total(view(base)), (view(base).strides, readonly)
        """,
    )


def test_numba_writes_every_layout_and_no_copy():
    need("numba")
    passes(
        LAYOUTS,
        """
        for view in [*views, *reversed(views)]:
            n, y = base.copy(), cowarray.array(base)
            copy, snapshot = y.copy(), y.to_numpy()
            negate(view(n)), negate(view(y))
            assert y.tolist() == n.tolist()
            assert copy.tolist() == snapshot.tolist() == base.tolist()
        """,
    )


def test_numba_does_not_write_to_a_read_only_array():
    need("numba")
    passes(
        LAYOUTS,
        """
        y = cowarray.array(base)
        negate(y)
        y.flags.writeable = False
        try:
            negate(y)
        except numba.TypingError as error:
            assert "readonly" in str(error)
        else:
            raise AssertionError
        assert y.tolist() == (-base).tolist()
        """,
    )


def test_numba_reads_a_read_only_array_without_a_copy():
    need("numba")
    passes(
        LAYOUTS,
        """
        y = cowarray.array(np.arange(1e6).reshape(1000, 1000))
        held = y.copy()
        y.flags.writeable = False
        total(y)
        cowarray.reset_stats()
        total(y)
        assert cowarray.stats()["bytes_copied"] == 0 and cowarray.shares_bytes(y, held)
        """,
    )


def test_numba_lets_go_of_what_it_was_given():
    need("numba")
    passes(
        LAYOUTS,
        """
        import gc, weakref
        y = cowarray.array(base)
        total(y)
        gc.collect()
        assert cowarray.shares_bytes(y, y.copy())  # no pin is left
        storage = weakref.ref(y.storage)
        del y
        gc.collect()
        assert storage() is None
        """,
    )


def test_what_numba_has_no_type_for_is_its_error():
    need("numba")
    done = program(LAYOUTS, "total(cowarray.array([[object()]]))")
    assert "TypingError" in done.stderr


DECLARED = """
import numba
cowarray.register()
from cowarray import sqrt
from cowarray.linalg import norm

@numba.njit("void(float64[:])")
def put(a):
    a[0] = 99.0

@numba.njit(["float64(float64[:, :])", "float64(float64[::1])", "float64(UniTuple(float64[:], 2))"])
def first(a):
    return a[0][0] if isinstance(a, tuple) else a.flat[0]

@numba.njit("float64(float64[:], optional(float64[:]))")
def total(a, b):
    return a.sum() if b is None else a.sum() + b.sum()

x, n = cowarray.array([4.0, 5.0, 6.0]), np.array([4.0, 5.0, 6.0])
"""


def test_numba_takes_arrays_where_types_are_declared():
    need("numba")
    passes(
        DECLARED,
        """
        copy = x.copy()
        put(x), put(n)
        assert x.tolist() == n.tolist() == [99, 5, 6] and copy.tolist() == [4, 5, 6]
        assert total(x, None) == total(n, None) == 110 and total(x, x) == total(n, x) == total(x, n) == 220
        assert first(copy) == first(copy.reshape(3, 1)) == first((copy, copy)) == 4
        x.flags.writeable = False
        for wrong in (x, x.astype("f4"), x.reshape(1, 3)):
            try:
                put(wrong)
            except TypeError as error:
                assert "No matching definition" in str(error)
            else:
                raise AssertionError
        """,
    )


def test_functions_of_cowarray_are_numpys_where_numba_compiles():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def length(a):
            return norm(sqrt(a))

        assert length(x) == length(n) and abs(length(x) - np.linalg.norm(np.sqrt(n))) < 1e-12
        """,
    )


def test_numba_may_give_one_of_ours_or_one_of_its_own():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def later(a, times):
            for _ in range(times):
                a = a + 1
            return a

        assert [later(x, times).tolist() for times in (0, 2)] == [[4, 5, 6], [6, 7, 8]] and x.tolist() == [4, 5, 6]
        """,
    )


def test_numba_puts_arrays_of_its_own_into_a_list_of_ours():
    need("numba")
    passes(
        DECLARED,
        """
        @numba.njit
        def grow(arrays):
            arrays[0] = arrays[0] + 1
            arrays.append(arrays[0] * 2)
            arrays.append(arrays[1][::-1].copy())
            return arrays[-1][0]

        warnings.simplefilter("ignore")  # such lists are to go from numba
        ours, theirs = [x, x.copy()], [n, n.copy()]
        assert grow(ours) == grow(theirs) == 6
        assert [each.tolist() for each in ours] == [each.tolist() for each in theirs] and x.tolist() == [4, 5, 6]
        """,
    )


def test_what_numba_has_no_dtype_for_is_an_object_to_it():
    need("numba")
    passes(
        DECLARED,
        """
        swapped = cowarray.ones(3, dtype=">f8")
        assert numba.jit(lambda a: a.sum(), forceobj=True)(swapped) == 3
        try:
            put(swapped)
        except TypeError as error:
            assert "No matching definition" in str(error)
        else:
            raise AssertionError
        """,
    )


def test_what_an_export_for_numba_raises_is_raised():
    need("numba")
    passes(
        DECLARED,
        """
        inferred = numba.njit(lambda a: a[0])
        inferred(x), put(x)
        copy = x.copy()
        for function in (inferred, put):
            try:
                with cowarray.no_copy():
                    function(x)
            except cowarray.CopyError:
                pass
            else:
                raise AssertionError
        assert x[0] == copy[0] == 99 and inferred(x) == 99
        """,
    )


def test_what_numba_keeps_in_files_is_kept_apart(tmp_path):
    need("numba")
    (tmp_path / "kept.py").write_text(
        "import numba\n@numba.njit('f8(f8[:])', cache=True)\ndef total(a): return a.sum()\n"
    )
    plain = (
        f"import numpy as np, sys; sys.path.insert(0, {str(tmp_path)!r}); import kept; print(kept.total(np.ones(3)))"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", plain], capture_output=True, text=True)
        assert done.stdout == "3.0\n", done.stderr
        passes(
            "cowarray.register()",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import kept; assert kept.total(cowarray.ones(3)) == 3",
        )


@pytest.mark.parametrize("options", [(), ("--aliasing",)])
def test_a_program_that_is_run_has_numba_compile_its_numpy(tmp_path, options):
    need("numba")
    (tmp_path / "program.py").write_text("""
import numba
import numpy as np

TABLE = np.arange(4.0)

@numba.njit
def looked_up(x):
    x[0] = np.sqrt(TABLE[2] ** 4)
    return np.sum(x) + np.linalg.norm(x)

@numba.vectorize
def raised(a):
    return a + np.pi

x = np.ones(3)
copy = x.copy()
print(looked_up(x), x.tolist(), copy.tolist(), raised(x).tolist(), looked_up(np.ones(3)[::2]))
""")
    ours, theirs = (
        subprocess.run(
            [sys.executable, *command, "program.py"],
            cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, check=False,
        )
        for command in (("-m", "cowarray", "run", *options), ())
    )  # fmt: skip
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, 0)


def test_the_backend_of_einops_takes_arrays_from_numpy_and_gives_them_back():
    passes("""
        from types import ModuleType
        from cowarray._tools.neighbours import tensors
        backends = sys.modules["einops._backends"] = ModuleType("einops._backends")
        sys.modules["einops"] = ModuleType("einops")
        class AbstractBackend: ...
        backends.AbstractBackend = AbstractBackend
        tensors.einops()
        [backend] = [made() for made in AbstractBackend.__subclasses__()]
        taken = backend.from_numpy(np.arange(3))
        assert type(taken) is cowarray.ndarray and taken.tolist() == [0, 1, 2]
        given = backend.to_numpy(taken)
        assert type(given) is np.ndarray and given.tolist() == [0, 1, 2]
    """)
