"""A refused allocation inside `simulate` hides no write, and leaves no context counted that has not been entered."""

import gc
import warnings

import pytest
from support.threads import alone

import cowarray
from cowarray._array.copies import watch_copies
from cowarray._modes.aliasing import here
from cowarray._modes.common.entering import innermost
from cowarray._modes.simulate import watching

pytestmark = pytest.mark.sanitized

memory = pytest.importorskip("_testcapi", reason="CPython's own tests can refuse memory")


@pytest.fixture(autouse=True, scope="module")
def every_mode_has_been_met():
    """An operation passes through all of them, in Python, which looks whether an error was left behind.

    NumPy has met what is done here, too: without memory it registers a loop that it cannot keep, for good.
    """
    with cowarray.deferred():
        pass
    for write in write_element, write_part, update:
        write(cowarray.zeros(4), None)


@pytest.fixture(autouse=True)
def no_other_thread():
    with alone():
        yield


def refused(n, function):
    """What a call raises whose n-th allocation is refused, or None. The collector, which may need memory, rests."""
    gc.disable()
    memory.set_nomemory(n, n + 1)
    try:
        function()
    except MemoryError as error:
        return error
    finally:
        memory.remove_mem_hooks()
        gc.enable()
    return None


def write_element(x, u):
    x[0] = 5


def write_part(x, u):
    x[:2] = 5


def update(x, u):
    x.__iadd__(5)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("write", [write_element, write_part, update])
def test_a_write_that_has_happened_is_known(write, exact):
    write(cowarray.zeros(4), None)  # NumPy 2.5 loses a ufunc's loop if memory runs out at its first use
    failed = 0
    for n in range(1, 120):
        with warnings.catch_warnings(), cowarray.simulate(exact=exact) as found:
            warnings.simplefilter("ignore", cowarray.AliasingWarning)
            x = cowarray.zeros(4)
            u, _other = x.ravel(), x.ravel()
            failed += refused(n, lambda: write(x, u)) is not None  # noqa: B023
            assert u[0] != 5 or len(found) == 1
    assert failed > 0


def test_entering_fails_as_a_whole():
    failed = 0
    for n in range(1, 60):
        simulation = cowarray.simulate()
        if refused(n, simulation.__enter__):
            assert innermost(here.variable) is None
            failed += 1
        else:
            simulation.__exit__(None, None, None)
    assert failed > 0
    assert watch_copies(0, watching) == 0
