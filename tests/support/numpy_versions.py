"""What the versions of NumPy that we support do differently, as far as a test notices: one list, with the reasons.

A test that must know asks `happens`; it compares no version itself. `test_numpy_versions.py` asks the NumPy that is
installed whether each entry is true of it, so what a new release changes, or has put right, is seen.
"""

import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

__all__ = ["BROUGHT", "DEVIATIONS", "TAKEN", "Deviation", "absent", "happens", "unasked", "without"]

installed = np.lib.NumpyVersion(np.__version__)


class Deviation(NamedTuple):
    """Something that NumPy does from one version on, and up to another.

    Attributes
    ----------
    since, until : str
        The first version that does it, and the first that no longer does; "" where the range that we support ends.
    why : str
        What NumPy does, and what it means to us.
    seen : callable
        Asks NumPy alone whether it does so.
    ignored : str, optional
        The warning that pyproject.toml has pytest ignore for it, as "message:category".
    """

    since: str
    until: str
    why: str
    seen: Callable[[], bool]
    ignored: str = ""


def warns(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return any(issubclass(one.category, DeprecationWarning) for one in caught)


def raises(error, call):
    try:
        call()
    except error:
        return True
    return False


def fails_with_strings(operation):
    """Whether what is done with an array of StringDType, x, raises an error of memory, or ends the process."""
    program = (
        'import numpy as np\nx = np.array(["a" * 40, "b", "c" * 30], np.dtypes.StringDType())\n'
        f"for _ in range(300):\n    y = {operation}\n    repr(y)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return result.returncode < 0 or "MemoryError" in result.stderr


def overflows_with_durations():
    """Whether durations as text of one letter are written past the end of a buffer: glibc then ends the process."""
    program = (
        "import numpy as np\n"
        "for size in (1, 2, 3, 5, 8, 40) * 100:\n"
        "    for dtype in ('U1', 'S1', 'U2'):\n"
        "        np.arange(size).astype('m8[ms]').astype(dtype)\n"
    )
    environment = {**os.environ, "MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment)
    return result.returncode < 0


def crashes_without_an_index():
    """Whether an assignment to flat with an empty tuple ends the process."""
    program = "import numpy as np\nx = np.zeros(2)\ntry:\n    x.flat[()] = 1\nexcept IndexError:\n    pass\n"
    return subprocess.run([sys.executable, "-c", program], capture_output=True).returncode < 0


def writes_past_a_letter():
    letters = np.zeros(2, "S1")
    np.multiply(np.array([b"a"]), np.array([2]), out=letters[:1])
    return letters[1] == b"a"


def closes_its_object():
    inner, n = np.zeros(1), np.empty((), object)
    n[()] = inner
    _ = n.real
    return not inner.flags.writeable


def writes_through_at():
    n = np.zeros(1)
    n.flags.writeable = False
    return not raises(ValueError, lambda: np.add.at(n, [0], 1))


DEVIATIONS = {
    # ---- memory ------------------------------------------------------------------------------------------------------
    "durations overflow short text": Deviation(
        "",
        "2.4.5",
        "A cast of timedelta64 to short text writes past the end of NumPy's buffer: the tests make no such casts.",
        overflows_with_durations,
    ),
    "letters times numbers overflow": Deviation(
        "",
        "2.4.1",
        "Text of one letter times a number is written past the end of a shorter `out`: the tests multiply no text.",
        writes_past_a_letter,
    ),
    "flat crashes without an index": Deviation(
        "",
        "2.4.0",
        "n.flat[()] = 1 ends the process; with ours it is an IndexError with any NumPy, as it became one.",
        crashes_without_an_index,
    ),
    # ---- deprecated --------------------------------------------------------------------------------------------------
    "chararray is deprecated": Deviation(
        "2.5.0",
        "",
        "np.char.chararray, np.char.array and np.char.asarray warn; they still take our arrays.",
        lambda: warns(lambda: np.char.chararray),
        ignored="The chararray class is deprecated:DeprecationWarning",
    ),
    "fix is deprecated": Deviation(
        "2.5.0",
        "",
        "np.fix warns, and so does cowarray.fix, which is NumPy's: np.trunc does the same.",
        lambda: warns(lambda: np.fix(1.5)),
        ignored="numpy.fix is deprecated:DeprecationWarning",
    ),
    "the generic unit is deprecated": Deviation(
        "2.5.0",
        "",
        "Datetimes without a unit warn; the tests make some of NumPy's.",
        lambda: warns(lambda: np.array(1, "m8") + np.array(1, "m8[s]")) or warns(lambda: np.timedelta64(1)),
        ignored="The 'generic' unit:DeprecationWarning",
    ),
    "setting the shape is deprecated": Deviation(
        "2.5.0",
        "",
        "n.shape = ... warns for NumPy's arrays. Ours may be set without a warning.",
        lambda: warns(lambda: setattr(np.zeros(4), "shape", (2, 2))),
        ignored="Setting the shape:DeprecationWarning",
    ),
    "setting the strides is deprecated": Deviation(
        "2.4.0",
        "",
        "n.strides = ... warns, and so do ours.",
        lambda: warns(lambda: setattr(np.zeros(4), "strides", 8)),
        ignored="Setting the strides:DeprecationWarning",
    ),
    # ---- parameters and signatures -----------------------------------------------------------------------------------
    "functions in C tell no signature": Deviation(
        "",
        "2.4.0",
        "Where `out` stands in a call of these is written down in the table of operations.",
        lambda: raises(ValueError, lambda: inspect.signature(np.dot)),
    ),
    "array has no ndmax": Deviation(
        "",
        "2.4.0",
        "Ours hands it on, and NumPy refuses it.",
        lambda: raises(TypeError, lambda: np.array([1], ndmax=1)),
    ),
    "old parameters are taken": Deviation(
        "",
        "2.4.0",
        "bias and ddof of corrcoef, interpolation of quantiles, newshape of reshape. Ours never had them.",
        lambda: "bias" in inspect.signature(np.corrcoef).parameters,
    ),
    "polynomials of two variables give NumPy's arrays": Deviation(
        "",
        "2.4.0",
        "They asked the elements who computes, not the array; `unasked` has their names.",
        lambda: not hasattr(np.polynomial.polynomial.polyval2d, "_implementation"),
    ),
    "fromstring tells no signature": Deviation(
        "",
        "2.5.0",
        "The last of those in C that told none.",
        lambda: raises(ValueError, lambda: inspect.signature(np.fromstring)),
    ),
    "sort has no descending": Deviation(
        "",
        "2.5.0",
        "Ours has it with any NumPy, as the standard asks.",
        lambda: raises(TypeError, lambda: np.sort([1], descending=True)),
    ),
    "sort tells no default of descending": Deviation(
        "2.5.0",
        "",
        "NumPy's signature has a sentinel of its own there; ours says False.",
        lambda: any(each.default is np._NoValue for each in inspect.signature(np.sort).parameters.values()),
    ),
    # ---- other results -----------------------------------------------------------------------------------------------
    "flat reads other indices": Deviation(
        "",
        "2.4.0",
        "A mask may be shorter than the array, text is a ValueError, a 0-d bool array is no index, and what fails may "
        "start the iteration again.",
        lambda: not raises(IndexError, lambda: np.arange(3).flat[np.ones(2, bool)]),
    ),
    "round of integers is no copy": Deviation(
        "",
        "2.4.0",
        "np.round gives the array itself: ours is a lazy copy, and while simulated an alias, as NumPy's.",
        lambda: (lambda n: np.round(n) is n)(np.arange(3)),
    ),
    "eigenvalues are complex": Deviation(
        "2.5.0",
        "",
        "np.linalg.eig and eigvals give complex numbers, whatever the values are.",
        lambda: np.linalg.eigvals(np.eye(2)).dtype.kind == "c",
    ),
    "a week of bools is none": Deviation(
        "",
        "2.4.0",
        "A weekmask that is a bool array is a TypeError.",
        lambda: raises(TypeError, lambda: np.is_busday(np.datetime64("2024-01-02"), weekmask=np.ones(7, bool))),
    ),
    "dead methods are named": Deviation(
        "",
        "2.4.0",
        "itemset, newbyteorder and ptp of an array say that they are gone. Ours never were.",
        lambda: hasattr(np.ndarray, "ptp"),
    ),
    # ---- faults of NumPy's -------------------------------------------------------------------------------------------
    "tolist of a damaged datetime in a record is a SystemError": Deviation(
        "2.5.0",
        "",
        "A datetime out of range for its unit is an OverflowError, and one in a field a SystemError: tolist of records "
        "does not look at the error.",
        lambda: raises(SystemError, lambda: np.array([(2**62 - 1,)], [("a", "M8[7D]")]).tolist()),
    ),
    "a slice of flat of strings is damaged": Deviation(
        "",
        "2.5.0",
        "NumPy cannot read the StringDType array that x.flat[1:3] gives.",
        lambda: fails_with_strings("x.flat[1:3]"),
    ),
    "byteswap of strings crashes": Deviation(
        "",
        "2.5.0",
        "x.byteswap() of StringDType ends the process; later it is a TypeError.",
        lambda: fails_with_strings("x.copy().byteswap()"),
    ),
    "adding strings in place crashes": Deviation(
        "",
        "2.5.0",
        "x += x[1:2] of StringDType ends the process.",
        lambda: fails_with_strings("(lambda y: y.__iadd__(y[1:2]))(x.copy())"),
    ),
    "real closes an array that is an object": Deviation(
        "2.5.0",
        "",
        "n.real of an array without axes, whose object is an array, makes that one read-only: isreal(x) does, too.",
        closes_its_object,
    ),
    "at writes to read-only arrays": Deviation(
        "",
        "2.5.0",
        "np.add.at ignores the flag of NumPy's arrays; ours refuse.",
        writes_through_at,
    ),
}


def happens(name):
    """Whether the NumPy that is installed does what an entry of the list says."""
    deviation = DEVIATIONS[name]
    return (not deviation.since or installed >= deviation.since) and (
        not deviation.until or installed < deviation.until
    )


def without(name):
    """A mark: the test is skipped with a NumPy that does what an entry of the list says, which is the reason."""
    return pytest.mark.skipif(happens(name), reason=DEVIATIONS[name].why)


# ---- names -----------------------------------------------------------------------------------------------------------

# Public names that a version brings, and those that it takes away, in the modules of numpy. The tests call them where
# they are.
BROUGHT = {
    "2.5.0": """
        char.slice dtypes.register_dlpack_dtype polynomial.polynomial.polyvalnd polynomial.chebyshev.chebvalnd
        polynomial.hermite.hermvalnd polynomial.hermite_e.hermevalnd polynomial.laguerre.lagvalnd
        polynomial.legendre.legvalnd
    """,
}
TAKEN = {"2.4.0": "in1d trapz", "2.5.0": "row_stack"}


def absent():
    """The names of the list that the NumPy that is installed does not have."""
    later = [names for version, names in BROUGHT.items() if installed < version]
    gone = [names for version, names in TAKEN.items() if installed >= version]
    return {name for names in (*later, *gone) for name in names.split()}


def unasked():
    """The functions that do not ask our arrays in the NumPy that is installed, and ask them in later ones."""
    asked_later = {"polynomial.polynomial.polyval2d", "polynomial.polynomial.polygrid2d"}
    return asked_later if happens("polynomials of two variables give NumPy's arrays") else set()
