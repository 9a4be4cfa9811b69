"""No comprehension with a filter stands directly in a `try` that an interrupt may not pass by.

From Python 3.12 on, comprehensions are compiled into the function around them, and the jump at the end of a filter that
says no belongs to no handler: an interrupt there leaves the function without its `finally`.
"""

import ast

import pytest
from support.sources import PACKAGE, files

COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.SetComp)
OF_THEIR_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


def catches_interrupts(block):
    handlers = [ast.unparse(each.type) if each.type else "BaseException" for each in block.handlers]
    return bool(block.finalbody) or any("BaseException" in each or "KeyboardInterrupt" in each for each in handlers)


def inside(block):
    """The nodes of a block that run in the same function."""
    waiting = list(block.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, OF_THEIR_OWN):
            yield node
            waiting += ast.iter_child_nodes(node)


def exposed(text):
    """The lines of filters that an interrupt could leave past a handler."""
    blocks = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Try) and catches_interrupts(each)]
    nodes = [node for block in blocks for node in inside(block) if isinstance(node, COMPREHENSIONS)]
    return sorted(node.lineno for node in nodes if any(generator.ifs for generator in node.generators))


def test_no_filter_is_exposed():
    found = {str(path.relative_to(PACKAGE)): exposed(path.read_text()) for path in files(".py", top=PACKAGE)}
    assert len(found) > 100
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "end", ["finally:", "except BaseException:", "except:", "except (OSError, KeyboardInterrupt):"]
)
@pytest.mark.parametrize("made", ["[x for x in y if x]", "{x: 1 for x in y if x}", "f({x for x in y if x})"])
def test_a_planted_one_is_found(made, end):
    assert exposed(f"try:\n    z = {made}\n{end}\n    pass\n") == [2]
    assert exposed(f"def g():\n    return {made}\ntry:\n    z = g()\n{end}\n    pass\n") == []


def test_what_no_interrupt_meets_is_not():
    assert exposed("try:\n    z = [x for x in y if x]\nexcept OSError:\n    pass\n") == []
    assert exposed("try:\n    z = [x for x in y]\n    w = all(x for x in y if x)\nfinally:\n    pass\n") == []
