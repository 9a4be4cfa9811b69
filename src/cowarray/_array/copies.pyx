# cython: freethreading_compatible=True
"""Copies in meaning, and the five rules that decide which of them are lazy.

A copy is lazy if all of these rules hold. Otherwise it is eager, at NumPy's price, and `explain` names the rule.

1. Worth: its bytes are at least half of the allocation that it would share (`is_worth_sharing`).
2. Overlap: no two of its elements overlap.
3. Order: its elements would lie in memory like those of NumPy's result.
4. Pinned: nobody holds a writable pointer to the source's bytes.
5. Dtype: elements are plain bytes, which memcpy copies.

So a program copies and retains at most a small constant times as much as with NumPy.
"""

from sys import _getframe

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.unicode cimport PyUnicode_Tailmatch
from libc.string cimport memcpy

from cowarray._array.array cimport (
    access_to,
    adopt,
    Array,
    Birth,
    BORN_EAGER_DTYPE,
    BORN_EAGER_ORDER,
    BORN_EAGER_OVERLAP,
    BORN_EAGER_PINNED,
    BORN_EAGER_SMALL,
    BORN_LAZY,
    bytes_of,
    has_doorkeeper,
    header_at,
    held_still,
    is_plain,
    itemsize_of,
    new_header,
    on_storage,
    reason_of,
    shape_of,
    size_of,
    still_while_told,
    storage_for,
    strides_of,
)
from cowarray._array.layout cimport (
    c_ordered_size,
    c_strides,
    distinct,
    extent,
    f_strides,
    is_c_ordered,
    is_f_ordered,
    kept_strides,
    MAXDIMS,
    same_layout,
)
from cowarray._c.atomics cimport add, relaxed
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, PyArray_CopyInto, PyArray_Empty
from cowarray._c.python cimport PyEval_GetGlobals
from cowarray._native.storage cimport (
    Access,
    allow_eager,
    count_eager,
    count_fake_copy,
    fake_storage,
    Keeper,
    modes_in_use,
    OPERATION,
    READS,
    share,
    SHARES,
    SMALL_COPY,
    Storage,
    storage_new,
    tell_eager,
)

cnp.import_array()


cdef int may_copy(cnp.npy_intp nbytes, Birth reason) except -1:
    """Ask before an eager copy: CopyError if a mode forbids it. A gap, if a mode is in use."""
    if modes_in_use():
        allow_eager(nbytes, reason_of(reason))
    return 0


cdef int have_copied(cnp.npy_intp nbytes, Birth reason) except -1:
    """Count and trace an eager copy that was made. A gap, if a mode is in use."""
    if modes_in_use():
        tell_eager(nbytes, reason_of(reason))
    else:
        count_eager(nbytes)
    return 0


cdef Array copy_with(Array source, const cnp.npy_intp *strides, bint writeable=True):
    """Make a copy in meaning with the given strides, those of NumPy's result.

    Lazy if the source already has these strides and the other rules hold.
    """
    cdef Birth reason = BORN_EAGER_ORDER
    cdef cnp.npy_intp offset
    cdef Storage storage
    if same_layout(source.nd, shape_of(source), strides_of(source), strides):
        storage = lazy_storage(source, &offset, &reason)
        if storage is not None:
            return on_storage(storage, offset, source.nd, shape_of(source), strides, source.descr, True, BORN_LAZY)
    elif not distinct(source.nd, shape_of(source), itemsize_of(source), strides_of(source)):
        reason = BORN_EAGER_OVERLAP
    return eager_copy(source, strides, reason)


cdef Array lazy_copy(Array source, Birth *reason):
    """Make a lazy copy in the source's own layout; return None, and set the reason, if a rule forbids it."""
    cdef cnp.npy_intp offset
    cdef Storage storage = lazy_storage(source, &offset, reason)
    if storage is None:
        return None
    return on_storage(storage, offset, source.nd, shape_of(source), strides_of(source), source.descr, True, BORN_LAZY)


cdef Storage lazy_storage(Array source, cnp.npy_intp *offset, Birth *reason):
    """Make a Storage on the bytes of source's elements, and set the first element's offset in it.

    The caller holds source still: modes and doorkeepers, when asked, may change it.
    """
    cdef cnp.npy_intp low, high
    cdef cnp.npy_intp itemsize = itemsize_of(source)
    cdef cnp.npy_intp size = c_ordered_size(source.nd, shape_of(source), itemsize, strides_of(source))
    cdef Storage storage
    offset[0] = 0
    if size >= 0:
        return lazy_block(source, size * itemsize, reason)
    storage = storage_for(source)
    if not is_shareable(source, storage, size_of(source) * itemsize, reason):
        return None
    if not distinct(source.nd, shape_of(source), itemsize, strides_of(source)):
        reason[0] = BORN_EAGER_OVERLAP
        return None
    extent(source.nd, shape_of(source), itemsize, strides_of(source), &low, &high)
    offset[0] = -low
    return share_part(source, storage, low, high - low, reason)


cdef Storage lazy_block(Array source, cnp.npy_intp nbytes, Birth *reason):
    """Like `lazy_storage`, for a C-ordered array whose elements take nbytes."""
    cdef Storage storage = storage_for(source)
    if not is_shareable(source, storage, nbytes, reason):
        return None
    return share_part(source, storage, 0, nbytes, reason)


cdef inline bint is_shareable(Array source, Storage storage, cnp.npy_intp nbytes, Birth *reason) noexcept:
    """True if the rules on dtype and worth hold, and the Storage may be shared; source's elements take nbytes."""
    if not is_plain(source.descr):
        reason[0] = BORN_EAGER_DTYPE
    elif storage.never_shared:
        reason[0] = BORN_EAGER_PINNED
    elif not is_worth_sharing(storage, nbytes):
        reason[0] = BORN_EAGER_SMALL
    else:
        return True
    return False


cdef inline Storage share_part(Array source, Storage storage, cnp.npy_intp low, cnp.npy_intp nbytes, Birth *reason):
    """Share the nbytes that begin at low, counted from source's first element."""
    cdef Access access = access_to(source, SHARES, OPERATION)
    reason[0] = BORN_EAGER_PINNED  # if share refuses
    return share(storage, &access, source.offset + low, nbytes)


cdef Array eager_copy(Array source, const cnp.npy_intp *strides, Birth reason):
    """Copy at once, into bytes of the core's allocator; NumPy copies elements that are not plain bytes.

    The caller holds source still, or nobody else uses it.
    """
    cdef cnp.npy_intp source_strides[MAXDIMS]
    cdef cnp.npy_intp nbytes = size_of(source) * itemsize_of(source)
    cdef cnp.npy_intp offset = source.offset
    cdef int nd = source.nd
    cdef bint plain = is_plain(source.descr)
    # One block, too small to be worth releasing the GIL: this halves the time for 10 elements.
    cdef bint is_block = (
        plain and nbytes <= SMALL_COPY and same_layout(nd, shape_of(source), strides_of(source), strides)
    )
    cdef cnp.dtype descr = source.descr
    cdef Storage storage = storage_for(source)
    cdef cnp.ndarray target = None
    cdef Array x = None
    cdef char *window
    cdef char *fresh = NULL
    cdef Access access = access_to(source, READS, OPERATION)
    may_copy(nbytes, reason)
    if storage.is_fake:
        return fake_copy(source, strides, reason)
    memcpy(source_strides, strides_of(source), nd * sizeof(cnp.npy_intp))
    if plain:
        x = on_storage(storage_new(nbytes, &fresh), 0, nd, shape_of(source), strides, descr, True, reason)
    else:
        target = new_like(source, strides)
    keeper = bytes_of(storage, &access, &window)  # a gap: the source may be another array afterwards
    if is_block:
        memcpy(fresh, window + offset, nbytes)
    else:
        if plain:
            target = new_header(x, fresh, NPY_ARRAY_WRITEABLE, x.storage_)
        PyArray_CopyInto(target, header_at(window + offset, descr, nd, cnp.PyArray_DIMS(target), source_strides, 0,
                                           keeper))
    if not plain:
        x = adopt(target)
        x.birth = reason
    have_copied(nbytes, reason)
    return x


cdef Array fake_copy(Array source, const cnp.npy_intp *strides, Birth reason):
    """Like `eager_copy`, for an array without bytes."""
    cdef cnp.npy_intp nbytes = size_of(source) * itemsize_of(source)
    cdef Storage storage = fake_storage(nbytes, <Keeper>source.storage_.doorkeeper)
    storage.never_shared = not is_plain(source.descr)
    x = on_storage(storage, 0, source.nd, shape_of(source), strides, source.descr, True, reason)
    count_fake_copy(nbytes)
    have_copied(nbytes, reason)
    return x


cdef cnp.ndarray new_like(Array source, const cnp.npy_intp *strides):
    """Make an empty NumPy array of source's shape and dtype, in C or Fortran order like strides."""
    cdef bint fortran = (
        is_f_ordered(source.nd, shape_of(source), itemsize_of(source), strides)
        and not is_c_ordered(source.nd, shape_of(source), itemsize_of(source), strides)
    )
    Py_INCREF(source.descr)  # stolen
    return PyArray_Empty(source.nd, shape_of(source), source.descr, fortran)


cdef Array copy_in_order(Array source, char order):
    """Make the copy that NumPy's `copy(order)` would make."""
    cdef Array still = held_still(source) if modes_in_use() or has_doorkeeper(source) else source
    cdef Birth reason = BORN_EAGER_ORDER
    cdef cnp.npy_intp nbytes = block_size(still) if order == c"K" or order == c"C" else -1
    cdef Storage storage
    if nbytes < 0:
        return copy_of_still(still, order)
    storage = lazy_block(still, nbytes, &reason)
    if storage is None:
        return eager_copy(still, strides_of(still), reason)
    return on_storage(storage, 0, still.nd, shape_of(still), strides_of(still), still.descr, True, BORN_LAZY)


cdef Array copy_of_still(Array source, char order):
    """Like `copy_in_order`, for a source that is not a block in C order."""
    cdef cnp.npy_intp strides[MAXDIMS]
    order_strides(source, order, strides)
    return copy_with(source, strides)


cdef inline cnp.npy_intp block_size(Array x) noexcept:
    """Return the bytes of x's elements if all its strides are those of a new C-ordered array; otherwise -1."""
    cdef cnp.npy_intp nbytes = itemsize_of(x)
    cdef int i
    for i in range(x.nd - 1, -1, -1):
        if x.dims[x.nd + i] != nbytes or x.dims[i] == 0:
            return -1
        nbytes *= x.dims[i]
    return nbytes


cdef void order_strides(Array source, char order, cnp.npy_intp *strides) noexcept:
    cdef cnp.npy_intp itemsize = itemsize_of(source)
    cdef bint fortran = order == c"F"
    if order == c"K":
        kept_strides(source.nd, shape_of(source), itemsize, strides_of(source), strides)
        return
    if order == c"A":
        fortran = (
            is_f_ordered(source.nd, shape_of(source), itemsize, strides_of(source))
            and not is_c_ordered(source.nd, shape_of(source), itemsize, strides_of(source))
        )
    if fortran:
        f_strides(source.nd, shape_of(source), itemsize, strides)
    else:
        c_strides(source.nd, shape_of(source), itemsize, strides)


cdef Array copy_as_laid(Array source):
    """Copy an alias that NumPy made: lazily in the same layout, or eagerly in order 'K'."""
    source = still_while_told(source)
    cdef Birth reason = BORN_EAGER_ORDER
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef Array x = lazy_copy(source, &reason)
    if x is not None:
        return x
    kept_strides(source.nd, shape_of(source), itemsize_of(source), strides_of(source), strides)
    return eager_copy(source, strides, reason)


cdef int alias_users = 0
cdef int watch_users = 0
# Tells whether the current context aliases; set before any aliasing context begins.
cdef alias_question asks_here = NULL
# The hooks to call while a context watches: `watches_here()`, `watched_alias(...)`, `exported(...)`; see
# `watch_copies`.
cdef object watcher = None


cdef void set_alias_question(alias_question question) noexcept:
    """Set the function that tells whether the current context aliases wherever NumPy does."""
    global asks_here
    asks_here = question


def alias_copies(int change, /):
    """Count a context that begins (1) or ceases (-1) to alias wherever NumPy does.

    Parameters
    ----------
    change : {1, -1}

    Returns
    -------
    int
        How many contexts there are.
    """
    return add(&alias_users, change)


def watch_copies(int change, hooks, /):
    """Count a context that begins (1) or ceases (-1) to watch aliases. `alias_copies` counts it as well.

    Parameters
    ----------
    change : {1, -1}
    hooks : object
        Called from now on. ``watches_here()``: whether the current context watches. ``watched_alias(view, operation)``:
        the result of an operation that copies in meaning and for which NumPy makes a view, or None if not watched.
        ``exported(x, for_reading)``: called before an array is exported; for_reading: elsewhere it would be a snapshot.

    Returns
    -------
    int
        How many contexts there are.
    """
    global watcher
    watcher = hooks
    return add(&watch_users, change)


cdef bint exports_alias() except -1:
    """True if exports, imports and copies in meaning are aliases in the current context. A gap, if `may_alias`."""
    return may_alias() and asks_here()


def aliases_here():
    """Like `exports_alias`, for Python code."""
    return exports_alias()


# Packages that keep any instance of NumPy's class, and hand it to compiled code, which checks the exact type.
cdef frozenset ASK_FOR_THE_TYPE = frozenset(("h5py", "jax", "numba", "pandas", "polars"))


# Functions that assume that they can make views of the type of any instance of NumPy's class.
cdef frozenset VIEW_AS_THE_TYPE = frozenset((("numpy.ma.core", "_update_from"),))


cdef tuple asking_function():
    """Return module and name of the running Python code, or two ""; skip functools, which dispatches for its caller."""
    try:
        frame = _getframe()
        while frame.f_globals.get("__name__") == "functools":
            frame = frame.f_back
        return <str?>frame.f_globals["__name__"], <str?>frame.f_code.co_name
    except Exception:  # no frame, or a name that is not a str
        pass
    return "", ""


cdef bint is_asking(str package) except -1:
    """True if the running Python code belongs to a package."""
    # The running frame's globals are cheap to get; getting the frame itself takes a third of an export's time.
    cdef PyObject *space = PyEval_GetGlobals()
    cdef PyObject *found = NULL if space == NULL else PyDict_GetItemWithError(<object>space, "__name__")
    cdef object name
    if found == NULL or type(<object>found) is not str:
        return False
    name = <object>found
    if PyUnicode_Tailmatch(name, "functools", 0, 64, -1):
        name = asking_function()[0]
    return PyUnicode_Tailmatch(name, package, 0, 64, -1) != 0 and (
        len(<str>name) == len(package) or (<str>name)[len(package)] == "."
    )


cdef bint is_numpys_class() except -1:
    """True if the running Python code is to be told that an array is an instance of NumPy's class."""
    if not exports_alias():
        return False
    asking = asking_function()
    return (<str>asking[0]).partition(".")[0] not in ASK_FOR_THE_TYPE and asking not in VIEW_AS_THE_TYPE


cdef bint wants_copy() except -1:
    """True if the running code gets a copy even where exports are aliases.

    pandas copies NumPy's arrays, but takes another kind of array's export for its own memory.
    """
    return is_asking("pandas")


cdef bint takes_pointer() except -1:
    """True if the running code takes the pointer out of an interface, and otherwise falls back on `__array__`."""
    return is_asking("xgboost")


cdef bint watches_here() except -1:
    """True if the current context watches aliases."""
    return relaxed(&watch_users) != 0 and watcher.watches_here()


cdef int tell_exported(Array x, bint for_reading) except -1:
    """Tell the watchers of an export. for_reading: outside their contexts it would be a snapshot."""
    if relaxed(&watch_users) != 0:
        watcher.exported(x, for_reading)
    return 0


cdef Array copy_of_alias(Array view, str operation, Array same=None):
    """Return the result of a copy in meaning for which NumPy returns this view, which nobody else uses.

    same: the array that it is a view of, if NumPy returns that array itself.
    """
    if may_alias():
        if relaxed(&watch_users) != 0:
            result = watcher.watched_alias(view, operation)
            if result is not None:
                return <Array?>result
        if asks_here():
            return view if same is None else same
    return copy_as_laid(view)


cdef char order_code(object order) except -1:
    """Return 'C', 'F', 'A' or 'K', by NumPy's rule."""
    if order is None:
        return c"K"
    if isinstance(order, str) and len(order) == 1 and order.upper() in "CFAK":
        return <char>(<unsigned char>ord(order.upper()))
    refusal = f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})"
    raise ValueError(refusal) if isinstance(order, str) else TypeError(refusal)
