"""The site has every page and every public name. What Sphinx says of it is `make site`'s to tell."""

import re
import sys

import numpy as np
import pytest
from support.sources import ROOT, files, load

import cowarray

SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def reference():
    return load(SITE / "reference.py")


@pytest.fixture
def build(reference, monkeypatch):
    monkeypatch.setitem(sys.modules, "reference", reference)
    return load(SITE / "build.py")


@pytest.fixture
def staged(build, tmp_path):
    build.stage(tmp_path)
    return tmp_path


def test_every_public_name_is_on_one_page(reference):
    found = [name for names in reference.chapters().values() for name in names]
    assert len(found) == len(set(found)) > 650
    modules = {"array_api", "fft", "lib", "linalg", "random"}
    assert {f"cowarray.{name}" for name in cowarray.__all__} - set(found) == {f"cowarray.{name}" for name in modules}
    for space in (cowarray.linalg, cowarray.fft, cowarray.random, cowarray.array_api):
        assert {f"{space.__name__}.{name}" for name in space.__all__} <= set(found)


def test_each_page_of_names_has_some(reference):
    assert [page for page, names in reference.chapters().items() if not names] == []


def test_entries_are_of_what_is_the_librarys_own(reference):
    assert reference.entry("cowarray.reshape") == ".. autofunction:: cowarray.reshape\n\n"
    assert reference.entry("cowarray.ndarray").startswith(".. autoclass:: cowarray.ndarray\n   :members:")
    assert reference.entry("cowarray.float64") == ""
    assert reference.entry("cowarray.pi") == ""


def test_numpys_names_lead_somewhere(reference):
    rows = {name: (other, is_here) for name, other, is_here in reference.numpy_names()}
    assert set(rows) >= {name for name in np.__all__ if not name.startswith("__")}
    assert rows["moveaxis"] == ("cowarray.moveaxis", True)
    assert rows["matrix"] == ("cowarray.asarray, and x @ y", False)
    assert all(other for other, _ in rows.values())


def test_every_page_is_in_one_table_of_contents(staged):
    pages = {str(page.relative_to(staged).with_suffix("")) for page in [*staged.rglob("*.md"), *staged.rglob("*.rst")]}
    listed = []
    for page in staged.rglob("*.md"):
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            listed += [line for line in block.splitlines() if line and not line.startswith(":")]
    assert len(listed) == len(set(listed)) > 50
    assert set(listed) == pages - {"index"}


def test_every_page_of_the_tree_is_on_the_site(build):
    assert set(build.pages()) == set(files(".md"))


def test_links_lead_to_where_pages_lie_on_the_site(staged):
    found = 0
    for page in staged.rglob("*.md"):
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page}: {target}"
            found += 1
    assert found > 80
    assert "(contributing.md)" in (staged / "c-api.md").read_text()
    assert "(files/gradient_within_a_budget.py)" in (staged / "interop.md").read_text()


def test_code_is_left_alone_but_for_the_end_of_a_doctest(build):
    page = SITE / "index.md"
    text = "[a](../tour.md)\n\n```python\n>>> f[0](tour.md)\n3\n\n```\n"
    names = {page: "index.md", ROOT / "docs" / "tour.md": "deep/tour.md"}
    assert build.turned(text, page, names, {}) == "[a](deep/tour.md)\n\n```python\n>>> f[0](tour.md)\n3\n```\n"


def test_the_pictures_are_of_live_objects():
    pictures = load(ROOT / "docs" / "pictures.py")
    assert (pictures.FOLDER / "sharers.svg").read_text() == pictures.sharers(), "run: python docs/pictures.py"
