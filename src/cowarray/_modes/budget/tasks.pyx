"""Operations about to run in a budget: what each reads, writes and returns, and what it needs beforehand.

A rehearsal predicts an operation's results, so that room is made for them before it runs. Its `Node` keeps the
arguments as they were. Before it runs, its inputs are brought in and locked, and its allocations are reserved.
"""

from contextvars import Context

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array, BORN_LAZY, is_array, storage_for
from cowarray._modes.fake.forecasts cimport Forecast, memorize
from cowarray._modes.budget.inputs cimport find_inputs, has_sparse, take_input
from cowarray._modes.budget.pools cimport PRESENT
from cowarray._modes.budget.remaking cimport bring
from cowarray._modes.budget.room cimport make_room
from cowarray._modes.budget.runs cimport (
    Allocation,
    find_managed,
    keep_bytes,
    Managed,
    ManagedNode,
    ManagedVersion,
    new_version,
    Run,
)
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._modes.record.nodes cimport find_traced, placed, Reference
from cowarray._modes.record.rehearsing cimport refuse_objects, rehearse, Rehearsal
from cowarray._native.storage cimport (
    allocation_of,
    is_pinned,
    modes_in_use,
    read_region,
    Storage,
    window_size,
    write_takes,
)

from cowarray._modes.budget.room import NoRoom
from cowarray._modes.budget.runs import ended
from cowarray._modes.common.sizes import readable
from cowarray._modes.record.draws import NotRecorded, draw_of, repeated
from cowarray._ops.creation import bearing
from cowarray._ops.ufuncs import runs_user_code

cnp.import_array()

cdef type bearing_type = type(bearing(None))
# For operations that write nothing. Nobody adds to them.
cdef list NOTHING = []
cdef dict NO_PAGES = {}


@cython.final
cdef class Outlook(Rehearsal):
    """A prediction of an operation."""


@cython.final
cdef class Task:
    """An operation under way."""


# ---- what it will do -------------------------------------------------------------------------------------------------


cdef Outlook foresee(str operation, object function, tuple args, dict kwargs, object key, Forecast known, list arrays,
                     list fresh):
    """Predict what an operation reads, writes and gives, or raise NotRecorded. known: its forecast by key, or None."""
    cdef Outlook outlook
    cdef void *region
    cdef size_t nbytes
    if known is not None:
        return as_before(function, known, arrays, fresh)
    read_region(&region, &nbytes)
    if region == NULL or runs_user_code(function):
        raise NotRecorded  # ghosts need spare addresses
    outlook = Outlook.__new__(Outlook)
    outlook.stand_here()
    outlook.is_repeated = True
    outlook.function = function
    if type(function) is bearing_type:
        draw = draw_of(function)
        if draw is not None:
            outlook.function = repeated(draw)
            outlook.draws = True
            function = draw.replay
    shown = tuple([outlook.show(value) for value in args])
    named = {name: outlook.show(value) for name, value in kwargs.items()} if kwargs else kwargs
    result = rehearse(operation, function, shown, named, outlook)
    outlook.find_fresh(result, fresh)
    for _, array in fresh:
        refuse_objects((<Array>array).descr)
    outlook.originals = [outlook.original_on(storage) for storage in outlook.written]
    outlook.pages = {
        (<Array>each).storage_: pages
        for each, pages in zip(outlook.originals, outlook.written.values())
        if each is not None
    }
    if key is not None:
        places = [(index_of(outlook.original_on(each), arrays), pages) for each, pages in outlook.written.items()]
        if not any([place < 0 for place, _ in places]):
            memorize(key, function, arrays, list(fresh), tuple(places))
    return outlook


cdef Outlook as_before(object function, Forecast known, list arrays, list fresh):
    """Predict an operation as `foresee` does, from the forecast of an identical one."""
    cdef Outlook outlook = Outlook.__new__(Outlook)
    outlook.function = function
    outlook.is_repeated = True
    outlook.site = here()
    for x in arrays:
        storage_for(<Array>x)  # as a ghost would
    outlook.ghosts = [(None, x, find_traced(<Array>x)) for x in arrays]
    if known.written:
        outlook.originals = [arrays[place] for place, _ in known.written]
        outlook.written = {(<Array>arrays[place]).storage_: pages for place, pages in known.written}
    else:
        outlook.originals = NOTHING
        outlook.written = NO_PAGES
    outlook.pages = outlook.written
    fresh.extend(known.births)
    return outlook


cdef Py_ssize_t index_of(object array, list arrays) except -2:
    cdef Py_ssize_t i
    for i in range(len(arrays)):
        if arrays[i] is array:
            return i
    return -1


cdef Task new_task(Outlook outlook):
    """Return the task, with the arrays that take part; None if somebody outside may write to one of them."""
    cdef Task task = Task.__new__(Task)
    cdef Managed managed
    task.inputs = []
    task.written = task.storages = task.addresses = NOTHING
    task.born = []
    if outlook.ghosts is not None:
        for _, original, _ in outlook.ghosts:
            managed = find_managed(<Array>original)
            if managed is not None and managed not in task.inputs:
                if is_pinned((<Array>original).storage_):
                    return None  # it may be written at any time
                task.inputs.append(managed)
    for original in outlook.originals:
        if original is None:
            continue
        managed = find_managed(<Array>original)
        if managed is None:
            return None
        if task.written is NOTHING:
            task.written = []
            task.storages = []
            task.pages = outlook.pages
        if managed not in task.written:
            task.written.append(managed)
            task.storages.append((<Array>original).storage_)
    return task


cdef size_t bytes_of(Outlook outlook, list fresh, bint shares_nothing) except? 0:
    """Return how many bytes an operation allocates for its results; copies that its writes make are counted later."""
    cdef size_t need = 0
    cdef list met = []
    cdef Array x
    for _, array in fresh:
        x = <Array>array
        if x.storage_ in met or (x.birth == BORN_LAZY and not shares_nothing and x.storage_ not in outlook.written):
            continue
        met.append(x.storage_)
        need += window_size(x.storage_)
    return need


cdef bint leaves_unset(str operation, tuple args, dict kwargs) except -1:
    """Tell whether fresh results have elements that are never set, like those of `empty`."""
    if operation == "ndarray":
        return args[2:3] in ((), (None,))
    if not kwargs:
        return False
    return kwargs.get("where", True) is not True and isinstance(getattr(np, operation, None), np.ufunc)


cdef bint gives_copies(list fresh) except -1:
    for _, array in fresh:
        if (<Array>array).birth == BORN_LAZY:
            return True
    return False


# ---- before it is done -----------------------------------------------------------------------------------------------


cdef ManagedNode begin(Run run, Task task, size_t need, str operation, Outlook outlook, tuple args, dict kwargs):
    """Bring in the inputs, make room, and record the operation. The guard is held."""
    cdef ManagedNode node
    cdef dict versions = {}
    cdef dict known = {}
    cdef list unrecorded = NOTHING
    cdef Managed managed
    cdef ManagedVersion after
    cdef bint has_hurried = False
    cdef Thread thread = this_thread()
    run.clock()
    while True:
        try:
            lock_inputs(task)
            if not make_room(run, need + copied_by_writes(task) + find_inputs(run, outlook, known)):
                raise NoRoom
            break
        except NoRoom:
            unlock(task)
            if not has_hurried and run.spill is not None and run.spill.is_full:
                has_hurried = True
                run.spill.hurry()  # try the file once more, before raising
            elif not wait_for_others(run):
                if has_sparse(outlook):
                    raise NotRecorded from None  # a column of a table that is larger than the budget
                raise too_large(run, operation, outlook, task, need) from None
        except BaseException:
            unlock(task)
            raise
    task.reserved = need + copied_by_writes(task)
    reserve(run, task.reserved)
    thread.active += 1
    run.active += 1
    try:
        if task.written:
            task.addresses = [<size_t>allocation_of(<Storage>storage) for storage in task.storages]
            unrecorded = [each for each in task.written if stays_constant(task, <Managed>each)]
        for each in task.inputs:
            managed = <Managed>each
            if managed.latest.node is None and managed.latest.value is None and managed not in unrecorded:
                keep_bytes(managed)
        if modes_in_use():
            # These copies are not the program's, so no mode refuses or reports them.
            held, named = Context().run(hold_arguments, run, args, kwargs, versions, known, outlook.site)
        else:
            held, named = hold_arguments(run, args, kwargs, versions, known, outlook.site)
        node = ManagedNode.__new__(ManagedNode, operation, outlook.function, held, named, outlook.site)
        node.read(versions)
        if task.written:
            node.pages = sum(task.pages.values())
        for each in task.written:
            managed = <Managed>each
            if managed in unrecorded:
                continue
            after = new_version(node)
            after.unit = managed.unit
            after.name = managed.name
            node.write(managed.latest, after)
            managed.latest = after
    except NoRoom:
        end(run, task)
        raise too_large(run, operation, outlook, task, need) from None
    except BaseException:
        end(run, task)
        raise
    return node


cdef int lock_inputs(Task task) except -1:
    cdef Managed managed
    cdef list absent = []
    for each in task.inputs:
        managed = <Managed>each
        if not task.only_shares:
            managed.unit.used = managed.unit.run.pools.now
            if managed.unit.state != PRESENT:
                absent.append(managed)  # present inputs must not leave for it
                continue
        lock(task, managed)
    for each in absent:
        bring(<Managed>each)
        lock(task, <Managed>each)
    return 0


cdef int lock(Task task, Managed managed) except -1:
    managed.unit.run.pools.lock(managed.unit)
    if task.locked is None:
        task.locked = []
    task.locked.append(managed.unit)
    return 0


cdef size_t copied_by_writes(Task task) except? 0:
    cdef size_t need = 0
    cdef Managed managed
    if not task.written:
        return 0
    for managed, storage in zip(task.written, task.storages):
        if managed.latest.node is None and not stays_constant(task, managed):
            need += window_size(<Storage>storage)
        else:
            need += write_takes(<Storage>storage, task.pages[storage])
    return need


cdef bint stays_constant(Task task, Managed managed) noexcept:
    """Tell whether a written array is a constant from which nothing was made: its write needs no record."""
    return (managed.latest.node is None and managed.latest.value is None and managed.latest.readers == 0
            and not task.has_births and managed in task.written)


cpdef tuple hold_arguments(Run run, tuple args, dict kwargs, dict versions, dict known, object site):
    """Keep arguments as they are now, for repetitions."""
    held = [hold_argument(run, value, versions, known, site) for value in args]
    return held, hold_argument(run, kwargs, versions, known, site) if kwargs else kwargs


cdef object hold_argument(Run run, object value, dict versions, dict known, object site):
    """Keep an argument as it is now, for repetitions."""
    cdef type kind = type(value)
    cdef Managed managed
    cdef Reference reference
    if is_array(value):
        managed = find_managed(<Array>value)
        if managed is None:
            reference = take_input(run, value, known, site)
        else:
            reference = Reference.__new__(Reference)
            reference.version = managed.latest
            reference.place = placed(<Array>value, None)
        versions[reference.version] = None
        return reference
    if kind is cnp.ndarray:
        reference = take_input(run, value, known, site)
        versions[reference.version] = None
        return reference
    if kind is list:
        return [hold_argument(run, item, versions, known, site) for item in <list>value]
    if kind is tuple:
        return tuple([hold_argument(run, item, versions, known, site) for item in <tuple>value])
    if kind is dict:
        return {name: hold_argument(run, item, versions, known, site) for name, item in (<dict>value).items()}
    return value


# ---- when it has ended -----------------------------------------------------------------------------------------------


cdef int end(Run run, Task task) except -1:
    cdef Thread thread = this_thread()
    unlock(task)
    unreserve(run, task.reserved)
    task.reserved = 0
    run.active -= 1
    thread.active -= 1
    if run.waiters:
        ended.notify_all()
    return 0


cdef int reserve(Run run, size_t nbytes) except -1:
    cdef Thread thread = this_thread()
    run.pools.reserve(nbytes)
    thread.reserved += nbytes
    return 0


cdef int unreserve(Run run, size_t nbytes) except -1:
    cdef Thread thread = this_thread()
    run.pools.unreserve(nbytes)
    thread.reserved -= nbytes
    return 0


cdef int unlock(Task task) except -1:
    cdef list locked = task.locked
    task.locked = None
    if locked is not None:
        for unit in locked:
            (<Allocation>unit).run.pools.unlock(<Allocation>unit)
    return 0


cdef bint wait_for_others(Run run) except -1:
    """Wait until another thread's operation has ended. Return False if none can end."""
    cdef Py_ssize_t active = this_thread().active
    if run.active - active - run.waiting <= 0:
        return False
    run.waiting += active  # this thread's operations go on only when this one does
    run.waiters += 1
    try:
        ended.wait()
    finally:
        run.waiting -= active
        run.waiters -= 1
    return True


cdef object too_large(Run run, str operation, Outlook outlook, Task task, size_t need):
    cdef size_t inputs = sum({unit: unit.nbytes for unit in [(<Managed>each).unit for each in task.inputs]}.values())
    cdef size_t results = need + copied_by_writes(task)
    cdef str more = ""
    inputs += find_inputs(run, outlook, {})
    if results + inputs <= run.pools.budget:
        more = ", and what cannot leave, or what an argument is made of again, takes the rest"
    return MemoryError(
        f"{operation} at {outlook.site[0]}:{outlook.site[1]} needs {readable(results)} beside {readable(inputs)} of "
        f"its arguments{more}, within a budget of {readable(run.pools.budget)}{run.largest_constants()}"
    )
