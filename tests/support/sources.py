"""The sources as text: the files of the tree, and the statements of Python's and Cython's."""

import importlib.util
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "cowarray"
BUILT = r"\.|__pycache__$|build$|dist$|.*\.egg-info$"

# A string; a word with its dots, a number, a sign or the end of a line. Comments and joined lines are passed over.
TOKEN = re.compile(
    r"""(?P<string>[a-zA-Z]{0,2}(?P<quote>"{3}|'{3}|"|')(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote))"""
    r"|#[^\n]*|\\\n|(?P<token>[^\W\d][\w.]*|\.+|\d\w*|\n|[^\s\w])",
    re.DOTALL,
)
BLOCKS = set("async cdef class cpdef def elif else except finally for if try while with".split())  # noqa: SIM905


def folders(top=ROOT):
    """The folders of the tree, at any depth, but for what was built."""
    found = []
    for folder, inside, _ in os.walk(top):
        inside[:] = [name for name in inside if not re.match(BUILT, name) and Path(folder, name) != PACKAGE / "include"]
        found.append(Path(folder))
    return sorted(found)


def files(*endings, top=ROOT):
    """Their files whose names end so."""
    return [path for folder in folders(top) for path in sorted(folder.iterdir()) if path.name.endswith(endings)]


def modules():
    """The modules of the package by name: the text of each of their files, by suffix.

    Without stubs, which say of what type things are, such as the arrays that a lower room passes on.
    """
    found = {}
    for path in files(".py", ".pyx", ".pxd", top=PACKAGE):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found.setdefault(name.removesuffix("__init__").removesuffix("."), {})[path.suffix] = path.read_text()
    return found


def statements(text):
    """(indentation, tokens) of each statement of a Cython or Python file; what follows a block's colon is one."""
    depth, indent, tokens = 0, 0, []
    for match in TOKEN.finditer(text + "\n"):
        token = match["string"] or match["token"]
        if token is None:
            continue
        if len(token) == 1:
            depth += (token in "([{") - (token in ")]}")
        if depth == 0 and (token in ("\n", ";") or (token == ":" and tokens and tokens[0] in BLOCKS)):
            if tokens:
                yield indent, tokens
            tokens = []
        elif token != "\n":
            if not tokens:
                before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
                indent = indent + 1 if before.strip() else len(before)
            tokens.append(token)
    assert depth == 0, "a bracket was misread"


def placed(text):
    """(headers, tokens) of each statement: (name, tokens) of each class and function around it, outermost first."""
    around = []
    for indent, tokens in statements(text):
        around = [each for each in around if each[0] < indent]
        yield [each[1:] for each in around], tokens
        opens = tokens.index("(") if "(" in tokens else len(tokens)
        if "class" in tokens[:2]:
            around.append((indent, tokens[tokens.index("class") + 1], tokens))
        elif tokens[0] in ("async", "def", "cdef", "cpdef") and "(" in tokens and "=" not in tokens[:opens]:
            around.append((indent, tokens[opens - 1], tokens))


def load(path):
    """A file as a module that nothing else imports."""
    spec = importlib.util.spec_from_file_location(path.name.partition(".")[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
