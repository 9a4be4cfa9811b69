"""README.md and docs/benchmarks.md quote the recorded run, and say why a target was missed."""

import json

import pages
import pytest
from test_report import run


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_the_figures_are_those_of_the_results(page):
    assert pages.with_figures(page) == page.read_text(), "run: python bench/pages.py"


def test_missed_targets_are_explained():
    assert pages.unexplained() == []


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Results in which torch took no part in a workload, and a target is missed."""
    made = run(3.0)
    for who in ("cowarray", "numpy"):
        info = {"question": "workloads", "case": "undo", "who": who, "peak_bytes": 10**6, "bytes_copied": 2 * 10**6}
        made["benchmarks"].append({"extra_info": info, "stats": {"data": [0.5]}})
    file = tmp_path / "results.json"
    file.write_text(json.dumps(made))
    monkeypatch.setattr(pages, "RESULTS", file)


@pytest.mark.usefixtures("made_up")
def test_a_page_gets_the_figures_of_its_results():
    readme, benchmarks = (pages.with_figures(page) for page in pages.PAGES)
    assert "| 500 ms, 2 MB copied, 1 MB | 500 ms, 2 MB copied, 1 MB | not measured |" in readme
    assert "A lazy copy of 1 GiB takes 360 ns, NumPy's copy 200 ns." in readme
    assert "| x.lazy_clone(), any size | NumPy's copy of 10 elements | 1.5 | ≤ 0.5 | not met |" in benchmarks
    assert "Not here: torch is missing: no." in benchmarks
    assert pages.NONE[0] not in readme + benchmarks


@pytest.mark.usefixtures("made_up")
def test_a_missed_target_without_a_reason_is_found(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "benchmarks.md"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page.write_text("## Where cowarray is slower\n\n- **Headline**: it does more.\n")
    assert pages.unexplained() == ["lazy clone", "no traps"]
    page.write_text("## Where cowarray is slower\n\n- **Lazy clone**: the reason.\n")
    assert pages.unexplained() == ["no traps"]
