"""Operations inside a budget: each is done at once, in memory that was made free before, and noted.

What an operation will give, the rules of fakes say, of ghosts of its arguments; so there is room before it is done. Its
`Node` keeps the arguments as they were, and can repeat it. What the rules cannot foretell, and what runs code of the
user, is done too; its results are constants.

One file, for what is looked at before an operation, what is noted after it, and the door in between are read together.
"""

import functools
import sys
from contextvars import Context

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
cimport numpy as cnp

from cowarray._array.array cimport Array, BORN_LAZY, is_array, itemsize_of, still, storage_for
from cowarray._array.copies cimport copy_in_order, exports_alias
from cowarray._modes.common.blocks cimport current_in
from cowarray._modes.budget.foretold cimport Foretold, key_of, memorize, recall
from cowarray._modes.budget.inputs cimport constant_name, find_inputs, has_sparse, take_input
from cowarray._modes.budget.pools cimport Pools, PRESENT, SPILLED
from cowarray._modes.record.nodes cimport find_traced, Node, placed, Reference, Version
from cowarray._modes.deferred.recording cimport dry, own_block, refuse_objects, Seen
from cowarray._modes.budget.remaking cimport bring, link_to_inputs, missing
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    count_frozen,
    count_held,
    count_outside,
    find_managed,
    keep_bytes,
    make_constant,
    make_room,
    manage,
    Managed,
    manager_of,
    member_of,
    move,
    nanoseconds,
    new_allocation,
    put_out,
    Run,
    set_door,
    unmanage,
)
from cowarray._modes.common.sites cimport here
from cowarray._modes.common.thread cimport this_thread, Thread
from cowarray._native.storage cimport (
    Access,
    allocated_size,
    allocation_of,
    count_shares,
    is_pinned,
    LOCATES,
    modes_in_use,
    OVERWRITES,
    read_region,
    SHARES,
    Storage,
    who_holds,
    window_size,
    pages_touched,
    write_cost,
    write_takes,
    WRITES,
)
from cowarray._ops.protocols cimport at_headers
from cowarray._ops.road cimport QUICK_FAILED

from cowarray._modes.budget.costs import model_cost
from cowarray._modes.record.draws import NotRecorded, draw_of, repeated
from cowarray._modes.layouts.dtypes import has_gaps
from cowarray._modes.deferred.making import flat
from cowarray._modes.budget.remaking import NoRoom
from cowarray._modes.budget.runs import ended, guard
from cowarray._modes.common.sizes import readable
from cowarray._native.storage import share_allocation
from cowarray._ops.operands import watch_births
from cowarray._ops.protocols import bearing, dispatched, runs_user_code

cnp.import_array()

# Whoever is handed operations that are no concern of ours; None: nobody.
beneath = None
# The run that holds in the whole process, where no block holds (`run.start()`), or None.
everywhere = None

cdef type bearing_type = type(bearing(None))
# For the two times that every operation takes it: `with` looks methods up, and calls one with a tuple.
cdef object lock_guard = guard.acquire, unlock_guard = guard.release
# Of operations that write nothing. Nobody adds to it.
cdef list NOTHING = []

# So many writes after one another are repeated; then the bytes are kept instead. So many operations whose results
# nobody has any more, too: else a loop would be remembered for ever.
MOST_WRITES = 64

# Why results are constants.
cdef str UNKNOWN = "what it gives is not known before, or functions of the user gave it"
cdef str SMALL = "it is small"
cdef str RESIZED = "resize gave it its bytes"
cdef str WRITTEN = "something that takes part is written from outside"
cdef str UNSET = "`where` without `out` leaves elements as they happen to be"
# What gives memory as it happens to be gives zeros: that can be given again.
cdef dict ZEROED = {"empty": np.zeros, "empty_like": np.zeros_like}


@cython.final
cdef class Step:
    """An operation under way."""

    cdef list inputs  # of Managed, each once: what it reads or writes
    cdef list written  # of Managed
    cdef list storages  # theirs
    cdef list addresses  # where their allocations started
    cdef bint has_births
    cdef bint only_shares  # it gives lazy copies, and needs no bytes
    cdef list born  # Versions
    cdef list locked  # Allocations; None before the first
    cdef dict pages  # by Storage, how many of each are written at most
    cdef size_t reserved


def travel(str operation, function, tuple args, dict kwargs):
    """Do an operation that has been handed over: in a budget, where one holds or an argument is managed."""
    cdef Run run
    cdef Managed found
    cdef Thread thread = this_thread()
    if thread.managed is not None or exports_alias():  # where copies are aliases, nothing is managed
        return on(operation, function, args, kwargs)
    inner = current_in(thread)
    run = held_by(inner)
    if run is None and (inner is None or type(inner) is Run):
        found = first_managed(args)
        if found is None and kwargs:
            found = first_managed(tuple(kwargs.values()))
        run = None if found is None else found.unit.run
    if run is None or run.is_over:
        return on(operation, function, args, kwargs)
    return do(thread, run, operation, function, args, kwargs)


cdef Run held_by(object block):
    """The run that holds where a block does, or none (None): the one that was started, unless it is another mode's."""
    if type(block) is Run and not (<Run>block).is_over:
        return <Run>block
    return everywhere if block is None or type(block) is Run else None


cdef object on(str operation, object function, tuple args, dict kwargs):
    return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)


cdef Managed first_managed(tuple values):
    cdef Managed found
    for value in values:
        if is_array(value):
            found = find_managed(<Array>value)
        elif type(value) is tuple or type(value) is list:
            found = first_managed(tuple(value))
        else:
            continue
        if found is not None:
            return found
    return None


cdef object do(Thread thread, Run run, str operation, object function, tuple args, dict kwargs):
    """An operation whose results are managed."""
    cdef Seen seen
    cdef Step step
    cdef Node node
    cdef list fresh = []
    cdef size_t need
    cdef double before, took
    cdef bint done = False
    cdef object outer = thread.managed
    cdef object interruption
    if operation == "ndarray.resize":
        return resized(run, function, args, kwargs)
    try:
        seen = foresee(operation, function, args, kwargs, fresh)
    except (NotRecorded, ValueError, IndexError):  # NumPy says what is wrong, if something is
        return at_once(run, 0, UNKNOWN, function, args, kwargs)
    if not fresh and not seen.written:
        return as_ever(function, args, kwargs)
    step = new_step(seen)
    need = bytes_of(seen, fresh, step is None)
    if fresh and leaves_unset(operation, args, kwargs):
        return at_once(run, need, UNSET, function, args, kwargs)
    if operation in ZEROED:
        function = seen.function = functools.partial(dispatched, ZEROED[operation])
    if step is None or (need < run.pools.small and not step.written and not gives_copies(fresh)):
        return at_once(run, need, SMALL if step is not None else WRITTEN, function, args, kwargs)
    step.has_births = len(fresh) > 0
    step.only_shares = need == 0 and not step.written and gives_copies(fresh)
    try:
        lock_guard()
        try:
            node = begin(run, step, need, operation, seen, args, kwargs)
        finally:
            unlock_guard()
    except NotRecorded:
        return at_once(run, need, "an argument could not be kept as it lies", function, args, kwargs)
    if seen.draws:
        function = seen.function  # which takes note of the state that it begins with
    thread.managed = step
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
                unreserve(run, step)
                if done:
                    if run.by_model:
                        took = model_cost(operation, args, with_bytes(fresh), bool(step.written))
                    node.cost = took
                    run.base_time += took
                    run.pools.now = run.pools.now + took if run.by_model else before + took
                    note_writes(run, step, node, None)
                    note_births(run, step, node, fresh, result)
                    if run.verify:
                        note_gaps(step, seen, fresh)
                    if run.log is not None:
                        log_operation(run, step, node)
                else:
                    note_writes(run, step, node, "an operation that wrote to it has failed")
            finally:
                end(run, step)
            if done and step.written and not run.pools.fits(0):
                make_room(run, 0)  # what was to be by the page was copied as a whole
        finally:
            unlock_guard_and_raise(interruption)
    return result


cdef object lock_guard_to_end():
    """Take the guard for the end of something, whatever happens: else what it locked would stay so for ever.

    Handlers of signals (Ctrl-C) may raise in the wait; then it is taken up again. Returns the last that was raised, for
    `unlock_guard_and_raise`, or None. What came earlier, while NumPy computed, is raised here as well, and not in the
    middle of the end by its first Python code.
    """
    cdef object interruption = None
    while True:
        try:
            PyErr_CheckSignals()
            lock_guard()
            return interruption
        except BaseException as error:
            if interruption is not None:
                error.__context__ = interruption
            interruption = error


cdef int unlock_guard_and_raise(object interruption) except -1:
    """Give the guard back, and raise what came while it was waited for."""
    unlock_guard()
    if interruption is not None:
        raise interruption
    return 0


# ---- what it will do -------------------------------------------------------------------------------------------------


cdef Seen foresee(str operation, object function, tuple args, dict kwargs, list fresh):
    """What an operation reads, writes, and gives; or NotRecorded."""
    cdef Seen seen
    cdef list arrays = []
    cdef Foretold known
    cdef void *region
    cdef size_t nbytes
    read_region(&region, &nbytes)
    if region == NULL or runs_user_code(function):
        raise NotRecorded  # without addresses to spare there are no ghosts
    key = key_of(function, args, kwargs, arrays)
    known = None if key is None else recall(key)
    if known is not None:
        return seen_before(function, known, arrays, fresh)
    seen = Seen.__new__(Seen)
    seen.block = own_block()
    seen.everything = True
    seen.function = function
    if type(function) is bearing_type:
        draw = draw_of(function)
        if draw is not None:
            seen.function = repeated(draw)
            seen.draws = True
            function = draw.replay
    shown = tuple([seen.show(value) for value in args])
    named = {name: seen.show(value) for name, value in kwargs.items()} if kwargs else kwargs
    result = dry(operation, function, shown, named, seen)
    seen.find_fresh(result, fresh)
    for _, array in fresh:
        refuse_objects((<Array>array).descr)
    seen.originals = [seen.original_on(storage) for storage in seen.written]
    seen.pages = {
        (<Array>each).storage_: pages for each, pages in zip(seen.originals, seen.written.values()) if each is not None
    }
    if key is not None:
        places = [(index_of(seen.original_on(each), arrays), pages) for each, pages in seen.written.items()]
        if not any([place < 0 for place, _ in places]):
            memorize(key, list(fresh), tuple(places))
    return seen


cdef Seen seen_before(object function, Foretold known, list arrays, list fresh):
    """The same, of an operation just like one before."""
    cdef Seen seen = Seen.__new__(Seen)
    seen.function = function
    seen.everything = True
    seen.site = here()
    for x in arrays:
        storage_for(<Array>x)  # as those have whose ghosts are made
    seen.ghosts = [(None, x, find_traced(<Array>x)) for x in arrays]
    seen.originals = [arrays[place] for place, _ in known.written]
    seen.written = {(<Array>arrays[place]).storage_: pages for place, pages in known.written}
    seen.pages = seen.written
    fresh.extend(known.births)
    return seen


cdef Py_ssize_t index_of(object array, list arrays) except -2:
    cdef Py_ssize_t i
    for i in range(len(arrays)):
        if arrays[i] is array:
            return i
    return -1


cdef Step new_step(Seen seen):
    """Who takes part; None where what takes part is written from outside."""
    cdef Step step = Step.__new__(Step)
    cdef Managed managed
    step.inputs = []
    step.written = step.storages = step.addresses = NOTHING
    step.born = []
    if seen.ghosts is not None:
        for _, original, _ in seen.ghosts:
            managed = find_managed(<Array>original)
            if managed is not None and managed not in step.inputs:
                if is_pinned((<Array>original).storage_):
                    return None  # somebody writes to it whenever he likes
                step.inputs.append(managed)
    for original in seen.originals:
        if original is None:
            continue
        managed = find_managed(<Array>original)
        if managed is None:
            return None
        if step.written is NOTHING:
            step.written = []
            step.storages = []
            step.pages = seen.pages
        if managed not in step.written:
            step.written.append(managed)
            step.storages.append((<Array>original).storage_)
    return step


cdef size_t bytes_of(Seen seen, list fresh, bint shares_nothing) except? 0:
    """How many bytes an operation allocates, as far as its results are; what writes copy is found out later."""
    cdef size_t need = 0
    cdef list met = []
    cdef Array x
    for _, array in fresh:
        x = <Array>array
        if x.storage_ in met or (x.birth == BORN_LAZY and not shares_nothing and x.storage_ not in seen.written):
            continue
        met.append(x.storage_)
        need += window_size(x.storage_)
    return need


cdef bint leaves_unset(str operation, tuple args, dict kwargs) except -1:
    """Whether fresh results have elements that nobody sets, as of `empty`."""
    if operation == "ndarray":
        return args[2:3] in ((), (None,))
    if not kwargs:
        return False
    return kwargs.get("where", True) is not True and isinstance(getattr(np, operation, None), np.ufunc)


cdef list with_bytes(list fresh):
    return [each for each in fresh if (<Array>each[1]).birth != BORN_LAZY]


cdef bint gives_copies(list fresh) except -1:
    for _, array in fresh:
        if (<Array>array).birth == BORN_LAZY:
            return True
    return False


# ---- before it is done -----------------------------------------------------------------------------------------------


cdef Node begin(Run run, Step step, size_t need, str operation, Seen seen, tuple args, dict kwargs):
    """Bring what is needed, make room, and note what will be done. The guard is held."""
    cdef Node node
    cdef dict versions = {}
    cdef dict known = {}
    cdef list unrecorded = NOTHING
    cdef Managed managed
    cdef bint has_hurried = False
    cdef Thread thread = this_thread()
    run.clock()
    while True:
        try:
            lock_inputs(step)
            if not make_room(run, need + copied_by_writes(step) + find_inputs(run, seen, known)):
                raise NoRoom
            break
        except NoRoom:
            unlock(step)
            if not has_hurried and run.spill is not None and run.spill.is_full:
                has_hurried = True
                run.spill.hurry()  # before somebody is told that it does not fit
            elif not wait_for_others(run):
                if has_sparse(seen):
                    raise NotRecorded from None  # a column of a table that is larger than the budget
                raise too_large(run, operation, seen, step, need) from None
        except BaseException:
            unlock(step)
            raise
    step.reserved = need + copied_by_writes(step)
    reserve(run, step.reserved)
    thread.active += 1
    run.active += 1
    try:
        if step.written:
            step.addresses = [<size_t>allocation_of(<Storage>storage) for storage in step.storages]
            unrecorded = [each for each in step.written if stays_constant(step, <Managed>each)]
        for each in step.inputs:
            managed = <Managed>each
            if managed.latest.node is None and managed.latest.value is None and managed not in unrecorded:
                keep_bytes(managed)
        if modes_in_use():
            # The program makes none of these copies: they are neither refused nor told.
            held, named = Context().run(keep_all, run, args, kwargs, versions, known, seen.site)
        else:
            held, named = keep_all(run, args, kwargs, versions, known, seen.site)
        node = Node.__new__(Node, operation, seen.function, held, named, seen.site)
        node.read(versions)
        if step.written:
            node.pages = sum(step.pages.values())
        for each in step.written:
            managed = <Managed>each
            if managed in unrecorded:
                continue
            managed.latest = node.write(managed.latest, managed.storage)
            managed.latest.unit = managed.unit
            managed.latest.name = managed.name
    except NoRoom:
        end(run, step)
        raise too_large(run, operation, seen, step, need) from None
    except BaseException:
        end(run, step)
        raise
    return node


cdef int lock_inputs(Step step) except -1:
    cdef Managed managed
    cdef list absent = []
    for each in step.inputs:
        managed = <Managed>each
        if not step.only_shares:
            managed.unit.used = managed.unit.run.pools.now
            if managed.unit.state != PRESENT:
                absent.append(managed)  # for which those that are there must not leave
                continue
        lock(step, managed)
    for each in absent:
        bring(<Managed>each)
        lock(step, <Managed>each)
    return 0


cdef int lock(Step step, Managed managed) except -1:
    managed.unit.run.pools.lock(managed.unit)
    if step.locked is None:
        step.locked = []
    step.locked.append(managed.unit)
    return 0


cdef size_t copied_by_writes(Step step) except? 0:
    cdef size_t need = 0
    cdef Managed managed
    if not step.written:
        return 0
    for managed, storage in zip(step.written, step.storages):
        if managed.latest.node is None and not stays_constant(step, managed):
            need += window_size(<Storage>storage)
        else:
            need += write_takes(<Storage>storage, step.pages[storage])
    return need


cdef bint stays_constant(Step step, Managed managed) noexcept:
    """Whether what is written is a constant of which nothing was made: then it is written without a record."""
    return (managed.latest.node is None and managed.latest.value is None and managed.latest.readers == 0
            and not step.has_births and managed in step.written)


cpdef tuple keep_all(Run run, tuple args, dict kwargs, dict versions, dict known, object site):
    """Arguments as they are now, for repetitions."""
    held = [keep(run, value, versions, known, site) for value in args]
    return held, keep(run, kwargs, versions, known, site) if kwargs else kwargs


cdef object keep(Run run, object value, dict versions, dict known, object site):
    """An argument as it is now, for repetitions."""
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
        return [keep(run, item, versions, known, site) for item in <list>value]
    if kind is tuple:
        return tuple([keep(run, item, versions, known, site) for item in <tuple>value])
    if kind is dict:
        return {name: keep(run, item, versions, known, site) for name, item in (<dict>value).items()}
    return value


# ---- when it has been done -------------------------------------------------------------------------------------------


cdef int note_writes(Run run, Step step, Node node, str why) except -1:
    """Say where what was written lies now. why: it cannot be written again, for only a part may have been."""
    cdef Managed managed
    cdef Allocation unit, left
    cdef Storage storage
    if not step.written:
        return 0
    for each, place, address in zip(step.written, step.storages, step.addresses):
        managed = <Managed>each
        storage = <Storage>place
        if <size_t>allocation_of(storage) == address:
            managed.unit.slot = None
            managed.unit.run.pools.changed(managed.unit)
            managed.unit.run.pools.add_cost(managed.unit, node.cost)
            count_held(managed)
            for before, reference in node.writes.items():
                if reference() is managed.latest and write_cost(storage) == 0:  # else nothing was written
                    (<Version>before).gave_way = True
                if (<Version>before).unit is managed.unit and (<Version>before).value is None:
                    (<Version>before).unit = None
        else:
            unit = new_allocation(run, allocated_size(storage), node.cost, node.site,
                                  managed.unit.why if managed.latest.node is None else None, bytes_in(storage))
            unit.has_gaps = managed.unit.has_gaps
            link_to_inputs(unit, node)
            left = managed.unit
            move(managed, unit)
            if member_of(left) is not None:  # its pages may be in a base now
                count_held(manager_of(member_of(left)))
        managed.writes += 1
        if managed.latest.node is not None and (why is not None or managed.writes > MOST_WRITES):
            managed.latest.node = None
            make_constant(managed.unit, why or "it was written often")
            managed.writes = 0
    return count_frozen(run)


cdef int note_births(Run run, Step step, Node node, list fresh, object result) except -1:
    """Have results managed."""
    cdef Array x
    cdef Storage storage
    cdef Version version
    cdef Allocation unit
    cdef list results = [result] if is_array(result) else flat(result)
    for place, _ in fresh:
        if not is_array(results[place]):
            continue  # NumPy's scalar
        x = <Array>results[place]
        storage = storage_for(x)
        if storage.doorkeeper != NULL:
            continue  # a view of another
        unit = shared_by(step, node, storage)
        if unit is None:
            unit = new_allocation(run, allocated_size(storage), node.cost, node.site, None, bytes_in(storage))
            if run.keep or run.recompute:
                unit.bias = (node.operation in run.keep) - (node.operation in run.recompute)
            link_to_inputs(unit, node)
        else:
            unit.run.pools.add_cost(unit, node.cost)
        version = Version.__new__(Version, node)
        node.bear(place, x, version)
        manage(storage, unit, version, False, run.new_name())
        step.born.append(version)
        version.depth = 0
        for each in node.reads:
            version.depth = max(version.depth, (<Version>each).depth)
        version.depth += 1
        if version.depth % MOST_WRITES == 0 and unit.why is None and is_alone_at_the_end(version):
            version.node = None
            version.depth = 0
            make_constant(unit, "nobody has what it was made of")
    return 0


cdef int note_gaps(Step step, Seen seen, list fresh) except -1:
    """Have nobody verify bytes that mean nothing."""
    cdef list arrays = [array for _, array in fresh] + [original for _, original, _ in seen.ghosts or ()]
    if any([has_gaps((<Array>x).descr) for x in arrays]):
        for version in step.born:
            (<Allocation>(<Version>version).unit).has_gaps = True
        for managed in step.written:
            (<Managed>managed).unit.has_gaps = True
    return 0


cdef bint is_alone_at_the_end(Version version) except -1:
    """Whether many operations would have to be repeated for a version whose results nobody has, but of the last few:
    the line that runs still has those."""
    cdef set found = set()
    cdef list stack = [version]
    while stack and len(found) < MOST_WRITES // 2:
        node = (<Version>stack.pop()).node
        if node is not None and node not in found:
            found.add(node)
            stack.extend([each for each in (<Node>node).reads if len(found) < 8 or not (<Version>each).is_wanted()])
    return len(found) >= MOST_WRITES // 2


cdef int log_operation(Run run, Step step, Node node) except -1:
    """Write what was done to the log."""
    cdef Version version
    for each in node.reads:
        version = <Version>each
        if version.name is None:  # managed before there was this log
            version.name = constant_name(run, <Allocation>version.unit)
    cdef list args = [(<Version>each).name for each in node.reads]
    cdef list results = []
    if step.only_shares and len(args) == 1 and (<Version>step.born[0]).unit is (<Version>node.reads[0]).unit:
        run.log.copy((<Version>step.born[0]).name, args[0])
        return 0
    cdef long long took = <long long>node.cost
    if node.writes:
        run.log.mutate(node.operation, args, [node.reads.index(before) for before in node.writes], took)
    for each in step.born:
        version = <Version>each
        alias = -1
        for i, read in enumerate(node.reads):
            if (<Version>read).unit is version.unit:
                alias = i
                break
        results.append((version.name, (<Allocation>version.unit).size, alias))
    if results:
        run.log.call(node.operation, results, args, took if not node.writes else 0)
    return 0


cdef Allocation shared_by(Step step, Node node, Storage storage):
    """The allocation of an argument with which a result shares its bytes."""
    cdef Version version
    if count_shares(storage) > 1:
        for each in step.inputs:
            if share_allocation((<Managed>each).storage(), storage):
                return (<Managed>each).unit
        for each in node.reads:
            version = <Version>each
            if version.value is not None and share_allocation(version.value, storage):
                return <Allocation>version.unit
    return None


cdef int end(Run run, Step step) except -1:
    cdef Thread thread = this_thread()
    unlock(step)
    unreserve(run, step)
    run.active -= 1
    thread.active -= 1
    if run.waiters:
        ended.notify_all()
    return 0


cdef int unreserve(Run run, Step step) except -1:
    unreserve_bytes(run, step.reserved)
    step.reserved = 0
    return 0


cdef int reserve(Run run, size_t nbytes) except -1:
    cdef Thread thread = this_thread()
    run.pools.reserve(nbytes)
    thread.reserved += nbytes
    return 0


cdef int unreserve_bytes(Run run, size_t nbytes) except -1:
    cdef Thread thread = this_thread()
    run.pools.unreserve(nbytes)
    thread.reserved -= nbytes
    return 0


cdef int unlock(Step step) except -1:
    cdef list locked = step.locked
    step.locked = None
    if locked is not None:
        for unit in locked:
            (<Allocation>unit).run.pools.unlock(<Allocation>unit)
    return 0


cdef bint wait_for_others(Run run) except -1:
    """Wait until an operation of another thread has ended. False where there is none that could."""
    cdef Py_ssize_t active = this_thread().active
    if run.active - active - run.waiting <= 0:
        return False
    run.waiting += active  # the operations that this thread is in go on when this one does
    run.waiters += 1
    try:
        ended.wait()
    finally:
        run.waiting -= active
        run.waiters -= 1
    return True


cdef object too_large(Run run, str operation, Seen seen, Step step, size_t need):
    cdef size_t inputs = sum({unit: unit.nbytes for unit in [(<Managed>each).unit for each in step.inputs]}.values())
    inputs += find_inputs(run, seen, {})
    return MemoryError(
        f"{operation} at {seen.site[0]}:{seen.site[1]} needs {readable(need + copied_by_writes(step))} beside "
        f"{readable(inputs)} of its arguments, within a budget of {readable(run.pools.budget)}{run.largest_constants()}"
    )


# ---- what is not recorded --------------------------------------------------------------------------------------------


cdef object as_ever(object function, tuple args, dict kwargs):
    """An operation that gives and writes nothing of its own: views, and values for those who look."""
    cdef Step step = Step.__new__(Step)
    cdef Thread thread = this_thread()
    cdef object outer = thread.managed
    thread.managed = step
    try:
        return function(*args, **kwargs)
    finally:
        thread.managed = outer


cdef object resized(Run run, object function, tuple args, dict kwargs):
    """`resize`, which gives an array a Storage of its own: a constant."""
    cdef Array x = <Array>args[0]
    cdef Storage before = storage_for(x)
    at_once(run, size_of_resized(x, args[1:]), RESIZED, function, args, kwargs)
    if x.storage_ is not before:
        manage_given(run, RESIZED, (x,), [before])
    return None


cdef size_t size_of_resized(Array x, tuple lengths) except? 0:
    """How many bytes an array will have; 0 where NumPy refuses the lengths, or has to ask objects for them."""
    nbytes = itemsize_of(x)
    if len(lengths) == 1 and type(lengths[0]) in (tuple, list):
        lengths = tuple(lengths[0])
    for length in lengths:
        if type(length) is not int or length < 0:
            return 0
        nbytes *= length
    return nbytes if nbytes <= sys.maxsize else 0


cdef object at_once(Run run, size_t need, str why, object function, tuple args, dict kwargs):
    """An operation of which nobody knows before what it gives, or that gives little: its results are constants."""
    if need:
        with guard:
            run.clock()
            if not make_room(run, need):
                raise no_room(run, need)
            reserve(run, need)
    elif imported_size(args):
        with guard:
            make_room(run, imported_size(args))  # as a guess: it may be an alias
    try:
        result = as_ever(function, args, kwargs)
    finally:
        if need:
            unreserve_bytes(run, need)
    results = result if type(result) is tuple or type(result) is list else (result,)
    found = [each for each in results if is_array(each)]
    if found:
        manage_given(run, why, found, storages_in((args, kwargs), []))
    return result


cdef int manage_given(Run run, str why, object arrays, list known) except -1:
    """Have arrays that were computed be constants, but for those on Storages that are known."""
    cdef Storage storage
    cdef Allocation unit
    cdef object interruption
    cdef list strange = []
    for each in arrays:
        storage = storage_for(<Array>each)
        if storage.doorkeeper == NULL and storage not in known and storage not in strange:
            strange.append(storage)
    if not strange:
        return 0
    interruption = lock_guard_to_end()
    try:
        run.clock()
        for each in strange:
            storage = <Storage>each
            unit = new_allocation(run, allocated_size(storage), 0, here(), why, bytes_in(storage))
            manage(storage, unit, Version(None), False, constant_name(run, unit))
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


cdef list storages_in(object values, list found):
    for value in values.values() if type(values) is dict else values:
        if is_array(value):
            found.append((<Array>value).storage_)
        elif type(value) is tuple or type(value) is list or type(value) is dict:
            storages_in(value, found)
    return found


# ---- the door --------------------------------------------------------------------------------------------------------


cdef int asked(object keeper, Storage storage, const Access *access) except -1:
    cdef Managed managed = <Managed>keeper
    cdef object under_way
    cdef Step step = None
    if access.intent == LOCATES and access.ndim >= 0:
        return 0
    under_way = this_thread().managed
    if type(under_way) is Step:
        step = <Step>under_way
    if access.intent == SHARES and step is not None and step.only_shares:
        return 0
    if managed.unit.state != PRESENT:
        fetch(managed)
    if under_way is None or (step is not None and step.inputs is None):
        managed.unit.used = managed.unit.run.pools.now  # of recorded operations, and their repeats, it was said before
    if access.intent == LOCATES:  # of `materialize`, which gives it bytes of its own
        leave_sharers(managed, storage)
    elif access.intent == WRITES or access.intent == OVERWRITES:
        if step is None or step.storages is None or storage not in step.storages:
            write_from_outside(managed, storage, pages_touched(storage, access))
    return 0


cdef int fetch(Managed managed) except -1:
    """Bring the bytes of a Storage for somebody who is at its door."""
    cdef Run run = managed.unit.run
    with guard:
        run.clock()
        while managed.unit.state != PRESENT:
            try:
                bring(managed)
            except NoRoom:
                if not wait_for_others(run):
                    raise MemoryError(
                        f"no room to bring back {readable(managed.unit.nbytes)} that were made at "
                        f"{managed.unit.site[0]}:{managed.unit.site[1]}, within a budget of "
                        f"{readable(run.pools.budget)}{run.largest_constants()}"
                    ) from None
    return 0


cdef int write_from_outside(Managed managed, Storage storage, size_t pages) except -1:
    """Somebody writes whose writes are not known: from now on the bytes are a constant."""
    cdef Run run = managed.unit.run
    cdef Version before
    cdef Allocation unit
    cdef size_t need, takes
    with guard:
        fetch(managed)  # another thread may have evicted them since the door was opened
        before = managed.latest
        unit = managed.unit
        need = write_cost(storage)
        takes = write_takes(storage, pages)
        make_room_beside(unit, takes)
        managed.latest = Version(None)
        managed.latest.home = managed.storage
        managed.latest.unit = unit
        managed.latest.name = managed.name
        before.home = None
        if need:
            move(managed, new_allocation(run, need, 0, unit.site, "it was written from outside", takes))
        else:
            if before.value is None:
                before.unit = None
            unit.slot = None
            run.pools.changed(unit)
            make_constant(unit, "it was written from outside")
            takes = min(unit.nbytes + takes, unit.size)
        count_outside(managed, takes)
    return 0


cdef int leave_sharers(Managed managed, Storage storage) except -1:
    """Somebody gives a Storage bytes of its own, which are as before."""
    cdef Run run = managed.unit.run
    cdef size_t need
    cdef Allocation unit
    with guard:
        fetch(managed)
        need = write_cost(storage)
        if need:
            make_room_beside(managed.unit, need)
            if managed.latest.node is None:
                unit = new_allocation(run, need, 0, managed.unit.site, managed.unit.why)
            else:
                unit = new_allocation(run, need, managed.unit.cost, managed.unit.site, None)
                link_to_inputs(unit, managed.latest.node)
            move(managed, unit)
    return 0


cdef int make_room_beside(Allocation unit, size_t need) except -1:
    """Make room for a copy of an allocation, which stays."""
    cdef Run run = unit.run
    run.pools.lock(unit)
    try:
        if not make_room(run, need):
            raise no_room(run, need)
    finally:
        run.pools.unlock(unit)
    return 0


cdef object no_room(Run run, size_t need):
    return MemoryError(
        f"no room for {readable(need)} within a budget of {readable(run.pools.budget)}{run.largest_constants()}"
    )


set_door(asked)


# ---- what users ask for ----------------------------------------------------------------------------------------------


# What is managed outside of any budget.
cdef Run unbounded = None


def start(Run run not None, /):
    """Have a run hold in the whole process, where no block holds."""
    global everywhere
    with guard:
        if everywhere is not None:
            raise RuntimeError("start: a budget has been started already: stop it first")
        if run.users:
            raise RuntimeError("start: a block of this budget is open: leave it first")
        begin_to_hold(run)
        everywhere = run


def stop(Run run not None, /):
    """End what `start` began."""
    global everywhere
    with guard:
        if everywhere is not run:
            raise RuntimeError("stop: this budget has not been started")
        everywhere = None
        end_to_hold(run)


def open_block(Run run not None, /):
    """Count a block in that is about to hold somewhere."""
    with guard:
        if everywhere is run:
            raise RuntimeError("budget: it has been started, and holds everywhere: stop it first")
        begin_to_hold(run)


def close_block(Run run not None, /):
    """Count a block out."""
    cdef object interruption = lock_guard_to_end()
    try:
        if run.users == 0 or everywhere is run:
            raise RuntimeError("budget: it has no open block")
        end_to_hold(run)
    finally:
        unlock_guard_and_raise(interruption)


cdef int begin_to_hold(Run run) except -1:
    if run.is_over and run.log is not None:
        raise RuntimeError("budget: its log of what was done before is complete: make another one")
    watch_births(1)
    run.users += 1
    run.is_over = False
    return 0


cdef int end_to_hold(Run run) except -1:
    """What raises here comes last."""
    run.users -= 1
    watch_births(-1)
    if run.users == 0:
        run.finish()
    return 0


def checkpoint(Array x not None, /):
    """A lazy copy of an array, which is managed: a constant."""
    global unbounded
    cdef Run run
    cdef Storage storage
    cdef Array made
    cdef Allocation unit
    cdef Thread thread = this_thread()
    cdef object before
    if find_managed(x) is not None:
        raise ValueError("checkpoint: the array is managed already")
    with guard:
        run = held_by(current_in(thread))
        if run is None:
            if unbounded is None:
                unbounded = Run(Pools(sys.maxsize), False, False, None, None, frozenset(), frozenset())
            run = unbounded
        run.clock()
        before = thread.managed
        thread.managed = Step.__new__(Step)
        try:
            made = copy_in_order(still(x), c"K")
        finally:
            thread.managed = before
        made.standard = x.standard
        storage = storage_for(made)
        if storage.doorkeeper != NULL:
            raise ValueError("checkpoint: the array is watched, or without bytes: another mode has it")
        if not make_room(run, allocated_size(storage)):
            raise no_room(run, allocated_size(storage))
        unit = new_allocation(run, allocated_size(storage), 0, here(), "an input", bytes_in(storage))
        manage(storage, unit, Version(None), False, constant_name(run, unit))
    return made


def is_checkpointed(Array x not None, /):
    """Whether an array is managed."""
    return find_managed(x) is not None


def decheckpoint(Array x not None, /):
    """Bring an array's bytes, and forget all about it."""
    cdef Managed managed = find_managed(x)
    cdef Storage storage = x.storage_
    with guard:
        fetch(managed)
        unmanage(storage)


def evict(Array x not None, /):
    """Free the bytes of a managed array."""
    cdef Managed managed = find_managed(x)
    cdef Storage storage = x.storage_
    cdef Allocation unit
    with guard:
        unit = managed.unit
        if unit.state != PRESENT:
            return
        if unit.why is not None:
            raise BufferError(f"evict: {unit.nbytes} bytes made at {unit.site[0]}:{unit.site[1]} cannot be made again: "
                              f"{unit.why}")
        if unit.locks:
            raise BufferError("evict: an operation is under way that needs the bytes")
        unit.run.clock()
        if not put_out(unit.run, unit, False):
            raise BufferError(f"evict: cannot free {unit.nbytes} bytes: {who_holds(storage, unit.members)}")


def where_away(Array x not None, /):
    """Where an array's bytes are, if they have been evicted, and what it takes to bring them; else an empty text."""
    cdef Managed managed = find_managed(x)
    cdef double cost = 0
    cdef Py_ssize_t count = 0
    if managed is None or managed.unit.state == PRESENT:
        return ""
    with guard:
        if managed.unit.state == SPILLED:
            return f"spilled: {managed.unit.nbytes} bytes to read from a file"
        nodes = missing(managed.latest)
        cost = sum([(<Node>node).cost for node in nodes]) / 1e9
        count = len(nodes)
    return f"evicted: {count} operation{'s' if count != 1 else ''}, {duration(cost)} to make again"


cdef str duration(double took):
    if took >= 1:
        return f"{took:.1f} s"
    return f"{took * 1e3:.3g} ms" if took >= 1e-3 else f"{took * 1e6:.0f} us"
