"""What README.md shows is what was measured: libraries in turn, medians, ratios within a round."""

import functools
from xml.etree import ElementTree

import front_page
import pytest
from front_page import Found


@pytest.fixture
def turns(monkeypatch):
    """Which libraries have run; torch is not here. NumPy takes 2, 4, 6 s, cowarray a tenth, in the last round more."""
    ran = []
    monkeypatch.setattr(front_page, "reason_to_skip", lambda library: "missing" if library == "torch" else None)

    def run(library):
        ran.append(library)
        seconds = 2.0 * ran.count(library)
        return (
            Found(seconds, 10**6 * ran.count(library)) if library == "numpy" else Found(seconds / 10 + (seconds == 6))
        )

    return ran, front_page.condensed(front_page.in_turn(run, 3))


def test_libraries_take_turns_and_ratios_are_of_a_round(turns):
    ran, found = turns
    assert ran == ["numpy", "cowarray", "cowarray", "numpy", "numpy", "cowarray"]
    assert (found["rounds"], found["times"]["numpy"]["median"], found["times"]["numpy"]["peak_bytes"]) == (
        3,
        4,
        3 * 10**6,
    )
    assert (found["ratio"]["median"], found["times"]["cowarray"]["peak_bytes"]) == (0.1, None)
    assert found["ratio"]["q3"] == pytest.approx((0.1 + 1.6 / 6) / 2, rel=1e-3)


def test_the_lines_have_what_was_measured(turns, tmp_path):
    _, found = turns
    machine = {"CPU": "a processor", "cores": 2, "load at the end": 0.5, "system": "Linux 6-x", "numpy": "2.4.6"}
    results = {"machine": machine, "date": "2026-11-26", "commit": "0123456789ab", "jobs": [{"job": "a job", **found}]}
    text = "\n".join(front_page.lines(results))
    assert "| a job | 4 s, 3 MB | not measured | 400 ms | 0.1 (0.1 to 0.18) |" in text
    assert front_page.spread({"median": 0.000263, "q1": 0.0002, "q3": 1.2}) == "1/3,800 (1/5,000 to 1.2)"
    assert "load 0.5 before, Linux 6, NumPy 2.4.6; 2026-11-26, commit 0123456789ab." in text
    results["copies"] = [{"size": size, **found} for size in front_page.COPIES]
    front_page.draw(results, tmp_path)
    root = ElementTree.parse(tmp_path / front_page.FIGURE).getroot()
    assert [len(found.get("points").split()) for found in root.findall("{*}polyline")] == [len(front_page.COPIES)] * 2
    assert "prefers-color-scheme: dark" in root.find("{*}style").text


@pytest.mark.parametrize("job", front_page.JOBS.values(), ids=list(front_page.JOBS))
def test_each_job_runs(job):
    found = functools.partial(job, small=True)("cowarray")
    assert abs(found.seconds) < 60  # small jobs beyond an empty one may take no time
