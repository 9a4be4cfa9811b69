"""What user code does to every array in reach, in the middle of a call: the worst that an array lets it do.

A deed is told the world that it happens in. What it keeps there must never change afterwards (`world.witness`); what it
was handed as NumPy's arrays is in `world.handed`. Deeds that an array refuses have done nothing.
"""

import contextlib
import gc

import numpy as np

REFUSED = (ValueError, TypeError, IndexError, AttributeError, BufferError, RuntimeError, MemoryError)


def to_all(deed):
    """A deed for one array as one for all in reach."""

    def to_each(world):
        for array in world.targets():
            with contextlib.suppress(*REFUSED):
                deed(world, array)

    to_each.__name__ = deed.__name__
    return to_each


def nothing(world):
    """For comparison."""


@to_all
def grow(world, array):
    """Beyond a page."""
    array.resize(600)


@to_all
def shrink(world, array):
    array.resize(1)


@to_all
def vanish(world, array):
    array.resize(0)


@to_all
def retype(world, array):
    array.dtype = "i1"


@to_all
def widen(world, array):
    array.dtype = "c16"


@to_all
def flatten(world, array):
    array.shape = -1


@to_all
def many_axes(world, array):
    """More than an array has room for within itself; with those of an index fewer than NumPy's own code overruns."""
    if array.ndim < 20:
        array.shape = (*array.shape, *[1] * 20)


@to_all
def retype_resize_copy(world, array):
    """As many elements in fewer bytes, in another block, which a copy keeps."""
    size = array.size
    array.dtype = "i1"
    array.resize(size)
    world.witness("a copy", array.copy())


@to_all
def write_one(world, array):
    array.flat[0] = 1


@to_all
def write_last(world, array):
    array.flat[array.size - 1] = 1


@to_all
def write_all(world, array):
    array[...] = 1


@to_all
def compute_in_place(world, array):
    is_bound = array.dtype.hasobject or array.dtype.kind in "iu"  # it would double at each firing, and may be a size
    array += 1 if is_bound else array


@to_all
def copy(world, array):
    world.witness("a copy", array.copy())


@to_all
def copy_and_write(world, array):
    world.witness("a copy", array.copy())
    array.flat[0] = 1


@to_all
def copy_and_write_all(world, array):
    world.witness("a copy", array.copy())
    array[...] = 1


@to_all
def write_a_copy(world, array):
    copied = array.copy()
    array.flat[0] = 1
    copied[...] = 0
    world.witness("a copy", copied)


@to_all
def materialize(world, array):
    world.witness("a copy", array.copy())
    array.materialize()


@to_all
def snapshot(world, array):
    world.witness("a snapshot", np.asarray(array))
    world.witness("a memoryview", memoryview(array))


@to_all
def snapshot_and_write(world, array):
    world.witness("a snapshot", np.asarray(array))
    array.flat[0] = 1


@to_all
def export(world, array):
    """To write through: copies are made at once from here on."""
    world.exports.append(array.to_numpy(writable=True))


@to_all
def export_and_write(world, array):
    exported = array.to_numpy(writable=True)
    world.witness("a copy", array.copy())
    exported[...] = 1
    world.exports.append(exported)


@to_all
def lock(world, array):
    array.setflags(write=False)


@to_all
def sort(world, array):
    array[...] = array[::-1]
    array.sort(axis=0)


def drop(world):
    """Everything that this world has a name for."""
    world.drop()


def drop_witnesses(world):
    """Those that share bytes go, so that the array is the last one."""
    world.forget_witnesses()


def copy_and_drop(world):
    for array in world.targets():
        with contextlib.suppress(*REFUSED):
            world.witness("a copy", array.copy())
    world.drop()


def collect(world):
    gc.collect()


def fail(world):
    raise KeyboardInterrupt


def again(world):
    """The very same call, within itself; not for each of thousands of elements, which would take minutes."""
    world.times_again += 1
    if world.times_again <= 600:
        with contextlib.suppress(Exception):
            world.again()


def reopen(world):
    """Write through whatever NumPy shows."""
    for array in filter(is_ours, world.handed_arrays()):
        with contextlib.suppress(*REFUSED):
            array.setflags(write=True)
        with contextlib.suppress(*REFUSED):
            array[...] = 7


def root(array):
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def is_export(array):
    """Whether a NumPy array is one of ours, to write through."""
    return type(root(array)).__name__ in ("Pin", "Overwrite")


def is_ours(array):
    """Whether a NumPy array shows bytes of ours. What NumPy works on by itself breaks NumPy when it is changed."""
    owner = root(array)
    return not owner.flags.writeable if isinstance(owner, np.ndarray) else type(owner).__module__.startswith("cowarray")


def retype_handed(world):
    """NumPy's arrays are changed that user code was handed."""
    for array in filter(is_ours, world.handed_arrays()):
        with contextlib.suppress(*REFUSED):
            array.dtype = "u1"
        with contextlib.suppress(*REFUSED):
            array.dtype = "i2"


def reshape_handed(world):
    for array in filter(is_ours, world.handed_arrays()):
        with contextlib.suppress(*REFUSED):
            array.shape = (1, -1)


def stride_handed(world):
    for array in filter(is_ours, world.handed_arrays()):
        with contextlib.suppress(*REFUSED), np.errstate(all="ignore"):
            array.strides = (0,) * array.ndim


def keep_handed(world):
    """They stay as they are, whatever is written to ours; of objects, and while pinned, there are no shares for it."""
    for array in world.handed_arrays() if not world.exports else ():
        if not array.flags.writeable and not array.dtype.hasobject:
            world.witness("what was shown", array)
    for array in world.targets():
        with contextlib.suppress(*REFUSED):
            array.flat[0] = 1


DEEDS = {
    deed.__name__: deed
    for deed in (
        *(nothing, grow, shrink, vanish, retype, widen, flatten, many_axes, retype_resize_copy),
        *(write_one, write_last, write_all, compute_in_place, sort, lock, materialize),
        *(copy, copy_and_write, copy_and_write_all, write_a_copy, snapshot, snapshot_and_write),
        *(export, export_and_write, drop, drop_witnesses, copy_and_drop, collect, fail, again),
        *(reopen, retype_handed, reshape_handed, stride_handed, keep_handed),
    )
}
# After these an array is another one: what was a view of it is none any more.
REBINDING = {"grow", "shrink", "vanish", "retype", "widen", "flatten", "many_axes", "retype_resize_copy"}
DROPPING = {"drop", "copy_and_drop"}
WRITING = {name for name in DEEDS if "write" in name or "place" in name} | {"sort", "again", "reopen", "keep_handed"}
OF_NO_ARRAY = {"nothing", "collect", "fail"}
# Only where user code was handed an array.
OF_HANDED = {"reopen", "retype_handed", "reshape_handed", "stride_handed", "keep_handed"}
