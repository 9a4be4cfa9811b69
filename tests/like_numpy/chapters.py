"""What the functions of a chapter of the public namespace must hold to, whatever they compute.

Each call of NumPy's functions becomes one of the library's function of that name, and is compared with NumPy's on
arrays that share nothing.
"""

import ast
import contextlib
import copy
import inspect
import itertools
import re

import numpy as np
from support.calls import Run, arrays_in, class_of, function_of
from support.cases.by_rule import with_out
from support.cases.registry import sources
from support.numpy_versions import happens
from support.oracle import LAYOUTS, agree, outcome, subject, value
from support.prepared import like

import cowarray
from cowarray import fft, linalg
from cowarray._chapters import linear_algebra as _linear_algebra
from cowarray._chapters import searching as _searching
from cowarray._chapters import sets as _sets
from cowarray._chapters import sorting as _sorting
from cowarray._chapters import statistics as _statistics
from cowarray._ops.table import VIEW, lookup

NAMESPACE_CALLS = {*sources("namespace")}
DTYPES = ["?", "i1", "u2", "i8", "f2", "f4", ">f8", "F", "D", "O", "m8[s]", "M8[s]", "U3", "S3"]


def path_of(call):
    """What a call calls, as it is written."""
    return ast.unparse(ast.parse(call, mode="eval").body.func)


def ours_of(call):
    """The call of the library's own function."""
    return "cowarray." + call.removeprefix("np.")


class Chapter:
    """A chapter: its module, where NumPy has these functions ("np", "np.linalg"), and calls of them.

    expected: NumPy's calls whose result is another than ours -> NumPy's call with the same result.
    named_otherwise: functions -> parameters that NumPy's have otherwise.
    untried: (function, parameter) that NumPy has not, has otherwise, or takes very long over when it is given nonsense.
    """

    def __init__(self, module, space="np", expected=(), named_otherwise=(), untried=()):
        self.module, self.space = module, space
        self.names = [name for name in module.__all__ if inspect.isfunction(inspect.unwrap(getattr(module, name)))]
        names = {f"{space}.{name}" for name in self.names}
        calls = [call for call in sources("function") if "like=" not in call] + sources("chapter")
        self.calls = [
            call for call in calls if path_of(call) in names and self.theirs(path_of(call).rpartition(".")[2])
        ]
        self.expected = dict(expected)
        self.named_otherwise, self.untried = dict(named_otherwise), untried

    def function(self, name):
        return getattr(self.module, name)

    def theirs(self, name):
        """NumPy's function; None, if this NumPy has none."""
        return getattr({"np": np, "np.linalg": np.linalg, "np.fft": np.fft}[self.space], name, None)

    def uncalled(self):
        """Names without a call, but for what this NumPy has not."""
        called = {path_of(call).rpartition(".")[2] for call in self.calls}
        return sorted(name for name in self.names if name not in called and self.theirs(name))

    def reading(self):
        """The calls that write nothing."""
        return [call for call in self.calls if not overwrites(call)]

    def run_theirs(self, call, x):
        return run(self.expected.get(call, call), x)


OLD_PARAMETERS = {
    "corrcoef": ["bias", "ddof"],
    **{name: ["interpolation"] for name in ("percentile", "quantile", "nanpercentile", "nanquantile")},
}
CHAPTERS = {
    "searching": Chapter(_searching, named_otherwise={"where": ["x", "y"]}),
    # NumPy's unique_values may come in any order, from 2.3 on.
    "sets": Chapter(_sets, expected={"np.unique_values(x)": "np.unique(x, equal_nan=False)"}),
    "sorting": Chapter(
        _sorting,
        named_otherwise={
            name: ["descending"] for name in ("sort", "argsort") if happens("sort tells no default of descending")
        },
        untried={("sort", "descending"), ("argsort", "descending")},
    ),
    "statistics": Chapter(
        _statistics,
        named_otherwise=OLD_PARAMETERS if happens("old parameters are taken") else {},
        untried={("histogramdd", "bins")},
    ),
    "linear algebra": Chapter(_linear_algebra),
    "linalg": Chapter(linalg, "np.linalg"),
    "fft": Chapter(fft, "np.fft", untried={("fftfreq", "dtype"), ("rfftfreq", "dtype")}),
}


def overwrites(call):
    """Whether a call asks for an operand to be used as work space."""
    function = function_of(call)
    conditional = not isinstance(function, np.ufunc) and lookup(function).writes_if
    return bool(conditional) and bool(re.search("overwrite_input=True|None, True", call))


def run(call, x):
    prepared = Run(call, x)
    prepared.names["like"] = like
    return prepared()


# ---- operands --------------------------------------------------------------------------------------------------------


def check_layouts(chapter, call):
    """NumPy's result in every memory layout; the operand stays the lazy copy it is. Returns how often it worked.

    (`test_namespace.py` does so for the calls that are common to all.)
    """
    layouts = ["contiguous", "1-d"] if ours_of(call) in NAMESPACE_CALLS else LAYOUTS
    return sum(check(chapter, call, subject(layout, "lazy copy")) for layout in layouts)


def check_dtypes(chapter, call):
    return sum(check(chapter, call, subject("contiguous", "lazy copy", dtype)) for dtype in usable(DTYPES))


def usable(dtypes):
    """Dtypes to which `subject` can cast its numbers: dates by way of whole numbers."""
    return [dtype for dtype in dtypes if not dtype.startswith("M")]


def check(chapter, call, held):
    theirs = chapter.run_theirs(call, held.n)
    x = held.x
    shares, address = x.storage.share_count, x.storage.data_ptr
    cowarray.reset_stats()
    ours = run(ours_of(call), x)
    stats = ours.stats()
    agree((ours.result, ours.error), (theirs.result, theirs.error))
    ours.check(theirs)
    held.check()
    for result, other in zip(
        arrays_in(ours.result, cowarray.ndarray), arrays_in(theirs.result, np.ndarray), strict=True
    ):
        check_sharing(call, held, result, other)
    if not overwrites(call):
        assert stats["copies"] == stats["steals"] == stats["overwrites"] == 0, "an operand has been materialized"
        assert x.storage.data_ptr == address
        result = ours.result = ours.names = None
        assert x.storage.share_count == shares, "a share is left"
    return theirs.error is None


def check_sharing(call, held, result, other):
    """Fresh; where NumPy gives memory of the operand, a view, or, where the table does not say so, a copy."""
    aliased = np.shares_memory(other, held.n)
    if class_of(call) == VIEW and (aliased or not other.size):
        assert result.storage is held.x.storage or not aliased
        assert result.flags.writeable == other.flags.writeable
        return
    assert result.storage is not held.x.storage
    assert aliased or not cowarray.shares_bytes(result, held.x)
    assert result.flags.writeable
    if result.dtype.kind in "biufc":
        result[...] = 1
        held.check()


def check_strangers(chapter, call):
    """Arrays of NumPy's are read where they lie, and lists are taken; results are ours."""
    return sum(check_stranger(chapter, call, layout) for layout in ("contiguous", "1-d"))


def check_stranger(chapter, call, layout):
    before = np.array(subject(layout, "owner").n)
    n, other = before.copy(), before.copy()
    theirs = chapter.run_theirs(call, other)
    cowarray.reset_stats()
    ours = run(ours_of(call), n)
    copied = cowarray.stats()["bytes_copied"]
    agree((ours.result, ours.error), (theirs.result, theirs.error))
    given = [other, *theirs.companions]
    shared = [each.nbytes for each in arrays_in(theirs.result, np.ndarray) if any_shares(each, given)]
    if not isinstance(function_of(call), np.ufunc):  # with their keywords, these import
        assert copied <= sum(shared), "an array of NumPy's has been imported to be read"
    if not overwrites(call):
        for result in arrays_in(ours.result, cowarray.ndarray):
            if result.dtype.kind in "biufc" and result.flags.writeable:
                result[...] = 1
        np.testing.assert_array_equal(n, before)
    listed, expected = run(ours_of(call), before.tolist()), chapter.run_theirs(call, before.tolist())
    agree((listed.result, listed.error), (expected.result, expected.error))
    return theirs.error is None


def any_shares(array, others):
    return any(np.shares_memory(array, other) for other in others)


# ---- out -------------------------------------------------------------------------------------------------------------


def out_calls(chapter):
    return [given for call in chapter.calls for given in with_out(chapter.expected.get(call, call))]


def check_out(call):
    """What is given as out comes back written; neither copies of it nor of the operands notice."""
    held = subject("contiguous", "lazy copy")
    theirs, ours = run(call, held.n), run(ours_of(call), held.x)
    agree((ours.result, ours.error), (theirs.result, theirs.error))
    ours.check(theirs)
    held.check()
    if theirs.error is None and theirs.result is theirs.companions[-1]:
        assert ours.result is ours.companions[-1]
        assert not np.array_equal(value(ours.result), value(ours.witnesses[-1].copy))
    foreign = run(ours_of(call).replace("out=A(like(", "out=np.array(like("), held.x)
    agree(
        (foreign.result if type(foreign.result) is cowarray.ndarray else ours.result, foreign.error),
        (theirs.result, theirs.error),
    )
    if theirs.error is None and theirs.result is theirs.companions[-1]:
        assert type(foreign.result) is np.ndarray
        np.testing.assert_array_equal(foreign.result, theirs.result)
    return theirs.error is None


def check_without_out(call):
    """Where none is given, a call writes nothing: its operand may be read-only. Returns how often it worked."""
    worked = 0
    for layout in ("contiguous", "1-d"):
        held = subject(layout, "lazy copy")
        held.x.setflags(write=False)
        with cowarray.no_copy():
            worked += run(ours_of(call), held.x).error is None
        held.check()
    return worked


# ---- arguments -------------------------------------------------------------------------------------------------------

BAD = ("text", None, 1.5, 99, -99, (0, 0), (5,), [[1], [2, 3]], {}, b"bytes")


def check_bad_arguments(chapter, call):
    """Each argument replaced by what it cannot be, mostly: NumPy's class of error, or its result. Returns how many."""
    name = path_of(call).rpartition(".")[2]
    parameters = inspect.signature(chapter.function(name)).parameters
    names = [each for each in parameters if each not in ("operands", "kwargs") and (name, each) not in chapter.untried]
    errors = 0
    for parameter, bad in itertools.product(names, BAD):
        if parameter == "out" and bad == {}:
            continue  # into which some of NumPy's put their result
        held = subject("contiguous", "owner")
        theirs = outcome_with(call, held.n, chapter.theirs(name), parameter, bad)
        ours = outcome_with(call, held.x, chapter.function(name), parameter, bad)
        errors += theirs[1] is not None
        try:
            agree(ours, theirs)
        except AssertionError as error:
            error.add_note(f"{call} with {parameter}={bad!r}")
            raise
    unknown = {"no_such_parameter": 1}
    agree(outcome(chapter.function(name), **unknown), outcome(chapter.theirs(name), **unknown))
    return errors


def outcome_with(call, x, function, name, value):
    """The outcome of a function, given the call's arguments but for one."""
    prepared = Run(ours_of(call), x)
    _, bound = prepared.bound()
    bound.arguments = {**bound.arguments, name: copy.deepcopy(value)}
    args, kwargs = in_order(bound)
    return outcome(function, *args, **kwargs)


def in_order(bound):
    """Arguments by position up to one that is not given or is out, then by name. (Some of NumPy's want it so.)"""
    args, kwargs = [], {}
    positional = True
    for parameter in bound.signature.parameters.values():
        positional = positional and parameter.name in bound.arguments and parameter.name != "out"
        if parameter.name not in bound.arguments:
            continue
        given = bound.arguments[parameter.name]
        if positional and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            args.append(given)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            args.extend(given)
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs.update(given)
        else:
            kwargs[parameter.name] = given
    return args, kwargs


def takes_what_numpys_takes(chapter, name):
    """Whether a function has NumPy's parameters, in NumPy's order and with NumPy's defaults."""
    ours = inspect.signature(chapter.function(name)).parameters
    otherwise = chapter.named_otherwise.get(name, ())
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in ours.values()):
        return True
    with contextlib.suppress(ValueError):  # without a signature there is nothing to compare
        theirs = inspect.signature(chapter.theirs(name)).parameters
        theirs = {each: theirs[each] for each in theirs if each in ours or each not in otherwise}
        pairs = [(ours.get(each), theirs[each]) for each in theirs if each not in otherwise]
        return [*ours][: len(positional(theirs))] == positional(theirs) and all(
            one is not None and (one.kind, one.default) == (other.kind, other.default) for one, other in pairs
        )
    return True


def positional(parameters):
    return [name for name, each in parameters.items() if each.kind is not each.KEYWORD_ONLY]
