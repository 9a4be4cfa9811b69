"""Recording operations that have run in a budget: where the arrays that they wrote lie now, and their results.

Bytes that cannot be remade at a bearable price become constants.
"""

from cowarray._array.array cimport aliases_foreign, Array, is_array, storage_for
from cowarray._modes.budget.inputs cimport constant_name
from cowarray._modes.budget.remaking cimport link_to_inputs
from cowarray._modes.budget.runs cimport (
    Allocation,
    bytes_in,
    count_frozen,
    count_held,
    make_constant,
    manage,
    Managed,
    ManagedNode,
    manager_of,
    ManagedVersion,
    member_of,
    move,
    new_allocation,
    new_version,
    Run,
)
from cowarray._modes.budget.tasks cimport Task
from cowarray._modes.record.nodes cimport Node, Version
from cowarray._native.storage cimport allocated_size, allocation_of, count_shares, Storage, write_cost

from cowarray._modes.layouts.dtypes import has_gaps
from cowarray._modes.record.repeating import flat
from cowarray._native.storage import share_allocation

cdef enum:
    # At most this many successive writes are repeated; from then on the bytes are kept. The same goes for operations in
    # a row whose results nobody has any more: otherwise a loop would be remembered for ever.
    MOST_WRITES = 64


cdef int note_writes(Run run, Task task, ManagedNode node, str why) except -1:
    """Note where the written arrays lie now. why: the reason that the write cannot be repeated, or None."""
    cdef Managed managed
    cdef Allocation unit, left
    cdef Storage storage
    if not task.written:
        return 0
    for each, place, address in zip(task.written, task.storages, task.addresses):
        managed = <Managed>each
        storage = <Storage>place
        if <size_t>allocation_of(storage) == address:
            managed.unit.slot = None
            managed.unit.run.pools.changed(managed.unit)
            managed.unit.run.pools.add_cost(managed.unit, node.cost)
            link_to_inputs(managed.unit, node)
            count_held(managed)
            for before, reference in node.writes.items():
                if reference() is managed.latest and write_cost(storage) == 0:  # else nothing was written
                    (<ManagedVersion>before).gave_way = True
                if (<ManagedVersion>before).unit is managed.unit and (<ManagedVersion>before).value is None:
                    (<ManagedVersion>before).unit = None
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


cdef int note_births(Run run, Task task, ManagedNode node, list fresh, object result) except -1:
    """Manage the results."""
    cdef Array x
    cdef Storage storage
    cdef ManagedVersion version
    cdef Allocation unit
    cdef list results = [result] if is_array(result) else flat(result)
    for place, _ in fresh:
        if not is_array(results[place]):
            continue  # NumPy's scalar
        x = <Array>results[place]
        storage = storage_for(x)
        if storage.doorkeeper != NULL or aliases_foreign(x):
            continue  # a view of a managed array, or of foreign memory
        unit = shared_by(task, node, storage)
        if unit is None:
            unit = new_allocation(run, allocated_size(storage), node.cost, node.site, None, bytes_in(storage))
            if run.keep or run.recompute:
                unit.bias = (node.operation in run.keep) - (node.operation in run.recompute)
            link_to_inputs(unit, node)
        else:
            unit.run.pools.add_cost(unit, node.cost)
        version = new_version(node)
        node.bear(place, x, version)
        manage(storage, unit, version, False, run.new_name())
        task.born.append(version)
        version.depth = 0
        for each in node.reads:
            version.depth = max(version.depth, (<ManagedVersion>each).depth)
        version.depth += 1
        if version.depth % MOST_WRITES == 0 and unit.why is None and is_alone_at_the_end(version):
            version.node = None
            version.depth = 0
            make_constant(unit, "nobody has what it was made of")
    return 0


cdef int note_gaps(Task task, list ghosts, list fresh) except -1:
    """Exclude allocations with meaningless bytes from verification."""
    cdef list arrays = [array for _, array in fresh] + [original for _, original, _ in ghosts or ()]
    if any([has_gaps((<Array>x).descr) for x in arrays]):
        for version in task.born:
            (<ManagedVersion>version).unit.has_gaps = True
        for managed in task.written:
            (<Managed>managed).unit.has_gaps = True
    return 0


cdef bint is_alone_at_the_end(ManagedVersion version) except -1:
    """Tell whether remaking a version takes many operations whose results nobody has any more; except the last few,
    which the running line still has."""
    cdef set found = set()
    cdef list stack = [version]
    while stack and len(found) < MOST_WRITES // 2:
        node = (<ManagedVersion>stack.pop()).node
        if node is not None and node not in found:
            found.add(node)
            stack.extend([each for each in (<Node>node).reads if len(found) < 8 or not (<Version>each).is_wanted()])
    return len(found) >= MOST_WRITES // 2


cdef int log_operation(Run run, Task task, ManagedNode node) except -1:
    """Write an operation to the log."""
    cdef ManagedVersion version
    for each in node.reads:
        version = <ManagedVersion>each
        if version.name is None:  # managed before this log began
            version.name = constant_name(run, version.unit)
    cdef list args = [(<ManagedVersion>each).name for each in node.reads]
    cdef list results = []
    cdef long long took = <long long>node.cost
    if task.only_shares and len(args) == 1:
        version = <ManagedVersion>task.born[0]
        if version.unit is (<ManagedVersion>node.reads[0]).unit:
            run.log.copy(version.name, args[0])
            return 0
    if node.writes:
        run.log.mutate(node.operation, args, [node.reads.index(before) for before in node.writes], took)
    for each in task.born:
        version = <ManagedVersion>each
        alias = -1
        for i, read in enumerate(node.reads):
            if (<ManagedVersion>read).unit is version.unit:
                alias = i
                break
        results.append((version.name, version.unit.size, alias))
    if results:
        run.log.call(node.operation, results, args, took if not node.writes else 0)
    return 0


cdef Allocation shared_by(Task task, ManagedNode node, Storage storage):
    """Return the allocation of the argument that a result shares its bytes with, or None."""
    cdef ManagedVersion version
    if count_shares(storage) > 1:
        for each in task.inputs:
            if share_allocation((<Managed>each).storage(), storage):
                return (<Managed>each).unit
        for each in node.reads:
            version = <ManagedVersion>each
            if version.value is not None and share_allocation(version.value, storage):
                return version.unit
    return None
