"""PyArrow makes Arrow arrays, tables and files of our arrays."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, SILENT, Client, check, use, uses

CLIENTS = [
    Client(
        "PyArrow",
        "pyarrow",
        """
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.parquet
        """,
        [
            *uses(
                "pa.array(b)",
                "pa.array(x, type=pa.float32())",
                "pa.array(m[:, 0])",
                "pa.py_buffer(x).to_pybytes()",
                "pa.compute.sum(pa.array(x)).as_py()",
                "pa.compute.filter(pa.array(x), pa.array(b))",
                "pa.parquet.write_table(pa.table({'x': x}), f'{folder}/x.parquet'); pa.parquet.read_table(f'{folder}/x.parquet')",
                "pa.scalar(x[0]).as_py()",
                "pa.record_batch({'x': x, 'n': n}).to_pylist()",
                "pa.DictionaryArray.from_arrays(n, pa.array(list('abcdefghij'))).to_pylist()",
                "pa.array(list(m), type=pa.list_(pa.float64()))",
            ),
            *uses(
                "pa.array(x)",
                "pa.array(n)",
                "pa.array(t)",
                "pa.array(x, from_pandas=True)",
                "pa.chunked_array([x, y])",
                "pa.table({'x': x, 'n': n})",
                "pa.FixedSizeListArray.from_arrays(pa.array(m.ravel()), 3)",
                "pa.array(x).to_numpy()",
                verdict=COPIES,
            ),
            use("pa.array(x, mask=b)", NEEDS_ASARRAY, "pa.array(np.asarray(x), mask=np.asarray(b))"),
            use(
                "pa.array(x, mask=np.arange(12) > 3)", NEEDS_ASARRAY, "pa.array(np.asarray(x), mask=np.arange(12) > 3)"
            ),
            use("pa.array(np.arange(12.0), mask=b)", NEEDS_ASARRAY, "pa.array(np.arange(12.0), mask=np.asarray(b))"),
            use("pa.Tensor.from_numpy(m).to_numpy()", NEEDS_ASARRAY, "pa.Tensor.from_numpy(np.asarray(m)).to_numpy()"),
            use(
                "gaps = np.where(b, np.nan, x); pa.array(gaps, from_pandas=True)",
                SILENT,
                "gaps = np.where(b, np.nan, x); pa.array(np.asarray(gaps), from_pandas=True)",
            ),
        ],
    ),
    Client(
        "PyArrow, after cowarray.register()",
        "pyarrow",
        """
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.parquet
        cowarray.register()
        """,
        [
            *uses(
                "pa.array(np.arange(12.0), mask=b)",
                "gaps = np.where(b, np.nan, x); pa.array(gaps, from_pandas=True)",
                "pa.array(b)",
                "pa.array(x, type=pa.float32())",
                "pa.array(m[:, 0])",
                "pa.compute.sum(pa.array(x)).as_py()",
                "pa.compute.filter(pa.array(x), pa.array(b))",
                "pa.DictionaryArray.from_arrays(n, pa.array(list('abcdefghij'))).to_pylist()",
                "pa.array(list(m), type=pa.list_(pa.float64()))",
                "pa.array([x, y])",
            ),
            *uses(
                "pa.array(x, mask=b)",
                "pa.array(x, mask=np.arange(12) > 3)",
                "pa.array(x)",
                "pa.array(n)",
                "pa.array(t)",
                "pa.array(x, from_pandas=True)",
                "pa.FixedSizeListArray.from_arrays(pa.array(m.ravel()), 3)",
                "pa.array(x).to_numpy()",
                verdict=COPIES,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_pyarrow(client):
    check(__name__, client)
