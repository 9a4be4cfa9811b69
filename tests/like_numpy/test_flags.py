"""Arguments that are true or false: text in their place is refused before anything is done, never taken for true."""

import io

import numpy as np
import pytest

import cowarray

pytestmark = pytest.mark.numpy_ends

_NUMPYS = [
    "x.reshape(2, 4, copy='no')",
    "x.reshape(2, 4, order='F', copy='no')",
    "xp.reshape(x, (2, 4), copy='no')",
    "np.reshape(x, (2, 4), copy='no')",
    "xp.from_dlpack(x, copy='no')",
    "xp.from_dlpack(n, copy='no')",
    "np.from_dlpack(x, copy='no')",
    "xp.array(n, copy='no')",
    "xp.asarray(x, copy='no')",
]


@pytest.mark.parametrize("call", _NUMPYS)
def test_what_numpy_refuses_has_numpys_class(call):
    n = np.arange(8.0)
    for xp, x in ((np, n), (cowarray, cowarray.asarray(n))):
        with pytest.raises(ValueError, match="strings are not allowed for 'copy' keyword"):
            eval(call, {"np": np, "xp": xp, "x": x, "n": n})


def test_other_values_of_copy_have_their_truth_as_for_numpy():
    x = cowarray.arange(8.0)
    for copy in (False, 0, np.False_):
        assert cowarray.aliases(x.reshape(2, 4, copy=copy), x)
    for copy in (None, True, 1, np.True_, np._CopyMode.ALWAYS, np._CopyMode.IF_NEEDED):
        assert not cowarray.aliases(x.reshape(2, 4, copy=copy), x)


_OURS = {
    "x.to_numpy(writable={})": "to_numpy: writable",
    "x.to_numpy(copy={})": "to_numpy: copy",
    "x.to_numpy('f4', copy={})": "to_numpy: copy",
    "cowarray.load(file, allow_pickle={})": "load: allow_pickle",
    "cowarray.load(file, fix_imports={})": "load: fix_imports",
    "cowarray.load(file, pages={})": "load: pages",
    "cowarray.save(file, x, allow_pickle={})": "save: allow_pickle",
    "cowarray.savez(file, x, allow_pickle={})": "savez: allow_pickle",
    "cowarray.savez_compressed(file, x, allow_pickle={})": "savez_compressed: allow_pickle",
    "cowarray.sort(x, descending={})": "sort: descending",
    "cowarray.argsort(x, descending={})": "argsort: descending",
    "cowarray.array_api.sort(x, descending={})": "sort: descending",
    "cowarray.paging(small_pages={})": "paging: small_pages",
    "cowarray.paging('off', small_pages={})": "paging: small_pages",
}


_WRONG = [(call, value) for call in _OURS for value in ("'no'", "5", "None") if "paging" not in call or value != "None"]


@pytest.mark.parametrize(("call", "value"), _WRONG)
def test_what_is_no_bool_is_refused_by_its_name(call, value):
    x, file, mode = cowarray.arange(8.0), io.BytesIO(b"untouched"), cowarray.paging()
    with pytest.raises(TypeError, match=rf"^{_OURS[call]} must be True or False \(got {value}\)$"):
        eval(call.format(value), {"cowarray": cowarray, "x": x, "file": file})
    assert (file.tell(), file.getvalue()) == (0, b"untouched")
    assert cowarray.paging() == mode
    assert x.storage.share_count == 1
