"""Read isolation: every public name, in every kind of world, leaves alone what it should.

The names are taken from the library and from NumPy (`public.py`); one without a recipe fails.
"""

import pytest
from support import numpy_namespace, public
from support.isolation import check, names_called
from support.recipes_by_rule import RECIPES
from support.worlds import WORLDS

pytestmark = pytest.mark.numpy_ends

# Calls that raise whatever the array.
ALWAYS_FAIL = {"hash(x)", "del x[0]"}
# NumPy takes its own arrays there, and refuses others; those without axes, perhaps not.
REFUSED = {call.source for call in numpy_namespace.CALLS if call.outcome == "raises"}
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


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.source)
def test_reads_leave_no_trace_and_writes_reach_what_the_table_says(recipe):
    runs = []
    for name, make_world in WORLDS.items():
        try:
            runs.append(check(recipe, make_world))
        except AssertionError as error:
            error.add_note(f"in the world {name!r}")
            raise
    runs = [run for run in runs if run is not None]
    worked = any(run.succeeded for run in runs)
    assert worked != (recipe.source in ALWAYS_FAIL) or recipe.source in REFUSED, "the call works nowhere"
    if any(run.succeeded and run.writes for run in runs):
        source = recipe.source.replace("cowarray.", "np.")
        assert any(run.wrote for run in runs) or source in WRITE_NOTHING, "it never writes"


@pytest.mark.parametrize("of", public.LISTS)
def test_every_public_name_has_a_recipe(of):
    assert public.LISTS[of]
    assert [name for name in public.LISTS[of] if name not in names_called()] == []
