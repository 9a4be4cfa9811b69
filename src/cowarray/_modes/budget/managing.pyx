"""Operations inside a budget: each runs at once, in memory that was freed beforehand, and is recorded.

Operations that the rules of fakes cannot predict, or that run user code, run as well; their results are constants.
"""

import functools
import sys

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport aliases_foreign, Array, is_array, itemsize_of, storage_for
from cowarray._array.copies cimport watches_here
from cowarray._modes.budget.inputs cimport constant_name
from cowarray._modes.budget.results cimport log_operation, note_births, note_gaps, note_writes
from cowarray._modes.budget.room cimport make_room, no_room
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    find_managed,
    lock_guard_to_end,
    manage,
    Managed,
    ManagedNode,
    nanoseconds,
    new_allocation,
    new_version,
    Run,
    unlock_guard_and_raise,
)
from cowarray._modes.budget.tasks cimport (
    begin,
    bytes_of,
    end,
    foresee,
    gives_copies,
    leaves_unset,
    new_task,
    Outlook,
    reserve,
    Task,
    unreserve,
)
from cowarray._modes.common.dispatching cimport BUDGETS, enlist, Found, Handler, LEFT, name_managed
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._modes.fake.forecasts cimport Forecast, key_of, recall
from cowarray._native.storage cimport allocated_size, is_pinned, Storage
from cowarray._ops.ufuncs cimport at_headers
from cowarray._ops.quick cimport QUICK_FAILED

from cowarray._modes.budget.costs import BY_NUMBER, model_cost
from cowarray._modes.budget.runs import guard
from cowarray._modes.common.sizes import readable
from cowarray._modes.record.draws import NotRecorded
from cowarray._ops.operands import watch_births
from cowarray._ops.functions import dispatched
from cowarray._ops.ufuncs import runs_user_code

cnp.import_array()

# The run that applies to the whole process, where no block applies (`run.start()`), or None.
everywhere = None

# Every operation takes the guard twice, and `with` is slow: it looks methods up, and calls one with a tuple.
cdef object lock_guard = guard.acquire, unlock_guard = guard.release

# Why results are constants.
cdef str UNKNOWN = "what it gives is not known before, or functions of the user gave it"
cdef str SMALL = "it is small"
cdef str RESIZED = "resize gave it its bytes"
cdef str WRITTEN = "something that takes part is written from outside"
cdef str UNSET = "`where` without `out` leaves elements as they happen to be"
# Functions that return uninitialized memory return zeros instead: those can be recomputed.
cdef dict ZEROED = {"empty": np.zeros, "empty_like": np.zeros_like}


@cython.final
cdef class BudgetsHandler(Handler):
    """Manages operations where a budget applies, or where an argument is managed and no block applies."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        cdef Run run
        if thread.managed is not None or watches_here():  # in a simulation nothing is managed
            return LEFT
        run = held_by(block)
        if run is None and found.managed is not None and (block is None or type(block) is Run):
            run = find_managed(found.managed).unit.run
        if run is None or run.is_over:
            return LEFT
        return run_managed(thread, run, operation, function, args, kwargs)


name_managed(Managed)
enlist(BUDGETS, BudgetsHandler())


cdef Run held_by(object block):
    """Return a block's run; the started one where there is no block, or it is over; None for another mode's block."""
    if type(block) is Run and not (<Run>block).is_over:
        return <Run>block
    return everywhere if block is None or type(block) is Run else None


cdef object run_managed(Thread thread, Run run, str operation, object function, tuple args, dict kwargs):
    """Run an operation, and manage its results."""
    cdef Outlook outlook = None
    cdef Task task
    cdef ManagedNode node = None
    cdef list fresh = [], arrays = []
    cdef object key = None
    cdef Forecast known = None
    cdef size_t need
    cdef double before, took, modelled = 0
    cdef bint done = False
    cdef object outer = thread.managed
    cdef object interruption
    if operation == "ndarray.resize":
        return resized(run, function, args, kwargs)
    if not runs_user_code(function):
        key = key_of(function, args, kwargs, arrays)
        known = None if key is None else recall(key)
        if known is not None and known.size < run.pools.small and makes_anew(known, operation, kwargs):
            return at_once(run, known.size, WRITTEN if any_pinned(arrays) else SMALL, function, args, kwargs)
    try:
        outlook = foresee(operation, function, args, kwargs, key, known, arrays, fresh)
    except (NotRecorded, ValueError, IndexError):
        pass
    if outlook is None:  # if something is wrong, NumPy says what
        return at_once(run, 0, UNKNOWN, function, args, kwargs)
    if not fresh and not outlook.written:
        return as_ever(function, args, kwargs)
    task = new_task(outlook)
    need = bytes_of(outlook, fresh, task is None)
    if fresh and leaves_unset(operation, args, kwargs):
        return at_once(run, need, UNSET, function, args, kwargs)
    if operation in ZEROED:
        function = outlook.function = functools.partial(dispatched, ZEROED[operation])
    if task is None or (need < run.pools.small and not task.written and not gives_copies(fresh)):
        return at_once(run, need, SMALL if task is not None else WRITTEN, function, args, kwargs)
    task.has_births = len(fresh) > 0
    task.only_shares = need == 0 and not task.written and gives_copies(fresh)
    if run.by_model:
        modelled = cost_by_model(known, operation, args, kwargs, fresh, task.only_shares)
    try:
        lock_guard()
        try:
            node = begin(run, task, need, operation, outlook, args, kwargs)
        finally:
            unlock_guard()
    except NotRecorded:
        pass
    if node is None:
        return at_once(run, need, "an argument could not be kept as it lies", function, args, kwargs)
    if outlook.draws:
        function = outlook.function  # it notes the generator's state before it draws
    thread.managed = task
    before = nanoseconds()
    try:
        result = at_headers(function, args, kwargs)
        if result is QUICK_FAILED:
            result = function(*args, **kwargs)
        done = True
    finally:
        thread.managed = outer
        took = nanoseconds() - before
        interruption = lock_guard_to_end()
        try:
            try:
                unreserve(run, task.reserved)
                task.reserved = 0
                if done:
                    if run.by_model:
                        took = modelled
                    node.cost = took
                    run.base_time += took
                    run.pools.now = run.pools.now + took if run.by_model else before + took
                    note_writes(run, task, node, None)
                    note_births(run, task, node, fresh, result)
                    if run.verify:
                        note_gaps(task, outlook.ghosts, fresh)
                    if run.log is not None:
                        log_operation(run, task, node)
                else:
                    note_writes(run, task, node, "an operation that wrote to it has failed")
            finally:
                end(run, task)
            if done and task.written and not run.pools.fits(0):
                make_room(run, 0)  # a write that was to copy pages copied the whole
        finally:
            unlock_guard_and_raise(interruption)
    return result


cdef double cost_by_model(Forecast known, str operation, tuple args, dict kwargs, list fresh, bint shares) except? -1:
    """Return the model's cost; the forecast, if any, caches it for identical operations."""
    cdef double cost
    if operation in BY_NUMBER:
        known = None  # a forecast does not depend on numbers
    if known is not None and known.cost >= 0:
        return known.cost
    cost = model_cost(operation, args, kwargs, fresh, shares)
    if known is not None:
        known.cost = cost
    return cost


cdef bint makes_anew(Forecast known, str operation, dict kwargs) except -1:
    """Tell whether an operation only makes new arrays, writes none, and needs no special treatment."""
    return len(known.births) > 0 and not known.written and not kwargs and operation not in ZEROED and (
        operation != "ndarray"
    )


cdef bint any_pinned(list arrays) except -1:
    """Tell whether somebody outside may write to one of these arrays at any time."""
    for x in arrays:
        if (<Array>x).storage_ is not None and find_managed(<Array>x) is not None and is_pinned((<Array>x).storage_):
            return True
    return False


# ---- what is not recorded --------------------------------------------------------------------------------------------


cdef object as_ever(object function, tuple args, dict kwargs):
    """Run an operation without recording it."""
    cdef Task task = Task.__new__(Task)
    cdef Thread thread = this_thread()
    cdef object outer = thread.managed
    thread.managed = task
    try:
        result = at_headers(function, args, kwargs)
        return function(*args, **kwargs) if result is QUICK_FAILED else result
    finally:
        thread.managed = outer


cdef object resized(Run run, object function, tuple args, dict kwargs):
    """Run `resize`, which gives an array a new Storage: a constant."""
    cdef Array x = <Array>args[0]
    cdef Storage before = storage_for(x)
    at_once(run, size_of_resized(x, args[1:]), RESIZED, function, args, kwargs)
    if x.storage_ is not before:
        manage_given(run, RESIZED, (x,), (), {})
    return None


cdef size_t size_of_resized(Array x, tuple lengths) except? 0:
    """Return how many bytes an array will have; 0 if NumPy refuses the lengths, or if they are not plain integers."""
    nbytes = itemsize_of(x)
    if len(lengths) == 1 and type(lengths[0]) in (tuple, list):
        lengths = tuple(lengths[0])
    for length in lengths:
        if type(length) is not int or length < 0:
            return 0
        nbytes *= length
    return nbytes if nbytes <= sys.maxsize else 0


cdef object at_once(Run run, size_t need, str why, object function, tuple args, dict kwargs):
    """Run an operation that is not recorded, for the reason `why`: its results become constants."""
    cdef size_t wanted = need or imported_size(args)  # the second is a guess: it may be an alias
    if wanted:
        if run.written_outside or not run.pools.fits(wanted):  # else there is room, and no lock is needed
            lock_guard()
            try:
                run.clock()
                if not make_room(run, wanted) and need:
                    raise no_room(run, need)
            finally:
                unlock_guard()
        reserve(run, need)
    try:
        result = as_ever(function, args, kwargs)
    finally:
        if need:
            unreserve(run, need)
    if is_array(result):
        manage_given(run, why, (result,), args, kwargs)
    elif type(result) is tuple or type(result) is list:
        manage_given(run, why, [each for each in result if is_array(each)], args, kwargs)
    return result


cdef int manage_given(Run run, str why, object arrays, tuple args, dict kwargs) except -1:
    """Make constants of arrays that were computed, except of those on the Storages of arguments."""
    cdef Storage storage
    cdef Allocation unit
    cdef object interruption
    cdef list strange = []
    for each in arrays:
        storage = storage_for(<Array>each)
        if storage.doorkeeper != NULL or aliases_foreign(<Array>each):
            continue
        if storage not in strange and not is_among(storage, args) and not (kwargs and is_among(storage, kwargs)):
            strange.append(storage)
    if not strange:
        return 0
    interruption = lock_guard_to_end()
    try:
        run.clock()
        for each in strange:
            storage = <Storage>each
            unit = new_allocation(run, allocated_size(storage), 0, here(), why, bytes_in(storage))
            manage(storage, unit, new_version(None), False, constant_name(run, unit))
        if not make_room(run, 0):
            raise MemoryError(f"the budget of {readable(run.pools.budget)} is exceeded{run.largest_constants()}")
    finally:
        unlock_guard_and_raise(interruption)
    return 0


cdef size_t imported_size(tuple args) except? 0:
    cdef size_t found = 0
    for value in args:
        if type(value) is cnp.ndarray:
            found += cnp.PyArray_NBYTES(value)
    return found


cdef bint is_among(Storage storage, object values) except -1:
    """Tell whether a Storage belongs to an array among values, or in lists, tuples and dicts among them."""
    for value in values.values() if type(values) is dict else values:
        if is_array(value):
            if (<Array>value).storage_ is storage:
                return True
        elif type(value) is tuple or type(value) is list or type(value) is dict:
            if is_among(storage, value):
                return True
    return False


# ---- where a run applies ---------------------------------------------------------------------------------------------


def start(Run run not None, /):
    """Apply a run to the whole process, where no block applies."""
    global everywhere
    lock_guard()
    try:
        if everywhere is not None:
            raise RuntimeError("budget.start: a budget has been started already: stop it first")
        if run.users:
            raise RuntimeError("budget.start: a block of this budget is open: leave it first")
        begin_to_hold(run)
        everywhere = run
    finally:
        unlock_guard()


def stop(Run run not None, /):
    """End what `start` began."""
    global everywhere
    lock_guard()
    try:
        if everywhere is not run:
            raise RuntimeError("budget.stop: this budget has not been started")
        everywhere = None
        end_to_hold(run)
    finally:
        unlock_guard()


def count_block(int change, Run run not None, /):
    """Count a block in (1), before it applies, or out (-1)."""
    if change < 0:
        close_block(run)
        return
    lock_guard()
    try:
        if everywhere is run:
            raise RuntimeError("budget: it has been started, and holds everywhere: stop it first")
        begin_to_hold(run)
    finally:
        unlock_guard()


cdef int close_block(Run run) except -1:
    cdef object interruption = lock_guard_to_end()
    try:
        if run.users == 0 or everywhere is run:
            raise RuntimeError("budget: it has no open block")
        end_to_hold(run)
    finally:
        unlock_guard_and_raise(interruption)
    return 0


cdef int begin_to_hold(Run run) except -1:
    if run.is_over and run.log is not None:
        raise RuntimeError("budget: its log of what was done before is complete: make another one")
    watch_births(1)
    run.users += 1
    run.is_over = False
    return 0


cdef int end_to_hold(Run run) except -1:
    """Count one user of a run out; `finish`, which may raise, comes last."""
    run.users -= 1
    watch_births(-1)
    if run.users == 0:
        run.finish()
    return 0
