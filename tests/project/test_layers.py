"""The core's sources stand on one another in one order: what a file calls is defined in it or in one before it.

So each can be read with those before it in mind, and no circle can come in unseen.
"""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"

# Lowest first. Files of one line know nothing of each other.
LAYERS = [
    ["yield", "status", "stats"],
    ["large"],
    ["memory", "gate"],
    ["tracing"],
    ["context"],
    ["storage"],
    ["scope"],
    ["clone"],
]

NAMES = r"\b(cowi?_[a-z_0-9]+)"
# A function's definition begins at the margin and is no declaration.
DEFINITION = re.compile(rf"^(?!static|typedef|struct|#)\S[^;={{}}]*?{NAMES}\([^;{{}}]*\)\n\{{", re.MULTILINE)
CALL = re.compile(rf"{NAMES}(?!_t\b)")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def climbing(sources):
    """(file, name, file) where a file names a function of a file that is not below it."""
    level = {name: i for i, names in enumerate(LAYERS) for name in names}
    home = {found: name for name, text in sources.items() for found in DEFINITION.findall(text)}
    assert len(home) > 60, "the functions were not found"
    return [
        (name, called, home[called])
        for name, text in sources.items()
        for called in sorted(set(CALL.findall(text)))
        if called in home and home[called] != name and level[home[called]] >= level[name]
    ]


@pytest.fixture
def sources():
    found = {path.stem: without_comments(path.read_text()) for path in CORE.glob("*.c")}
    assert set(found) == {name for names in LAYERS for name in names}
    return found


def test_no_file_of_the_core_names_what_stands_on_it(sources):
    assert climbing(sources) == []


@pytest.mark.parametrize(
    ("file", "call"), [("storage", "cow_const_begin"), ("gate", "cow_storage_free"), ("scope", "cow_lazy_clone")]
)
def test_a_name_from_above_is_found(sources, file, call):
    sources[file] += f"\nstatic void planted(void)\n{{\n    (void){call};\n}}\n"
    assert (file, call) in [found[:2] for found in climbing(sources)]
