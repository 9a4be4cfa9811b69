"""Lines of random programs: how often each comes, and what the names in them stand for."""

import numpy as np

SHAPES = [(8,), (2, 4), (4, 2), (2, 2, 2), (3, 3), (6,), (12,), (3, 4)]


def weighted(kinds):
    """(text, kind, weight) of each line, from (texts, kind, weight of all of these)."""
    return [(text, kind, weight / len(texts)) for texts, kind, weight in kinds for text in texts]


def names_for(draw, x, numbers):
    """Values of the names in a line about an array x: keys, places, a mask, a number, and a shape.

    Parameters
    ----------
    draw : random.Random
    x : numpy.ndarray
        With elements.
    numbers : callable
        Gives the next number to write.
    """
    axis_slices = [
        draw.choice([slice(None), slice(0, 2), slice(1, None), slice(None, None, 2), draw.randrange(n)])
        for n in x.shape
    ]
    if all(isinstance(each, int) for each in axis_slices):
        axis_slices[:1] = [slice(0, 1)]
    shapes = [shape for shape in SHAPES if np.prod(shape) == x.size] or [(-1,)]
    return {
        "k": tuple(axis_slices),
        "i": tuple(draw.randrange(n) for n in x.shape),
        "j": draw.randrange(x.size),
        "f": [draw.randrange(len(x)) for _ in range(2)],
        "m": np.array([draw.random() < 0.4 for _ in range(x.size)]).reshape(x.shape),
        "c": numbers(),
        "s": draw.choice(shapes),
    }
