"""What the rules say of fakes is what NumPy gives of arrays with bytes: every case of ours, both ways."""

import collections

import numpy as np
import pytest
from support.cases.registry import select
from support.crosscheck import DIFFERENT, EXACT, REFUSED, CrossCheck
from support.oracle import LAYOUTS, numbers, outcome
from support.prepared import PreparedCall

import cowarray
from cowarray._modes.fake.rules.rules import KINDS, VALUES

LAID_OUT = ("contiguous", "fortran", "part", "negative", "broadcast")


@pytest.fixture(autouse=True)
def handed_over():
    with cowarray.fake():
        pass


def crosschecked(layout):
    """(case, its name, the outcomes of its operations) of each case, of an array in a layout."""
    shape, view = LAYOUTS[layout]
    for case in select("isolation"):
        check = CrossCheck()
        call = PreparedCall(case, view(cowarray.array(numbers(shape))))
        if call.refusal is None:
            with check.watching():
                outcome(call.action)
            yield case, call.name, check.outcomes
        call.run_of.close_files()


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAID_OUT)
def test_no_forecast_is_wrong(layout):
    wrong, counts = [], collections.Counter()
    for case, _, outcomes in crosschecked(layout):
        for each in outcomes:
            counts[each.verdict] += 1
            if each.verdict == DIFFERENT:
                wrong.append((case.source, each))
    assert wrong == []
    assert counts[EXACT] > 4000
    assert 0 < counts[REFUSED] < 400


def is_by_nature(outcomes):
    """Whether what is refused depends on values whatever the rule."""
    return any(KINDS.get(each.operation) == VALUES for each in outcomes)


def test_most_functions_are_exact():
    """Of those whose shape and dtype do not depend on values, by name and in all call forms."""
    forms = collections.defaultdict(list)
    for case, name, outcomes in crosschecked("contiguous"):
        if outcomes and not is_by_nature(outcomes):
            forms[name].append((case.source, all(each.verdict == EXACT for each in outcomes)))
    exact = [name for name, calls in forms.items() if all(is_exact for _, is_exact in calls)]
    assert len(forms) > 500
    assert len(exact) >= 0.85 * len(forms), sorted(forms.keys() - set(exact))


def test_the_crosscheck_sees_what_is_wrong():
    """A rule that forecasts another shape, dtype, order, alias or error is found."""
    from cowarray._modes.fake.rules import rules
    from cowarray._modes.layouts.inference import fresh

    def forecast(layout):
        return lambda call: call.give(layout)

    x = cowarray.array(np.ones((4, 3)))
    lies = {
        "shape": forecast(fresh((3,), np.dtype(float))),
        "dtype": forecast(fresh((3, 4), np.dtype("f4"))),
        "strides": forecast(fresh((3, 4), np.dtype(float))),
        "view of an argument": forecast(fresh((3, 4), np.dtype(float), "F")),
        "is an argument": lambda call: call.args[0],
        "forecast": lambda call: 1 / 0,
    }
    honest = rules.RULES["ndarray.transpose"]
    for sign, lie in lies.items():
        rules.RULES["ndarray.transpose"] = lie
        try:
            check = CrossCheck()
            with check.watching():
                x.transpose()
        finally:
            rules.RULES["ndarray.transpose"] = honest
        (found,) = check.outcomes
        assert found.verdict == DIFFERENT, sign
        assert sign in found.reason
    with check.watching():
        x.transpose()
    assert check.outcomes[-1].verdict == EXACT


def test_numpys_code_makes_no_real_arrays_outside_a_block_either():
    x = cowarray.fake_like(np.ones((4, 4)))
    for made in (np.histogram(x, 3), (np.vander(x[0]),), np.linalg.svd(x), (np.median(x, axis=0),)):
        assert all(cowarray.is_fake(each) for each in made)
