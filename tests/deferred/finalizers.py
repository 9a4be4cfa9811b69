"""Arrays are computed in finalizers while operations are recorded: the process must not crash. Run by a test."""

import gc
import sys

import cowarray


class Computes:
    """Computes in its finalizer, when the collector finds it."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        cowarray.arange(3) + 1


def main():
    gc.set_threshold(int(sys.argv[1]))
    with cowarray.deferred():
        x = y = cowarray.ones(4)
        for _ in range(2000):
            Computes()
            x = x + y
    assert x.tolist() == [2001] * 4


if __name__ == "__main__":
    main()
