"""No allocation of any public operation can fail in a way that does harm.

Each call of `fault_calls` runs with its 1st, 2nd, ... n-th allocation refused (`nomemory`): what comes out is a
MemoryError or what NumPy makes of one, arrays have their old values or new ones, share what they shared or have bytes
of their own, nothing is lost, and the call then works. Each run takes some of the calls; the long ones take all, in
every state that an array can be in.
"""

import json
import os
import random
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from fault_calls import FUNCTION_CALLS, INTEGER_CALLS, METHOD_CALLS, OURS, uncovered
from scenes import STATES
from support.extensions import STRICT, SUFFIX, build
from support.seeds import chosen_seed

TESTS = Path(__file__).parents[1]
CORE_H = TESTS.parent / "include" / "cowarray" / "core.h"


@pytest.fixture(scope="session")
def hook(tmp_path_factory):
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip(
            "without a GIL, Python's collector walks the allocator's blocks, and went round for ever after refusals"
        )
    if sys.version_info[:2] != (3, 11):
        pytest.skip("what Python and NumPy themselves lose or crash on is known of Python 3.11 only")
    target = tmp_path_factory.mktemp("refusing") / f"refusing{SUFFIX}"
    build(TESTS / "extension" / "refusing.c", target, "-std=c11", *STRICT, "-isystem", np.get_include())
    return target


# What is raised by others, instead of a MemoryError, where their calls on NumPy's arrays do not happen to show it:
# (calls, what they raise, why).
EXCUSED = [
    (
        r"(x\.dumps?|pickle\.loads)\(.*",
        r"raises PicklingError.*",
        "so pickle reports a failed import",
    ),
    (
        r"cowarray\.save_async\(.*",
        r"(leaks memory|\d+ blocks leaked|references .*|sharing .*)",
        "its thread goes on with the file where the wait for it has failed",
    ),
    (r"(repr|str)\(.*", r"crash by signal 11 in arrayprint\.py:.*", "NumPy's `format_options` crashes"),
    (
        r".*(dump|savez?|save_async|load|paging_memory)\(.*",
        r"raises RuntimeError.*",
        "so a file reports a lock that it cannot allocate",
    ),
    (r".*load\(.*", r"raises ValueError.*damaged.*", "for headers that are damaged Python raises MemoryError, too"),
    (
        r"pickle\.loads\(.*",
        r"raises ValueError: unpickle: this does not describe a dtype.*",
        "and NumPy for dtypes that are",
    ),
    (
        r"(np\.\w+\(|cowarray\.(matmul|vectorize|\w+\.reduce)\(|.*(nditer|nested_iters|lend)\().*",
        r"raises ValueError: cannot coerce scalar.*",
        "so NumPy reports a buffer that was refused once",
    ),
    (
        r".*",
        r"crash by signal 11 in (weakref\.py:update|npy\.py:_check_flags|relatives\.py:_named"
        r"|fromnumeric\.py:_wrapreduction_any_all)",
        "CPython 3.11 ends an iterator over a dict's items before it tracks it; a new WeakValueDictionary makes one",
    ),
    (
        r".*checkpoint\(.*",
        r"(leaks memory|\d+ blocks leaked|sharing .*)",
        "NumPy loses the operands that have a rule of their own where it gets no tuple for them",
    ),
    (
        r"np\.where\(.*",
        r"raises SystemError: .*without setting an exception.*",
        "so NumPy's `nonzero` ends where it gets no memory",
    ),
    (
        r"cowarray\.sort\(.*descending=True\)",
        r"crash by signal 11 in _shape_base_impl\.py:take_along_axis",
        "NumPy's indexing copies from a buffer that it did not get",
    ),
    (
        r"cowarray\.is_busday\(.*",
        r"crash by signal 11 in dates\.py:_calendar",
        "NumPy's `busdaycalendar` gives back a dtype that it has not taken",
    ),
    (
        r"y = x\.copy\(\); y\[0\] = 3; .*",
        r"(leaks memory|raises SystemError: NULL object passed to Py_BuildValue.*)",
        "so NumPy makes `ctypes` of an array",
    ),
    (
        r".*changes\(.*",
        r"raises TypeError: expected a sequence of integers.*",
        "so NumPy reports a shape that it had no memory to read",
    ),
    (
        r"cowarray\.fromfile\(.*",
        r"raises TypeError: expected str, bytes or os\.PathLike.*",
        "so NumPy takes a failed question",
    ),
    (
        r".*explain\(.*",
        r"(crash by signal 11 in _array_utils_impl\.py:byte_bounds|raises SystemError: .*isinstance> returned a.*)",
        "NumPy's `__array_interface__` crashes, or comes with an error set",
    ),
    (
        r".*",
        r"raises ValueError: '\w+' is not a valid PEP 3118 buffer format string.*",
        "NumPy reads a format that is not one letter of numbers in Python code, and so reports whatever that raises",
    ),
    (
        r"with cowarray\.aliasing\(\): .*np\.asarray\(x\)",
        r"a pin leaks",
        "where it got no buffer, NumPy asks for the pointer of `__array_interface__`, which pins as long as x lives",
    ),
    (
        r"(x\.tobytes|cowarray\.frombuffer)\(.*",
        r"succeeds with another result",
        "of objects these are addresses, and the copies' own",
    ),
    (
        r"cowarray\.is_deferred\(.*",
        r"succeeds with another result",
        "NumPy's hash of a dtype of dates is given with an error set: what cannot be recorded is done at once",
    ),
    (
        r".*evict\(.*",
        r"raises BufferError: evict: .* cannot be made again: what it gives is not known before.*",
        "so, too, for what is done at once",
    ),
    (r"x //= x\[::-1\]", r"then gives .*ZeroDivisionError.*", "what it has written is divided again"),
    (r"rf\..*", r"succeeds with another result", "NumPy goes on where the copy of a record's field got no memory"),
    (r"rf\..*", r"raises TypeError: StringDType is not.*", "so NumPy reports that it cannot check a dtype's fields"),
]


def excused(call, what):
    return any(re.fullmatch(calls, call) and re.fullmatch(f".*: {text}", what) for calls, text, _ in EXCUSED)


def swept(hook, tmp_path, cases):
    """Sweep (call, state, dtype, points); nothing that is found is ours. Returns how many allocations were refused.

    A finding is one that comes twice: blocks that the interpreter keeps for itself now and then look like a leak.
    """
    told = told_of(hook, tmp_path, cases)
    found = ours(told)
    if found:
        again = ours(told_of(hook, tmp_path, [case for case in cases if any(case[0] == one[0] for one, _ in found)]))
        found = [what for what in found if what in again]
    assert not found, "\n".join(map(str, found))
    return sum(case["injected"] for case in told)


def ours(told):
    return [
        (case["case"], what)
        for case in told
        for what, whose in case["odd"]
        if whose == "ours"
        and not excused(case["case"][0], what)
        and not is_lost_by_numpy(case, what)
        and not is_lost_of_objects(case, what)
    ]


def is_lost_by_numpy(case, what):
    """Whether a share stays where NumPy leaks its array at the same allocation: with ours that is a snapshot."""
    point, _, text = what.partition(": ")
    return text.startswith("sharing ") and any(
        whose != "ours" and theirs == f"{point}: leaks memory" for theirs, whose in case["odd"]
    )


OPERATOR = r".* (\*\*|//|<<|>>|[<>=!]=|[-+*/%@&|^<>])=? .*|.*\.__\w+__\(.*|(.*[( ])?[-+~]x.*|(abs|divmod|pow|round)\(.*"


def is_lost_of_objects(case, what):
    """Whether it is what an operator's ufunc loses of objects: its operands have a rule, and it gets no tuple for them.

    So it does of any class with `__array_ufunc__`; other dtypes need no ufunc that asks for it.
    """
    source, _, dtype, _ = case["case"]
    text = what.partition(": ")[2]
    return (
        dtype == "object"
        and re.fullmatch(OPERATOR, source)
        and re.fullmatch(r"references .*|leaks memory|\d+ blocks leaked", text)
    )


def told_of(hook, tmp_path, cases):
    """What `nomemory` tells of each case, swept in a process of its own."""
    listed = tmp_path / "cases.json"
    listed.write_text(json.dumps(cases))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(TESTS / "faults" / "nomemory.py"), str(hook), str(listed)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [case["case"] for case in told] == [list(case) for case in cases]
    numpys = sorted({case["case"][0] for case in told if any(whose != "ours" for _, whose in case["odd"])})
    capped = sorted({case["case"][0] for case in told if case["injected"] < case["total"]})
    print(
        f"{len(told)} calls, {sum(case['total'] for case in told)} allocations, "
        f"{sum(case['injected'] for case in told)} refused, {sum(case['swallowed'] for case in told)} swallowed;",
        f"not all of them: {len(capped)} calls;",
        f"NumPy leaks, crashes or raises something else by itself: {len(numpys)} calls {numpys}",
    )
    return told


GROUPS = {"functions": FUNCTION_CALLS, "methods": METHOD_CALLS, "ours": OURS, "integers": INTEGER_CALLS}


@pytest.mark.sampled
@pytest.mark.parametrize("group", GROUPS)
def test_some_allocations_of_every_call(hook, tmp_path, group):
    seed = chosen_seed(2026)  # now and then take another, for other calls
    calls = random.Random(seed).sample(GROUPS[group], min(SAMPLE[group], len(GROUPS[group])))
    calls += [call for call in BROKEN_ONCE if call in GROUPS[group] and call not in calls]
    dtype = "int" if group == "integers" else "float"
    assert swept(hook, tmp_path, [(call, "shared", dtype, 0) for call in calls]) >= 3 * len(calls)


def test_a_ufunc_that_sets_no_exception_where_it_fails_crashes_nobody(hook, tmp_path):
    call = "y = cowarray.checkpoint(x) * 2; cowarray.evict(y); cowarray.decheckpoint(y); cowarray.is_checkpointed(y)"
    assert swept(hook, tmp_path, [(call, "shared", "?", 0)]) > 100


# Each left something wrong behind: a shape without its bytes, a lock, a reference, an array; or killed the process.
BROKEN_ONCE = [
    "x.resize(7, 7)",
    "cowarray.evict(x)",
    "with cowarray.no_copy(): x.sum()",
    "with cowarray.trace() as seen: x.sum(); len(seen); list(seen); repr(seen)",
    "with cowarray.fake() as seen: repr(seen), seen.lines, seen.peak_bytes",
    'cowarray.materialize({"x": cowarray.deferred_init(cowarray.add, x, 1)})',
    "np.sort(x)",
    "with cowarray.budget(1 << 20, small=0): y = x + 1; y[0] = 3; z = y.copy(); cowarray.evict(y); y + z",
]
SAMPLE = {"functions": 20, "methods": 40, "ours": 40, "integers": 4}


@pytest.mark.long
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("group", GROUPS)
def test_all_allocations_of_every_call(hook, tmp_path, group, state):
    dtype = "int" if group == "integers" else "float"
    calls = GROUPS[group]
    assert swept(hook, tmp_path, [(call, state, dtype, 0) for call in calls]) >= 5 * len(calls)


# All of them run the same code of ours.
PLAIN = ["f4", "?", "c16", "m8[s]"]


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["object", *PLAIN, "U3"])
def test_all_allocations_of_methods_on_other_dtypes(hook, tmp_path, dtype):
    """Of plain dtypes each call has one."""
    calls = [*METHOD_CALLS, *OURS]
    if dtype in PLAIN:
        calls = calls[PLAIN.index(dtype) :: len(PLAIN)]
    assert swept(hook, tmp_path, [(call, "shared", dtype, 0) for call in calls]) >= 5 * len(calls)


# ---- that nothing is left out ----------------------------------------------------------------------------------------


def test_every_public_name_has_a_call():
    assert uncovered() == []


def test_every_function_of_the_core_that_can_fail_is_swept_in_c():
    failing = set(re.findall(r"^COW_NODISCARD cow_status (cow_\w+)\(", CORE_H.read_text(), re.MULTILINE))
    swept_there = set(re.findall(r'^\s*\{"(cow_\w+)", op_', (TESTS / "c" / "test_failure.c").read_text(), re.MULTILINE))
    # Where calls of the system fail as well.
    swept_there |= failing & set(
        re.findall(
            r"cow_(?:mutable_begin_at|storage_page|storage_differences|ground_\w+|paging_\w+|base_\w+|storage_(?:re)?base)",
            (TESTS / "c" / "test_pages_failures.c").read_text(),
        )
    )
    assert len(failing) >= 7
    assert swept_there == failing - {"cow_account_new"}  # of the C library's memory, which that allocator cannot refuse
