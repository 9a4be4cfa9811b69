"""What a plan says: its figures, the line of the peak, the table by lines, and the page in a notebook."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import cowarray

MIB = 1 << 20


def lines_of(plan):
    """{line of this file, counted from the function that runs: (at the peak, live, copied)} of a plan, in MiB."""
    first = min(line.site.lineno for line in plan.lines)
    return {line.site.lineno - first: tuple(figure / MIB for figure in line[1:]) for line in plan.lines}


def one_of_each():
    with cowarray.fake() as plan:
        x = cowarray.zeros((2, MIB), "i1")
        y = cowarray.ones((4, MIB), "i1")
        del y
        z = x.copy()
        z[0] = 1
    return plan, x, z


def test_bytes_are_counted_by_line():
    plan, x, z = one_of_each()
    assert (plan.peak_bytes, plan.live_bytes, plan.bytes_copied) == (6 * MIB, 4 * MIB, 2 * MIB)
    assert lines_of(plan) == {0: (2, 2, 0), 1: (4, 0, 0), 3: (0, 0, 0), 4: (0, 2, 2)}
    del x, z
    assert plan.live_bytes == 0
    assert lines_of(plan) == {0: (2, 0, 0), 1: (4, 0, 0), 3: (0, 0, 0), 4: (0, 0, 2)}


def test_the_peaks_line_is_that_which_ran():
    plan, x, z = one_of_each()
    born = {line.site.lineno for line in plan.lines}
    assert plan.peak_site.lineno == min(born) + 1
    y = x + z  # outside of the block, on the same account
    assert plan.peak_site.lineno == min(born) + 1
    w = y + z
    assert plan.live_bytes == plan.peak_bytes == 8 * MIB
    assert plan.peak_site.lineno == test_the_peaks_line_is_that_which_ran.__code__.co_firstlineno + 6
    del y, w
    assert (plan.live_bytes, plan.peak_bytes) == (4 * MIB, 8 * MIB)


def test_without_arrays_there_is_no_peak():
    with cowarray.fake() as plan:
        pass
    assert (plan.peak_bytes, plan.peak_site, plan.lines) == (0, None, [])
    assert str(plan) == "peak 0 B, live 0 B, copied 0 B"
    assert "<svg" not in plan._repr_html_()
    assert plan.series == [(0, 0)]


def test_the_text():
    plan, *kept = one_of_each()
    head, peak, empty, titles, *rows = str(plan).splitlines()
    assert head == "peak 6.0 MiB, live 4.0 MiB, copied 2.0 MiB"
    assert peak == f"The peak is reached at {plan.peak_site}."
    assert (empty, titles.split()) == ("", ["at", "the", "peak", "live", "copied", "line"])
    assert [re.sub(r"\S+:\d+", "PLACE", " ".join(row.split())) for row in rows] == [
        '4.0 MiB 0 B 0 B PLACE y = cowarray.ones((4, MIB), "i1")',
        '2.0 MiB 2.0 MiB 0 B PLACE x = cowarray.zeros((2, MIB), "i1")',
        "0 B 2.0 MiB 2.0 MiB PLACE z[0] = 1",
    ]
    assert "\n" not in repr(plan)
    assert repr(plan).startswith("<cowarray.fake: peak 6291456 bytes")
    del kept


def many_lines(count):
    with cowarray.fake() as plan:
        for i in range(count):
            exec(compile("\n" * i + "keep = cowarray.zeros(3)", "<made & up>", "exec"), {"cowarray": cowarray})
    return plan


def test_a_long_table_is_cut():
    assert "more" not in str(many_lines(1))
    with cowarray.fake() as plan:
        kept = {"cowarray": cowarray}
        for i in range(23):
            exec(compile("\n" * i + f"keep{i} = cowarray.zeros(3)", "<made & up>", "exec"), kept)
    assert str(plan).splitlines()[-1] == "and 3 more lines"
    assert len(plan.lines) == 23


def test_the_page_is_well_formed_and_says_what_the_text_says():
    plan, *kept = one_of_each()
    page = ElementTree.fromstring(plan._repr_html_())
    text = "".join(page.itertext())
    for part in ("peak 6.0 MiB, live 4.0 MiB, copied 2.0 MiB", 'x = cowarray.zeros((2, MIB), "i1")', "4.0 MiB"):
        assert part in text
    assert len(page.findall(".//tr")) == 1 + 3  # lines that have figures
    [polygon] = page.findall(".//polygon")
    points = [tuple(map(float, point.split(","))) for point in polygon.get("points").split()]
    assert max(y for _, y in points) == 140
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    del kept


def test_names_of_files_are_escaped():
    plan = many_lines(3)
    assert "<made & up>" in "".join(ElementTree.fromstring(plan._repr_html_()).itertext())


@pytest.mark.parametrize("count", [1, 1000, 1023, 1024, 5000])
def test_the_series_stays_short_and_keeps_the_peak(count):
    with cowarray.fake() as plan:
        for i in range(count):
            cowarray.zeros(1000 if i == count * 2 // 3 else 10)
    series = plan.series
    assert len(series) <= 1025
    assert max(live for _, live in series) == plan.peak_bytes == 8000
    assert [birth for birth, _ in series] == sorted(birth for birth, _ in series)
    assert series[-1][0] == count


@pytest.mark.parametrize(
    ("expression", "peak"),
    [
        ("(z + z) * 2", 2),
        ("2 * (z + z)", 2),
        ("2 ** (z + z)", 3),
        ("(z + z) ** 2", 2),
        ("z - z * 2", 2),
        ("(z + z).T * z", 3),
        ("(z + z) * z.max()", 2),
        ("z.max() - (z + z)", 2),
        ("(z + z) * z.T", 3),
        ("(z + z) * z[0]", 3),
        ("(z + z) * (z + z)", 3),
        ("(z + z) // z", 3),
        ("(lambda t: t * 2)(z + z)", 3),
        ("(z + z).copy() * 2", 3),
    ],
)
def test_what_an_operator_computes_into_a_temporary_takes_no_memory(expression, peak):
    with cowarray.fake() as plan:
        z = cowarray.zeros((512, 512))
        made = eval(expression, {"z": z})
    assert plan.peak_bytes // z.nbytes == peak
    assert made.shape == z.shape


def test_files_are_not_read_and_their_first_write_copies(tmp_path):
    path = tmp_path / "hole.npy"
    with open(path, "wb") as opened:
        np.lib.format.write_array_header_1_0(
            opened, {"descr": "<f8", "fortran_order": True, "shape": (1 << 20, 1 << 15)}
        )
        opened.truncate(opened.tell() + (1 << 38))
    with cowarray.fake() as plan:
        x = cowarray.load(path)
        assert (x.shape, x.strides, cowarray.is_fake(x)) == ((1 << 20, 1 << 15), (8, 8 << 20), True)
        y = cowarray.fromfile(path, "u1")
        assert cowarray.is_fake(y)
        assert plan.peak_bytes == 0
        x[0, 0] = 1
        assert plan.live_bytes == plan.bytes_copied == 1 << 38
        x[0, 0] = 2
        assert plan.bytes_copied == 1 << 38
    small = tmp_path / "small.npy"
    cowarray.save(small, cowarray.arange(3))
    with cowarray.fake(real=100) as plan:
        assert cowarray.load(small).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("expression", "times"),
    [
        ("x.copy()", 0),
        ("x.reshape(-1)", 0),
        ("x.T.reshape(-1)", 1),
        ("x.T.ravel()", 1),
        ("x.T.copy()", 1),
        ("x[::2].copy()", 0.5),
        ("cowarray.ascontiguousarray(x.T)", 1),
        ("cowarray.asfortranarray(x)", 1),
        ("cowarray.roll(x, 1)", 1),
        ("cowarray.tile(x, 2)", 2),
        ("cowarray.repeat(x, 3, axis=0)", 3),
        ("cowarray.concatenate([x, x])", 0),
        ("cowarray.sort(x, axis=0)", 0),
        ("cowarray.median(x, axis=0)", 0),
        ("cowarray.fill_diagonal(x.copy(), 0)", 1),
        ("x.copy().__setitem__(0, 1)", 1),
        ("x.copy().__iadd__(1)", 0),
        ("x.astype('f4')", 0),
    ],
)
def test_what_is_copied_at_once_is_counted_as_stats_counts_it(expression, times):
    x = cowarray.array(np.arange(40_000.0).reshape(200, 200))
    with cowarray.fake() as plan:
        eval(expression, {"x": cowarray.fake_like(x), "cowarray": cowarray})
    cowarray.reset_stats()
    eval(expression, {"x": x, "cowarray": cowarray})
    assert plan.bytes_copied == cowarray.stats()["bytes_copied"]
    assert plan.bytes_copied == times * x.nbytes


def test_bytes_of_real_arrays_are_counted_while_they_exist():
    with cowarray.fake(real=4096) as plan:
        x = cowarray.zeros(100)
        y = x + 1
        view = y[::2]
        assert plan.real_bytes == 1600
        del x
        z = view * 2  # 400
        del y
        w = cowarray.ones(50)
        assert plan.real_bytes == 1600
        kept = cowarray.ones(300)
        assert plan.real_bytes == 800 + 400 + 400 + 2400
        assert plan.peak_bytes == 0
        z[:] = cowarray.ones((1000, 50)).sum(axis=0)  # it becomes a fake
        kept = [kept, w, cowarray.ones(100)]
        assert plan.real_bytes == 800 + 400 + 2400 + 800
        assert view.size + z.size + len(kept) == 103


def test_bytes_of_real_arrays_are_counted_after_resize():
    outside = cowarray.zeros(10)
    with cowarray.fake(real=4096) as plan:
        x = cowarray.zeros(10)
        x.resize(100)
        assert plan.real_bytes == 80 + 800  # both are there for a moment
        outside.resize(200)
        kept = cowarray.ones(300)
        assert plan.real_bytes == 800 + 1600 + 2400
        x[:] = cowarray.ones((1000, 100)).sum(axis=0)  # as before, it may become a fake, and the other may not
        with pytest.raises(cowarray.FakeError, match="no values to write into an array that has bytes"):
            outside[:] = cowarray.ones((1000, 200)).sum(axis=0)
        kept = [kept, cowarray.ones(100)]
        assert plan.real_bytes == 800 + 1600 + 2400
        assert len(x) + len(outside) + len(kept) == 302


@pytest.mark.parametrize("make", [cowarray.array, lambda values: cowarray.fromiter(values, float), cowarray.unique])
def test_an_array_is_either_in_the_peak_or_real(make):
    with cowarray.fake(real=4096) as plan:
        large = make([float(number) for number in range(1000)])
        small = make([1.0, 2.0])
    assert (large.size, small.size) == (1000, 2)
    assert (plan.peak_bytes, plan.real_bytes) == (8000, 16)


COMPUTED = {
    "median": lambda x: np.median(x, axis=0),
    "gradient": lambda x: np.gradient(x, axis=0),
    "searchsorted": lambda x: np.searchsorted(x[0], 0.5),
    "std": lambda x: np.std(x),
    "linspace": lambda x: np.linspace(0, 1, 100_000),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_numpys_code_computes_of_real_arrays_is_no_part_of_a_plan(name):
    with cowarray.fake(real=MIB) as plan:
        x = cowarray.ones((10, 10_000))
        COMPUTED[name](x)
    assert (plan.peak_bytes, plan.live_bytes) == (0, 0)


def test_numpys_code_leaves_nothing_of_what_stood_for_real_arrays():
    x = cowarray.ones((10, 10_000))
    with cowarray.fake() as plan:
        y = np.gradient(x)[0]
    assert plan.live_bytes == y.nbytes
    assert plan.peak_bytes < 6 * y.nbytes


def test_results_of_which_each_is_small_are_computed():
    with cowarray.fake(real=MIB) as plan:
        x = cowarray.ones((300, 300))
        assert not any(map(cowarray.is_fake, [*np.linalg.svd(x), *np.gradient(x), *np.divmod(x, 2)]))
        u, s, vt = np.linalg.svd(cowarray.ones((300, 500)))
        assert all(map(cowarray.is_fake, [u, s, vt]))
    assert plan.live_bytes == 8 * (300 * 300 + 300 + 500 * 500)


def test_what_an_index_picks_of_a_real_array_is_planned():
    x = cowarray.arange(10.0)
    with cowarray.fake(real=100) as plan:
        many, few = x[np.zeros(1000, int)], x[[1, 2]]
        assert (cowarray.is_fake(many), few.tolist(), x[2:].tolist()[0]) == (True, [1.0, 2.0], 2.0)
    assert plan.live_bytes == 8000
