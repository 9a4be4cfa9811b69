"""Conditions that only guard: of assertions, and of ``raise``. A program that comes to its end has passed them."""

import ast
import functools
import linecache
from collections.abc import Iterator
from typing import Any

__all__ = ["answer_past"]

Span = tuple[int | None, ...]


def answer_past(filename: str, place: Span) -> bool | None:
    """Return the answer with which a program gets past an assertion, or past ``if ...: raise``.

    Parameters
    ----------
    filename : str
    place : tuple of int
        The condition's position in the source: line, last line, column, and the column after it.

    Returns
    -------
    bool or None
        None if nothing is guarded there, or the source is missing.
    """
    for statement, test, holds in _guards(filename):
        whole = [each for each in (statement, *ast.walk(test)) if _span(each) == place]
        # Before Python 3.12, a jump may have the position of the whole statement, or of an earlier condition.
        part = test if whole[:1] == [statement] else whole[0] if whole else None
        if part is not None:
            negations = _negations(part, _is_negated(test, part)) or _negations(test, False)
            return holds != negations.pop() if len(negations) == 1 else None
    return None


def _span(node: Any) -> Span | None:
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) if hasattr(node, "lineno") else None


@functools.lru_cache(maxsize=256)
def _guards(filename: str) -> list[tuple[ast.stmt, ast.expr, bool]]:
    """Return the statements of a file that guard, each with its test and the result that the test must have."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return list(_guards_in(tree))


def _guards_in(tree: ast.AST) -> Iterator[tuple[ast.stmt, ast.expr, bool]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node, node.test, True
        elif isinstance(node, ast.If):
            if isinstance(node.body[-1], ast.Raise):
                yield node, node.test, False
            elif node.orelse and isinstance(node.orelse[-1], ast.Raise):
                yield node, node.test, True


def _is_negated(test: ast.expr, part: ast.AST) -> bool:
    """True if a part of a test is under an odd number of negations."""
    around = [
        node
        for node in ast.walk(test)
        if isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.Not)
        and any(each is part for each in ast.walk(node.operand))
    ]
    return len(around) % 2 == 1


def _negations(test: Any, is_negated: bool) -> set[bool]:
    """Return, as a set, whether each condition of a test is under an odd number of negations."""
    if isinstance(test, ast.BoolOp):
        return {each for value in test.values for each in _negations(value, is_negated)}
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _negations(test.operand, not is_negated)
    return set() if _asks_no_array(test) else {is_negated}


def _asks_no_array(test: Any) -> bool:
    """True if a condition clearly concerns no array: an identity test, or a call of a built-in function."""
    if isinstance(test, ast.Compare):
        return all(isinstance(each, (ast.Is, ast.IsNot)) for each in test.ops)
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in ("isinstance", "issubclass", "hasattr", "callable", "len")
    )
