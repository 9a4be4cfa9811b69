"""What the fuzzer runs: each target makes of any bytes a call of the library, and asks NumPy what should come of it.

A target returns when the two agree, or when a refusal is one that is documented; it raises when they do not.
"""

from choices import Choices  # noqa: F401 - puts the tests on the path
from strangers import buffers, dlpack, npy, pickles
from values import constructor, indexing, reshape

TARGETS = {
    "constructor": constructor,
    "indexing": indexing,
    "reshape": reshape,
    "pickle": pickles,
    "npy": npy,
    "dlpack": dlpack,
    "buffers": buffers,
}
