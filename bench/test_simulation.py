"""What does a program cost under `simulate`, where each view and each write is watched?"""

import pytest
from paired import Way, pick

import cowarray


def views_and_writes(np, times):
    """A program that makes as many views as it makes writes; half of the views are copies in meaning."""
    x = np.zeros(1000)
    for i in range(times // 2):
        part = x[10:20]
        part[2:5] = i
        table = x.reshape(10, 100)
        table[3] = i
    return float(x[12])


@pytest.mark.parametrize("who", ["cowarray", "numpy"])
def test_views_and_writes(compare, who):
    def ways():
        import numpy

        times = pick(10_000, 100)
        return {
            "cowarray": Way(
                "with simulate() as found:\n    r = program(np, times)\nassert not found",
                np=cowarray,
                program=views_and_writes,
                simulate=cowarray.simulate,
                times=times,
                gives="r",
            ),
            "numpy": Way("r = program(np, times)", np=numpy, program=views_and_writes, times=times, gives="r"),
        }

    compare(
        who,
        ways,
        question="simulation",
        case="10,000 views and writes",
        targets={"numpy": 20.0},
        copied_limit=None,
    )
