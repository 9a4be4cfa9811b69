"""Read isolation: every public name, in every kind of world, leaves alone what it should.

The names are taken from the library and from NumPy (`public.py`); one without a case fails.
"""

import pytest
from support import public
from support.cases.registry import select, sources
from support.isolation import check
from support.prepared import names_called
from support.worlds import WORLDS

pytestmark = pytest.mark.numpy_ends

# Calls that raise whatever the array.
ALWAYS_FAIL = {*sources("fails")}
# NumPy takes its own arrays there, and refuses others; those without axes, perhaps not.
REFUSED = {*sources("refuses")}
# Calls that find nothing to replace, and functions of NumPy's that ignore their out.
WRITE_NOTHING = {
    "np.nan_to_num(x, copy=False)",
    "np.nan_to_num(x, False)",
    "cowarray.nan_to_num(x, copy=False)",
    "cowarray.nan_to_num(x, False)",
    "np.fft.hfft(x, out=A(like(np.fft.hfft(x))))",
    "np.fft.ifft2(x, out=A(like(np.fft.ifft2(x))))",
    "np.fft.irfft2(x, out=A(like(np.fft.irfft2(x))))",
}


@pytest.mark.parametrize("case", select("isolation"), ids=lambda case: case.source)
def test_reads_leave_no_trace_and_writes_reach_what_the_table_says(case):
    runs = []
    for name, make_world in WORLDS.items():
        try:
            runs.append(check(case, make_world))
        except AssertionError as error:
            error.add_note(f"in the world {name!r}")
            raise
    runs = [run for run in runs if run is not None]
    worked = any(run.succeeded for run in runs)
    assert worked != (case.source in ALWAYS_FAIL) or case.source in REFUSED, "the call works nowhere"
    if any(run.succeeded and run.writes for run in runs):
        source = case.source.replace("cowarray.", "np.")
        assert any(run.wrote for run in runs) or source in WRITE_NOTHING, "it never writes"


@pytest.mark.parametrize("of", public.LISTS)
def test_every_public_name_has_a_case(of):
    assert public.LISTS[of]
    assert [name for name in public.LISTS[of] if name not in names_called()] == []
