"""Callbacks of weak references run when an array is about to end: they, and threads meanwhile, may write its kin.

In processes of their own, since memory would be corrupt.
"""

import pytest
from support.programs import run

# The dying array has read its bytes, which a lazy copy shares: a write gives its base, and so it, too, other bytes.
DYING = """
import operator, weakref
N = 1000
VIEWS = lambda x: x[1:], lambda x: x[1:][::2], lambda x: x.reshape(2, -1), lambda x: x.view("i8")
ended = 0

class Kin:
    def __init__(self):
        self.base = ca.array(np.arange(float(N)))
        self.copy = self.base.copy()
        self.others = [self.base[k:] for k in range(2)]
        for array in self.others:
            array.sum()

for i in range(200):
    kin = Kin()
    base = kin.base
    dying = VIEWS[i % len(VIEWS)](base)
    dying.sum(), memoryview(dying)

    def callback(*_):
        global ended
        {then}
        ended += 1

    watched = {watch}
    del dying
    base[1] = -2.0
    late = [base[k:] for k in range(4)]
    for array in (*late, *kin.others):
        array.sum()
    assert kin.copy.tolist() == list(map(float, range(N)))
    assert base[1] == -2 and late[1][0] == -2 and kin.others[1][0] == -2
    assert base.size == N
    del kin, late
gc.collect()
print(ended)
"""
CALLBACKS = {
    "an element": "base[0] = -1.0",
    "all": "base[...] = -1.0; base[...] = np.arange(float(N))",
    "in place": "operator.iadd(base, 1), operator.isub(base, 1)",
    "out": "np.multiply(base, 1, out=base)",
    "another view": "kin.others[1][...] = 1.0",
    "materialize": "base.materialize()",
    "a writable export": "base.to_numpy(writable=True)[0] = 3",
    "reads": "base.sum(), kin.others[0].max(), memoryview(base)",
    "a new view": "base[3:].sum()",
    "a copy": "base.copy()[...] = 5; base[0] = 1",
    "the others end": "kin.others.pop(); kin.others.append(base[1:]); base[0] = 1",
    "a collection": "gc.collect(); base[0] = 1",
}
WATCHES = {
    "ref": "weakref.ref(dying, callback)",
    "finalize": "weakref.finalize(dying, callback)",
    "proxy": "weakref.proxy(dying, callback)",
}


def dying_beside(then, watch):
    return run(DYING.format(then=CALLBACKS[then], watch=WATCHES[watch]))


@pytest.mark.sampled
@pytest.mark.parametrize("then", CALLBACKS)
def test_a_callback_may_do_anything_to_the_base_of_the_view_that_ends(then):
    assert dying_beside(then, "ref") == "200\n"


@pytest.mark.parametrize("watch", WATCHES)
def test_each_kind_of_weak_reference_may_write(watch):
    assert dying_beside("an element", watch) == "200\n"


def test_a_callback_of_the_last_array_may_write_what_shared_its_bytes():
    printed = run(
        """
        import weakref
        ended = 0
        for i in range(200):
            x = ca.array(np.arange(100.0))
            y = x.copy()
            x.sum(), y.sum()

            def callback(_):
                global ended
                y[0] = -1
                ended += 1

            watched = weakref.ref(x, callback)
            del x
            assert y[0] == -1 and y[1:].tolist() == list(map(float, range(1, 100)))
        print(ended)
        """
    )
    assert printed == "200\n"


def test_an_array_that_ends_is_gone_for_its_callback():
    printed = run(
        """
        import weakref
        base = ca.array(np.arange(100.0))
        copy = base.copy()
        seen = []

        def callback(reference):
            base[0] = -1
            seen.append(reference())

        view = base[1:]
        view.sum()
        watched = weakref.ref(view, callback)
        del view
        gc.collect()
        print(seen, sum(type(found) is ca.ndarray for found in gc.get_objects()))
        """
    )
    assert printed == "[None] 0\n"


# The dictionary's own callback is Python code: at its end another thread may have its turn.
DICTIONARY = """
import weakref
sys.setswitchinterval(1e-6)
base = ca.array(np.arange(1000.0))
views = weakref.WeakValueDictionary()
over = threading.Event()
failures = []
writes = 0

def write():
    global writes
    try:
        while not over.is_set():
            copy = base.copy()
            before = copy.tolist()
            base[writes % 1000] = -writes
            assert copy.tolist() == before
            writes += 1
    except BaseException as error:
        failures.append(error)
        raise

threads = [threading.Thread(target=write) for _ in range({threads})]
for thread in threads:
    thread.start()
until = time.monotonic() + 2
ended = 0
while time.monotonic() < until or writes < 100:
    for k in range(50):
        view = base[k:]
        view.sum()
        views[k] = view
    del view
    ended += 1
over.set()
for thread in threads:
    thread.join()
print(failures, len(views), ended > 10)
"""


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_a_dictionary_of_views_beside_threads_that_copy_and_write(threads):
    assert run(DICTIONARY.format(threads=threads)) == "[] 0 True\n"
