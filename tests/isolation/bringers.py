"""Doorkeepers in Python stand in for a memory budget: they know the values, and bring them when they are asked."""

import weakref

import numpy as np

import cowarray
from cowarray._native.storage import evict, fill, is_absent_storage, set_doorkeeper, share_allocation


class Bringer:
    """A doorkeeper who brings an allocation's bytes.

    Parameters
    ----------
    values : numpy.ndarray
        What an array of the whole allocation has.
    restless : int
        So many times the bytes are taken away between his answer and the opening of the door.
    """

    def __init__(self, values, restless=0):
        self.values = np.array(values)
        self.restless = restless
        self.bringings = []
        self.asked = []
        self.keeps = []

    def __call__(self, storage, intent, behalf, box):
        self.asked.append(intent)
        if intent == "locates" or not is_absent_storage(storage):
            return  # a copy has no doorkeeper, and needs bytes that stay
        self.bring(storage)
        if self.restless and intent != "shares":
            self.restless -= 1
            # No generator: where memory for its function is refused, CPython 3.13.0 frees the code object twice.
            evict(storage, sum([share_allocation(storage, ref()) for ref in self.keeps if ref() is not None]))

    @property
    def brought(self):
        return len(self.bringings)

    def bring(self, storage):
        if fill(storage, cowarray.array(self.values).storage):
            self.bringings.append(storage.nbytes)  # of several threads each counts its own

    def manages(self, *arrays):
        for array in arrays:
            set_doorkeeper(array.storage, self)
            self.keeps.append(weakref.ref(array.storage))

    def leaves(self):
        """Nobody asks any more; the bytes are there."""
        for storage in [ref() for ref in self.keeps]:
            if storage is not None:
                if is_absent_storage(storage):
                    self.bring(storage)
                set_doorkeeper(storage, None)


def managed(values, n=1, restless=0):
    """n arrays that share bytes, which are away, and who brings them."""
    x = cowarray.array(values)
    arrays = [x, *(x.copy() for _ in range(n - 1))]
    bringer = Bringer(values, restless)
    bringer.manages(*arrays)
    evict(x.storage, n)
    return arrays, bringer


N = np.arange(24.0).reshape(4, 6)
