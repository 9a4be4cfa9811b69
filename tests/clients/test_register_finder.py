"""A library that is imported after `cowarray.register()` is told once its module has run: the finder and its loader."""

from registered import passes

# A package whose `inner` module takes as long as it is told to, and a door that notes who came.
STAGE = """
import pathlib, tempfile, threading, time
from cowarray._tools import registering
folder = tempfile.mkdtemp()
package = pathlib.Path(folder, "slow")
package.mkdir()
(package / "__init__.py").write_text("")
(package / "data.txt").write_text("data")
(package / "inner.py").write_text("import sys; sys.delay(); done = True")
sys.delay = lambda: time.sleep(0.3)
sys.path.insert(0, folder)
entered = []
registering._WAITING.clear()
registering._WAITING["slow.inner"] = lambda: entered.append(sys.modules["slow.inner"].done)
"""


def test_a_door_is_entered_after_the_module_has_run_and_once():
    passes(
        STAGE,
        """
        cowarray.register()
        import slow
        assert entered == []
        import slow.inner
        assert entered == [True]
        import importlib
        importlib.reload(slow.inner)
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_threads_that_import_and_register_at_once_enter_it_once():
    passes(
        STAGE,
        """
        begin = threading.Barrier(8)
        def act(number):
            begin.wait()
            if number % 2:
                import slow.inner
                assert slow.inner.done
            cowarray.register()
        threads = [threading.Thread(target=act, args=(i,)) for i in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_a_module_that_another_thread_is_importing_is_entered_when_it_is_done():
    passes(
        STAGE,
        """
        begun, goes_on = threading.Event(), threading.Event()
        sys.delay = lambda: begun.set() or goes_on.wait()
        thread = threading.Thread(target=__import__, args=("slow.inner",))
        thread.start()
        begun.wait()
        cowarray.register()
        assert entered == []
        goes_on.set()
        thread.join()
        import wave
        assert entered == [True]
        """,
    )


def test_register_may_be_called_by_the_module_itself():
    passes(
        STAGE,
        """
        (package / "inner.py").write_text("import cowarray; cowarray.register(); done = True")
        import slow.inner
        assert entered == []
        cowarray.register()
        assert entered == [True]
        """,
    )


def test_the_module_has_its_own_loader():
    passes(
        STAGE,
        """
        cowarray.register()
        import importlib.machinery, importlib.resources, importlib.util, inspect
        found = importlib.util.find_spec("slow.inner")
        assert found.origin.endswith("inner.py") and "delay" in found.loader.get_source("slow.inner")
        assert entered == [] and "slow.inner" not in sys.modules
        import slow.inner
        assert type(slow.inner.__loader__) is type(slow.inner.__spec__.loader) is importlib.machinery.SourceFileLoader
        assert "delay" in inspect.getsource(slow.inner)
        assert importlib.resources.files("slow").joinpath("data.txt").read_text() == "data"
        """,
    )


def test_the_finder_leaves_when_nobody_is_waited_for():
    passes(
        STAGE,
        """
        cowarray.register()
        assert registering._FINDER is sys.meta_path[0]
        import slow.inner
        cowarray.register()
        assert registering._FINDER not in sys.meta_path
        """,
    )


def test_a_module_that_fails_to_import_is_entered_when_it_succeeds():
    passes(
        STAGE,
        """
        text = (package / "inner.py").read_text()
        (package / "inner.py").write_text("raise ValueError('not today')")
        cowarray.register()
        try:
            import slow.inner
        except ValueError:
            pass
        assert entered == []
        (package / "inner.py").write_text(text + "# another size")
        import slow.inner
        assert entered == [True]
        """,
    )


def test_a_door_that_is_gone_is_a_warning_and_the_import_goes_on():
    passes(
        STAGE,
        """
        def gone():
            raise AttributeError("no such list")
        registering._WAITING["slow.inner"] = gone
        cowarray.register()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            import slow.inner
        assert slow.inner.done
        [warning] = told
        assert "slow does not take cowarray's arrays: AttributeError: no such list" in str(warning.message)
        """,
    )


def test_what_is_not_installed_is_not_missed():
    passes(
        STAGE,
        """
        registering._WAITING["no_such_package"] = lambda: entered.append(1)
        cowarray.register()
        try:
            import no_such_package
        except ModuleNotFoundError as error:
            assert error.name == "no_such_package"
        else:
            raise AssertionError
        """,
    )
