"""Outside arrays that managed arrays are computed from: constants of a budget, each kept and counted once.

The bytes that an array lies in are kept as they were (`captures.pyx`). An array that still shares bytes with such a
copy refers to a place in it. So does a NumPy array that is used again, if its bytes are where they were, and unchanged.
"""

from libc.string cimport memcmp

cimport numpy as cnp

from cowarray._array.array cimport (
    access_to,
    Array,
    Birth,
    BORN_VIEW,
    bytes_of,
    descr_of,
    is_array,
    on_storage,
    shape_of,
    storage_for,
    strides_of,
)
from cowarray._modes.record.captures cimport (
    captured,
    captured_foreign,
    is_shared,
    is_sparse,
    Part,
    part_of,
    part_of_foreign,
)
from cowarray._modes.record.nodes cimport Reference
from cowarray._modes.record.rehearsing cimport Rehearsal
from cowarray._modes.budget.room cimport make_room
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    manage,
    ManagedVersion,
    new_allocation,
    new_version,
    Run,
)
from cowarray._native.storage cimport (
    Access,
    allocated_size,
    allocation_of,
    Hold,
    is_absent,
    own_bytes,
    quiet_hold,
    READS,
    OPERATION,
    Storage,
    window_size,
)

from cowarray._modes.record.draws import NotRecorded
from cowarray._modes.budget.room import NoRoom
from cowarray._native.storage import share_allocation

cnp.import_array()


cdef size_t find_inputs(Run run, Rehearsal rehearsal, dict known) except? 0:
    """Return how many bytes of outside arrays are yet to be counted. known: receives the others' references, by id."""
    cdef size_t need = 0
    cdef list met = []
    cdef Part part
    cdef Storage storage
    if rehearsal.ghosts is not None:
        for _, original, traced in rehearsal.ghosts:
            if traced is not None or find_known(run, original, known) is not None:
                continue
            storage = storage_for(<Array>original)
            part = part_of(<Array>original)
            if not is_shared(storage, part):
                if is_sparse(<Array>original, part):
                    raise NotRecorded
                need += part.nbytes
            elif storage not in met:
                met.append(storage)
                if sharer(run, storage) is None:
                    need += allocated_size(storage)
    if rehearsal.foreign is not None:
        for original in rehearsal.foreign:
            if find_known(run, original, known) is None:
                need += part_of_foreign(original).nbytes
    return need


cdef bint has_sparse(Rehearsal rehearsal) except -1:
    """Tell whether an outside array is a sparse part of the bytes that would be kept for it."""
    if rehearsal.ghosts is not None:
        for _, original, traced in rehearsal.ghosts:
            if traced is None and is_sparse(<Array>original, part_of(<Array>original)):
                return True
    return False


cdef Reference take_input(Run run, object value, dict known, object site):
    """Return a reference to the kept bytes of an outside array. known: as `find_inputs` filled it."""
    cdef Reference reference = known.get(id(value))
    cdef Array copy
    cdef Part part
    cdef Storage source
    if reference is not None and reference.version.value is not None:
        return reference
    if is_array(value):
        copy = captured(<Array>value)
        part = part_of(<Array>value)
        source = storage_for(<Array>value)
        if is_shared(source, part):
            address = <size_t>allocation_of(source)
        else:
            address = <size_t>own_bytes(source) + (<Array>value).offset + part.low
    else:
        copy = captured_foreign(value)
        address = <size_t>cnp.PyArray_BYTES(value) + part_of_foreign(value).low
    reference = refer(constant(run, storage_for(copy), address, site), copy, copy.offset)
    known[id(value)] = reference
    return reference


cdef ManagedVersion constant(Run run, Storage storage, object address, object site):
    """Return a version for bytes that stay. address: of the bytes that they were captured from."""
    cdef ManagedVersion version = sharer(run, storage)
    cdef Allocation unit = None if version is None else version.unit
    if unit is None:
        if not make_room(run, allocated_size(storage)):
            raise NoRoom
        unit = new_allocation(run, allocated_size(storage), 0, site, "an input", bytes_in(storage))
    version = new_version(None)
    version.value = storage
    manage(storage, unit, version, True, constant_name(run, unit))
    run.inputs[address] = version
    return version


cdef ManagedVersion sharer(Run run, Storage storage):
    """Return the known constant that shares its bytes with a Storage, or None."""
    cdef ManagedVersion version = run.inputs.get(<size_t>allocation_of(storage))
    if version is None or version.value is None or not share_allocation(<Storage>version.value, storage):
        return None
    return version


cdef Reference find_known(Run run, object value, dict known):
    """Return a reference to an outside array's bytes if they are kept already, and note it in `known`; else None."""
    cdef Reference found
    if is_array(value):
        found = find_place(run, <Array>value)
    else:
        found = find_copy_of_foreign(run, value)
    if found is not None:
        known[id(value)] = found
    return found


cdef Reference find_place(Run run, Array x):
    cdef Storage storage = storage_for(x), kept
    cdef Part part = part_of(x)
    cdef ManagedVersion version
    cdef cnp.npy_intp offset
    cdef char *window
    cdef Access access
    if storage.doorkeeper != NULL:
        raise NotRecorded  # another mode's
    version = sharer(run, storage)
    if version is not None:
        kept = <Storage>version.value
        offset = own_bytes(storage) - own_bytes(kept) + x.offset
        if offset + part.low >= 0 and offset + part.low + part.nbytes <= <cnp.npy_intp>window_size(kept):
            return refer(version, x, offset)
    if is_shared(storage, part):
        return None
    access = access_to(x, READS, OPERATION)
    _keeper = bytes_of(storage, &access, &window)
    version = find_copy(run, window + x.offset + part.low, part.nbytes)
    return None if version is None else refer(version, x, -part.low)


cdef Reference find_copy_of_foreign(Run run, cnp.ndarray array):
    cdef Part part = part_of_foreign(array)
    cdef ManagedVersion version = find_copy(run, <const char *>cnp.PyArray_BYTES(array) + part.low, part.nbytes)
    cdef Reference made
    if version is None:
        return None
    made = Reference.__new__(Reference)
    made.version = version
    made.place = on_storage(None, -part.low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array),
                            cnp.PyArray_STRIDES(array), descr_of(array), False, BORN_VIEW)
    return made


cdef ManagedVersion find_copy(Run run, const char *bytes, size_t nbytes):
    """Return the constant that was captured at this address, if it equals the bytes there now; else None."""
    cdef ManagedVersion version = run.inputs.get(<size_t>bytes)
    cdef Storage kept
    cdef Hold hold
    cdef bint same
    if version is None or version.value is None:
        return None
    kept = <Storage>version.value
    if window_size(kept) != nbytes or is_absent(kept):
        return None
    hold = quiet_hold(kept)
    with nogil:
        same = hold.scope.data == bytes or memcmp(hold.scope.data, bytes, nbytes) == 0
    return version if same else None


cdef Reference refer(ManagedVersion version, Array x, cnp.npy_intp offset):
    """Return a reference to a place in a version's bytes, with an array's layout."""
    cdef Reference made = Reference.__new__(Reference)
    made.version = version
    made.place = on_storage(None, offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable, <Birth>x.birth)
    made.place.standard = x.standard
    return made


cdef str constant_name(Run run, Allocation unit):
    """Name and log an allocation that no recorded operation made; None without a log."""
    cdef str name = run.new_name()
    if name is not None:
        run.log.constant(name, unit.size)
    return name
