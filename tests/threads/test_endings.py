"""An interpreter that ends while arrays are alive and threads are busy ends well: it does end, in silence, status 0.

Each round is a process that waits for a random time, so that its end falls anywhere into what the threads do.
"""

import random
import signal
import time
from textwrap import dedent

import pytest
from support.programs import finish, start
from support.seeds import chosen_seed

# Daemon threads that do all that arrays do, with copies that are small, and large enough to be made without the GIL.
BUSY = """
N = 1 << 19  # 4 MiB
big = ca.array(np.arange(float(N)))
small = ca.array(np.arange(100.0))
theirs = np.arange(float(N))
theirs.setflags(write=False)

def clone_and_write():
    while True:
        y = big.copy()
        y[3] = 1
        z = y.reshape(2, -1)
        z += 1
        y = None

def small_ones():
    while True:
        kept = [small.copy() for _ in range(50)]
        for y in kept:
            y[0] = 1

def foreign():
    while True:
        x = ca.asarray(theirs)
        x[0] = 5

class Owner(np.ndarray):
    def __del__(self, values=small):
        values.copy()[0] = 5

def foreign_owners():
    while True:
        source = np.ones(N).view(Owner)
        source.setflags(write=False)
        x = ca.asarray(source, copy=False)
        del source
        x[0] = -1  # the owner goes with the GIL given back

def exports():
    while True:
        x = big.copy()
        shown = np.asarray(x)
        with memoryview(x) as view:
            x[1] = view[0]
        x.to_numpy(writable=True)[0] = shown[1]
        np.from_dlpack(x)

def computing():
    while True:
        x = big + 1
        x += big
        x.sort()

WORK = [clone_and_write, small_ones, foreign, foreign_owners, exports, computing]

def begin(count=3):
    for i in range(count):
        threading.Thread(target=WORK[(i + int(sys.argv[1])) % len(WORK)], daemon=True).start()
"""

# What is alive at the end; each is a program of its own.
ALIVE = {
    "globals": """
        made = [big.copy(), big[5:], big.T, big.flags, big.flat, big.storage, small + 1, ca.asarray(theirs)]
    """,
    "cycles": """
        class Node:
            pass
        for _ in range(20):
            node = Node()
            node.me, node.array, node.view = node, big.copy(), big[::2]
            node.objects = ca.array(np.array([node, None], object))
            node.objects[1] = node.objects
            node = None
        gc.disable()
    """,
    "thread-locals": """
        local = threading.local()
        def keep():
            local.array = big.copy()
            local.array[0] = 1
            time.sleep(60)
        for _ in range(3):
            threading.Thread(target=keep, daemon=True).start()
        local.array = small.copy()
    """,
    "__del__": """
        class Late:
            def __init__(self):
                self.array = big.copy()
            def __del__(self, asarray=np.asarray):  # modules lose their names at the end
                self.array[0] = 5
                y = self.array.copy()
                y += 1
                y.reshape(2, -1)[0] = asarray(y)[2]
                y = -y
                y.sort()
                asarray(memoryview(y)[::2])
                asarray(y.to_numpy(writable=True))
        late = Late()
        circle = [Late()]
        circle.append(circle)
        sys.modules["kept"] = Late()
        np.kept = Late()
    """,
    "atexit": """
        import atexit
        def end():
            y = big.copy()
            y[0] = 1
            y = ca.asarray(theirs)
            y += 1
            with ca.trace() as seen:
                small.copy()[0] = 1
            assert [event.kind for event in seen] == ["copy", "lost write"]
        for _ in range(3):
            atexit.register(end)
    """,
    "exports": """
        x = big.copy()
        views = [memoryview(x), np.asarray(x), memoryview(np.asarray(small)), x.__dlpack__(), x.to_numpy(writable=True)]
        pointers = x.ctypes
        capsule = big.copy().__dlpack__(max_version=(1, 0))
        iterators = [iter(small), iter(small.flat), np.nditer(np.asarray(small))]
        next(iterators[0])
    """,
    "modes": """
        tracing = ca.trace()
        tracing.__enter__()
        y = big.copy()
        y[0] = 1
        ca.no_copy().__enter__()
        def modal():
            with ca.trace() as seen:
                while True:
                    small.copy()[0] = 1
                    if len(seen) > 100:
                        with ca.trace():
                            big.copy()[0] = 1
        threading.Thread(target=modal, daemon=True).start()
        def generator():
            with ca.trace():
                yield
        suspended = generator()
        next(suspended)
    """,
    "foreign owners": """
        import weakref
        class Exporter(bytearray):
            def __del__(self, values=small):
                y = values + 1
                y.copy()[0] = 5
        def owner():
            source = np.frombuffer(Exporter(8 * 1000))
            source.setflags(write=False)
            weakref.finalize(source, lambda values=small: values.copy().fill(3))
            return ca.asarray(source, copy=False)
        arrays = [owner() for _ in range(5)]
        shared = [array.copy() for array in arrays]
        np.kept = owner()
        shown = np.asarray(owner())
    """,
    "iteration": """
        def endless():
            while True:
                for y in np.split(big.copy(), 4):
                    y.fill(1)
                    yield y
        running = endless()
        next(running)
        import concurrent.futures
        pool = concurrent.futures.ThreadPoolExecutor(2)
        waiting = [pool.submit(lambda: big.copy().__iadd__(1)) for _ in range(5)]
    """,
}

ENDS = {
    "the last line": "",
    "sys.exit": "sys.exit()",
    "os._exit": "os._exit(0)",
    "sys.exit in a thread": """
thread = threading.Thread(target=lambda: (big.copy().fill(1), sys.exit(1)))
thread.start()
""",
    "a thread that is waited for": """
def last():
    time.sleep(0.02)
    y = big.copy()
    y += 1
    ca.asarray(theirs).fill(3)
threading.Thread(target=last).start()
""",
    "a child of fork": """
import warnings
warnings.simplefilter("ignore")
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
""",
}


def program(alive, end):
    return BUSY + dedent(alive) + "\nbegin()\ntime.sleep(float(sys.argv[2]))\n" + end


def end_one(alive, end, rng):
    finish(start(program(ALIVE[alive], ENDS[end]), rng.randrange(6), rng.random() ** 2 * 0.1))


@pytest.mark.sampled
@pytest.mark.parametrize("alive", ALIVE)
def test_end_with_threads_running(alive):
    seed = chosen_seed()
    rng = random.Random(seed)
    for end in rng.sample(sorted(ENDS), 3):
        end_one(alive, end, rng)


def test_first_calls_of_methods_after_python_has_ended_its_modules():
    finish(
        start(
            """
class Late:
    def __init__(self):
        self.array = ca.array([3.0, 1.0, 2.0])
    def __del__(self):
        y = self.array.copy()
        y.sort()
        y.cumsum(out=y)
        y.put(0, 5)
np.kept = Late()
"""
        )
    )


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_end_by_a_signal(signal_number):
    """SIGTERM unhandled, and handled by ending in order; SIGINT is an exception like another."""
    for round_ in range(2):
        handled = signal_number == signal.SIGTERM and round_ % 2
        process = start(
            BUSY
            + """
import signal
if sys.argv[2] == "handled":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
signal.signal(signal.SIGINT, lambda *_: sys.exit(3))
begin()
kept = [big.copy() for _ in range(5)]
print("ready", flush=True)
while True:
    kept[0][0] = 1
    kept[0] = big.copy()
""",
            round_,
            "handled" if handled else "",
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(random.random() * 0.1)
        process.send_signal(signal_number)
        finish(process, status=0 if handled else 3 if signal_number == signal.SIGINT else -signal_number)


@pytest.mark.long
@pytest.mark.parametrize("alive", ALIVE)
def test_many_ends(alive):
    seed = chosen_seed()
    rng = random.Random(seed)
    for _ in range(100):
        end_one(alive, rng.choice(sorted(ENDS)), rng)
