# cython: freethreading_compatible=True
"""Pools: bytes that leave memory and come back as a whole; and the choice of what to evict next.

Pools know sizes, costs, parents and children, and nothing of arrays: the budget and the replay of its log share this
code. The owner of the bytes reports what becomes of them (`evicted`, `remade`, `gone`); nothing here frees any. The
owner also ensures that one thread at a time searches, and without a GIL reports `gone` before it drops a pool.

After Kirisame et al., "Dynamic Tensor Rematerialization" (2021). Evicting a pool costs its own remaking and that of all
absent pools that it would connect. These form components of a union-find. A pool that comes back takes its cost out of
its component, which stays connected: splitting it would take a search, and the sums are a heuristic.

It differs from the paper in two ways. A pool that nobody refers to any more is remade only for its children: it hands
its cost and its parents down to them, and stops being a neighbour. In the paper it stays one. In a sum over many steps,
such as the gradient of a weight that all layers share, such pools then connect everything that is absent. Everything
costs the same, the sum leaves like anything else, and each time it is remade, so are all of its terms. The cost that is
handed down counts several times, because a pool that is gone needs room when it is remade.

And being read to remake another pool counts less than being used. In the paper it counts the same. When a chain is
remade from its beginning, each of its steps is then more recent than the sum, which the program will need next.

One file, because each change of a pool's state must leave components, candidates and sums as the search expects them.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.math cimport INFINITY, sqrt
from libc.string cimport memset

RULES = {"dtr": DTR, "local": LOCAL, "lru": LRU, "size": SIZE, "random": RANDOM}


cdef enum:
    MOST_HANDED_DOWN = 8  # parents of a pool that is gone, to each child: a sum over all layers has hundreds
    # How often the cost of a pool that is gone counts for its children: remaking it evicts others, which come back too.
    GONE_TAKES = 8

cdef double REREAD = 0.1  # being read to remake another multiplies the time since the last use by this


# ---- components ------------------------------------------------------------------------------------------------------


cdef Component *root_of(Component *at) noexcept:
    """Return the component that represents all that were joined with this one; shorten the path to it."""
    cdef Component *passed
    while at.up != NULL:
        passed = at.up
        if passed.up != NULL:
            at.up = passed.up
            at.up.refs += 1
            let_go(passed)
        at = at.up
    return at


cdef void let_go(Component *at) noexcept:
    cdef Component *up
    while at != NULL:
        at.refs -= 1
        if at.refs:
            return
        up = at.up
        PyMem_Free(at)
        at = up


cdef void join(Component *one, Component *other) noexcept:
    one = root_of(one)
    other = root_of(other)
    if one == other:
        return
    if one.rank < other.rank:
        one, other = other, one
    elif one.rank == other.rank:
        one.rank += 1
    one.cost += other.cost
    one.refs += 1
    other.up = one


cdef void connect(Vertex *node) noexcept:
    """Join a pool whose bytes have left with its absent neighbours.

    Out of memory, it is not connected and costs them nothing: a worse guess, but not a failure.
    """
    cdef Component *made
    cdef Py_ssize_t i
    if node.component != NULL or node.has_handed_down:
        return
    made = <Component *>PyMem_Malloc(sizeof(Component))
    if made == NULL:
        return
    memset(made, 0, sizeof(Component))
    made.cost = node.cost
    made.refs = 1
    node.component = made
    for i in range(node.n_parents):
        if node.parents[i].component != NULL:
            join(made, node.parents[i].component)
    for i in range(node.n_children):
        if node.children[i].component != NULL:
            join(made, node.children[i].component)


cdef void disconnect(Vertex *node) noexcept:
    cdef Component *root
    if node.component == NULL:
        return
    root = root_of(node.component)
    root.cost = max(root.cost - node.cost, 0.0)
    let_go(node.component)
    node.component = NULL


cdef void add_to(Vertex *node, double cost) noexcept:
    node.cost += cost
    if node.component != NULL:
        root_of(node.component).cost += cost


cdef inline double not_yet_seen(Vertex *node, uint64_t score) noexcept:
    """Return the cost of a neighbour's component the first time that a score meets it, then 0."""
    cdef Component *root
    if node.component == NULL:
        return 0
    root = root_of(node.component)
    if root.seen == score:
        return 0
    root.seen = score
    return root.cost


# ---- nodes -----------------------------------------------------------------------------------------------------------


cdef void drop(Vertex *node) noexcept:
    node.refs -= 1
    if node.refs == 0:
        PyMem_Free(node)  # its pool has died, and freed its edges


cdef void drop_all(Vertex **nodes, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        drop(nodes[i])


cdef int make_place(Vertex ***nodes, Py_ssize_t *n, Py_ssize_t *room) except -1:
    """Make room for one more. Remove dead ones first, so that a pool with many short-lived children stays small."""
    cdef Py_ssize_t i, kept = 0, wanted
    cdef Vertex **larger
    if n[0] < room[0]:
        return 0
    for i in range(n[0]):
        if nodes[0][i].pool == NULL:
            drop(nodes[0][i])
        else:
            nodes[0][kept] = nodes[0][i]
            kept += 1
    n[0] = kept
    if 2 * kept < room[0]:
        return 0
    wanted = 2 * room[0] if room[0] else 4
    larger = <Vertex **>PyMem_Realloc(nodes[0], wanted * sizeof(Vertex *))
    if larger == NULL:
        raise MemoryError("cannot allocate memory for the neighbours of a pool")
    nodes[0] = larger
    room[0] = wanted
    return 0


cdef bint are_linked(Vertex *parent, Vertex *child) noexcept:
    cdef Py_ssize_t i
    if child.n_parents <= parent.n_children:
        for i in range(child.n_parents):
            if child.parents[i] == parent:
                return True
        return False
    for i in range(parent.n_children):
        if parent.children[i] == child:
            return True
    return False


cdef bint join_as_family(Vertex *parent, Vertex *child) except -1:
    """Make one a parent of the other. Return False if it was one already."""
    if parent == child or are_linked(parent, child):
        return False
    make_place(&parent.children, &parent.n_children, &parent.room_children)
    make_place(&child.parents, &child.n_parents, &child.room_parents)
    parent.children[parent.n_children] = child
    parent.n_children += 1
    child.refs += 1
    child.parents[child.n_parents] = parent
    child.n_parents += 1
    parent.refs += 1
    if parent.component != NULL and child.component != NULL:
        join(parent.component, child.component)
    return True


cdef void hand_down(Vertex *gone, Vertex *child, double share) noexcept:
    """Hand the cost and the parents of a pool that is gone down to a child, unless that is gone itself.

    share: the child's part of the cost. It gets the first few parents, which are the nearest: in a sum over all layers
    each layer adds one. Out of memory, they are not linked: a worse guess, but not a failure.
    """
    cdef Vertex *parent
    cdef Py_ssize_t i, handed = 0
    if not inherits(child):
        return
    add_to(child, share)
    child.inherited += share
    for i in range(gone.n_parents):
        parent = gone.parents[i]
        if parent.pool == NULL or parent.has_handed_down:
            continue
        try:
            join_as_family(parent, child)
        except MemoryError:
            break
        handed += 1
        if handed == MOST_HANDED_DOWN:
            return


cdef inline double legacy(Vertex *node) noexcept:
    """Return what a pool that is gone costs its children, all together. Its inherited cost was multiplied before."""
    return GONE_TAKES * (node.cost - node.inherited) + node.inherited


cdef inline bint inherits(Vertex *child) noexcept:
    return child.pool != NULL and not child.has_handed_down


# ---- pools -----------------------------------------------------------------------------------------------------------


@cython.no_gc_clear  # it needs its Pools when it dies; cycles go through lists or owners, and are cleared there
cdef class Pool:
    """An allocation: bytes that leave memory and come back as a whole.

    Parameters
    ----------
    nbytes : int
    cost : float
        Of making it from its parents: a time, or units of a model. Later it includes a share of the cost of parents
        that are `gone`.
    constant : bool
        It cannot be remade, so it leaves only for a file.
    bias : int
        -1: evict it first. 1: never evict it, only spill it. 0: as the heuristic says.
    owner : object
        Whatever the owner of the bytes needs to find them.

    Attributes
    ----------
    used : float
        When it was last used. The owner may set it.
    locks : int
        While this is not 0, it is not chosen.
    where : {"present", "evicted", "spilled", "gone"}
        Where its bytes are. "gone": nowhere, and only its children refer to it.
    written : bool
        A file still has these bytes.
    pools : Pools or None
        Where it was added.

    Examples
    --------
    >>> from cowarray._modes.budget.pools import Pool, Pools
    >>> pools = Pools(100)
    >>> x, y = Pool(60, constant=True), Pool(40, cost=2.0)
    >>> for pool in (x, y):
    ...     _ = pools.add(pool)
    >>> _ = pools.link(x, y)
    >>> pools.fits(1), pools.choose() is y
    (False, True)
    """

    def __cinit__(self):
        self.place = -1
        self.node = <Vertex *>PyMem_Malloc(sizeof(Vertex))
        if self.node == NULL:
            raise MemoryError("cannot allocate memory for a pool")
        memset(self.node, 0, sizeof(Vertex))
        self.node.pool = <PyObject *>self
        self.node.refs = 1

    def __init__(self, size_t nbytes, double cost=0.0, *, bint constant=False, int bias=0, owner=None):
        if self.pools is not None:
            raise RuntimeError("a pool is initialized once")
        self.nbytes = self.size = nbytes
        self.node.cost = cost
        self.constant = constant
        self.bias = bias
        self.owner = owner

    @property
    def cost(self):
        """The cost of making it from its parents, with its share of the cost of those that are gone."""
        return self.node.cost

    @property
    def where(self):
        """Where its bytes are."""
        return ("present", "evicted", "spilled", "gone")[self.state]

    def __dealloc__(self):
        cdef Pools pools = self.pools
        if self.node == NULL:
            return
        if pools is None:
            bury(self.node)
            return
        with cython.critical_section(pools):
            pools.leave(self)
            pools.members -= 1
            if self.state == PRESENT:
                pools.live -= self.nbytes
            bury(self.node)


cdef void bury(Vertex *node) noexcept:
    """Remove a dead pool from the graph. Nobody will remake it, so it costs nothing."""
    disconnect(node)
    node.pool = NULL
    drop_all(node.parents, node.n_parents)
    drop_all(node.children, node.n_children)
    PyMem_Free(node.parents)
    PyMem_Free(node.children)
    node.parents = node.children = NULL
    node.n_parents = node.n_children = 0
    drop(node)


cdef Pool new_pool(size_t nbytes, double cost):
    cdef Pool pool = Pool.__new__(Pool)
    pool.nbytes = pool.size = nbytes
    pool.node.cost = cost
    return pool


cdef int ours(Pools pools, Pool pool) except -1:
    if pool is None or pool.pools is not pools:
        raise ValueError("the pool was not added here")
    return 0


# ---- the memory of a run ---------------------------------------------------------------------------------------------


@cython.final
cdef class Pools:
    """The memory of one run: its contents, its limit, and what to evict next.

    Parameters
    ----------
    budget : int
        Bytes.
    heuristic : {"dtr", "local", "lru", "size", "random"}
        "dtr": the least cost per byte and staleness, where the cost includes absent neighbours. "local": the same with
        the pool's own cost alone. "lru": the least recently used. "size": the largest. "random": any.
    small : int
        Pools of fewer bytes are never chosen.
    sample : bool
        Consider a random sample of the candidates, as many as the square root of their number.
    spilling : bool
        Pools may leave for a file where that is cheaper than remaking them, by `write_rate` and `read_rate`; constants
        always do. Leave this off if the owner writes no files.
    seed : int
        For "random" and `sample`.

    Attributes
    ----------
    live, frozen, reserved, peak : int
        Bytes of the pools that are present; bytes in bases that several share; bytes that the owner is about to
        allocate; the highest sum of these three.
    now : float
        The clock, which the owner sets.
    write_rate, read_rate : float
        Bytes per unit of cost.
    by_file : bool
        Whether the last chosen pool should leave for a file.
    n_candidates : int
    evictions, spills, remakes, spilled_bytes, searches, looked : int
        Counts since the start. `looked`: candidates examined, in all searches.
    """

    def __init__(
        self,
        size_t budget,
        heuristic="dtr",
        *,
        size_t small=1,
        bint sample=False,
        bint spilling=False,
        seed=0,
    ):
        if self.round:
            raise RuntimeError("the memory of a run is initialized once")
        if heuristic not in RULES:
            raise ValueError(f"heuristic is one of {', '.join(map(repr, RULES))} (got {heuristic!r})")
        self.budget = budget
        self.rule = RULES[heuristic]
        self.small = max(small, <size_t>1)  # evicting no bytes frees nothing
        self.sampling = sample
        self.spilling = spilling
        self.write_rate = self.read_rate = INFINITY if spilling else 0.0
        self.random = hash_of(seed & 0xFFFFFFFFFFFFFFFF)
        self.round = 1

    def __dealloc__(self):
        PyMem_Free(self.candidates)

    @property
    def heuristic(self):
        """The name of the heuristic."""
        return next(name for name, rule in RULES.items() if rule == self.rule)

    cpdef int add(self, Pool pool) except -1:
        """Add a pool whose bytes were just allocated."""
        cdef PyObject **larger
        cdef Py_ssize_t wanted
        if pool is None or pool.pools is not None:
            raise ValueError("a pool is added once")
        with cython.critical_section(self):
            if self.members == self.room:
                wanted = 2 * self.room if self.room else 16
                larger = <PyObject **>PyMem_Realloc(self.candidates, wanted * sizeof(PyObject *))
                if larger == NULL:
                    raise MemoryError("cannot allocate memory for the list of pools")
                self.candidates = larger
                self.room = wanted
            self.members += 1
            pool.pools = self
            self.serials += 1
            pool.serial = self.serials
            pool.state = PRESENT
            pool.used = self.now
            self.count_up(pool.nbytes)
            self.enter(pool)
        return 0

    cpdef int link(self, Pool parent, Pool child) except -1:
        """Note that making the child takes the parent. Repeating this changes nothing."""
        ours(self, parent)
        ours(self, child)
        with cython.critical_section(self):
            if join_as_family(parent.node, child.node) and parent.node.has_handed_down:
                hand_down(parent.node, child.node, legacy(parent.node))
        return 0

    cpdef int cut(self, Pool pool) except -1:
        """Forget a pool's parents: from now on it is a constant."""
        cdef Py_ssize_t i, j, _j, kept
        cdef Vertex *parent
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state in (EVICTED, GONE):
                raise RuntimeError("the bytes are absent, and what makes them cannot be forgotten")
            for i in range(pool.node.n_parents):
                parent = pool.node.parents[i]
                kept = 0
                for j in range(parent.n_children):
                    if parent.children[j] != pool.node:
                        parent.children[kept] = parent.children[j]
                        kept += 1
                for _j in range(kept, parent.n_children):
                    drop(pool.node)
                parent.n_children = kept
                drop(parent)
            pool.node.n_parents = 0
            pool.constant = True
            if not self.may_leave(pool):
                self.leave(pool)
        return 0

    cpdef int add_cost(self, Pool pool, double cost) except -1:
        """Add to a pool's cost: another operation in place, or one more lazy copy."""
        ours(self, pool)
        with cython.critical_section(self):
            add_to(pool.node, cost)
        return 0

    cpdef int touch(self, Pool pool) except -1:
        """Note that a pool is used now."""
        ours(self, pool)
        pool.used = self.now
        return 0

    cpdef int reread(self, Pool pool) except -1:
        """Note that a pool is read to remake another. For "dtr" that is less than a use, for others it is one."""
        ours(self, pool)
        pool.used = self.now - REREAD * (self.now - pool.used) if self.rule == DTR else self.now
        return 0

    cpdef int lock(self, Pool pool) except -1:
        """Keep a pool from being chosen until `unlock` has been called as often."""
        ours(self, pool)
        with cython.critical_section(self):
            pool.locks += 1
            self.leave(pool)
        return 0

    cpdef int unlock(self, Pool pool) except -1:
        """Undo one `lock`."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.locks == 0:
                raise RuntimeError("the pool is not locked")
            pool.locks -= 1
            self.enter(pool)
        return 0

    cpdef int evicted(self, Pool pool) except -1:
        """Note that a pool's bytes were freed, and can be remade."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state != PRESENT or pool.constant or pool.locks:
                raise RuntimeError("only bytes that are present, not locked, and can be made again, are evicted")
            self.leave(pool)
            pool.state = EVICTED
            self.live -= pool.nbytes
            pool.nbytes = pool.size
            self.evictions += 1
            connect(pool.node)
        return 0

    cpdef int spilled(self, Pool pool) except -1:
        """Note that a pool's bytes were freed, and are in a file. Remaking a neighbour goes no further than here."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state != PRESENT or pool.locks:
                raise RuntimeError("only bytes that are present, and not locked, are spilled")
            self.leave(pool)
            pool.state = SPILLED
            self.live -= pool.nbytes
            pool.nbytes = pool.size
            self.spills += 1
            if not pool.written:
                self.spilled_bytes += pool.size
            pool.written = True
        return 0

    cpdef int remade(self, Pool pool) except -1:
        """Note that a pool's bytes are present again: remade, or read back."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state == PRESENT:
                raise RuntimeError("the bytes are present")
            disconnect(pool.node)
            if pool.state != SPILLED:
                self.remakes += 1
            if pool.state == GONE and self.rule == DTR:
                pool.used = 0  # it came back only for another
            pool.state = PRESENT
            self.count_up(pool.nbytes)
            self.enter(pool)
        return 0

    cpdef int lost(self, Pool pool) except -1:
        """Note that the file with a pool's bytes cannot be read: it must be remade."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state != SPILLED or pool.constant:
                raise RuntimeError("only bytes that are in a file, and can be made again, get lost")
            pool.state = EVICTED
            pool.written = False
            connect(pool.node)
        return 0

    cpdef int gone(self, Pool pool) except -1:
        """Note that nobody refers to a pool, and its bytes are free. From now on its children bear its cost."""
        cdef Vertex *node
        cdef Py_ssize_t i, heirs = 0
        ours(self, pool)
        with cython.critical_section(self):
            self.leave(pool)
            if pool.state == PRESENT:
                self.live -= pool.nbytes
            pool.nbytes = pool.size
            node = pool.node
            if not pool.constant and not node.has_handed_down:
                disconnect(node)
                node.has_handed_down = True
                for i in range(node.n_children):
                    heirs += inherits(node.children[i])
                # In equal shares: if two heirs each got the whole, a pool made of both would count it twice. Raising
                # MemoryError may run the collector, and the code that this runs may shorten the list.
                i = 0
                while i < node.n_children:
                    hand_down(node, node.children[i], legacy(node) / heirs if heirs else 0)
                    i += 1
            pool.state = GONE
            pool.written = False
        return 0

    cpdef int changed(self, Pool pool) except -1:
        """Note that a pool's bytes have changed: a file with the old ones is stale."""
        ours(self, pool)
        pool.written = False
        return 0

    cpdef int resized(self, Pool pool, size_t nbytes) except -1:
        """Note a pool's new size."""
        ours(self, pool)
        with cython.critical_section(self):
            self.leave(pool)
            if pool.state == PRESENT:
                self.live -= pool.nbytes
                self.count_up(nbytes)
            pool.nbytes = pool.size = nbytes
            pool.written = False
            self.enter(pool)
        return 0

    cpdef int counts(self, Pool pool, size_t nbytes) except -1:
        """Set how many bytes are in memory for a pool alone, if others lie in bases that it shares: see `freeze`."""
        ours(self, pool)
        with cython.critical_section(self):
            if pool.state == PRESENT:
                self.live -= pool.nbytes
                self.count_up(nbytes)
            pool.nbytes = nbytes
        return 0

    cpdef int freeze(self, size_t nbytes) except -1:
        """Set how many bytes lie in bases, which are freed with the last pool that shares them."""
        with cython.critical_section(self):
            self.frozen = nbytes
            self.count_up(0)
        return 0

    cpdef int reserve(self, size_t nbytes) except -1:
        """Count bytes that are about to be allocated."""
        with cython.critical_section(self):
            self.reserved += nbytes
            self.count_up(0)
        return 0

    cpdef int unreserve(self, size_t nbytes) except -1:
        """Stop counting reserved bytes: they were not allocated, or are in a pool that is added after this."""
        with cython.critical_section(self):
            if nbytes > self.reserved:
                raise RuntimeError("so many bytes are not reserved")
            self.reserved -= nbytes
        return 0

    cpdef bint fits(self, size_t need) except -1:
        """Tell whether `need` more bytes fit in the budget."""
        cdef size_t held = self.live + self.reserved + self.frozen
        return held <= self.budget and need <= self.budget - held

    cpdef int new_round(self) except -1:
        """Begin a search for room: pools that were refused in the last one may be chosen again."""
        self.round += 1
        return 0

    cpdef int refuse(self, Pool pool) except -1:
        """Note that a pool cannot leave now: it is not chosen again in this round."""
        ours(self, pool)
        pool.refused = self.round
        return 0

    cpdef Pool choose(self):
        """Return the pool that should leave next; `by_file` says how. None if none can."""
        cdef PyObject *best = NULL
        cdef Py_ssize_t drawn
        with cython.critical_section(self):
            self.searches += 1
            if self.sampling and self.n_candidates > 1:
                drawn = <Py_ssize_t>sqrt(<double>self.n_candidates)
                if drawn * drawn < self.n_candidates:
                    drawn += 1
                best = self.best_of(drawn)
            if best == NULL:
                best = self.best_of(0)
            return None if best == NULL else <Pool>best

    cpdef double cost_to_make(self, Pool pool) except? -1:
        """Return the cost of remaking a pool, with its absent neighbours."""
        ours(self, pool)
        with cython.critical_section(self):
            return self.making(pool)

    # ---- how it is chosen --------------------------------------------------------------------------------------------

    cdef double making(self, Pool pool) noexcept:
        cdef Vertex *node = pool.node
        cdef double cost
        cdef Py_ssize_t i
        self.seen += 1
        # An absent pool's own cost is in its component.
        cost = node.cost if node.component == NULL else not_yet_seen(node, self.seen)
        for i in range(node.n_parents):
            cost += not_yet_seen(node.parents[i], self.seen)
        for i in range(node.n_children):
            cost += not_yet_seen(node.children[i], self.seen)
        return cost

    cdef double filing(self, Pool pool) noexcept:
        """Return the cost of reading a pool back, and of writing it if no file has it."""
        cdef double cost
        if not self.spilling or self.read_rate <= 0 or (self.write_rate <= 0 and not pool.written):
            return INFINITY
        cost = pool.size / self.read_rate
        if not pool.written:
            cost += pool.size / self.write_rate
        return cost

    cdef double score(self, Pool pool, bint *by_file) noexcept:
        """Score a pool that may leave: the lowest leaves first."""
        cdef double cost = INFINITY
        cdef double file, stale
        by_file[0] = False
        if not pool.constant and pool.bias <= 0:
            cost = self.making(pool) if self.rule == DTR or (self.spilling and self.rule != LOCAL) else pool.node.cost
        if self.spilling and (pool.bias >= 0 or pool.constant):
            file = self.filing(pool)
            if file < cost or cost == INFINITY:
                by_file[0] = True
                cost = file
        if self.rule == LRU:
            return pool.used
        if self.rule == SIZE:
            return -<double>pool.nbytes
        if self.rule == RANDOM:
            return 0
        stale = self.now - pool.used
        # A pool that is in use at this very moment goes last.
        return cost / (max(pool.nbytes, <size_t>1) * stale) if stale > 0 else INFINITY

    cdef PyObject *best_of(self, Py_ssize_t drawn) noexcept:
        """Return the best of `drawn` candidates that are picked at random; 0: of all."""
        cdef PyObject *best = NULL
        cdef Pool pool
        cdef double found, lowest = INFINITY
        cdef int level, lowest_level = 2
        cdef Py_ssize_t i, met = 0
        cdef bint by_file = False
        cdef bint better
        for i in range(drawn if drawn else self.n_candidates):
            pool = <Pool>self.candidates[self.draw() % <uint64_t>self.n_candidates if drawn else <uint64_t>i]
            self.looked += 1
            if pool.refused == self.round or not self.may_leave(pool):
                continue
            level = 0 if pool.bias < 0 else 1
            if level > lowest_level:
                continue
            found = self.score(pool, &by_file)
            if level < lowest_level:
                better = True
                met = 0
            elif self.rule == RANDOM:
                better = self.draw() % <uint64_t>(met + 1) == 0
            elif found != lowest:
                better = found < lowest
            else:
                better = is_older(pool, <Pool>best)
            met += 1
            if better:
                best = <PyObject *>pool
                lowest, lowest_level = found, level
                self.by_file = by_file
        return best

    cdef uint64_t draw(self) noexcept:
        """Return the next random number: splitmix64 (Steele, Lea and Flood, 2014)."""
        self.random += <uint64_t>0x9E3779B97F4A7C15
        return hash_of(self.random)

    # ---- candidates --------------------------------------------------------------------------------------------------

    cdef bint may_leave(self, Pool pool) noexcept:
        return self.spilling or (not pool.constant and pool.bias <= 0)

    cdef void enter(self, Pool pool) noexcept:
        """Make a pool a candidate if it may be one. There is room: `add` made it."""
        if pool.place >= 0 or pool.locks or pool.state != PRESENT or pool.size < self.small:
            return
        if pool.constant and not self.spilling:
            return
        pool.place = self.n_candidates
        self.candidates[self.n_candidates] = <PyObject *>pool
        self.n_candidates += 1

    cdef void leave(self, Pool pool) noexcept:
        cdef PyObject *last
        if pool.place < 0:
            return
        self.n_candidates -= 1
        last = self.candidates[self.n_candidates]
        self.candidates[pool.place] = last
        (<Pool>last).place = pool.place
        pool.place = -1

    cdef void count_up(self, size_t nbytes) noexcept:
        self.live += nbytes
        self.peak = max(self.peak, self.live + self.reserved + self.frozen)


cdef inline bint is_older(Pool one, Pool other) noexcept:
    """Tell whether the first of two equal pools leaves, whatever their order among the candidates."""
    return one.used < other.used or (one.used == other.used and one.serial < other.serial)


cdef uint64_t hash_of(uint64_t number) noexcept:
    number = (number ^ (number >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    number = (number ^ (number >> 27)) * <uint64_t>0x94D049BB133111EB
    return number ^ (number >> 31)
