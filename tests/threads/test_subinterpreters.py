"""The library is for the main interpreter: others get a clear refusal, and do it no harm."""

import importlib.util
import sys

import pytest
from support.programs import run

pytestmark = pytest.mark.skipif(
    not any(importlib.util.find_spec(name) for name in ("_interpreters", "_xxsubinterpreters")),
    reason="this Python has no module to make subinterpreters with",
)

# One interface to what Python calls differently from version to version.
PRELUDE = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

def create(kind):
    if hasattr(interpreters, "exec"):  # 3.13
        return interpreters.create(kind)
    return interpreters.create(isolated=kind == "isolated")

def failure(interpreter, code):
    '''What code raises there, or None.'''
    if hasattr(interpreters, "exec"):
        raised = interpreters.exec(interpreter, code)
        return raised and raised.formatted
    try:
        interpreters.run_string(interpreter, code)
    except interpreters.RunFailedError as error:
        return str(error)

def check(ca, np):
    x = ca.array(np.arange(1000.0))
    y = x.copy()
    y += 1
    x[0] = 5
    assert (x[0], y[0], y.sum() - x.sum()) == (5, 1, 995)

def refused(interpreter):
    for _ in range(2):
        said = failure(interpreter, "import cowarray")
        assert "ImportError" in said and "cowarray works only in the main interpreter" in said, said
        assert failure(interpreter, "import sys; assert not [m for m in sys.modules if m.startswith('numpy')]") is None
"""


@pytest.mark.parametrize("first", ["main", "sub"])
@pytest.mark.parametrize("kind", ["legacy", "isolated"])
def test_subinterpreter_is_refused_and_the_main_one_is_none_the_worse(kind, first):
    run(
        """
        if sys.argv[2] == "main":
            import numpy as np, cowarray as ca
            check(ca, np)
        sub = create(sys.argv[1])
        refused(sub)
        import numpy as np, cowarray as ca
        check(ca, np)
        refused(sub)
        interpreters.destroy(sub)
        check(ca, np)
        """,
        kind,
        first,
        prelude=PRELUDE,
    )


def test_refusal_is_an_import_error_that_names_the_module():
    run(
        """
        sub = create("legacy")
        said = failure(sub, '''
        try:
            import cowarray
        except ImportError as error:
            assert error.name == "cowarray", error.name
        else:
            raise AssertionError("imported")
        '''.replace("\\n        ", "\\n"))
        assert said is None, said
        interpreters.destroy(sub)
        """,
        prelude=PRELUDE,
    )


@pytest.mark.parametrize("kind", ["legacy", "isolated"])
def test_owner_dropped_without_the_gil_after_a_subinterpreter_was_there(kind):
    """PyGILState_Check says yes to every thread once there was one, so nobody may rely on it."""
    run(
        """
        interpreters.destroy(create(sys.argv[1]))
        import threading, weakref
        import numpy as np, cowarray as ca

        seen = []

        def write_to_foreign(i):
            source = np.full(1 << 16, float(i))  # large enough to be copied without the GIL
            source.setflags(write=False)
            weakref.finalize(source, seen.append, i)  # runs Python code
            x = ca.asarray(source)
            del source
            x[0] = -1
            assert x[1] == i

        threads = [threading.Thread(target=write_to_foreign, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == list(range(8)), seen
        """,
        kind,
        prelude=PRELUDE,
    )


@pytest.mark.skipif(sys.version_info < (3, 13), reason="before Python 3.13, interpreters hand each other no buffers")
def test_snapshot_read_in_another_interpreter():
    """What is sent is a buffer: the array stays ours, and the other side's view is dropped here."""
    run(
        """
        import _interpqueues
        import numpy as np, cowarray as ca

        x = ca.array(np.arange(8, dtype="u1"))
        queue = _interpqueues.create(0, 0, 3)
        sub = create("isolated")
        _interpqueues.put(queue, memoryview(x), 0, 3)
        x[0] = 77
        assert x.storage.share_count == 1
        said = failure(sub, f'''
        import _interpreters, _interpqueues
        view = _interpqueues.get({queue})[0]
        assert bytes(view) == bytes(range(8)), bytes(view)
        del view
        '''.replace("\\n        ", "\\n"))
        assert said is None, said
        interpreters.destroy(sub)
        check(ca, np)
        """,
        prelude=PRELUDE,
    )
