"""Arrays that keep arrays that keep arrays, as deep as memory reaches, end without a call for each.

In processes of their own, since a stack that overflows ends them.
"""

import sys

import pytest
from support.programs import SANITIZED, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/statm")

# In a thread with a stack so small that it has no room for a call per array.
PROGRAM = """
class Offered:
    def __init__(self, x):
        self.x = x
        self.__array_interface__ = np.asarray(x).__array_interface__

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

def stacked(x, depth):
    for _ in range(depth):
        x = {nested}
    return x

def body():
    first = ca.array(np.arange(4.0))
    x = stacked(first, 1000)  # what grows once has grown
    before = resident()
    x = stacked(x, {depth})
    grown = (resident() - before) // {depth}
    {then}
    del x
    assert first.tolist() == [0, 1, 2, 3]
    print("ended", grown)

for at in range({forms}):
    threading.stack_size(512 << 10)
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
"""

# An overlapping array cannot be copied lazily, so its memory is taken for somebody else's.
DEEP = {
    "rows of a broadcast": "ca.asarray(np.broadcast_to(x.to_numpy(), (2, 4)), copy=False)[0]",
    "the same, protocol": "ca.asarray(np.broadcast_to(np.asarray(x), (2, 4)), copy=False)[1]",
    "an interface": "ca.asarray(Offered(x), copy=False)",
}
# These come back to what they are snapshots of, and keep nothing between.
FLAT = {
    "to_numpy": "ca.asarray(x.to_numpy(), copy=False)",
    "asarray": "ca.asarray(np.asarray(x), copy=False)",
    "a memoryview": "ca.asarray(memoryview(x), copy=False)",
    "a NumPy array of it": "ca.asarray(np.asarray(memoryview(x)), copy=False)",
    "frombuffer": "ca.frombuffer(x)",
    "DLPack": "ca.from_dlpack(x)",
    "DLPack, NumPy's": "ca.asarray(np.from_dlpack(x), copy=False)",
    "copies": "x.copy()",
    "views": "x[...]",
    "a snapshot's view": "ca.asarray(x.to_numpy()[::-1].view(np.ndarray)[::-1], copy=False)",
}
# The last array of all is read-only; a copy of it keeps the same, and is not.
THEN = {
    "written": "x = x.copy(); x[0] = 1.0",
    "overwritten": "x = x.copy(); np.add(1, 1, out=x)",
    "filled": "x = x.copy(); x[...] = 1.0",
    "materialized": "x = x.copy(); x.materialize()",
    "copied, and both written": "x = x.copy(); y = x.copy(); x[0] = 1.0; y[0] = 2.0; del y",
    "held by a snapshot": "x = x.to_numpy()",
    "held by a buffer": "x = memoryview(x.copy())",
    "found by the collector": "found = [x]; found.append(found); del found, x; gc.collect(); x = None",
}
DEPTH = 30_000


@pytest.mark.parametrize("nested", DEEP)
def test_what_nests_ends(nested):
    printed = run(PROGRAM.format(nested=DEEP[nested], depth=DEPTH, then="", forms=1))
    assert int(printed.split()[1]) > 100, "each keeps the one before, or this shows nothing"


@pytest.mark.sampled
@pytest.mark.parametrize("then", THEN)
def test_what_nests_ends_where_it_is_let_go_of(then):
    run(PROGRAM.format(nested=DEEP["rows of a broadcast"], depth=DEPTH, then=THEN[then], forms=1))


@pytest.mark.skipif(SANITIZED, reason="memory that is freed is not given back")
def test_a_round_trip_keeps_nothing_between():
    nested = f"[{', '.join(f'lambda x: {form}' for form in FLAT.values())}][at](x)"
    printed = run(PROGRAM.format(nested=nested, depth=20_000, then="", forms=len(FLAT)))
    grown = [int(line.split()[1]) for line in printed.splitlines()]
    assert len(grown) == len(FLAT)
    assert [name for name, each in zip(FLAT, grown, strict=True) if each >= 32] == []
