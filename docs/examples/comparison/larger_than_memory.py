"""An array that is larger than the memory that one may use is computed with: here, 128 MiB in 32 MiB."""

import tempfile

from findings import PART, YES, tell

ROWS, COLUMNS, BUDGET = 16, 1 << 20, 32 << 20


def cowarray():
    import cowarray as cw

    with tempfile.TemporaryDirectory() as folder, cw.budget(BUDGET, spill=folder) as run:
        rows = [cw.full(COLUMNS, float(k)) for k in range(ROWS)]
        total = sum(float(row.sum()) for row in rows)
    assert run.peak_bytes <= BUDGET
    assert total == COLUMNS * sum(range(ROWS))
    return PART, "as many arrays, inside `budget(...)`: they leave memory and come back; each must fit, in one process"


def numpy():
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        x = np.lib.format.open_memmap(f"{folder}/x.npy", "w+", float, (ROWS, COLUMNS))
        for k, row in enumerate(x):
            row[...] = k
        assert sum(float(row.sum()) for row in x) == COLUMNS * sum(range(ROWS))
    return PART, "by a memory map, and a loop written by hand"


def cubed():
    import cubed
    import cubed.array_api as cxp

    with tempfile.TemporaryDirectory() as folder:
        spec = cubed.Spec(work_dir=folder, allowed_mem=BUDGET)
        x = cxp.ones((ROWS, COLUMNS), chunks=(1, COLUMNS // 4), spec=spec)
        assert float(cxp.sum(x + 1).compute()) == 2 * ROWS * COLUMNS
    return YES, "its purpose, by chunks; tried on one machine"


if __name__ == "__main__":
    tell(globals())
