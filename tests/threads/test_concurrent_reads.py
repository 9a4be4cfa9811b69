"""Many threads that read one array at once, in every way, with nobody writing: nothing is made twice or torn.

What an array makes on its first use (a header for NumPy, a context) is made while the others look. On a build of Python
without a GIL, and with ThreadSanitizer there, this is the evidence for declaring the extensions compatible.
"""

import copy
import gc
import pickle
import subprocess
import sys
import sysconfig

import numpy as np
import pytest
from support.seeds import all_or
from support.threads import together

import cowarray as ca

pytestmark = [pytest.mark.threads, pytest.mark.usefixtures("quick_switches")]

THREADS = 4
ROUNDS = all_or(40, 10)
VALUES = np.arange(1.0, 65.0).reshape(8, 8)

READS = {
    "item": lambda x: x[3, 4],
    "slice": lambda x: x[1:3, ::2].sum(),
    "fancy": lambda x: x[[1, 2, 5]].sum(),
    "mask": lambda x: x[x > 5].sum(),
    "iterate": lambda x: sum(row[0] for row in x),
    "flat": lambda x: sum(x.flat),
    "ufunc": lambda x: np.add(x, 1).sum(),
    "function": lambda x: np.concatenate([x, x]).sum(),
    "operator": lambda x: (x * 2 - x).sum(),
    "reduce": lambda x: x.sum(axis=0)[3],
    "compare": lambda x: bool((x == x).all()),
    "view": lambda x: x.T.reshape(-1)[9],
    "attributes": lambda x: (x.shape, x.strides, x.dtype.str, x.nbytes, x.flags.c_contiguous),
    "storage": lambda x: x.storage is x.storage,
    "facts": lambda x: str(ca.explain(x)).splitlines()[0].split(",")[0],
    "aliases": lambda x: ca.aliases(x, x[1:]),
    "asarray": lambda x: float(np.asarray(x).sum()),
    "memoryview": lambda x: memoryview(x).tolist()[1],
    "dlpack copy": lambda x: float(np.from_dlpack(x, copy=True).sum()),
    "pickle": lambda x: float(pickle.loads(pickle.dumps(x, 5)).sum()),
    "copy": lambda x: float(x.copy().sum()),
    "deepcopy": lambda x: float(copy.deepcopy(x).sum()),
    "lazy_clone": lambda x: float(x.lazy_clone()[2].sum()),
    "astype": lambda x: float(x.astype("f4").sum()),
    "repr": repr,
}


def fresh():
    return ca.array(VALUES) + 0  # computed: no Storage until somebody asks


def lazy():
    return fresh().copy()


def view():
    return ca.array(np.pad(VALUES, 1))[1:-1, 1:-1]


def foreign():
    values = VALUES.copy()
    values.flags.writeable = False
    return ca.asarray(values)


def snapshot():
    return ca.asarray(np.asarray(fresh()))


MAKERS = {f.__name__: f for f in (fresh, lazy, view, foreign, snapshot)}


@pytest.mark.sampled
@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("read", READS)
def test_the_first_use_by_many_threads(made, read):
    expected = READS[read](MAKERS[made]())
    for _ in range(ROUNDS):
        x = MAKERS[made]()
        found = together(*[lambda x=x: READS[read](x)] * THREADS)
        assert found == [expected] * THREADS
        assert x.storage.share_count >= 1


@pytest.mark.parametrize("made", MAKERS)
def test_all_kinds_of_reads_at_once(made):
    expected = [read(MAKERS[made]()) for read in READS.values()]
    for _ in range(ROUNDS):
        x = MAKERS[made]()
        assert together(*[lambda x=x, read=read: read(x) for read in READS.values()]) == expected


@pytest.mark.parametrize("made", MAKERS)
def test_one_storage_however_many_ask_first(made):
    for _ in range(ROUNDS):
        x = MAKERS[made]()
        storages = together(*[lambda x=x: x.storage] * THREADS)
        assert all(storage is x.storage for storage in storages)


def test_reads_of_lazy_copies_while_each_thread_writes_its_own():
    source = fresh()
    total = float(VALUES.sum())

    def work(i):
        for round in range(ROUNDS):
            mine = source.copy()
            assert float(mine.sum()) == total
            mine += i
            mine[0, 0] = round
            assert float(source.sum()) == total
            assert mine[0, 1] == VALUES[0, 1] + i

    together(*[lambda i=i: work(i) for i in range(THREADS)])
    gc.collect()
    assert source.storage.share_count == 1


def test_one_part_is_read_while_another_is_written():
    """As safe as in NumPy, though the write moves the array, and its lazy copy then owns what the reader reads."""
    rows = np.repeat(np.arange(8.0), 4096).reshape(8, 4096)
    for _ in range(ROUNDS):
        x = ca.array(rows)
        copies = [x.copy() for _ in range(2)]

        def read(x=x):
            for _ in range(20):
                assert float(x[0].sum()) == 0.0
                assert float(np.add(x[1], 0).max()) == 1.0

        def write(x=x):
            x[7] = 70.0

        def write_copy(i, copies=copies):
            copies[i][...] += 100.0
            assert float(copies[i].min()) == 100.0

        together(read, read, write, lambda: write_copy(0), lambda: write_copy(1))
        assert np.array_equal(x[:7], rows[:7])
        assert float(x[7].min()) == 70.0


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has a GIL")
def test_importing_leaves_the_gil_off():
    code = "import cowarray, sys; sys.exit(sys._is_gil_enabled())"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
