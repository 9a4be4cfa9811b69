"""Deferred arrays: the doorkeeper of a Storage that has no bytes yet, and how it gets them.

An access first makes the bytes, in place, then proceeds as if they had always been there. An access that needs only
shape and strides makes none.
"""

import weakref

from cowarray._array.array cimport Array, BORN_SCALAR
from cowarray._modes.record.nodes cimport Node, Traced, Version
from cowarray._native.storage cimport Access, change_keeper, LOCATES, Storage, take_bytes

from cowarray._modes.fake.refusals import FakeError

# Makes the bytes of a Recipe's Storage, or raises. Set by making.py.
cdef object maker = None


def set_maker(function, /):
    """Set the function that makes the bytes of a `Recipe`."""
    global maker
    maker = function


cdef class Recipe(Traced):
    """The doorkeeper of a Storage that has no bytes yet."""


cdef int make_before_access(object keeper, Storage storage, const Access *access) except -1:
    cdef Recipe recipe = keeper
    if access.intent == LOCATES and access.ndim >= 0:
        return 0
    # An access without a box comes from `materialize`, which asks for the bytes.
    if recipe.strict and access.intent != LOCATES and storage.is_deferred:
        raise FakeError("a conversion", "a value is needed, and the block is strict", site_of(recipe),
                        "have them made first, by materialize(x)")
    while storage.is_deferred:  # another thread may have recorded a write meanwhile
        maker(recipe)
    return 0


cdef Recipe new_recipe(Array x, Version version, bint strict, bint is_scalar):
    """Turn a new fake, to which nobody else has a reference, into a deferred array.

    is_scalar: NumPy returns a scalar here, so the array is immutable and in-place operators return new objects.
    """
    cdef Recipe recipe = Recipe.__new__(Recipe)
    recipe.door = make_before_access
    recipe.storage = version.home = weakref.ref(x.storage_)
    recipe.latest = version
    recipe.strict = strict
    if is_scalar:
        x.birth = BORN_SCALAR
        x.writeable = False
    change_keeper(x.storage_, recipe)
    return recipe


cdef object site_of(Recipe recipe):
    """Return the line of the operation that makes a Recipe's bytes; None once it has run."""
    cdef Node node = recipe.latest.node
    return None if node is None else node.site


cdef Recipe find_recipe(Array x):
    if x.storage_ is None or not x.storage_.is_deferred:
        return None
    return <Recipe>x.storage_.doorkeeper


def recipe_of(Array x not None, /):
    """Return the `Recipe` of an array; None if it has its bytes, or never will."""
    return find_recipe(x)


# ---- after a run -----------------------------------------------------------------------------------------------------


def fill(Storage storage not None, Storage made not None, /):
    """Give a deferred Storage the bytes of another, with all shares in them. The other is then to be dropped."""
    _keeper = <object>storage.doorkeeper  # released at the end of this function
    take_bytes(storage, made)


def put_made(list nodes, dict made, dict kept, dict passed, /):
    """Put the bytes that nodes have made where they are missing, and forget the nodes. No signal handler intervenes.

    passed: by node whose results were dropped, the function that makes them again.
    """
    cdef Version version
    cdef list gone = []
    for each in made:
        version = <Version>each
        version.node = None
        value = version.value
        if type(value) is not Storage:
            continue
        if version.is_wanted():
            version.value = kept.get(version)
            home, version.home = version.home, None
            fill(<Storage>home(), <Storage>value)
        elif version.readers == 0:
            version.value = None
        gone.append(value)
    for node in nodes:
        if node in passed:
            (<Node>node).come_again(passed[node])
        else:
            (<Node>node).forget()


def undo(list nodes not None, dict made not None, dict states not None, dict passed not None, /):
    """Drop the values made before an error, and restore generators' states, unless the values were put in place."""
    cdef Node first = nodes[0]
    if first.function is None or (first in passed and first.function is passed[first]):
        return
    for version in made:
        (<Version>version).value = None
    for generator, state in states.items():
        generator.bit_generator.state = state


def nothing():
    """Do nothing."""


def nobody():
    """Stand in for a weak reference to a version that no longer exists."""


def write_nothing(Node node not None, /):
    """Make a node that raised, and would raise again, write nothing from now on. Its results can never be made."""
    cdef Node passing
    if node.births and node.writes:
        passing = Node(node.operation, nothing, [], {}, node.site)
        passing.number = node.number
        passing.read(node.writes)
        passing.writes = node.writes
        for after in node.writes.values():
            version = after()
            if version is not None:
                (<Version?>version).node = passing
        node.writes = dict.fromkeys(node.writes, nobody)
    elif not node.births:
        node.function = nothing
        node.args = []
        node.kwargs = {}
