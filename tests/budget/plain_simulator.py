"""A plain simulator of logs: recursive, keeps no sums, and looks for what is alive and connected anew each time."""

import math

from modelled_pools import GONE_TAKES

from cowarray._modes.budget.run_log import Call, Constant, Copy, CopyFrom, Mutate, Pin, Release

HEURISTICS = ("dtr", "local", "lru", "size")
REREAD = 0.1  # what is left of the time since a use, when an array is read to make another again


class NoRoom(Exception):
    pass


class Storage:
    def __init__(self, nbytes, cost, serial):
        self.nbytes = nbytes
        self.cost = cost
        self.serial = serial
        self.present = self.constant = self.pinned = False
        self.locks = self.references = 0
        self.used = 0
        self.label = None
        self.values = []
        self.parents = []
        self.has_handed_down = self.is_gone = False
        self.inherited = 0


class Value:
    def __init__(self, storage, call):
        self.storage = storage
        self.call = call
        self.defined = False
        storage.values.append(self)


class Operation:
    def __init__(self, args, sizes, time):
        self.args = args
        self.sizes = sizes
        self.time = time
        self.results = []


class Plain:
    def __init__(self, budget, heuristic):
        self.budget = budget
        self.heuristic = heuristic
        self.names = {}
        self.storages = []
        self.running = []
        self.going = []
        self.clock = self.remat = self.base = self.peak = self.evictions = 0
        self.labels = 0

    def values(self):
        """What a name or an operation under way needs to be made again."""
        stack = [*self.names.values(), *self.going]
        for call in self.running:
            stack += call.args
        found = set()
        while stack:
            value = stack.pop()
            if value not in found:
                found.add(value)
                stack += value.call.args if value.call else []
        return found

    def alive(self):
        """Storages that count."""
        return {value.storage for value in self.values()}

    def present(self):
        """Storages with bytes; those that nobody needs lose them here, and connect nobody: they are not made again."""
        alive = self.alive()
        for storage in self.storages:
            if storage.present and storage not in alive:
                self.lose(storage)
        return [storage for storage in self.storages if storage.present]

    def live(self):
        return sum(storage.nbytes for storage in self.present())

    def neighbours(self, storage):
        children = [other for other in self.storages if storage in other.parents]
        return {*storage.parents, *children} - {storage}

    def score(self, storage, alive):
        cost = storage.cost
        if self.heuristic == "dtr":
            labels = {each.label for each in self.neighbours(storage) & alive if each.label is not None}
            cost += sum(each.cost for each in alive if each.label in labels)
        stale = self.clock - storage.used
        score = {
            "dtr": cost / (storage.nbytes * stale) if stale > 0 else math.inf,
            "local": cost / (storage.nbytes * stale) if stale > 0 else math.inf,
            "lru": storage.used,
            "size": -storage.nbytes,
        }[self.heuristic]
        return score, storage.used, storage.serial

    def lose(self, storage):
        storage.present = False
        for value in storage.values:
            value.defined = False

    def join(self, label, each):
        if label is not None and each.label is not None:
            old = each.label
            for other in self.storages:
                if other.label == old:
                    other.label = label

    def leave(self, storage):
        """The bytes go, and the storage is connected with its absent neighbours."""
        self.lose(storage)
        if storage.label is None and not storage.constant and not storage.has_handed_down:
            self.labels += 1
            storage.label = self.labels
            for each in self.neighbours(storage) & self.alive():
                self.join(storage.label, each)

    def go(self, storage):
        """Nobody refers to a storage: what it costs, and what it is made of, it hands down."""
        self.lose(storage)
        storage.is_gone = True
        if storage.has_handed_down:
            return
        storage.label = None
        storage.has_handed_down = True
        alive = self.alive()
        heirs = [other for other in alive if storage in other.parents and not other.has_handed_down]
        for child in heirs:
            self.hand_down(storage, child, self.legacy(storage) / len(heirs))

    def legacy(self, storage):
        return GONE_TAKES * (storage.cost - storage.inherited) + storage.inherited

    def hand_down(self, storage, child, share):
        child.cost += share
        child.inherited += share
        alive = self.alive()
        near = [parent for parent in storage.parents if parent in alive and not parent.has_handed_down]
        for parent in near[:8]:
            self.join_as_family(parent, child)

    def join_as_family(self, parent, child):
        if parent is child or parent in child.parents:
            return False
        child.parents.append(parent)
        self.join(parent.label, child)
        return True

    def make_room(self, need):
        while self.live() + need > self.budget:
            alive = self.alive()
            candidates = [
                storage for storage in self.present() if storage.nbytes and not storage.locks and not storage.constant
            ]
            if not candidates:
                raise NoRoom
            self.evictions += 1
            self.leave(min(candidates, key=lambda storage: self.score(storage, alive)))

    def make(self, call, first=False):
        self.running.append(call)
        for arg in call.args:
            is_use = first or self.heuristic != "dtr"
            arg.storage.used = self.clock - (0 if is_use else REREAD * (self.clock - arg.storage.used))
        there = [arg for arg in call.args if arg.defined]
        for arg in there:
            arg.storage.locks += 1
        for arg in [arg for arg in call.args if arg not in there]:
            if not arg.defined:
                self.make(arg.call)
            arg.storage.locks += 1
        need = sum(call.sizes)
        self.make_room(need)
        self.peak = max(self.peak, self.live() + need)
        self.clock += call.time
        values = self.values()
        for value, nbytes in zip(call.results, call.sizes, strict=True):
            if value in values and not value.defined:
                value.defined = True
                if nbytes is not None and value is value.storage.values[0]:
                    value.storage.present = True
                    value.storage.label = None
                    if value.storage.is_gone:
                        value.storage.is_gone = False
                        value.storage.used = value.storage.used if self.heuristic != "dtr" else 0
        if first:
            self.base += call.time
        else:
            self.remat += call.time
        for arg in call.args:
            arg.storage.locks -= 1
        # What came back for this call alone goes again, if it is no smaller and took at most half the time.
        for arg in dict.fromkeys(call.args):
            storage = arg.storage
            kept = not storage.present or storage.references or storage.constant or storage.pinned
            if not kept and 2 * arg.call.time <= call.time and storage.nbytes >= need and self.readers(storage) == 1:
                self.go(storage)
        self.running.pop()

    def readers(self, storage):
        calls = {value.call for value in self.values() if value.call} | {*self.running}
        return sum(storage in {arg.storage for arg in call.args} for call in calls)

    def add(self, nbytes, cost):
        self.storages.append(Storage(nbytes, cost, len(self.storages)))
        return self.storages[-1]

    def first(self, args, sizes, origins, time):
        call = Operation(args, sizes, time)
        for nbytes, origin in zip(sizes, origins, strict=True):
            storage = self.add(nbytes, time) if origin is None else origin.storage
            call.results.append(Value(storage, call))
        self.going = call.results
        self.make(call, first=True)
        for storage in {origin.storage for origin in origins if origin is not None}:
            storage.cost += time
        for value, origin in zip(call.results, origins, strict=True):
            if origin is None:
                for arg in args:
                    if self.join_as_family(arg.storage, value.storage) and arg.storage.has_handed_down:
                        self.hand_down(arg.storage, value.storage, self.legacy(arg.storage))
            value.storage.used = self.clock
        return call.results

    def drop(self, value):
        value.storage.references -= 1
        if value.storage.references == 0 and not value.storage.constant and not value.storage.pinned:
            self.going = [*self.going, value]
            self.go(value.storage)
            self.going = self.going[:-1]

    def name(self, name, value):
        old = self.names.get(name)
        value.storage.references += 1
        self.names[name] = value
        if old is not None:
            self.drop(old)

    def hold(self, value):
        if not value.defined:
            self.make(value.call)
        if not value.storage.pinned:
            value.storage.pinned = True
            value.storage.locks += 1

    def step(self, record):
        kind = type(record)
        if kind is Constant:
            self.make_room(record.nbytes)
            storage = self.add(record.nbytes, 0)
            storage.present = storage.constant = True
            value = Value(storage, None)
            value.defined = True
            self.name(record.name, value)
            self.peak = max(self.peak, self.live())
        elif kind is Call:
            args = [self.names[name] for name in record.args]
            sizes = [0 if result.alias >= 0 else result.nbytes for result in record.results]
            origins = [args[result.alias] if result.alias >= 0 else None for result in record.results]
            for result, value in zip(record.results, self.first(args, sizes, origins, record.time), strict=True):
                self.name(result.name, value)
        elif kind is Mutate:
            args = [self.names[name] for name in record.args]
            sizes = [args[index].storage.nbytes for index in record.written]
            for index, value in zip(
                record.written, self.first(args, sizes, [None] * len(sizes), record.time), strict=True
            ):
                self.name(record.args[index], value)
        elif kind in (Copy, CopyFrom):
            self.name(record.to, self.names[record.source])
        elif kind is Release:
            self.drop(self.names.pop(record.name))
        elif kind is Pin:
            self.hold(self.names[record.name])
        self.going = []


def plainly(records, budget, heuristic):
    run = Plain(budget, heuristic)
    try:
        for _, record in records:
            run.step(record)
        for value in run.names.values():
            run.hold(value)
    except NoRoom:
        return None
    return run
