"""`cowarray.register()` enters our arrays with libraries, imported before or later, and imports none."""

import effects_on_buffers
import effects_on_frames
import effects_on_tensors
import pytest
from registered import need, passes, program

# What each library does once it knows our arrays, and does not do before.
EFFECTS = {**effects_on_buffers.EFFECTS, **effects_on_frames.EFFECTS, **effects_on_tensors.EFFECTS}
NONE_IMPORTED = f"assert not {set(EFFECTS)} & set(sys.modules)\n"


@pytest.mark.sampled
@pytest.mark.parametrize("library", EFFECTS)
def test_without_it_the_library_does_not_know_our_arrays(library):
    need(library)
    assert program(EFFECTS[library]).returncode != 0


@pytest.mark.sampled
@pytest.mark.parametrize("library", EFFECTS)
def test_a_library_imported_later(library):
    need(library)
    passes("cowarray.register()", NONE_IMPORTED, EFFECTS[library])


@pytest.mark.sampled
@pytest.mark.parametrize("library", EFFECTS)
def test_a_library_imported_before(library):
    need(library)
    passes(f"import {library}", "cowarray.register()", EFFECTS[library])


@pytest.mark.sampled
@pytest.mark.parametrize("library", EFFECTS)
def test_any_number_of_calls(library):
    need(library)
    passes("cowarray.register(); cowarray.register()", EFFECTS[library], "cowarray.register()")


def test_nothing_is_imported():
    passes(
        NONE_IMPORTED,
        """
        before = set(sys.modules)
        cowarray.register()
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        assert new <= {"cowarray", "numpy"}, new
        """,
        NONE_IMPORTED,
    )


def test_a_part_of_scipy_whose_import_somebody_prevents_is_passed_over():
    passes(
        """
        import types
        solvers = sys.modules["scipy.sparse.linalg"] = types.ModuleType("scipy.sparse.linalg")
        solvers.aslinearoperator = type
        sys.modules["scipy.io"] = None
        from cowarray._tools.neighbours import buffers
        buffers.scipy()
        assert solvers.aslinearoperator(x) is np.ndarray
        """
    )


def test_dasks_list_has_it_once():
    need("dask")
    passes(
        "import dask.array",
        "for _ in range(3): cowarray.register()",
        "assert dask.array.chunk_types._HANDLED_CHUNK_TYPES.count(cowarray.ndarray) == 1",
    )


def test_the_backend_of_einops_takes_arrays_from_numpy_and_gives_them_back():
    passes("""
        from types import ModuleType
        from cowarray._tools.neighbours import tensors
        backends = sys.modules["einops._backends"] = ModuleType("einops._backends")
        sys.modules["einops"] = ModuleType("einops")
        class AbstractBackend: ...
        backends.AbstractBackend = AbstractBackend
        tensors.einops()
        [backend] = [made() for made in AbstractBackend.__subclasses__()]
        taken = backend.from_numpy(np.arange(3))
        assert type(taken) is cowarray.ndarray and taken.tolist() == [0, 1, 2]
        given = backend.to_numpy(taken)
        assert type(given) is np.ndarray and given.tolist() == [0, 1, 2]
    """)
