"""Threads that write disjoint parts of one lazy copy find all that they wrote, and the original is as it was."""

import subprocess
import sys
import threading

from findings import NO, PART, YES, tell

THREADS, ROUNDS = 8, 300


def write_parts(copy):
    """Each thread writes its part, all at the same time; what they raise."""
    start, raised = threading.Barrier(THREADS), []

    def write(k):
        start.wait()
        try:
            copy[k::THREADS] = k + 1
        except RuntimeError as error:
            raised.append(error)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def goes_wrong(original, lazy_copy):
    """Whether, in any of the rounds, a thread raises or what it wrote is missing."""
    for _ in range(ROUNDS):
        copy = lazy_copy(original)
        if write_parts(copy) or int(copy.sum()) != len(copy) // THREADS * sum(range(1, THREADS + 1)):
            return True
    return False


def cowarray():
    import cowarray as cw

    x = cw.zeros(1 << 16)
    assert not goes_wrong(x, lambda x: x.copy())
    assert x.sum() == 0
    return YES, f"{ROUNDS} rounds of {THREADS} threads: nothing is missing"


def numpy():
    import numpy as np

    x = np.zeros(1 << 16)
    assert not goes_wrong(x, lambda x: x.copy())
    assert x.sum() == 0
    return PART, f"{ROUNDS} rounds of {THREADS} threads: nothing is missing; each copy was made at once"


def torch():
    child = subprocess.run([sys.executable, __file__, "--torch"], capture_output=True)
    assert b"INTERNAL ASSERT FAILED" in child.stderr or b"something is missing" in child.stdout
    return (
        NO,
        f"within {ROUNDS} rounds of {THREADS} threads a part is missing, or an internal assertion ends the process",
    )


def torch_by_itself():
    """What torch() runs in a process of its own, which may not survive it."""
    import torch as t

    print("something is missing" if goes_wrong(t.zeros(1 << 16), t._lazy_clone) else "nothing is missing")


if __name__ == "__main__":
    if "--torch" in sys.argv[1:]:
        torch_by_itself()
    else:
        tell(globals())
