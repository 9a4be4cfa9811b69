"""The operators of Python, and what they give or raise."""

import operator

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod, operator.pow,
    operator.matmul, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
]  # fmt: skip
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def outcome(function, *args):
    try:
        return function(*args), None
    except Exception as error:
        return None, type(error)
