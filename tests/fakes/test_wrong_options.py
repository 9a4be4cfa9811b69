"""Options that NumPy refuses whatever the values are refused of fakes, too, with an error of the same class."""

import contextlib

import numpy as np
import pytest
from support.crosscheck import DIFFERENT, CrossCheck

import cowarray as cw


@pytest.fixture(autouse=True)
def handed_over():
    with cw.fake():
        pass


WRONG = {
    "axis": [-3, 2, 1.0, "a", (0, 0), (0, 5), None, [0], np.int64(1), True],
    "order": ["Q", "", 1, "a", "f", "K", None],
    "kind": ["foo", 3, "stable", "mergesort", None, b"quick"],
    "casting": ["foo", "no", "unsafe", 1, None],
    "mode": ["foo", "clip", 7, None, 0],
    "dtype": ["foo", "i4", "O", "S", "M8", 7],
    "keepdims": ["a", None, 2],
    "copy": ["a", None],
    "stable": [True, "a"],
    "side": ["foo", "right", 1, None],
    "bitorder": ["foo", "little", None],
    "roll": ["foo", "forward", b"nat", 1, None],
    "weekmask": ["foo", "0000000", "Mon Tue Wed Thu", [1, 1, 1], np.ones(7, bool), np.ones(6, bool), None],
    "holidays": ["foo", ["2024-01-01"], np.array(["2024-01-01"], "M8[D]"), np.zeros(2), None],
    "busdaycal": [3, np.busdaycalendar(), None],
    "out": None,  # see below
}
OUTS = [
    (shape, dtype, order)
    for shape in [(), (3,), (4,), (3, 4), (4, 3), (3, 1), (12,)]
    for dtype in ["f8", "f4", "i8", "i4", "?", "c16", "S3", "M8[s]"]
    for order in "CF"
]

# What takes which options.
CALLS = {
    "x.argmax(**o)": "axis out keepdims",
    "x.argmin(**o)": "axis out keepdims",
    "x.max(**o)": "axis out keepdims",
    "x.sum(**o)": "axis out keepdims dtype",
    "x.prod(**o)": "axis out keepdims dtype",
    "x.mean(**o)": "axis out keepdims dtype",
    "x.var(**o)": "axis out keepdims dtype",
    "x.std(**o)": "axis out keepdims",
    "x.any(**o)": "axis out keepdims",
    "x.all(**o)": "axis out keepdims",
    "x.cumsum(**o)": "axis out dtype",
    "x.cumprod(**o)": "axis out dtype",
    "x.trace(**o)": "out dtype",
    "x.clip(1, 2, **o)": "out dtype casting order",
    "x.round(**o)": "out",
    "x.take([0, 1], **o)": "axis out mode",
    "x.take([[0], [1]], **o)": "axis out mode",
    "x.compress([True, False], **o)": "axis out",
    "i.choose([x, x], **o)": "out mode",
    "x.repeat(2, **o)": "axis",
    "x.put([0], 1, **o)": "mode",
    "x.sort(**o)": "axis kind order stable",
    "x.argsort(**o)": "axis kind order stable",
    "x.partition(0, **o)": "axis kind order",
    "x.argpartition(0, **o)": "axis kind order",
    "v.searchsorted(1.0, **o)": "side",
    "x.astype('i4', **o)": "order casting copy",
    "x.copy(**o)": "order",
    "x.ravel(**o)": "order",
    "x.flatten(**o)": "order",
    "x.reshape((4, 3), **o)": "order copy",
    "x.dot(y, **o)": "out",
    "x.squeeze(**o)": "axis",
    "np.add(x, x, **o)": "out dtype casting order",
    "np.sqrt(x, **o)": "out casting order",
    "np.isnan(x, **o)": "out dtype casting",
    "np.modf(x, **o)": "out casting",
    "np.matmul(x, y, **o)": "out dtype casting order axis keepdims",
    "np.vecdot(x, x, **o)": "out dtype casting axis keepdims",
    "np.add.reduce(x, **o)": "axis out dtype keepdims",
    "np.add.accumulate(x, **o)": "axis out dtype",
    "np.add.reduceat(x, [0, 1], **o)": "axis out dtype",
    "np.add.outer(v, v, **o)": "out dtype casting order",
    "np.concatenate([x, x], **o)": "axis out dtype casting",
    "np.stack([x, x], **o)": "axis out dtype casting",
    "np.vstack([x, x], **o)": "dtype casting",
    "np.dot(x, y, **o)": "out",
    "np.einsum('ij->i', x, **o)": "out dtype casting order",
    "np.einsum('ij,jk', x, y, **o)": "out dtype casting order",
    "np.copyto(x, 1, **o)": "casting",
    "np.copyto(i, x, **o)": "casting",
    "np.sort(x, **o)": "axis kind order stable",
    "np.argsort(x, **o)": "axis kind order stable",
    "np.partition(x, 0, **o)": "axis kind order",
    "np.take(x, [0, 1], **o)": "axis out mode",
    "np.argmax(x, **o)": "axis out keepdims",
    "np.median(x, **o)": "axis out keepdims",
    "np.quantile(x, 0.5, **o)": "axis out keepdims",
    "np.nanmax(x, **o)": "axis out keepdims",
    "np.nansum(x, **o)": "axis out keepdims dtype",
    "np.nanmean(x, **o)": "axis out keepdims dtype",
    "np.count_nonzero(x, **o)": "axis keepdims",
    "np.ptp(x, **o)": "axis out keepdims",
    "np.flip(x, **o)": "axis",
    "np.roll(x, 1, **o)": "axis",
    "np.expand_dims(x, **o)": "axis",
    "np.packbits(b, **o)": "axis bitorder",
    "np.unpackbits(u, **o)": "axis bitorder",
    "np.zeros_like(x, **o)": "order dtype",
    "np.full_like(x, 1, **o)": "order dtype",
    "cw.asarray(x, **o)": "order dtype copy",
    "cw.array(x, **o)": "order dtype copy",
    "np.pad(x, 1, **o)": "mode",
    "np.linalg.norm(x, **o)": "axis keepdims",
    "np.cross(t, t, **o)": "axis",
    "np.cumulative_sum(v, **o)": "axis out dtype",
    "np.put_along_axis(x, j, 1, **o)": "axis mode",
    "np.take_along_axis(x, j, **o)": "axis mode",
    "np.diff(x, **o)": "axis",
    "np.trapezoid(x, **o)": "axis",
    "np.average(x, **o)": "axis keepdims",
    "np.delete(x, 0, **o)": "axis",
    "np.insert(x, 0, 1, **o)": "axis",
    "np.append(x, x, **o)": "axis",
    "np.split(x, 1, **o)": "axis",
    "np.fft.fft(x, **o)": "axis out",
    "np.busday_offset(d, 1, **o)": "roll weekmask holidays busdaycal out",
    "np.busday_offset('2024-01-02', i, **o)": "roll weekmask out",
    "np.busday_offset('2024-01-02', x, **o)": "roll",
    "np.busday_count(d, d, **o)": "weekmask holidays busdaycal out",
    "np.is_busday(d, **o)": "weekmask holidays busdaycal out",
    "np.is_busday(x, **o)": "weekmask",
}


def arrays():
    return {
        "x": cw.array(np.arange(12.0).reshape(3, 4)),
        "y": cw.array(np.arange(12.0).reshape(4, 3)),
        "v": cw.array(np.arange(4.0)),
        "t": cw.array(np.arange(9.0).reshape(3, 3)),
        "i": cw.array(np.arange(12).reshape(3, 4) % 2),
        "j": cw.array(np.zeros((3, 4), np.intp)),
        "b": cw.array(np.arange(12).reshape(3, 4) > 3),
        "u": cw.array(np.arange(12, dtype="u1").reshape(3, 4)),
        "d": cw.array(np.array(["2024-01-02", "2024-01-03", "2024-01-04"], "M8[D]")),
        "np": np,
        "cw": cw,
    }


# There NumPy crashes at an `out` of other than one axis, or writes past its end.
CRASHING = ("cumsum", "cumprod", "cumulative_sum")


def options_of(names):
    for name in names:
        for value in OUTS if name == "out" else WRONG[name]:
            yield {name: value}


def forecast(call, options):
    check = CrossCheck()
    names = arrays()
    if "out" in options:
        shape, dtype, order = options["out"]
        options = {**options, "out": cw.array(np.zeros(shape, dtype, order))}
    with check.watching(), contextlib.suppress(Exception):
        eval(call, {**names, "o": options})
    return check.outcomes


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_what_numpy_refuses_is_refused(call):
    wrong, seen = [], 0
    for options in options_of(CALLS[call].split()):
        if "out" in options and len(options["out"][0]) != 1 and any(name in call for name in CRASHING):
            continue
        outcomes = forecast(call, dict(options))
        seen += len(outcomes)
        wrong += [(options, each.reason) for each in outcomes if each.verdict == DIFFERENT]
    assert not wrong
    assert seen
