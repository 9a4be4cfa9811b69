"""`cowarray.register()` changes nothing for what is no array of ours: results, warnings, and the steps they take."""

import pytest
from registered import need, passes

TORCH_ALONE = """
import pickle
import torch
from torch.overrides import TorchFunctionMode, resolve_name

class Followed(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append((resolve_name(function), function in torch.overrides.get_ignored_functions()))
        return function(*args, **(kwargs or {}))

n = np.ones(2)
with torch.device("meta"):
    print(torch.asarray([1.0]).device, torch.asarray(n).device, torch.zeros(1).device)
torch.set_default_device("meta")
print(torch.asarray(n).device, torch.asarray([1, 2]).device)
torch.set_default_device(None)
with Followed() as followed:
    print(torch.asarray([1.0]), torch.from_numpy(n))
print(followed.seen)
for function in (torch.from_numpy, torch.asarray):
    print(function.__name__, function.__module__, pickle.loads(pickle.dumps(function)) is function)
tensor = torch.from_numpy(n)
tensor += 1
print(n)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("when", ["before torch", "after torch"])
def test_torch_does_with_its_own_and_numpys_what_it_did(when):
    need("torch")
    parts = ["cowarray.register()"] if when == "before torch" else ["import torch", "cowarray.register()"]
    assert passes(*parts, TORCH_ALONE) == passes(TORCH_ALONE) != ""


PANDAS_ALONE = """
import pandas as pd

frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
def write():
    own = frame["b"]
    own[0] = 1.0
    frame["c"] = 1
    frame.loc[0, "b"] = 2.0
    frame["a"][0] = 5
    frame["a"].loc[0] = 5
    frame.loc[0:1]["a"] = 9
    frame.__setitem__(key="d", value=1)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    write()
    frame.merge(pd.DataFrame({"a": [1.5, 2.5]}), on="a")
print([(each.category.__name__, each.filename) for each in told], frame)
"""


@pytest.mark.parametrize("when", ["before pandas", "after pandas"])
def test_pandas_warns_of_the_callers_own_lines_as_it_did(when):
    need("pandas")
    parts = ["cowarray.register()"] if when == "before pandas" else ["import pandas", "cowarray.register()"]
    done = passes(*parts, PANDAS_ALONE)
    assert done == passes(PANDAS_ALONE)
    assert "<string>" in done


# Calls with what is no array of ours: what a library is called here, and the calls.
ORDINARY = {
    "cv2": ("cv2", "cv2.flip(n, 0), cv2.rectangle(m, (1, 1), (2, 2), (1, 2, 3)), cv2.merge([n, n])"),
    "pandas": ("pd", "pd.Series(many), pd.Series(n) + n, pd.DataFrame({'a': n})[['a']], pd.factorize(n)"),
    "polars": ("pl", "pl.Series(many), pl.Series(n) + n, pl.lit(3), pl.DataFrame({'a': n})['a']"),
    "pyarrow": ("pa", "pa.array(many), pa.array(n, mask=n > 1)"),
}


@pytest.mark.parametrize("library", ORDINARY)
def test_what_is_no_array_of_ours_takes_no_step_of_python(library):
    need(library)
    name, calls = ORDINARY[library]
    passes(
        f"import {library} as {name}",
        "cowarray.register()",
        f"""
        steps, many, n, m = 0, list(range(1000)), np.arange(3.0), np.ones((9, 9))

        def count(frame, event, arg):
            global steps
            steps += "cowarray" in frame.f_code.co_filename

        {calls}
        sys.setprofile(count)
        {calls}
        sys.setprofile(None)
        assert steps == 0, steps
        """,
    )
