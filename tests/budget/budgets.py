"""Arrays and chains that tests of budgets compute."""

import cowarray

MIB = 1 << 20
N = MIB // 8


def chain(x, length, function=None):
    steps = [x]
    for _ in range(length):
        steps.append((function or cowarray.tanh)(steps[-1]))
    return steps
