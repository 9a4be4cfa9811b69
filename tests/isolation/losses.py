"""What tests of lost writes ask a trace."""

import inspect

import numpy as np

import cowarray as ca


def matrix():
    return ca.array(np.arange(25.0).reshape(5, 5))


def lost(seen):
    return [event for event in seen if event.kind == "lost write"]


def line():
    return inspect.currentframe().f_back.f_lineno


WRITES = {
    "item": lambda y: y.__setitem__(0, 7),
    "slice": lambda y: y.__setitem__(slice(0, 1), 7),
    "mask": lambda y: y.__setitem__(np.arange(len(y)) > 1, 7),
    "all": lambda y: y.__setitem__(..., 7),
    "fill": lambda y: y.fill(7),
    "+=": lambda y: y.__iadd__(1),
    "part +=": lambda y: y[::2].__iadd__(1),
    "*= value": lambda y: y.__imul__(np.full(len(y), 2.0)),
    "sort": lambda y: y.sort(),
    "put": lambda y: np.put(y, [0], 3),
    "np.add": lambda y: np.add(np.ones(len(y)), 1, out=y),
    "move": lambda y: y.__setitem__(slice(1, None), y[:-1]),
}
