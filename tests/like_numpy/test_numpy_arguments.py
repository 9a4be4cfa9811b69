"""Every argument of NumPy's functions that may be an array may be one of ours, by position and by name.

Which those are is asked of NumPy itself: a stranger that is given as an argument is asked who computes, or it is not.
"""

import functools
import inspect

import numpy as np
import pytest
from numpy._core.overrides import ARRAY_FUNCTIONS
from support.calls import Run, arrays_in, function_of, name_of
from support.cases.registry import sources
from support.numpy_versions import happens
from support.oracle import agree, outcome, subject

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.numpy_versions]

FUNCTION_CALLS = sources("function")

# Not given ours in any call, because NumPy's own arrays will not do there either.
IMPOSSIBLE = {("astype", "dtype"), ("lib.recfunctions.find_duplicates", "a")}


class AskedError(Exception):
    """NumPy has asked an argument who computes."""


class Stranger:
    """Stands for an array, and for a list of arrays."""

    def __array_function__(self, func, types, args, kwargs):
        raise AskedError

    def __iter__(self):
        yield self

    def __len__(self):
        return 1


def is_asked(function, parameters, given):
    """Whether NumPy asks a stranger that is given as one of the function's parameters; () is given as what it needs."""
    positional, named = [], {}
    for parameter in parameters:
        value = Stranger() if parameter is given else ()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            positional += [value] if parameter is given or parameter.kind is parameter.POSITIONAL_ONLY else []
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= {"name": value} if parameter is given else {}
        elif parameter is given or parameter.default is parameter.empty:
            named[parameter.name] = value
    if len(parameters) == 1 and named:  # a name that NumPy's own dispatcher does not know, as of unique_values
        positional, named = [Stranger()], {}
    return outcome(function, *positional, **named)[1] is AskedError


def arguments_that_are_asked():
    for function in ARRAY_FUNCTIONS:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # it is written in C, and asks only `like`
            continue
        for parameter in parameters:
            if is_asked(function, parameters, parameter):
                yield name_of(function), parameter.name


def bound(call):
    """The signature of a call's function with the arguments of the call, ours and NumPy's; None if there is none."""
    held = subject("contiguous", "lazy copy")
    runs = Run(call, held.x), Run(call, held.n)
    (ours, error), (theirs, _) = [outcome(run.bound) for run in runs]
    for run in runs:
        run.close_files()
    return None if error else (held, ours, theirs)


@functools.cache
def arguments_that_are_given():
    """(function, parameter) for whatever is one of our arrays, or holds one, in some call."""
    given = set()
    for call in FUNCTION_CALLS:
        found = bound(call)
        if found:
            for name, value in found[1][1].arguments.items():
                values = list(value.values()) if isinstance(value, dict) else [value]
                if any(True for _ in arrays_in(values, cowarray.ndarray)):
                    given.add((name_of(function_of(call)), name))
    return given


def test_every_argument_that_numpy_asks_is_one_of_ours_in_some_call():
    asked = {(function, name) for function, name in arguments_that_are_asked() if name != "out"}
    assert sorted(asked - arguments_that_are_given() - IMPOSSIBLE) == []
    assert asked >= IMPOSSIBLE
    assert len(asked) >= 380


def by_name(arguments):
    """The call with as many arguments by name as there can be."""
    args, kwargs = [], {}
    for name, value in arguments.arguments.items():
        kind = arguments.signature.parameters[name].kind
        if kind is inspect.Parameter.POSITIONAL_ONLY:
            args.append(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            return list(arguments.args), arguments.kwargs
        else:
            kwargs |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return args, kwargs


def by_position(arguments):
    """The call with as many arguments by position as there can be, defaults between them included."""
    last = max(list(arguments.signature.parameters).index(name) for name in arguments.arguments)
    args, kwargs = [], {}
    for name, parameter in list(arguments.signature.parameters.items())[: last + 1]:
        value = arguments.arguments.get(name, parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += arguments.arguments.get(name, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= value
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            args.append(value)
        elif name in arguments.arguments:
            kwargs[name] = value
    return args, kwargs


# Not those with a file, which can be read and written once.
CALLS = [call for call in FUNCTION_CALLS if not any(word in call for word in ("FILE(", "TEXT("))]


@pytest.mark.parametrize("way", [by_name, by_position])
@pytest.mark.parametrize("call", CALLS)
def test_arguments_come_by_name_and_by_position(call, way):
    found = bound(call)
    if not found:
        assert "fromstring" in call or happens("functions in C tell no signature")
        assert happens("fromstring tells no signature")
        return
    held, (function, ours), (_, theirs) = found
    args, kwargs = way(theirs)
    expected = outcome(function, *args, **kwargs)
    args, kwargs = way(ours)
    got = outcome(function, *args, **kwargs)
    if call.startswith(("np.poly(", "np.roots(")) and isinstance(got[0], np.ndarray):
        got = cowarray.asarray(got[0]), None  # NumPy asks the elements, not the array, who computes
    agree(got, expected)
    held.check()
