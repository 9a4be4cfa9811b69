"""Draws the pictures of these pages from live objects: ``python docs/pictures.py``."""

from pathlib import Path

import numpy as np

import cowarray

FOLDER = Path(__file__).with_name("pictures")

__all__ = ["FOLDER", "sharers"]


def sharers():
    """The picture in docs/notebook.md, of the arrays that are made there."""
    x = cowarray.array(np.zeros((1000, 1000)))
    names = {"x": x, "y": x.copy(), "rows": x[:10], "history": [x.copy(), x.copy()]}
    return cowarray.explain(x, among=names).svg() + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "sharers.svg").write_text(sharers())
