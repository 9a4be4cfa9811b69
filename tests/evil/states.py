"""The arrays under attack: what an array is made of, and who else sees its bytes when the call begins."""

import numpy as np
from support.oracle import numbers

import cowarray as ca

LONG = 60  # characters: text that malloc hands out, so that what nobody wrote can be told from what somebody did


def plain(dtype="f8", shape=(4, 4)):
    return numbers(shape).astype(dtype)


def owning(world):
    return ca.array(plain())


def computed(world):
    """NumPy's fresh result, without a Storage of its own until somebody asks."""
    return ca.array(plain()) + 0


def shared(world):
    x = ca.array(plain())
    world.witness("a lazy copy", x.copy())
    world.witness("a snapshot", np.asarray(x))
    return x


def computed_and_shared(world):
    x = computed(world)
    x.sum()
    world.witness("a lazy copy", x.copy())
    return x


def pinned(world):
    x = ca.array(plain())
    world.witness("a copy", x.copy())
    world.exports.append(x.to_numpy(writable=True))
    return x


def view(world):
    """All of a base, as a view of it that keeps a header."""
    base = ca.array(plain())
    world.witness("a lazy copy", base.copy())
    base.sum()
    x = base[...]
    x.sum()
    world.reach.append(base)
    return x


def part(world):
    base = ca.array(plain(shape=(8, 4)))
    world.witness("a lazy copy", base.copy())
    world.reach.append(base)
    x = base[2:6]
    x.sum()
    return x


def transposed(world):
    base = ca.array(plain())
    world.witness("a lazy copy", base.copy(order="K"))
    world.reach.append(base)
    return base.T


def foreign(world):
    source = plain()
    source.setflags(write=False)
    world.witness("the source", source)
    return ca.asarray(source)


def readonly(world):
    x = shared(world)
    x.setflags(write=False)
    return x


def objects(world):
    values = np.empty((4, 4), object)
    values[...] = plain("i8")
    return ca.array(values)


def arrays(world):
    """Elements that are the user's own arrays, some without axes."""
    values = np.empty((4, 4), object)
    for at in np.ndindex(4, 4):
        values[at] = world.own(np.arange(3.0))
    return ca.array(values)


def pinned_objects(world):
    x = objects(world)
    world.exports.append(x.to_numpy(writable=True))
    return x


def text(world):
    x = ca.array(plain().astype(f"U{LONG}"))
    world.witness("a lazy copy", x.copy())
    return x


def octets(world):
    x = ca.array(plain("i8").astype(f"S{4 * LONG}"))
    world.witness("a lazy copy", x.copy())
    return x


def strings(world):
    return ca.array(np.array([["a", "b" * 30], ["c" * 99, ""]], np.dtypes.StringDType()))


def integers(world):
    x = ca.array(plain("i8"))
    world.witness("a lazy copy", x.copy())
    return x


def complexes(world):
    x = ca.array(plain("c16"))
    world.witness("a lazy copy", x.copy())
    return x


def booleans(world):
    x = ca.array(plain() > 3)
    world.witness("a lazy copy", x.copy())
    return x


def records(world):
    x = ca.array(np.zeros((4, 4), [("a", "i4"), ("b", "f8")]))
    world.witness("a lazy copy", x.copy())
    return x


def records_of_objects(world):
    return ca.array(np.zeros((4, 4), [("a", "i8"), ("o", "O")]))


def one(world):
    """Without axes."""
    x = ca.array(3.0)
    world.witness("a lazy copy", x.copy())
    return x


def one_object(world):
    values = np.empty((), object)
    values[()] = world.own(np.arange(3.0))
    return ca.array(values)


def line(world):
    x = ca.array(plain(shape=(16,)))
    world.witness("a lazy copy", x.copy())
    return x


def empty(world):
    return ca.array(plain(shape=(0, 4)))


def large(world):
    """Large enough for NumPy and the core to let go of the GIL."""
    x = ca.array(plain(shape=(4, 4, 150)))
    world.witness("a lazy copy", x.copy())
    return x


# Where the same values give the same: what a call gives does not depend on who shares bytes.
ALIKE = (owning, computed, shared, computed_and_shared, view, foreign)

STATES = {
    function.__name__: function
    for function in (
        *ALIKE,
        *(pinned, part, transposed, readonly, objects, arrays, pinned_objects, text, octets, strings, integers),
        *(complexes, booleans, records, records_of_objects, one, one_object, line, empty, large),
    )
}
