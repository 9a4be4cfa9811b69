"""docs/comparison.md says what its programs found, and each program is the one that found it."""

import json
import re

import pytest
from support.sources import ROOT, load

comparison = load(ROOT / "docs" / "comparison.py")
RESULTS = json.loads(comparison.RESULTS.read_text())


def test_the_page_is_what_was_recorded():
    page = comparison.PAGE.read_text()
    assert comparison.BEGIN in page
    assert comparison.END in page
    assert comparison.with_tables(page, RESULTS) == page, "run: python docs/comparison.py"


def test_the_record_has_a_line_for_each_program():
    text = comparison.RESULTS.read_text()
    assert comparison.as_text(RESULTS) == text
    assert len(text.splitlines()) < len(RESULTS["programs"]) + len(RESULTS) + 4


def test_every_program_is_on_the_page_and_recorded():
    programs = {path.stem for path in comparison.FOLDER.glob("*.py")} - {"findings"}
    assert len(programs) >= 15
    assert set(comparison.PROGRAMS.values()) == programs == set(RESULTS["programs"])
    assert set(RESULTS["versions"]) == set(comparison.LIBRARIES)


@pytest.mark.parametrize("program", comparison.PROGRAMS.values())
def test_a_record_is_of_the_program_as_it_is(program):
    recorded = RESULTS["programs"][program]
    assert recorded["fingerprint"] == comparison.fingerprint(program), "run: make comparison"
    source = comparison.source(program).read_text()
    asked = [name for name in re.findall(r"^def (\w+)\(", source, re.MULTILINE) if name in comparison.LIBRARIES]
    assert list(recorded["found"]) == asked
    assert {verdict for verdict, _ in recorded["found"].values()} <= {"yes", "in part", "no"}


@pytest.mark.parametrize("program", comparison.PROGRAMS.values())
def test_each_answer_is_asserted(program):
    """A function without an assertion would find whatever its sentence says."""
    functions = re.split(r"^def ", comparison.source(program).read_text(), flags=re.MULTILINE)[1:]
    answers = [body for body in functions if body.partition("(")[0] in comparison.LIBRARIES]
    assert answers
    assert [body.partition("(")[0] for body in answers if "assert " not in body] == []
