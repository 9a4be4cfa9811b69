"""Nothing is returned from where Cython errs: from a `try` whose end may raise, and from an `except`. Nor is there a
`with`.

Cython 3.2 keeps the reference to such a value when the `finally` raises in its turn: an array that is lost so is never
freed, and keeps what it shares shared. A name that is bound inside, and returned behind, is not.
A `return` in an `except` lets go of the error's traceback, and a `with` hands it to `__exit__`. It is not there where
there was no memory for it: the process dies. A `break` or `continue` in an `except` looks whether it is there.
"""

import itertools
import re

import pytest
from support.sources import PACKAGE, files, statements

# Of C, and never with an exception.
OF_C = {"Py_INCREF", "Py_XDECREF", "PyMem_Free", "PyMem_RawFree", "cow_account_use"}
QUIET_WITHS = {"nogil", "gil", "cython.critical_section"}


def never_raising():
    """The names of functions that are declared so."""
    found = set(OF_C)
    for path in files(".pxd", ".pyx", top=PACKAGE):
        found.update(re.findall(r"(\w+)\([^()]*\) noexcept", path.read_text()))
    return found


def may_raise(tokens, quiet):
    """Whether a statement of an end may raise: it calls something, or takes an item."""
    follows = itertools.pairwise(tokens)
    return any(after in "([" and before not in quiet | {"=", "not"} for before, after in follows) or "raise" in tokens


def losing(text, quiet):
    """The returns of a value inside a `try` whose end may raise."""
    found, opened = [], []  # blocks: [indentation, kind, returns inside]
    for indent, tokens in statements(text):
        while opened and indent <= opened[-1][0]:
            if indent == opened[-1][0] and opened[-1][1] == "try" and tokens[0] in ("except", "else"):
                break
            if indent == opened[-1][0] and opened[-1][1] == "try" and tokens[0] == "finally":
                opened[-1][1] = "finally"
                break
            _, _, inside = opened.pop()
            if opened and opened[-1][1] != "finally":
                opened[-1][2].extend(inside)
        if opened and opened[-1][1] == "finally" and tokens[0] != "finally" and may_raise(tokens, quiet):
            found.extend(opened[-1][2])
            opened[-1][2] = []
        if tokens[0] == "try":
            opened.append([indent, "try", []])
        elif tokens[0] == "return" and tokens[1:] not in ([], ["None"], ["True"], ["False"]) and opened:
            opened[-1][2].append(" ".join(tokens))
        elif tokens[0] in ("def", "cdef", "cpdef", "class"):
            opened = [each for each in opened if each[0] < indent]
    return found


def returning(text):
    """The returns inside an `except`."""
    found, opened = [], []  # the indentation of each `except` around
    for indent, tokens in statements(text):
        opened = [each for each in opened if each < indent]
        if tokens[0] == "except":
            opened.append(indent)
        elif tokens[0] == "return" and opened:
            found.append(" ".join(tokens))
    return found


@pytest.mark.parametrize(
    ("planted", "is_found"),
    [
        ("def f(a):\n    try:\n        return a.b()\n    finally:\n        a.end()\n", True),
        ("def f(a):\n    try:\n        if a:\n            return a.b()\n    finally:\n        a.end()\n", True),
        ("def f(a):\n    try:\n        try:\n            return a\n        except E:\n            pass\n"
         "    finally:\n        a.end()\n", True),
        ("def f(a):\n    try:\n        return a\n    except E:\n        a.end()\n", False),
        ("def f(a):\n    try:\n        return a\n    finally:\n        free(a)\n        a.b = None\n", False),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(planted, is_found):
    assert bool(losing(planted, {"free"})) is is_found


def test_no_value_is_returned_where_it_can_be_lost():
    quiet = never_raising()
    sources = files(".pyx", top=PACKAGE)
    assert len(sources) > 50
    assert {
        str(path.relative_to(PACKAGE)): found for path in sources if (found := losing(path.read_text(), quiet))
    } == {}


@pytest.mark.parametrize(
    ("planted", "is_found"),
    [
        ("def f(a):\n    try:\n        a()\n    except E:\n        return 1\n", True),
        ("def f(a):\n    try:\n        a()\n    except E: return\n", True),
        (
            "def f(a):\n    try:\n        a()\n    except E:\n        if a:\n            return 1\n        raise\n",
            True,
        ),
        ("def f(a):\n    try:\n        return a()\n    except E:\n        pass\n    return 1\n", False),
        ("def f(a):\n    try:\n        a()\n    except E:\n        pass\n    else:\n        return 1\n", False),
        ("def f(a):\n    for b in a:\n        try:\n            b()\n        except E:\n            break\n", False),
    ],
)
def test_what_is_planted_in_an_except_is_found(planted, is_found):
    assert bool(returning(planted)) is is_found


def test_nothing_is_returned_inside_an_except():
    found = {str(path.relative_to(PACKAGE)): returning(path.read_text()) for path in files(".pyx", top=PACKAGE)}
    assert len(found) > 50
    assert {name: returns for name, returns in found.items() if returns} == {}


def withs(text):
    """The `with` statements that call `__enter__` and `__exit__`."""
    return [" ".join(tokens) for _, tokens in statements(text) if tokens[0] == "with" and not QUIET_WITHS & {*tokens}]


@pytest.mark.parametrize(
    ("planted", "is_found"),
    [
        ("def f(a):\n    with a:\n        a.b()\n", True),
        ("def f(a):\n    try:\n        with a as b: b()\n    finally:\n        c()\n", True),
        ("def f(a):\n    with nogil:\n        b()\n", False),
        ("cdef int f(a):\n    with cython.critical_section(a):\n        b()\n", False),
    ],
)
def test_a_planted_with_is_found(planted, is_found):
    assert bool(withs(planted)) is is_found


def test_there_is_no_with():
    found = {str(path.relative_to(PACKAGE)): withs(path.read_text()) for path in files(".pyx", top=PACKAGE)}
    assert len(found) > 50
    assert {name: statements for name, statements in found.items() if statements} == {}
