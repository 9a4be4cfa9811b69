"""The editor of docs/snapshots.md: every stroke undone, branched, merged, and there after a kill."""

import struct
import zlib

import numpy as np
from support.sources import ROOT, load

EXAMPLE = ROOT / "docs" / "examples" / "editor.py"


def test_the_editor_loses_no_stroke(tmp_path, capsys):
    load(EXAMPLE).edit(str(tmp_path / "history"), 1200, 30, tmp_path / "picture.png")
    said = capsys.readouterr().out
    assert "30 strokes on 4,320,000 bytes" in said
    assert "merged: 'both', 37 versions" in said
    assert "is whole" in said


def test_its_pictures_are_pictures():
    image = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    data = load(EXAMPLE).png(image)
    length, kind = struct.unpack_from(">I4s", data, 33)
    assert kind == b"IDAT"
    rows = zlib.decompress(data[41 : 41 + length])
    assert rows == b"\0" + image[0].tobytes() + b"\0" + image[1].tobytes()
