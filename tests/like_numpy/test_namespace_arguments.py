"""What the functions of the public namespace take, and what they refuse: NumPy's parameters and NumPy's errors."""

import functools
import inspect
import itertools
import os
import sys
import warnings

import numpy as np
import pytest
from chapters_by_table import CALLS, FUNCTIONS, parameters
from support.calls import Run, numpys
from support.numpy_versions import happens
from support.oracle import numbers, outcome

import cowarray

pytestmark = pytest.mark.numpy_ends

# What NumPy's signatures say that ours do otherwise: (function, parameter).
APART = {("array", "ndmax"), ("arange", "start_or_stop"), ("diff", "prepend"), ("diff", "append")}
if happens("old parameters are taken"):
    APART |= {("reshape", "shape"), ("reshape", "newshape")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_numpys_and_maybe_more(name):
    function, theirs = getattr(cowarray, name), getattr(np, name)
    try:
        expected = parameters(theirs)
    except ValueError:
        pytest.skip("NumPy tells no signature")
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = parameters(function)
    for position, parameter in enumerate(expected.values()):
        if (name, parameter.name) in APART:
            continue
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            assert list(given.values())[position].kind in by_position
            continue
        own = given[parameter.name]
        if parameter.kind in by_position:
            assert list(given).index(parameter.name) == position
            assert own.kind in by_position
        else:
            assert own.kind in (parameter.kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if parameter.default is not inspect.Parameter.empty:
            assert own.default == parameter.default or own.default is parameter.default


# What has no NumPy function to hand its parameters to, or hands over what it makes of them.
OWN_WAYS = """
arange array asarray asanyarray ascontiguousarray asfortranarray broadcast_shapes finfo iinfo isdtype issubdtype
mask_indices promote_types
"""


# What makes arrays of numbers by functions of its own, which call NumPy's by position.
MADE = ["empty", "eye", "full", "ones", "zeros"]


def of_shape(theirs, seen, shape, dtype, order, device, like):
    seen.append(((theirs, shape, dtype, order), {"device": device, "like": like}))


def made(seen, theirs, device, like, *args):
    seen.append(((theirs, *args), {"device": device, "like": like}))


WITH_BODIES = {name for name in FUNCTIONS if inspect.isfunction(getattr(cowarray, name))}  # others: test_declared


@pytest.mark.parametrize("name", sorted(WITH_BODIES - set(OWN_WAYS.split())))
def test_every_parameter_is_handed_on(name, monkeypatch):
    function, theirs = getattr(cowarray, name), getattr(np, name)
    seen = []
    module = sys.modules[function.__globals__["__name__"]]
    monkeypatch.setattr(module, "dispatched", lambda *args, **kwargs: seen.append((args, kwargs)))
    monkeypatch.setattr(module, "imported", lambda x: x, raising=False)
    if name in MADE:
        monkeypatch.setattr(module, f"_{name}", functools.partial(of_shape, theirs, seen), raising=False)
        monkeypatch.setattr(module, "_made", functools.partial(made, seen))
    given = {parameter: [f"argument {parameter}"] for parameter in parameters(function)}
    args = [given[each.name] for each in parameters(function).values() if each.kind <= each.VAR_POSITIONAL]
    function(*args, **{each.name: given[each.name] for each in parameters(function).values() if each.kind > 2})
    (called, *handed), keywords = seen[0]
    assert called is theirs
    if not is_told(theirs):
        assert [*handed, *keywords.values()] == list(given.values())
        return
    got = inspect.signature(theirs).bind(*handed, **keywords).arguments
    assert [flat(each) for each in got.values()] == [given[own] for own in given if own in got or own == "start"]
    assert [own for own in given if own not in got and own not in ("start", "axis")] == []


def flat(argument):
    """What was given for a parameter; of *args and **kwargs what is in there."""
    if isinstance(argument, tuple):
        (argument,) = argument
    return argument["kwargs"] if isinstance(argument, dict) else argument


BAD = [object(), "text", None, {}, [[1], [2, 3]], 3.7, np.zeros(2, "i4,f4"), 1j, -3, [2, 77]]


def bad_calls(call, x):
    """The call's function, and its arguments with each of them in turn replaced by a bad one."""
    function, args, kwargs = Run(call, x).parts()
    for at, bad in itertools.product(range(len(args)), BAD):
        yield function, (*args[:at], bad, *args[at + 1 :]), kwargs, bad
    for name, bad in itertools.product(kwargs, BAD):
        yield function, args, {**kwargs, name: bad}, bad


def refusals(call):
    """How many bad arguments NumPy refuses; each with the class of error that ours has, too."""
    refused = 0
    n = np.array(numbers((4, 4)))
    pairs = zip(bad_calls(call, cowarray.array(n)), bad_calls(numpys(call), n), strict=True)
    for (ours, own_args, own_kwargs, bad), (theirs, args, kwargs, _) in pairs:
        expected = outcome(theirs, *args, **kwargs)[1]
        if expected is None:
            continue
        refused += 1
        error = outcome(ours, *own_args, **own_kwargs)[1]
        # Accidents: NumPy has asked an argument for what arrays have. Here more is taken for an array.
        allowed = (expected, AttributeError, TypeError, ValueError, IndexError)
        allowed = allowed if expected is AttributeError or (args and args[0] is bad) else expected
        if error is not None:  # some arguments are taken here that NumPy does not take
            assert issubclass(error, allowed) or issubclass(expected, error), (bad, error, expected)
    return refused


# Not those that use up their argument, nor those whose attribute is asked for; fromstring tells no signature.
USED_UP = ("iter(", "fromstring", "FILE(", "TEXT(")


CHECKED = [call for call in CALLS if call.endswith(")") and not any(word in call for word in USED_UP)]


@pytest.mark.parametrize("call", CHECKED)
def test_bad_arguments_get_numpys_class_of_error(call):
    with np.errstate(all="ignore"):  # some arguments are quotients
        assert refusals(call) or call.partition("(")[0].partition(".")[2] in NEVER_REFUSE


# Every object has a dtype, a shape, a truth.
NEVER_REFUSE = ("ndim", "shape", "size", "all", "any", "copy")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_and_missing_parameters_are_type_errors(name):
    function, theirs = getattr(cowarray, name), getattr(np, name)
    assert outcome(function, np.ones(3), nonsense=1)[1] is TypeError
    assert outcome(function, *[np.ones(3)] * 12)[1] == outcome(theirs, *[np.ones(3)] * 12)[1]
    if outcome(theirs)[1] is TypeError:
        assert outcome(function)[1] is TypeError


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "device" in parameters(getattr(cowarray, name))])
def test_the_only_device_is_the_cpu(name):
    function = getattr(cowarray, name)
    given = {"full": ([2], 1), "full_like": ([2], 1), "linspace": (0, 1), "astype": ([1], int)}.get(name, ([2],))
    given = (2,) if name in ("arange", "eye") else given
    for device in (None, "cpu"):
        assert type(function(*given, device=device)) is cowarray.ndarray
    with pytest.raises(ValueError, match="cuda"):
        function(*given, device="cuda")


class Elsewhere:
    """An array of another library, which makes arrays of its own."""

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__, args, {name: value for name, value in kwargs.items() if value is not self}


def given_to(name):
    """The least that a function with `like` takes."""
    given = {
        "arange": (2,),
        "eye": (2,),
        "frombuffer": (b"abcdefgh",),
        "fromfile": (os.devnull,),
        "full": ([2], 1),
        "fromiter": ([1], int),
        "fromfunction": (len, (2,)),
        "genfromtxt": (["2"],),
        "identity": (2,),
        "loadtxt": (["2"],),
        "tri": (2,),
        "fromstring": ("1 2",),
    }.get(name, ([2],))
    return given, {"sep": " "} if name == "fromstring" else {}


def is_told(function):
    """Whether NumPy tells a function's signature: from 2.4 on, of most that are written in C."""
    try:
        return bool(parameters(function))
    except ValueError:
        return False


READING = ["frombuffer", "fromfile", "genfromtxt", "loadtxt"]
TAKES_LIKE = [name for name in FUNCTIONS + READING if "like" in parameters(getattr(cowarray, name))]


@pytest.mark.parametrize("name", TAKES_LIKE)
def test_like_asks_the_library_whose_array_it_is(name):
    function = getattr(cowarray, name)
    given, more = given_to(name)
    elsewhere = Elsewhere()  # NumPy's fromiter and its like drop the caller's last reference to it, and go on with it
    asked = function(*given, **more, like=elsewhere)
    assert asked[0] == name
    if is_told(getattr(np, name)):
        assert asked == getattr(np, name)(*given, **more, like=elsewhere)
    if name != "fromfunction":
        for like in (None, cowarray.zeros(1), np.zeros(1)):
            assert type(function(*given, **more, like=like)) is cowarray.ndarray
    with pytest.raises(TypeError, match="like"):
        function(*given, **more, like=[1])


OPTIONS = [
    {"dtype": "f4"}, {"dtype": float}, {"order": "F"}, {"copy": True}, {"copy": False}, {"dtype": "i2", "order": "C"},
    {"ndmin": 2}, {"subok": True}, {"count": 3}, {"offset": 2},
]  # fmt: skip
TAKE_OPTIONS = ["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "frombuffer", "fromfile"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (name, options)
        for name, options in itertools.product(TAKE_OPTIONS, OPTIONS)
        if options.keys() <= parameters(getattr(cowarray, name)).keys()
    ],
    ids=str,
)
def test_like_is_asked_with_the_options_that_were_given(name, options):
    theirs, ours = getattr(np, name), getattr(cowarray, name)
    if not is_told(theirs):
        pytest.skip("NumPy tells no signature")
    given, _ = given_to(name)
    like = Elsewhere()  # as above
    wanted = theirs(*given, **options, like=like)
    is_default = (name, options) == ("array", {"copy": True}) or (name[:4] == "from" and options == {"dtype": float})
    assert ours(*given, **options, like=like) == (*wanted[:2], {} if is_default else wanted[2])


def test_round_asks_other_libraries_as_numpy_does():
    x = Elsewhere()
    for given in ((), (2,)):
        assert cowarray.round(x, *given) == np.round(x, *given) == ("round", (x, *given), {})


def test_arange_takes_stop_alone():
    for function in (np.arange, cowarray.arange):
        assert function(stop=3).tolist() == function(3).tolist() == [0, 1, 2]
        assert function(stop=7, step=3).tolist() == [0, 3, 6]
        for options in ({}, {"step": 3}, {"dtype": int}):
            with pytest.raises(TypeError):
                function(**options)


def test_bytes_are_no_text_for_fromstring():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of older versions of NumPy
        for function in (np.fromstring, cowarray.fromstring):
            with pytest.raises((ValueError, DeprecationWarning)):
                function(bytes(16), dtype=float)
