"""Histories in folders, as the tests of stores make and compare them."""

import numpy as np
from histories import equal, frozen

import cowarray as ca

N = 1 << 20  # numbers: 8 MiB, which go by the page


def edited(folder, count=4, size=N):
    """A closed history of `count` versions after the first, and what each was."""
    with ca.History(folder, {"a": ca.zeros(size), "b": np.arange(5), "t": "0"}) as history:
        was = [frozen(history.state)]
        for k in range(1, count + 1):
            history.state["a"][k * 1000 % size] = k
            history.state["b"][k % 5] = -k
            history.state["t"] = str(k)
            history.commit(f"version {k}")
            was.append(frozen(history.state))
    return was


def holds(history, was):
    return all(equal(history[number], value) for number, value in enumerate(was))


def no_room(*_):
    raise OSError(28, "No space left on device")
