"""Pools in plain Python: what each costs, and with which others, by brute force."""

# Shares of such costs are mostly whole numbers, so that sums are equal in both worlds, in whatever order.
UNIT = 720_720**2

GONE_TAKES = 8  # how many times what is gone counts, for what was made of it


class Model:
    """Pools in plain Python. A component is a label, and its cost the sum over those that carry it."""

    def __init__(self):
        self.label = {}
        self.costs = {}
        self.inherited = {}
        self.parents = {}
        self.handed_down = set()
        self.labels = 0

    def add(self, pool):
        self.costs[pool] = pool.cost
        self.inherited[pool] = 0
        self.parents[pool] = []

    def link(self, parent, child):
        if self.join_as_family(parent, child) and parent in self.handed_down and child not in self.handed_down:
            self.hand_down(parent, child, self.legacy(parent))

    def join_as_family(self, parent, child):
        if parent is child or parent in self.parents[child]:
            return False
        self.parents[child].append(parent)
        if parent in self.label and child in self.label:
            self.join(self.label[parent], self.label[child])
        return True

    def legacy(self, pool):
        return GONE_TAKES * (self.costs[pool] - self.inherited[pool]) + self.inherited[pool]

    def hand_down(self, gone, child, share):
        self.costs[child] += share
        self.inherited[child] += share
        for parent in [each for each in self.parents[gone] if each not in self.handed_down][:8]:
            self.join_as_family(parent, child)

    def neighbours(self, pool):
        return [*self.parents[pool], *(child for child, parents in self.parents.items() if pool in parents)]

    def join(self, one, other):
        # Those that have left carry their labels on: what they connected stays connected.
        self.label |= {pool: one for pool, label in self.label.items() if label == other}

    def leave(self, pool):
        if pool in self.handed_down:
            return
        self.labels += 1
        self.label[pool] = self.labels
        for each in self.neighbours(pool):
            if each in self.label:
                self.join(self.label[pool], self.label[each])

    def go(self, pool):
        if pool not in self.handed_down:
            self.label.pop(pool, None)
            self.handed_down.add(pool)
            children = [child for child, parents in self.parents.items() if pool in parents]
            heirs = [child for child in children if child not in self.handed_down]
            for child in heirs:
                self.hand_down(pool, child, self.legacy(pool) / len(heirs))

    def come_back(self, pool):
        self.label.pop(pool, None)

    def cost(self, pool):
        labels = {self.label[each] for each in self.neighbours(pool) if each in self.label}
        own = self.costs[pool]
        if pool in self.label:
            labels.add(self.label[pool])
            own = 0
        return own + sum(self.costs[each] for each, label in self.label.items() if label in labels)
