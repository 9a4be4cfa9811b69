"""What NumPy's own code needs of values, run on fakes, is refused as anything else is."""

import numpy as np
import pytest

import cowarray as cw
from cowarray._modes.fake import calls
from cowarray._modes.fake.fakes import Ledger, locate
from cowarray._modes.fake.rules import composites
from cowarray._modes.layouts.inference import indexed


def picked(x, mask):
    return indexed(locate(x), locate(mask))


def test_a_layout_that_depends_on_values_is_refused():
    x = cw.fake_like(cw.ones(3))
    call = calls.Call("median", picked, (x, x > 0), {}, None, x)
    with pytest.raises(cw.FakeError, match="median: the shape depends on how many elements of the mask are true"):
        composites.run(call, picked, call.args, call.kwargs)


def test_of_real_arrays_it_is_computed():
    x = cw.ones(1 << 14)
    mask = x > 0
    block = calls.Block(Ledger(), 0)
    call = calls.Call("median", lambda x, mask: x[mask], (x, mask), {}, block, None)
    assert composites.run(call, picked, call.args, call.kwargs).shape == (1 << 14,)


@pytest.mark.parametrize("name", ["upper", "title", "swapcase", "capitalize"])
def test_what_is_no_text_is_refused_in_numpys_words(name):
    x = np.array([None, "a"])
    with pytest.raises(TypeError) as numpys:
        getattr(np.strings, name)(x)
    with pytest.raises(TypeError) as ours:
        getattr(np.strings, name)(cw.fake_like(cw.array(x)))
    assert str(ours.value) == str(numpys.value)
