"""Tests run in any order, on any machine: each leaves the process as it found it, and no clock decides."""

import contextvars
import gc
import os
import re
import resource
import signal
import sys
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import cowarray

settings.register_profile("on any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("on any machine")

LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1)
# What pytest sets, and polars and scikit-learn once they are imported.
OF_OTHERS = {"PYTEST_CURRENT_TEST", "_RJEM_MALLOC_CONF", "KMP_DUPLICATE_LIB_OK"}
FOUND = pytest.StashKey()

# A shell starts what is in its background with SIGINT ignored, and so would be every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def state():
    """{name: what another test would notice}."""
    modes = {name.name: value for name, value in contextvars.copy_context().items() if value}
    return {
        "the working directory": os.getcwd(),
        "the environment": {name: value for name, value in os.environ.items() if name not in OF_OTHERS},
        "sys.path": [*sys.path],
        "the switch interval": sys.getswitchinterval(),
        "the recursion limit": sys.getrecursionlimit(),
        "a trace or a profile": (sys.gettrace(), sys.getprofile()),
        "the collector": (gc.isenabled(), gc.get_threshold()),
        "what signals do": [signal.getsignal(number) for number in SIGNALS],
        "limits": [resource.getrlimit(limit) for limit in LIMITS],
        "threads": {*threading.enumerate()},
        "blocks": {name: value for name, value in modes.items() if name.startswith("cowarray")},
        "errors of NumPy's": (np.geterr(), np.geterrcall()),
        "how arrays are printed": np.get_printoptions(),
        "paging": cowarray.paging(),
    }


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Two checks of one commit take the same order and the same examples."""
    seed = int(os.environ.get("COWARRAY_CHECK_SEED") or 0)
    if seed and config.getoption("randomly_seed", None) == "default":
        config.option.randomly_seed = seed
    if seed and config.getoption("hypothesis_seed", 0) is None:
        config.option.hypothesis_seed = seed


def pytest_collection_modifyitems(config, items):
    """Take a part of the tests marked `sampled`. Processes that share tests must know all by the same names."""
    marked = sorted((each for each in items if each.get_closest_marker("sampled")), key=lambda item: item.nodeid)
    if marked and os.environ.get("SAMPLE"):
        from sampling import sampled

        left = {*marked} - {*sampled(marked, "tests that are marked so")}
        items[:] = [each for each in items if each not in left]
        config.hook.pytest_deselected(items=[*left])
    for item in items:
        if re.search(r" at 0x[0-9a-f]{6}", item.nodeid):
            raise pytest.UsageError(f"the address of an object is in the name of a test: {item.nodeid}")


def pytest_collection_finish():
    freeze()


def freeze():
    """Tests collect garbage thousands of times: what pytest keeps, items and reports, would take half a second each."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[FOUND] = state()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    result = yield
    before = item.stash[FOUND]
    if item.path.parent.name != "engines":
        for thread in {*threading.enumerate()} - before["threads"]:
            if not isinstance(thread, threading._DummyThread):
                thread.join(2.0)  # one that has done its work may not have ended yet
    now = state()
    del item.stash[FOUND]
    now["threads"] |= before["threads"]  # an engine's that ends is no trace of this test
    left = {name: (was, now[name]) for name, was in before.items() if now[name] != was}
    if left and item.path.parent.name != "engines":  # these start workers, threads and handlers that stay
        pytest.fail(f"other than before the test: {left}", pytrace=False)
    if nextitem is None or nextitem.path != item.path:
        freeze()
    return result


@pytest.fixture
def whole_copies():
    """By default a large copy costs pages once other tests have paid for them."""
    before = cowarray.paging("off")
    yield
    cowarray.paging(before)


@pytest.fixture
def quick_switches():
    """Threads change over more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)
