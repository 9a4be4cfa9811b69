"""An undo history of edits to a large photograph.

The photograph is the portrait of Grace Hopper, in the public domain, that matplotlib brings as a sample. It is enlarged
12 times to 6144 × 7200 pixels of three bytes, 133 MB: matplotlib has none of that size. Each step first puts a copy of
the image on the history, of which the last twelve stay: 24 brush strokes, 3 changes of the whole image, 6 commands that
the user gives up; each fifth step has a preview, a copy that is looked at and thrown away. At the end ten steps are
undone and five are done again.

The ways with 64 strips keep the image as a list of bands of rows, so that a stroke touches few of them. That helps only
who copies lazily: with defensive copies all strips are copied at every step.
"""

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


def photograph(scale):
    """Rows × columns × 3, uint8."""
    from matplotlib import cbook
    from PIL import Image

    with cbook.get_sample_data("grace_hopper.jpg") as file, Image.open(file) as opened:
        portrait = opened.convert("RGB").crop((0, 0, 512, 600))
    if scale != 1:
        portrait = portrait.resize((int(512 * scale), int(600 * scale)), Image.Resampling.BICUBIC)
    return np.array(portrait)


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
    image = photograph(0.25 if small else 12)
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
