"""Arrays whose bytes will be made when somebody needs them: their doorkeeper, and how bytes come in.

A deferred array's Storage has no bytes yet, and a `Recipe` as its doorkeeper. Whoever comes to its door but to look at
shape and strides has the bytes made first, in place, and then goes on as if they had always been there. The rules that
say what operations give are those of fakes: they are shown a fake of the same size and place, a ghost.
"""

import weakref

cimport numpy as cnp

from cowarray._array.array cimport (
    access_anywhere,
    Array,
    Birth,
    BORN_SCALAR,
    is_array,
    on_storage,
    shape_of,
    storage_for,
    strides_of,
)
from cowarray._array.layout cimport MAXDIMS
from cowarray._modes.fakes cimport Origin
from cowarray._native.storage cimport (
    Access,
    change_keeper,
    fake_storage,
    Keeper,
    LOCATES,
    OPERATION,
    READS,
    share,
    Storage,
    take_bytes,
    window_size,
)

from cowarray._modes.refusals import FakeError

cnp.import_array()

# Makes the bytes of a Recipe's Storage, or raises. Set by recording.py.
cdef object maker = None


def set_maker(function, /):
    """Have function make the bytes of a `Recipe` that it is given."""
    global maker
    maker = function


cdef class Recipe(Keeper):
    """The doorkeeper of a Storage that has no bytes yet: it knows how they are made."""


cdef int asked(object keeper, Storage storage, const Access *access) except -1:
    cdef Recipe recipe = keeper
    if access.intent == LOCATES:
        return 0
    if recipe.strict:
        raise FakeError("a conversion", "a value is needed, and the block is strict", recipe.latest.node.site)
    while storage.is_deferred:  # another thread may have recorded a write meanwhile
        maker(recipe)
    return 0


def first_deferred(values, /):
    """The first array whose bytes are not made yet among values, or in lists, tuples and dicts there; or None."""
    return find_deferred(values, 0)


cdef object find_deferred(object values, int depth):
    for value in values:
        if is_array(value):
            if recipe_of(<Array>value) is not None:
                return value
        elif isinstance(value, (list, tuple, dict)) and depth < MAXDIMS:
            found = find_deferred((<dict>value).values() if isinstance(value, dict) else value, depth + 1)
            if found is not None:
                return found
    return None


cpdef object recipe_of(Array x):
    """The `Recipe` of an array; None where its bytes are there, or never will be."""
    if x.storage_ is None or x.storage_.doorkeeper == NULL:
        return None
    keeper = <object>x.storage_.doorkeeper
    return keeper if type(keeper) is Recipe else None


def defer(Array x not None, object version, bint strict, bint is_scalar, /):
    """Make a fake that has just been made, and that nobody else has, a deferred array.

    Parameters
    ----------
    x : ndarray
    version : Version
    strict : bool
    is_scalar : bool
        Whether NumPy gives a scalar: then nothing changes it, and in-place operators give new objects.
    """
    cdef Recipe recipe = Recipe.__new__(Recipe)
    cdef Storage storage = x.storage_
    recipe.door = asked
    recipe.storage = weakref.ref(storage)
    recipe.latest = version
    recipe.strict = strict
    if is_scalar:
        x.birth = BORN_SCALAR
        x.writeable = False
    change_keeper(storage, recipe)


def ghost_of(Array x not None, Origin origin not None, /):
    """A fake of an array's geometry, on one fake Storage for all the arrays of a deferred Storage."""
    cdef Recipe recipe = recipe_of(x)
    if recipe.ghost is None:
        recipe.ghost = fake_storage(window_size(x.storage_), origin)
        recipe.ghost.never_shared = x.storage_.never_shared
    return like(x, recipe.ghost)


def like(Array x not None, Storage storage not None, /):
    """An array of x's geometry on another Storage, whose window has the same size."""
    cdef Array made = on_storage(storage, x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable, <Birth>x.birth)
    made.standard = x.standard
    return made


def lies_like(Array x not None, Array other not None, /):
    """Whether an array lies in its Storage just as another does in its own."""
    cdef int i
    if x.nd != other.nd or x.offset != other.offset or x.descr != other.descr:
        return False
    if window_size(storage_for(x)) != window_size(storage_for(other)):
        return False
    for i in range(x.nd):
        if x.dims[i] != other.dims[i] or (x.dims[i] > 1 and x.dims[x.nd + i] != other.dims[other.nd + i]):
            return False
    return True


def fill(Storage storage not None, Storage made not None, /):
    """Put bytes into a deferred Storage: those of another, which is to be dropped. What that shared, it shares."""
    keeper = <object>storage.doorkeeper  # ends with this function
    take_bytes(storage, made)


def clone(Storage storage not None, /):
    """A lazy clone of a Storage that nobody else writes to, whatever its size."""
    cdef Access access = access_anywhere(READS, OPERATION)
    made = share(storage, &access, 0, window_size(storage), True)
    if made is None:
        raise BufferError("a value that is kept to make others from is being written to")
    return made
