"""Recorded operations, with the bytes that each reads, writes and makes, so that it can run later or again.

A Storage has versions: a recorded write makes the next one from the last. A `Node` is a recorded operation. The
versions that it makes keep it alive, and it keeps alive those that it reads. So unreachable ones are freed, and there
are no reference cycles.

The rules of fakes infer the results of operations, from fakes of the same size and place: ghosts.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.contextvars cimport get_value
from cpython.weakref cimport PyWeakref_NewRef

from cowarray._array.array cimport (
    access_anywhere,
    Array,
    Birth,
    itemsize_of,
    on_storage,
    shape_of,
    storage_for,
    strides_of,
)
from cowarray._array.layout cimport extent
from cowarray._c.variables cimport set_variable
from cowarray._modes.fake.fakes cimport Origin
from cowarray._native.storage cimport Access, fake_storage, Keeper, OPERATION, READS, share, Storage, window_size

cnp.import_array()

cdef long long nodes_made = 0
# Shared by the many nodes that write nothing. It stays empty.
cdef dict nothing_written = {}

# Context variables: how floating-point errors are handled, and how NumPy prints. A node records their values.
cdef object error_handling = np._core.umath._extobj_contextvar
cdef object make_handling = np._core.umath._make_extobj
cdef object print_options = getattr(np._core.arrayprint, "format_options", None)


# ---- versions and nodes ----------------------------------------------------------------------------------------------


@cython.trashcan(True)
cdef class Version:
    """The bytes that a Storage has, or had, between two writes; or the state of a generator between two draws.

    Parameters
    ----------
    node : Node or None
        The operation that makes them; None once they are made.

    Attributes
    ----------
    value : Storage, numpy.random.Generator or None
        The bytes or the state, while somebody needs them.
    readers : int
        How many nodes are still to read or write them.
    home : weakref.ref of Storage, or None
        The Storage whose latest version this is.
    """

    def __cinit__(self, Node node):
        self.node = node

    def is_wanted(self):
        """True if a Storage still lacks these bytes."""
        return self.home is not None and self.home() is not None


@cython.final
cdef class Reference:
    """An array among the arguments of a node: a version, and the array's place in it."""

    def on(self, Storage storage not None):
        """Return the array, on a Storage that has the version's bytes."""
        return placed(self.place, storage)


@cython.trashcan(True)
cdef class Node:
    """A recorded operation.

    Parameters
    ----------
    operation : str
    function : callable
        Does the operation.
    args : list
        With a `Reference` in place of each array whose version is known, and copies of other arrays.
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
        self.handling = get_value(error_handling)
        self.printing = None if print_options is None else get_value(print_options)
        self.reads = []  # Versions, each once
        self.writes = nothing_written  # by Version that is overwritten: a weak reference to the one made from it
        self.births = []  # (place among the results, outline, weak reference to the Version)

    def __dealloc__(self):
        if self.reads is not None:
            for version in self.reads:
                have_done(<Version>version)

    cpdef object read(self, object versions):
        """Record that it reads these versions."""
        for version in versions:
            (<Version>version).readers += 1
            self.reads.append(version)

    cpdef object write(self, Version before, Version after):
        """Record that it makes the next version of a Storage from the latest."""
        if self.writes is nothing_written:
            self.writes = {}
        self.writes[before] = PyWeakref_NewRef(after, None)
        after.home = before.home
        before.home = None

    cpdef object bear(self, Py_ssize_t place, Array array, Version version):
        """Record that a result is a new array."""
        self.births.append((place, outline_of(array), PyWeakref_NewRef(version, None)))

    cpdef object forget(self):
        """Drop everything that it needed to run."""
        reads, self.reads = self.reads, []
        for version in reads:
            have_done(<Version>version)
        self.args = self.kwargs = self.function = self.handling = self.printing = None
        self.births = []
        self.writes = nothing_written

    cpdef object come_again(self, object function):
        """Become a node that makes the same results by `function`, reads and writes nothing, and is yet to run."""
        reads, self.reads = self.reads, []
        for version in reads:
            have_done(<Version>version)
        self.function = function
        self.writes = nothing_written

    def restore_settings(self, **handling):
        """Set NumPy's error handling and print options as recorded, in a context that is used for nodes alone.

        Parameters
        ----------
        **handling
            Other error handling than recorded: as for `numpy.seterr`, and ``call``, as for `numpy.seterrcall`.
        """
        set_variable(error_handling, self.handling)
        if handling:
            set_variable(error_handling, make_handling(**handling))
        if print_options is not None:
            set_variable(print_options, self.printing)


cdef int have_done(Version version) except -1:
    version.readers -= 1
    if version.readers == 0 and type(version.value) is Storage and not version.is_wanted():
        version.value = None


# ---- where arrays lie ------------------------------------------------------------------------------------------------


cdef class Traced(Keeper):
    """The doorkeeper of a Storage whose bytes a recorded operation makes."""


cdef Traced find_traced(Array x):
    if x.storage_ is None or x.storage_.doorkeeper == NULL or not isinstance(<object>x.storage_.doorkeeper, Traced):
        return None
    return <Traced><object>x.storage_.doorkeeper


cdef Array new_ghost(Array x, Traced traced, Origin origin):
    """Return a fake of an array, on the one fake Storage that serves all arrays of its Storage."""
    if traced.ghost is None:
        traced.ghost = fake_storage(window_size(x.storage_), origin)
        traced.ghost.never_shared = x.storage_.never_shared
    return placed(x, traced.ghost)


cdef Array placed(Array x, Storage storage):
    """Return an array that lies in another Storage as x lies in its own."""
    cdef Array made = on_storage(storage, x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable,
                                 <Birth>x.birth)
    made.standard = x.standard
    return made


cdef tuple outline_of(Array x):
    """Return an array's place in its Storage, and the Storage's size in bytes."""
    return placed(x, None), window_size(x.storage_)


def has_room(tuple outline, /):
    """True if the elements of an outline lie within its Storage's bytes."""
    cdef Array place = outline[0]
    cdef cnp.npy_intp low = 0, high = 0
    extent(place.nd, shape_of(place), itemsize_of(place), strides_of(place), &low, &high)
    return place.offset + low >= 0 and place.offset + high <= <cnp.npy_intp>outline[1]


def has_outline(Array x not None, tuple outline, /):
    """True if an array lies in its Storage as the outline says."""
    cdef Array place = outline[0]
    cdef int i
    if x.nd != place.nd or x.offset != place.offset or x.descr != place.descr:
        return False
    if window_size(storage_for(x)) != <size_t>outline[1]:
        return False
    for i in range(x.nd):
        if x.dims[i] != place.dims[i] or (x.dims[i] > 1 and x.dims[x.nd + i] != place.dims[place.nd + i]):
            return False
    return True


def lay(tuple outline, Storage storage not None, /):
    """Return the array of an outline, writable, on a Storage of the outline's size."""
    made = placed(<Array>outline[0], storage)
    (<Array>made).writeable = True
    return made


cpdef Storage clone(Storage storage):
    """Return a lazy clone of a Storage that nobody else writes to, even of a small one."""
    cdef Access access = access_anywhere(READS, OPERATION)
    made = share(storage, &access, 0, window_size(storage), True, False)
    if made is None:
        raise BufferError("a value that is kept to make others from is being written to")
    return made
