"""Arrays to call things with, each among everybody who sees the same bytes.

What it was copied from, what was copied from it, views, snapshots, the NumPy array that it was imported from: after a
call that reads all of them are as before, and after a write those that have a copy are.
"""

import numpy as np
from support.oracle import numbers

import cowarray


class World:
    """An array under test, NumPy's equal of it, and who else is there to notice a write."""

    def __init__(self, values, view=lambda base: base):
        self.n = view(np.array(values))
        self.base = cowarray.array(values)
        self.x = view(self.base)
        self.others = []

    def of(self, base, view=lambda base: base):
        self.base, self.x = base, view(base)
        return self


def fresh():
    return World(numbers((4, 4)))


def clone(values=None, view=lambda base: base):
    """A lazy copy of an array that lives, as a view does that was taken from that before."""
    world = World(numbers((4, 4)) if values is None else values)
    world.others += [world.base, world.base[1:] if world.base.ndim else world.base[...]]
    world.n = view(world.n)
    return world.of(world.base.copy(order="K"), view)


def source():
    """What a lazy copy and a snapshot were taken from."""
    world = World(numbers((4, 4)))
    world.others += [world.x.copy(), world.x.to_numpy(), memoryview(world.x)]
    return world


def of_snapshot():
    """An import of a snapshot of an array that lives."""
    world = World(numbers((4, 4)))
    snapshot = world.base.to_numpy()
    world.others += [world.base, snapshot]
    return world.of(cowarray.asarray(snapshot))


def foreign():
    """An import of somebody else's read-only memory, which another import shares."""
    world = World(numbers((4, 4)))
    theirs = numbers((4, 4)).copy()
    theirs.setflags(write=False)
    world.others += [theirs, cowarray.asarray(theirs)]
    return world.of(cowarray.asarray(theirs))


def part():
    """A view of most of a lazy copy; beside it a view of the rest."""
    world = clone(numbers((5, 4)), lambda base: base[1:])
    world.others += [world.base[:1], world.base]
    return world


def fortran():
    return clone(numbers((4, 4)), lambda base: base.T)


def read_only():
    world = clone()
    world.x.setflags(write=False)
    world.n.setflags(write=False)
    return world


def pinned():
    """Copies of it are made at once, because somebody holds a pointer to write through."""
    world = World(numbers((4, 4)))
    world.others += [world.x.to_numpy(writable=True), world.x.copy()]
    return world


RECORDS = np.array([[(1, 2.0), (2, 3.5)], [(3, 0.5), (4, 1.5)]], dtype=[("a", "i4"), ("b", "f8")])

# Name -> the world, made anew for each call.
WORLDS = {
    "fresh": fresh,
    "clone": clone,
    "source": source,
    "of a snapshot": of_snapshot,
    "foreign": foreign,
    "part": part,
    "fortran": fortran,
    "read-only": read_only,
    "pinned": pinned,
    "1-d": lambda: clone(numbers((6,))),
    "3-d": lambda: clone(numbers((2, 4, 4))),
    "0-d": lambda: clone(numbers(())),
    "empty": lambda: clone(np.ones((0, 4))),
    "structured": lambda: clone(RECORDS),
    "integers": lambda: clone(numbers((4, 4)).astype(int)),
    "complex": lambda: clone(numbers((4, 4)) + 2j),
    "objects": lambda: clone(numbers((4, 4)).astype(object)),
}
