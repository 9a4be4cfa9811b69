"""A plan goes on where a value is needed, with an answer that is assumed; its shapes are those of a run in which it is
true. NumPy is the oracle: its arrays are made so that the assumption holds."""

import itertools
import math
import pickle

import numpy as np
import pytest
from support.numpy_versions import happens

import cowarray as cw

FRACTIONS = [0.0, 0.25, 0.5, 1.0]
LAYOUTS = ["C", "F", "part"]


def data(shape, order, dtype=float):
    if order == "part":
        return np.arange(math.prod(shape) * 2, dtype=dtype).reshape(*shape[:-1], -1)[..., ::2]
    return np.arange(math.prod(shape), dtype=dtype).reshape(shape).copy(order)


def mask_of(shape, fraction, order="C"):
    """A mask that is true of a fraction of its elements, the first ones."""
    found = np.zeros(math.prod(shape), bool)
    found[: math.ceil(fraction * found.size)] = True
    return found.reshape(shape).copy("F" if order == "F" else "C")


def layout(x):
    if isinstance(x, (tuple, list)):
        return [layout(each) for each in x]
    return x.shape, x.dtype, () if 0 in x.shape else x.strides  # of no elements NumPy gives any


def assumed(fraction, function, *arrays):
    """What a function of arrays gives in a plan."""
    with cw.fake(assume={"masks": fraction}):
        return function(*map(cw.fake_like, arrays))


PICKING = {
    "x[m]": lambda x, m, row, column: x[m],
    "x[row]": lambda x, m, row, column: x[row],
    "x[row, 1]": lambda x, m, row, column: x[row, 1],
    "x[row, ::2]": lambda x, m, row, column: x[row, ::2],
    "x[:, column]": lambda x, m, row, column: x[:, column],
    "x[..., column]": lambda x, m, row, column: x[..., column],
    "x[None, row]": lambda x, m, row, column: x[None, row],
    "x[row, None]": lambda x, m, row, column: x[row, None],
    "x[row][:, column]": lambda x, m, row, column: x[row][:, column],
    "nonzero": lambda x, m, row, column: np.nonzero(m),
    "m.nonzero()": lambda x, m, row, column: m.nonzero(),
    "nonzero row": lambda x, m, row, column: np.nonzero(row),
    "where": lambda x, m, row, column: np.where(m),
    "argwhere": lambda x, m, row, column: np.argwhere(m),
    "flatnonzero": lambda x, m, row, column: np.flatnonzero(m),
    "extract": lambda x, m, row, column: np.extract(m, x),
    "compress 0": lambda x, m, row, column: np.compress(row, x, axis=0),
    "compress 1": lambda x, m, row, column: x.compress(column, 1),
    "compress": lambda x, m, row, column: x.compress(m.ravel()),
    "flat": lambda x, m, row, column: x.flat[m.ravel()],
    "x[np.nonzero(m)]": lambda x, m, row, column: x[np.nonzero(m)],
    "a sum": lambda x, m, row, column: x[m].sum() + x[row].max(axis=0, initial=0),
}


@pytest.mark.parametrize("name", PICKING)
@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize("order", LAYOUTS)
def test_what_a_mask_picks(name, fraction, order):
    for shape in [(4, 8), (8, 4, 3), (1, 4)]:
        if name == "a sum" and fraction == 0 and order == "F":
            continue  # the strides of no elements decide those of the sum, and NumPy gives any
        x = data(shape, order)
        axis = -1 if name == "x[..., column]" else 1
        given = x, mask_of(shape, fraction, order), mask_of(shape[:1], fraction), mask_of((shape[axis],), fraction)
        expected = PICKING[name](*given)
        assert layout(assumed(fraction, PICKING[name], *given)) == layout(expected), shape


UNIQUE = [dict(zip(("return_index", "return_inverse", "return_counts"), each, strict=True))
          for each in itertools.product([False, True], repeat=3)]  # fmt: skip


@pytest.mark.parametrize("options", UNIQUE)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("fraction", [0.25, 1.0])
def test_unique(options, axis, fraction):
    for shape, order in itertools.product([(4, 8), (8, 4, 4)], LAYOUTS):
        length = math.prod(shape) if axis is None else shape[axis]
        # Values of which as many differ as are assumed to.
        numbers = np.minimum(np.arange(length), math.ceil(fraction * length) - 1)
        x = data(shape, order)
        if axis is None:
            x[...] = numbers.reshape(shape)
        else:
            np.moveaxis(x, axis, -1)[...] = numbers
        expected = np.unique(x, axis=axis, **options)
        found = assumed(fraction, lambda x: np.unique(x, axis=axis, **options), x)
        assert layout(found) == layout(expected), shape


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_the_standards_unique(name):
    x = np.arange(12.0).reshape(3, 4)
    expected = getattr(np, name)(x)
    found = assumed(1.0, getattr(np, name), x)
    assert type(found) is type(expected) or name == "unique_values"
    assert layout(found) == layout(expected)


@pytest.mark.parametrize(
    ("name", "ar2"),
    [
        ("union1d", np.arange(10.0, 14)),  # of distinct elements: all of both
        ("setxor1d", np.arange(10.0, 14)),
        ("setdiff1d", np.arange(10.0, 14)),
        ("intersect1d", np.arange(4.0)),
    ],
)
def test_sets(name, ar2):
    ar1 = np.arange(6, dtype="f4")
    assert layout(assumed(1.0, getattr(np, name), ar1, ar2)) == layout(getattr(np, name)(ar1, ar2))


def test_an_assignment_to_what_a_mask_picks():
    with cw.fake(assume="masks=0.5") as plan:
        x = cw.zeros((10, 4))
        rows = x[:, 0] > 0
        x[rows] = x[rows]
        x[rows, 1] = x[rows, 2]
        x[x > 0] += 1
        x[rows] = 3.0
        x[rows] = cw.zeros((7, 4))  # as many as there are, whatever is assumed
        with pytest.raises(ValueError, match="broadcast"):
            x[rows] = cw.zeros((5, 5, 4))
        with pytest.raises(IndexError, match="boolean index"):
            x[cw.zeros(9) > 0]
    assert {each.what for each in plan.assumed} == {"masks"}


def test_a_mask_that_does_not_fit_raises_what_numpy_raises():
    with cw.fake(assume="all"):
        x, mask = cw.zeros((4, 8)), cw.zeros((4, 7)) > 0
        for key in (mask, (mask,), (0, mask), (mask[:, 0], mask[0])):
            with pytest.raises(IndexError) as found:
                x[key]
            numpys = tuple([np.ones(each.shape, bool) if isinstance(each, cw.ndarray) else each for each in key]
                           if type(key) is tuple else [np.ones(key.shape, bool)])  # fmt: skip
            with pytest.raises(IndexError) as expected:
                np.zeros((4, 8))[numpys]
            assert str(found.value) == str(expected.value)


# ---- conditions and numbers


@pytest.mark.parametrize("truth", [True, False])
def test_a_condition_takes_the_branch(truth):
    with cw.fake(assume={"conditions": truth}) as plan:
        x = cw.zeros(3)
        said = [
            bool(x[0] > 1),
            bool(x[0]),
            bool((x > 0).all()),
            np.allclose(x, 1),
            np.array_equal(x, x + 1),
            3.0 in x,
            (x[0] > 1).item(),
        ]
        assert not np.array_equal(x, cw.zeros(4))  # their shapes differ, so nothing is assumed
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x > 0)
        with pytest.raises(ValueError, match="broadcast"):
            np.allclose(x, cw.zeros(4))
    assert said == [truth] * 7
    assert {(each.what, each.answer) for each in plan.assumed} == {("conditions", str(truth).lower())}


@pytest.mark.parametrize("rounds", [1, 7, 10])
def test_a_loop_until_convergence_runs_so_many_rounds(rounds):
    def until_small(error, limit=1e-6):
        done = 0
        while error > limit:
            done += 1
        return done

    def until_close(error):
        for done in itertools.count(1):
            if np.allclose(error, 0):
                return done

    def measured(error):
        done = 0
        while float(error) > 1e-6:
            done += 1
        return done

    with cw.fake(assume={"conditions": True, "numbers": 1, "rounds": rounds}) as plan:
        error = cw.zeros(100).max()
        assert [until_small(error), until_small(error), measured(error), measured(error)] == [rounds] * 4
        assert measured(error.astype("f4")) == rounds
    assert [each.times for each in plan.assumed] == [2, 2 * rounds, 3 * rounds, 3]
    with cw.fake(assume={"conditions": False, "rounds": rounds}):
        error = cw.zeros(100).max()
        assert [until_close(error), until_close(error)] == [rounds + 1] * 2
        assert until_small(error) == 0


def test_numbers():
    with cw.fake(assume="numbers=3"):
        x = cw.zeros((4, 5))
        integer = x.argmax()
        assert (int(integer), float(x.sum()), complex(x.sum()), x[0, 0].item()) == (3, 3.0, 3 + 0j, 3.0)
        assert x[:integer].shape == (3, 5)
        assert cw.zeros(integer).shape == (3,)
        assert [type(int(x.max())), type(x.max().item()), type(integer.item())] == [int, float, int]
        assert x.tolist() == [[3.0] * 5] * 4
        assert (f"{x.sum():.2f}", f"{integer:d}", str(float(x.sum()))) == ("3.00", "3", "3.0")
        assert (str(x.sum()), f"{integer}", np.array2string(x[0, :2])) == ("3.0", "3", "[3. 3.]")
        assert (int(np.count_nonzero(x)), np.count_nonzero(x).shape) == (3, ())
        assert np.frombuffer(x.tobytes()).tolist() == [3.0] * 20
        with pytest.raises(TypeError):
            range(x.sum())
        with pytest.raises(IndexError):
            x.item(99)
        with pytest.raises(cw.FakeError, match="conditions=true"):
            bool(x[0, 0])
        assert np.bincount(x.argmax(axis=0)).shape == (4,)
        assert np.repeat(x[:, 0], x.argmax(axis=1)).shape == (12,)


def test_where_a_dtype_depends_on_values_it_is_complex_if_conditions_are_true():
    for truth, kind in ((True, "c"), (False, "f")):
        with cw.fake(assume={"conditions": truth}):
            x = cw.zeros((4, 4))
            found = [np.linalg.eig(x).eigenvalues, np.linalg.eig(x)[1], np.linalg.eigvals(x), np.emath.sqrt(x)]
            roots = "c" if happens("eigenvalues are complex") else kind
            assert [each.dtype.kind for each in found] == [roots] * 3 + [kind]
            residuals = np.linalg.lstsq(cw.zeros((8, 3)), cw.zeros(8))[1]
            assert residuals.shape == ((1,) if truth else (0,))


def test_a_line_has_an_answer_of_its_own(tmp_path):
    code = "def ask(x):\n    first = bool(x)\n    second = bool(x)\n    return first, second\n"
    names = {}
    exec(compile(code, str(tmp_path / "solver.py"), "exec"), names)
    for key in ("solver.py:3", f"{tmp_path}/solver.py:3", f"{tmp_path.name}/solver.py:3"):
        with cw.fake(assume=f"all, {key}=false"):
            assert names["ask"](cw.zeros(3).max()) == (True, False)
    with cw.fake(assume="all,rsolver.py:3=false,solver.py:4=false"):
        assert names["ask"](cw.zeros(3).max()) == (True, True)


GUARDED = """\
import numpy as np

def checked(x, y):
    assert x.max() > 0, "empty"
    assert not (x > 1).any()
    assert (x > 1).all() and (x.max() or x.min())
    if np.isnan(x).any():
        raise ValueError("nan")
    if y is None or not np.isfinite(x).all():
        x = None
        raise ValueError("inf")
    if (x >= 0).all():
        return 1
    else:
        raise ValueError("negative")
"""


def test_what_guards_is_as_it_must_be_for_the_program_to_go_on(tmp_path):
    (tmp_path / "guarded.py").write_text(GUARDED)
    names = {}
    exec(compile(GUARDED, str(tmp_path / "guarded.py"), "exec"), names)
    for truth in (True, False):
        with cw.fake(assume={"conditions": truth, "rounds": 2}) as plan:
            for _ in range(5):
                assert names["checked"](cw.zeros(3), 1) == 1
        assert {each.site.lineno: each.answer for each in plan.assumed} == {
            4: "true", 5: "false", 6: "true", 7: "false", 9: "true", 12: "true",
        }  # fmt: skip
    with cw.fake(assume="all,guarded.py:7=true"), pytest.raises(ValueError, match="nan"):
        names["checked"](cw.zeros(3), 1)


# ---- what is assumed, and what is not


REFUSED = {
    "masks": lambda x: x[x > 0],
    "conditions": lambda x: bool(x[0, 0] > 1),
    "numbers": lambda x: int(x.argmax()),
}


@pytest.mark.parametrize("key", REFUSED)
def test_without_an_assumption_it_is_refused_with_the_one_that_gets_past(key):
    with cw.fake() as plan, pytest.raises(cw.FakeError) as found:
        REFUSED[key](cw.zeros((4, 4)))
    assert plan.assumed == []
    assert found.value.assumable.startswith(f"{key}=")
    assert f"fake(assume='{key}=" in str(found.value)
    again = pickle.loads(pickle.dumps(found.value))
    assert (str(again), again.assumable) == (str(found.value), found.value.assumable)
    with cw.fake(assume=found.value.assumable) as plan:
        REFUSED[key](cw.zeros((4, 4)))
    assert [each.what for each in plan.assumed] == [key]


def test_without_an_assumption_a_text_says_that_there_is_no_number():
    with cw.fake(assume="masks=all") as plan:
        x = cw.zeros(())
        assert str(x) == f"{x}" == "array(..., shape=(), dtype=float64, fake)"
        with pytest.raises(cw.FakeError, match="numbers=1"):
            np.array2string(x)
    assert plan.assumed == []


def test_no_file_gets_by_its_name_what_is_assumed(tmp_path):
    (tmp_path / "x").write_bytes(b"kept")
    with cw.fake(assume="all"), pytest.raises(cw.FakeError):
        cw.zeros(9).tofile(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"kept"


def test_where_no_plan_is_made_nothing_can_be_assumed():
    with pytest.raises(cw.FakeError) as found:
        bool(cw.fake_like(cw.zeros(())))
    assert found.value.assumable == ""


def test_a_plan_with_assumptions_leaves_nothing_behind_for_one_without():
    for _ in range(2):
        with cw.fake(assume="all"):
            x = cw.zeros((64, 3))
            assert x.flat[(x > 0).ravel()].shape == (192,)
            assert x.compress(x[:, 0] > 0, 0).shape == (64, 3)
            assert (x > 0).nonzero()[0].shape == (192,)
        with cw.fake(assume="masks=0"):
            x = cw.zeros((64, 3))
            assert x.compress(x[:, 0] > 0, 0).shape == (0, 3)
        with cw.fake():
            x = cw.zeros((64, 3))
            with pytest.raises(cw.FakeError):
                x.compress(x[:, 0] > 0, 0)
            with pytest.raises(cw.FakeError):
                (x > 0).nonzero()


def test_it_holds_for_the_plans_arrays_after_its_block_and_in_numpys_own_code_it_does_not():
    with cw.fake(assume="all") as plan:
        x = cw.zeros((10, 3))
    assert x[x > 0].shape == (30,)
    assert len(plan.assumed) == 1
    with cw.fake(assume="all") as plan:
        np.median(cw.zeros((10, 3)), axis=0)
        np.nanmean(cw.zeros((10, 3)))
    assert plan.assumed == []


def test_each_line_is_named_with_what_it_assumed():
    with cw.fake(assume="all") as plan:
        x = cw.zeros(8)
        for _ in range(3):
            x[x > 0]
        y = x[x > 1] if x.max() > 0 else None
    first, second, third = plan.assumed
    assert (first.what, first.answer, first.times) == ("masks", "all elements", 3)
    assert {second.site, third.site} == {cw.Site(__file__, first.site.lineno + 1)}
    assert y.shape == (8,)
    assert f"{first.site}: a mask picks all elements, 3 times" in str(plan)


@pytest.mark.parametrize(
    "wrong",
    ["masks", "masks=2", "masks=-0.1", "masks=most", "mask=1", "conditions=2", "numbers=x", "rounds=0", "rounds=1.5",
     "rounds=inf", "rounds=nan", "masks=nan", "", "a.py=1", "a.py:b=1", {"masks": None}, {5: 3}, {None: 1}, 3, ["all"]],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_assumed_is_said(wrong):
    with pytest.raises(ValueError, match=r"^assume: "):
        cw.fake(assume=wrong)


@pytest.mark.parametrize("wrong", ["maybe", "2", None])
def test_what_may_be_assumed_of_a_condition_is_said(wrong):
    with pytest.raises(ValueError, match=r"^assume: conditions must be true or false \(got "):
        cw.fake(assume={"conditions": wrong})


def test_small_arrays_stay_real():
    with cw.fake(real=4096, assume="conditions=false") as plan:
        x = cw.ones((10, 3))
        assert bool(x.mean() == 1)
        assert x[x > 0].shape == (30,)
    assert plan.assumed == []


@pytest.mark.parametrize("name", [name for name in PICKING if name.startswith("x[") and "flat" not in name])
@pytest.mark.parametrize("fraction", FRACTIONS)
def test_a_mask_with_values_picks_as_many_as_it_has(name, fraction):
    for shape, order in itertools.product([(4, 8), (8, 4, 3)], LAYOUTS):
        x = data(shape, order)
        axis = -1 if name == "x[..., column]" else 1
        masks = mask_of(shape, fraction, order), mask_of(shape[:1], fraction), mask_of((shape[axis],), fraction)
        for make in (cw.asarray, np.asarray):
            found = PICKING[name](cw.fake_like(x), *map(make, masks))
            assert cw.is_fake(found)
            assert layout(found) == layout(PICKING[name](x, *masks))


BESIDE_ONE = {
    "alone": lambda m: m,
    "with an integer": lambda m: (m, 0),
    "behind a slice": lambda m: (slice(None), m),
    "with places": lambda m: (m, [0, 1]),
    "last": lambda m: (..., m, None),
}


@pytest.mark.parametrize("is_true", [False, True])
@pytest.mark.parametrize("beside", BESIDE_ONE)
def test_a_mask_without_axes_is_an_axis_of_one_or_no_length(beside, is_true):
    key = BESIDE_ONE[beside]
    n = np.arange(24.0).reshape(2, 3, 4)
    with cw.fake(assume=f"masks={int(is_true)}"):
        x, mask = cw.asarray(n), cw.asarray(is_true)
        for each in (mask, cw.fake_like(mask), np.array(is_true)):
            if beside == "with places" and not is_true:
                with pytest.raises(IndexError, match=r"shape mismatch: indexing arrays .* \(0,\) \(2,\)"):
                    x[key(each)]
            else:
                assert layout(x[key(each)]) == layout(n[key(np.array(is_true))])


def test_what_is_assigned_to_a_mask_with_values_must_fit():
    with cw.fake():
        x = cw.zeros((10, 4))
    mask = np.arange(10) < 3
    for key, value in ((mask, cw.ones((3, 4))), (mask, x[0]), ((mask, 1), [1, 2, 3]), ([True] + 9 * [False], x[:1])):
        x[key] = value
    for key, value in ((mask, cw.ones((4, 4))), ((mask, 1), [1, 2]), (mask[:9], 1)):
        with pytest.raises((ValueError, IndexError)) as found:
            x[key] = value
        with pytest.raises(found.type):
            np.zeros((10, 4))[key] = np.asarray(value)
