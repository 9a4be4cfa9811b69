"""README.md and docs/targets.md quote the recorded run, and say why a target was missed."""

import json
from xml.etree import ElementTree

import pages
import pytest
from results import as_text, condense, load
from test_report import run


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_the_figures_are_those_of_the_results(page):
    assert pages.with_figures(page) == page.read_text(), "run: python bench/pages.py"


def test_missed_targets_are_explained():
    assert pages.unexplained() == []


def made():
    """A run in which torch took no part in a workload, and a target is missed. No page shows the last sharer.

    Of 1 GiB there is no target beside NumPy, and a page shows both sides all the same.
    """
    found = run(3.0)
    for benchmark in found["benchmarks"]:
        if benchmark["extra_info"].get("size") == 1 << 30:
            del benchmark["extra_info"]["targets"]["numpy"]
    figure = {"name": "memory in NumPy", "value": 3, "limit": None, "unit": "B"}
    found["benchmarks"].append({"extra_info": {"question": "no traps", "figures": [figure]}, "stats": {"data": [1.0]}})
    for who in ("cowarray", "numpy"):
        info = {"question": "workloads", "case": "undo", "who": who, "peak_bytes": 10**6, "bytes_copied": 2 * 10**6}
        found["benchmarks"].append({"extra_info": info, "stats": {"data": [0.5]}})
        info = {"question": "write of the last sharer", "case": "80 B", "who": who}
        found["benchmarks"].append({"extra_info": info, "stats": {"data": [0.5]}})
    info = {"question": "lazy clone", "case": "80 B", "who": "pandas"}
    found["benchmarks"].append({"extra_info": info, "stats": {"data": [1e-6, 1e-6, 1e-6]}})
    return found


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(made()))
    monkeypatch.setattr(pages, "RESULTS", file)
    monkeypatch.setitem(pages.PAGES, pages.ROOT / "docs" / "targets.md", (pages.benchmarks, file))


@pytest.mark.usefixtures("made_up")
def test_a_page_gets_the_figures_of_its_results():
    benchmarks = pages.with_figures(pages.ROOT / "docs" / "targets.md")
    assert "| x.lazy_clone(), any size | NumPy's copy of 10 elements | 1.5 |  | ≤ 0.5 | not met |" in benchmarks
    assert "Not here: torch is missing: no." in benchmarks
    assert pages.NONE[0] not in benchmarks


def test_only_what_pages_show_is_kept():
    whole = condense(made())
    kept = pages.shown(whole)
    assert [(case["question"], case["case"]) for case in kept["cases"]] == [
        ("lazy clone", "80 B"),
        ("lazy clone", "1 GiB"),
        ("workloads", "undo"),
    ]
    assert [figure["name"] for figure in kept["figures"]] == ["memory"]
    assert kept["cases"][0]["times"].keys() == {"cowarray", "numpy", "numpy copy of 10 elements"}
    assert pages.benchmarks(kept) == pages.benchmarks(whole)
    assert pages.shown(kept) == kept


def test_what_is_kept_has_a_line_for_each_case():
    kept = pages.shown(condense(made()))
    lines = as_text(kept).splitlines()
    assert sum(line.startswith('{"question": ') for line in lines) == len(kept["cases"]) + len(kept["figures"])
    assert len(lines) < len(kept["cases"]) + len(kept["figures"]) + 12


def test_a_run_is_written_into_the_pages(tmp_path, monkeypatch):
    source, page = tmp_path / "run.json", tmp_path / "targets.md"
    source.write_text(json.dumps(made()))
    page.write_text(f"before\n{pages.BEGIN}\n{pages.END}\nafter\n")
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "results.json"
    monkeypatch.setattr(pages, "RESULTS", kept)
    monkeypatch.setattr(pages, "PAGES", {page: (pages.benchmarks, kept)})
    assert pages.main(source) == 0
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["clone-by-size.svg", "results.json"]
    assert load(tmp_path / "kept" / "results.json") == pages.shown(load(source))
    assert "![a copy that nobody writes to, by size of the array](benchmarks/clone-by-size.svg)" in page.read_text()


def test_a_plot_has_a_curve_for_each_competitor(tmp_path):
    assert pages.draw(condense(made()), tmp_path) == ["clone-by-size.svg"]
    root = ElementTree.parse(tmp_path / "clone-by-size.svg").getroot()
    words = [found.text for found in root.findall("{*}text")]
    for who in ("cowarray", "numpy", "numpy copy of 10 elements", "pandas"):
        assert words.count(who) == 1
    assert {"100 ns", "1 µs", "1 GiB"} < set(words)
    curves = [found.get("points").split() for found in root.findall("{*}polyline")]
    assert len(curves) == 4
    # From left to right; what takes longer is higher up.
    (start, _), (end, _) = ([float(part) for part in point.split(",")] for point in curves[0])
    assert start < end
    own, numpys, _, pandas = (float(curve[0].split(",")[1]) for curve in curves)
    assert pandas < own < numpys


@pytest.mark.usefixtures("made_up")
def test_a_missed_target_without_a_reason_is_found(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "targets.md"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page.write_text("## Where cowarray is slower\n\n- **Headline**: it does more.\n")
    assert pages.unexplained() == ["lazy clone", "no traps"]
    page.write_text("## Where cowarray is slower\n\n- **Lazy clone**: the reason.\n")
    assert pages.unexplained() == ["no traps"]
