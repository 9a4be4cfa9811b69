"""Arrays whose bytes will be made when somebody needs them: their doorkeeper, and what it knows of how they are made.

A deferred array's Storage has no bytes yet, and a `Recipe` as its doorkeeper. Whoever comes to its door but to look at
shape and strides has the bytes made first, in place, and then goes on as if they had always been there. A Storage has
versions: a recorded write makes the next from the last. A `Node` is a recorded operation; it is kept by the versions
that it makes, and keeps those that it reads, so what nobody can reach is forgotten, and there are no circles.

The rules that say what operations give are those of fakes: they are shown a fake of the same size and place, a ghost.
"""

import weakref
import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from cpython.weakref cimport PyWeakref_NewRef

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
from cowarray._c.python cimport PyContextVar_Get
from cowarray._modes.fake.fakes cimport Origin
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

from cowarray._modes.fake.refusals import FakeError

cnp.import_array()

# Makes the bytes of a Recipe's Storage, or raises. Set by making.py.
cdef object maker = None
cdef long long nodes_made = 0
# Of nodes that write nothing, which most are. It stays empty.
cdef dict nothing_written = {}

# How floating-point errors are handled, and how NumPy prints: of the context in which an operation is recorded.
cdef object error_handling = np._core.umath._extobj_contextvar
cdef object print_options = getattr(np._core.arrayprint, "format_options", None)
cdef object no_handling = object()


def set_maker(function, /):
    """Have function make the bytes of a `Recipe` that it is given."""
    global maker
    maker = function


def nothing():
    """Do nothing."""


# ---- what is recorded ------------------------------------------------------------------------------------------------


@cython.final
@cython.trashcan(True)
cdef class Version:
    """The bytes that a Storage has, or had, between two writes; or the state of a generator between two draws.

    Parameters
    ----------
    node : Node or None
        What makes them; None once they are made.

    Attributes
    ----------
    value : Storage, Generator of NumPy's, or None
        They themselves, as long as somebody needs them.
    readers : int
        Nodes not run yet that read or write them.
    home : weakref.ref of Storage, or None
        While this is the latest version of a Storage without bytes: that one.
    """

    def __cinit__(self, Node node):
        self.node = node

    def is_wanted(self):
        """Whether bytes as they are in this version are missing somewhere."""
        return self.home is not None and self.home() is not None


@cython.final
cdef class Reference:
    """A deferred array among the arguments of a node: a version, and where in it."""

    def on(self, Storage storage not None):
        """The array, on a Storage that has the version's bytes."""
        return placed(self.place, storage)


@cython.final
@cython.trashcan(True)
cdef class Node:
    """A recorded operation.

    Parameters
    ----------
    operation : str
    function : callable
        What does it as ever.
    args : list
        With `Reference` in place of deferred arrays, and copies of others.
    kwargs : dict
    site : Site
    """

    def __cinit__(self, str operation, function, args, kwargs, site):
        global nodes_made
        nodes_made += 1
        self.number = nodes_made
        self.operation = operation
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.site = site
        self.handling = value_of(error_handling, <PyObject *>no_handling)
        self.printing = None if print_options is None else value_of(print_options, NULL)
        self.reads = []  # Versions, each once
        self.writes = nothing_written  # by a Version that is read: a weak reference to the one that is made of it
        self.births = []  # (place among the results, where it lies in its Storage, a weak reference to the Version)

    def __dealloc__(self):
        if self.reads is not None:
            for version in self.reads:
                have_done(<Version>version)

    cpdef object read(self, object versions):
        """Note what it reads."""
        for version in versions:
            (<Version>version).readers += 1
            self.reads.append(version)

    cpdef Version write(self, Version before, object home):
        """Note that it makes a version of another, the latest of home. Returns the new one."""
        cdef Version after = Version(self)
        if self.writes is nothing_written:
            self.writes = {}
        self.writes[before] = PyWeakref_NewRef(after, None)
        after.home = home
        before.home = None
        return after

    cpdef object bear(self, Py_ssize_t place, Array array, Version version):
        """Note that a result is new."""
        self.births.append((place, outline(array), PyWeakref_NewRef(version, None)))

    cpdef object forget(self):
        """It has run."""
        reads, self.reads = self.reads, []
        for version in reads:
            have_done(<Version>version)
        self.args = self.kwargs = self.function = self.handling = self.printing = None
        self.births = []
        self.writes = nothing_written

    def fall_out(self):
        """It raised what it would raise again, and gives nothing new: from now on it writes nothing."""
        if not self.births:
            self.function = nothing
            self.args = []
            self.kwargs = {}

    def circumstances(self):
        """A context manager: floating-point errors are handled, and arrays printed, as when it was recorded."""
        return Circumstances(self.handling, self.printing)


cdef object value_of(object variable, PyObject *default):
    """The value of a context's variable. default: NULL for its own, which it has."""
    cdef PyObject *found = NULL
    PyContextVar_Get(variable, default, &found)
    value = <object>found
    Py_DECREF(value)  # what was found was a new reference
    return value


@cython.final
cdef class Circumstances:
    """What holds while a node runs."""

    cdef object handling, printing, tokens

    def __cinit__(self, handling, printing):
        self.handling = handling
        self.printing = printing

    def __enter__(self):
        self.tokens = []
        if self.handling is not no_handling:
            self.tokens.append((error_handling, error_handling.set(self.handling)))
        if print_options is not None:
            self.tokens.append((print_options, print_options.set(self.printing)))

    def __exit__(self, *error):
        for variable, token in self.tokens:
            variable.reset(token)


cdef int have_done(Version version) except -1:
    version.readers -= 1
    if version.readers == 0 and type(version.value) is Storage and not version.is_wanted():
        version.value = None


# ---- the door --------------------------------------------------------------------------------------------------------


cdef class Traced(Keeper):
    """The doorkeeper of a Storage of which it is known how its bytes are made."""


cdef class Recipe(Traced):
    """The doorkeeper of a Storage that has no bytes yet."""


cdef int asked(object keeper, Storage storage, const Access *access) except -1:
    cdef Recipe recipe = keeper
    if access.intent == LOCATES and access.ndim >= 0:
        return 0
    # Without a box it is `materialize`, which asks for the bytes.
    if recipe.strict and access.intent != LOCATES and storage.is_deferred:
        raise FakeError("a conversion", "a value is needed, and the block is strict", site_of(recipe))
    while storage.is_deferred:  # another thread may have recorded a write meanwhile
        maker(recipe)
    return 0


cdef Recipe new_recipe(Array x, Version version, bint strict, bint is_scalar):
    """Make a fake that has just been made, and that nobody else has, a deferred array.

    is_scalar: NumPy gives a scalar. Then nothing changes it, and in-place operators give new objects.
    """
    cdef Recipe recipe = Recipe.__new__(Recipe)
    recipe.door = asked
    recipe.storage = version.home = weakref.ref(x.storage_)
    recipe.latest = version
    recipe.strict = strict
    if is_scalar:
        x.birth = BORN_SCALAR
        x.writeable = False
    change_keeper(x.storage_, recipe)
    return recipe


cdef object site_of(Recipe recipe):
    """Where the operation stands that makes a Recipe's bytes; None once it has been done."""
    cdef Node node = recipe.latest.node
    return None if node is None else node.site


cdef Recipe find_recipe(Array x):
    if x.storage_ is None or not x.storage_.is_deferred:
        return None
    return <Recipe>x.storage_.doorkeeper


cdef Traced find_traced(Array x):
    if x.storage_ is None or x.storage_.doorkeeper == NULL or not isinstance(<object>x.storage_.doorkeeper, Traced):
        return None
    return <Traced><object>x.storage_.doorkeeper


def recipe_of(Array x not None, /):
    """The `Recipe` of an array; None where its bytes are there, or never will be."""
    return find_recipe(x)


def first_deferred(values, /):
    """The first array whose bytes are not made yet among values, or in lists, tuples and dicts there; or None."""
    return find_deferred(values, 0)


cdef object find_deferred(object values, int depth):
    for value in values:
        if is_array(value):
            if find_recipe(<Array>value) is not None:
                return value
        elif isinstance(value, (list, tuple, dict)) and depth < MAXDIMS:
            found = find_deferred((<dict>value).values() if isinstance(value, dict) else value, depth + 1)
            if found is not None:
                return found
    return None


# ---- where arrays lie ------------------------------------------------------------------------------------------------


cdef Array new_ghost(Array x, Traced traced, Origin origin):
    """A fake of an array's place, on one fake Storage for all the arrays of a Storage."""
    if traced.ghost is None:
        traced.ghost = fake_storage(window_size(x.storage_), origin)
        traced.ghost.never_shared = x.storage_.never_shared
    return placed(x, traced.ghost)


cdef Array placed(Array x, Storage storage):
    """An array that lies in another Storage as x lies in its own."""
    cdef Array made = on_storage(storage, x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable,
                                 <Birth>x.birth)
    made.standard = x.standard
    return made


cdef tuple outline(Array x):
    """Where an array lies, and how many bytes its Storage has."""
    return placed(x, None), window_size(x.storage_)


def lies_as(Array x not None, tuple foretold, /):
    """Whether an array lies in its Storage as was foretold by its outline."""
    cdef Array place = foretold[0]
    cdef int i
    if x.nd != place.nd or x.offset != place.offset or x.descr != place.descr:
        return False
    if window_size(storage_for(x)) != <size_t>foretold[1]:
        return False
    for i in range(x.nd):
        if x.dims[i] != place.dims[i] or (x.dims[i] > 1 and x.dims[x.nd + i] != place.dims[place.nd + i]):
            return False
    return True


def lay(tuple foretold, Storage storage not None, /):
    """The array of an outline, writable, on a Storage of its size."""
    made = placed(<Array>foretold[0], storage)
    (<Array>made).writeable = True
    return made


def fill(Storage storage not None, Storage made not None, /):
    """Put bytes into a deferred Storage: those of another, which is to be dropped. What that shared, it shares."""
    _keeper = <object>storage.doorkeeper  # ends with this function
    take_bytes(storage, made)


def settle(list nodes, dict made, dict kept, /):
    """Put what nodes have made where it was missing, and forget how. No signal comes in between."""
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
        (<Node>node).forget()


def undo(list nodes not None, dict made not None, dict states not None, /):
    """Forget what was made before an error, if it has not been settled: it is made again, by generators as they were.
    """
    if (<Node>nodes[0]).function is None:
        return
    for version in made:
        (<Version>version).value = None
    for generator, state in states.items():
        generator.bit_generator.state = state


def clone(Storage storage not None, /):
    """A lazy clone of a Storage that nobody else writes to, whatever its size."""
    cdef Access access = access_anywhere(READS, OPERATION)
    made = share(storage, &access, 0, window_size(storage), True)
    if made is None:
        raise BufferError("a value that is kept to make others from is being written to")
    return made
