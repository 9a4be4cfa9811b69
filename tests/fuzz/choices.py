"""Bytes as decisions, and what the targets decide about."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import numpy as np
from support.oracle import LAYOUTS, subject

MAX = 2**63 - 1
NUMBERS = [
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    -1,
    -2,
    16,
    24,
    64,
    65,
    2**31 - 1,
    2**31,
    2**32,
    2**60,
    2**61,
    2**62,
    MAX,
    -MAX,
    -(2**63),
]
DTYPES = [
    "f8", "i4", "u1", "?", "D", "e", ">i2", "S3", "U2", "M8[s]", "m8[D]", "V5", "O", [("a", "i1"), ("b", ">f8")],
    [("p", "f4", (2,))], np.dtypes.StringDType(),
]  # fmt: skip
PLAIN = DTYPES[:7]


class Choices:
    """Bytes as a series of decisions; 0 for all that come after the last."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def of(self, options):
        return options[self.byte() % len(options)]

    def flag(self):
        return self.byte() & 1 == 1

    def small(self, low=-3, high=7):
        return low + self.byte() % (high - low + 1)

    def number(self):
        """Mostly small, sometimes at the edge of what integers can be."""
        kind = self.byte()
        if kind < 160:
            return kind % 10 - 1
        if kind < 230:
            return NUMBERS[kind % len(NUMBERS)]
        return struct.unpack("<q", bytes(self.byte() for _ in range(8)))[0]

    def numbers(self, most):
        return tuple(self.number() for _ in range(self.byte() % (most + 1)))

    def subject(self):
        return subject(
            self.of(list(LAYOUTS)), self.of(["owner", "view", "lazy copy", "source", "imported"]), self.of(PLAIN)
        )
