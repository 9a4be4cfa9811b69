"""Running a user's program, written for NumPy, on this library: as Python would, except for the meaning of `numpy`.

The import rule: in the program, `import numpy` gives stand-ins (`stand_ins`); elsewhere it gives NumPy. The importing
code decides, so `sys.modules` is unchanged, and `builtins.__import__` and `importlib.import_module` apply the rule. The
program is the script or module that is run, the modules below its folder that are not installed there, and the packages
that the user names.

The program runs in this process, as ``__main__``. Its threads start in a context with the mode in force, as do the
processes that `multiprocessing` starts.

One file, because one rule decides for imports, for the code that runs, and for its threads and processes.
"""

import _thread
import atexit
import builtins
import contextlib
import contextvars
import functools
import importlib
import importlib.machinery
import importlib.util
import io
import os
import pkgutil
import sys
import sysconfig
import threading
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn

import numpy as np

from cowarray._face.ndarray import set_namespace
from cowarray._ops.operands import provide
from cowarray._tools.compiled import watch_imports
from cowarray._tools.frameless import Followed
from cowarray._tools.stand_ins.array_class import take_class, with_numpys_class
from cowarray._tools.stand_ins.asked_classes import give_numpys_array, give_own_functions
from cowarray._tools.stand_ins.modules import StandIns
from cowarray._tools.stand_ins.values import taken_in

__all__ = ["CannotRun", "Program", "run"]

_Replacing = Callable[[], dict[Any, Any]]  # replacements for functions and classes of NumPy's
_threading: Any = threading  # its private names
_Told = Callable[[BaseException], object]

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Compiled code names its file by the path from which it was compiled.
_OWN_FILES = (
    *(_FOLDER + name for name in ("programs.py", "compiled.py", os.path.join("stand_ins", ""))),
    "src/cowarray/_tools/frameless.pyx",
)
_INSTALLED = frozenset(("site-packages", "dist-packages"))


class CannotRun(Exception):
    """The error of a program that cannot be started; its text is for the user."""


class Program:
    """A script or a module, with its arguments.

    Parameters
    ----------
    target : str
        The path of a script, or of a folder or archive with a ``__main__.py``; or the name of a module.
    arguments : sequence of str
    module : bool, default False
        Whether `target` names a module.
    include : sequence of str, optional
        Packages that count as parts of the program, wherever they are.
    replacing : callable, optional
        Called without arguments; returns a dict of replacements for NumPy's functions and classes. It must be
        picklable.
    """

    def __init__(
        self,
        target: str,
        arguments: Sequence[str] = (),
        *,
        module: bool = False,
        include: Sequence[str] = (),
        replacing: _Replacing = dict,
    ) -> None:
        self.target = target
        self.arguments = list(arguments)
        self.module = module
        self.include = tuple(include)
        self.replacing = replacing

    def not_imported(self) -> list[str]:
        """Return the named packages of which this process has imported nothing.

        Returns
        -------
        list of str
        """
        return [package for package in self.include if not _is_imported(package)]

    def prepare(self) -> "ImportRule":
        """Set up `sys` as Python does, and find where the program's own modules lie.

        Returns
        -------
        ImportRule
        """
        safe = getattr(sys.flags, "safe_path", False)
        if self.module:
            sys.argv = ["-m", *self.arguments]
            package = self.target.partition(".")[0]
            return ImportRule(os.getcwd(), (*self.include, package), self.replacing)
        path = os.path.join(os.getcwd(), self.target)
        sys.argv = [self.target, *self.arguments]
        folder = path if self._importer() is not None else os.path.dirname(os.path.realpath(path))
        if not safe:
            sys.path[0] = folder
        elif folder == path:
            sys.path.insert(0, folder)
        return ImportRule(folder, self.include, self.replacing)

    def _importer(self) -> Any:
        """Return the importer for a folder or an archive; None for a script."""
        return None if self.module else pkgutil.get_importer(os.path.join(os.getcwd(), self.target))

    def load(self) -> tuple[types.CodeType, types.ModuleType]:
        """Find and compile the program. A module's packages are imported first, which runs their code.

        Returns
        -------
        code, module
            The code to run, and the ``__main__`` to run it in.

        Raises
        ------
        CannotRun
            There is no such program, or its source is not Python.
        """
        if self.module:
            spec = self._find_module()
        elif (importer := self._importer()) is not None:
            spec = importer.find_spec("__main__")
            if spec is None:
                raise CannotRun(f"can't find '__main__' module in {self.target!r}")
        else:
            return self._load_script()
        loader: Any = spec.loader
        try:
            code = loader.get_code(spec.name)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise CannotRun(_as_python_says(error)) from None
        except (AttributeError, ImportError):
            code = None
        if code is None:
            raise CannotRun(f"no code object available for {spec.name}")
        if self.module:
            sys.argv[0] = spec.origin  # type: ignore[assignment]  # None with a strange loader, as in Python
        return code, _main(spec.origin, spec, loader, spec.cached, spec.parent)

    def _find_module(self) -> ModuleSpec:
        name = self.target
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                name = f"{name}.__main__"
                spec = importlib.util.find_spec(name)
                if spec is None:
                    raise CannotRun(
                        f"No module named {name}; {self.target!r} is a package and cannot be directly executed"
                    )
        except (ModuleNotFoundError, ValueError, TypeError) as error:
            # An import that fails within the program's own packages is the program's error.
            missing = getattr(error, "name", None)
            if missing is not None and not (name == missing or name.startswith(f"{missing}.")):
                raise
            spec = None
        if spec is None:
            raise CannotRun(f"No module named {name}")
        if spec.loader is None:
            raise CannotRun(f"{name!r} is a namespace package and cannot be executed")
        return spec

    def _load_script(self) -> tuple[types.CodeType, types.ModuleType]:
        path = os.path.join(os.getcwd(), self.target)
        try:
            if path.endswith(".pyc"):
                loader: Any = importlib.machinery.SourcelessFileLoader("__main__", path)
                return loader.get_code("__main__"), _main(path, None, loader)
            with io.open_code(path) as opened:
                source = opened.read()
        except OSError as error:
            raise CannotRun(f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}") from None
        except (ValueError, ImportError, EOFError) as error:  # a null byte in the name; a damaged .pyc
            raise CannotRun(f"can't open file {path!r}: {error}") from None
        try:
            code = compile(source, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise CannotRun(_as_python_says(error)) from None
        return code, _main(path, None, importlib.machinery.SourceFileLoader("__main__", path))


def _main(
    file: str | None, spec: ModuleSpec | None, loader: Any, cached: str | None = None, package: str | None = None
) -> types.ModuleType:
    main = types.ModuleType("__main__")
    vars(main).update(
        __file__=file, __spec__=spec, __loader__=loader, __cached__=cached, __package__=package, __builtins__=builtins
    )
    return main


def _as_python_says(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).rstrip("\n")


# ---- who imports -----------------------------------------------------------------------------------------------------


class ImportRule:
    """The rule for which modules are the program's, and for what `numpy` is in them.

    Parameters
    ----------
    folder : str
        Modules below it are the program's, unless they are installed there.
    include : sequence of str
        Packages that are the program's, wherever they are.
    replacing : callable, optional
        As in `Program`.
    """

    def __init__(self, folder: str, include: Sequence[str], replacing: _Replacing = dict) -> None:
        self.folder = os.path.join(os.path.realpath(folder), "")
        self.include = tuple(include)
        self.replacing = replacing
        self.stand_ins = StandIns(replacing())
        self._files: dict[str, bool] = {}
        self._told: object = None
        self._awaited = [*_ASKING]
        paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")} | {os.path.dirname(os.__file__)}
        libraries = [os.path.join(os.path.realpath(path), "") for path in paths if path]
        self._libraries = tuple(path for path in libraries if not self.folder.startswith(path))
        self._standard = tuple(os.path.join(path, "lib-dynload", "") for path in libraries)

    def covers(self, space: Mapping[str, Any] | None, frame: types.FrameType | None) -> bool:
        """Tell whether code is the program's. Code with neither name nor file belongs to its caller.

        Parameters
        ----------
        space : dict or None
            Its globals, if they are known.
        frame : frame
            The caller's.

        Returns
        -------
        bool
        """
        found = None if space is None else self._covers(space)
        while found is None and frame is not None:
            found = self._covers(frame.f_globals)
            frame = frame.f_back
        return bool(found)

    def _covers(self, space: Mapping[str, Any]) -> bool | None:
        name = space.get("__name__")
        name = name if isinstance(name, str) else ""
        if name.partition(".")[0] in ("cowarray", "numpy"):
            return False
        if name in ("__main__", "__mp_main__"):
            return True
        if any(name == each or name.startswith(f"{each}.") for each in self.include):
            return True
        file = space.get("__file__") or getattr(space.get("__spec__"), "origin", None)
        return self.has(file) if isinstance(file, str) and file not in ("built-in", "frozen") else None

    def has(self, file: str) -> bool:
        """Tell whether a file is the program's."""
        known = self._files.get(file)
        if known is None:
            path = os.path.realpath(file)
            inside = path.startswith(self.folder) and not path.startswith(self._libraries)
            known = inside and _INSTALLED.isdisjoint(path.removeprefix(self.folder).split(os.sep))
            # A package's tests may be imported under other names.
            known = known or any(path.startswith(folders) for folders in map(_folders_of, self.include))
            self._files[file] = known
        return known

    def install(self) -> None:
        """Apply the rule from now on."""

        def imported(
            module: types.ModuleType,
            name: str,
            globals: Mapping[str, Any] | None = None,
            locals: Mapping[str, Any] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> types.ModuleType:
            if self._awaited:
                self._meet()
            if level or not _is_numpys(name) or not self.covers(globals, sys._getframe(1)):
                return module
            quiet = "*" in (fromlist or ())
            return self.stand_ins.of(sys.modules[name if fromlist else "numpy"], quiet=quiet)

        def built(kind: Any, body: Any, *args: Any, **kwargs: Any) -> Any:
            if self.covers(body.__globals__, None):
                give_numpys_array(kind)
                give_own_functions(kind)
            take_class(kind)
            return kind

        def namespace(api_version: str | None) -> types.ModuleType:
            own: types.ModuleType = importlib.import_module("cowarray.array_api._namespace").namespace(api_version)
            return self.stand_ins.of(np) if self.covers(None, sys._getframe(1)) else own

        self.stand_ins.install()
        set_namespace(namespace)
        _take_classes(np.ndarray)
        builtins.__import__ = Followed(builtins.__import__, imported)
        builtins.__build_class__ = Followed(builtins.__build_class__, built, with_numpys_class)
        importlib.import_module = self._for_its_caller(importlib.import_module)
        watch_imports(self._leaves_alone, self._takes_in)

    def _for_its_caller(self, import_module: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function that imports, so that the rule applies to the calling code."""

        def imported(module: Any, *args: Any, **kwargs: Any) -> Any:
            name = getattr(module, "__name__", None)
            return self.stand_ins.of(module) if _is_numpys(name) and self.covers(None, sys._getframe(1)) else module

        return Followed(import_module, imported)

    def _leaves_alone(self, module: types.ModuleType) -> bool:
        """Tell whether a compiled module gets arrays as they are: NumPy's, the library's, the standard library's."""
        if module.__name__.partition(".")[0] in ("cowarray", "numpy"):
            return True
        return os.path.realpath(getattr(module, "__file__", None) or "").startswith(self._standard)

    def _takes_in(self, module: types.ModuleType) -> Callable[[Any], Any] | None:
        return taken_in if self._covers(vars(module)) else None

    def tell(self, told: object) -> None:
        """Make processes that start from now on unpickle an object before they import anything of the program.

        Parameters
        ----------
        told : object
            It is unpickled for its effect.
        """
        self._told = told
        self._awaited += _STARTERS
        self._meet()

    def _meet(self) -> None:
        for name in list(self._awaited):
            function = _ASKING.get(name, "get_preparation_data")
            if (found := getattr(sys.modules.get(name), function, None)) is not None:
                self._awaited.remove(name)
                met = self._for_its_caller if name in _ASKING else self._preparing
                setattr(sys.modules[name], function, met(found))

    def _preparing(self, prepare: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        @functools.wraps(prepare)
        def preparing(*args: Any, **kwargs: Any) -> dict[str, Any]:
            return {**prepare(*args, **kwargs), "cowarray": self._told}

        return preparing


# These pickle the data that processes begin with, in which an unknown key is unpickled first.
_STARTERS = ("multiprocessing.spawn", "loky.backend.spawn", "joblib.externals.loky.backend.spawn")


# Functions that import for their caller, by module.
_ASKING = {"_pytest.outcomes": "importorskip"}


def _folders_of(package: str) -> tuple[str, ...]:
    """Return a package's folders, as path prefixes; none while it is not found. Nothing is imported."""
    path: Any = None
    name = ""
    for part in package.split("."):
        name = f"{name}.{part}".lstrip(".")
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or (path := spec.submodule_search_locations) is None:
            return ()
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in path)


def _is_imported(package: str) -> bool:
    """Tell whether a package, or a part of it under any name, has been imported."""
    folders = _folders_of(package)
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            return True
        file = vars(module).get("__file__") if isinstance(module, types.ModuleType) else None
        if folders and isinstance(file, str) and os.path.realpath(file).startswith(folders):
            return True
    return False


def _take_classes(kind: type) -> None:
    """Make all existing subclasses of a class take the program's class in `view`."""
    known: list[type] = type.__subclasses__(kind)
    for each in known:
        take_class(each)
        _take_classes(each)


def _is_numpys(name: object) -> bool:
    return type(name) is str and (name == "numpy" or name.startswith("numpy."))


# ---- running ---------------------------------------------------------------------------------------------------------


def run(
    program: Program,
    enter: Callable[[], object],
    finish: Callable[[int, ImportRule], int],
    failed: Callable[[ImportRule, BaseException], object] | None = None,
) -> int:
    """Run a program to its end in this process, including its threads and its `atexit` functions.

    Parameters
    ----------
    program : Program
    enter : callable
        Called without arguments in the program's context, before any of it runs: enters the modes. It is called again
        in each process that `multiprocessing` starts, so it must be picklable.
    finish : callable
        Called once with the program's exit status and its `ImportRule`, after the program has ended, in the process
        where it began. Returns the status to exit with.
    failed : callable, optional
        Called with the `ImportRule` and each uncaught exception, in any thread, before it is shown.

    Returns
    -------
    int
        The status to exit with.

    Raises
    ------
    CannotRun
        The program was not started. Only `enter` may have been called.
    KeyboardInterrupt
        It ended the program. It is reported already, so `sys.excepthook` is silent.
    """
    began = os.getpid()
    rule = program.prepare()
    rule.install()
    _withhold()
    enter()
    told = _nobody if failed is None else functools.partial(failed, rule)
    _follow(rule, enter, told)
    ended = False

    def end(status: int) -> int:
        nonlocal ended
        if ended or os.getpid() != began:
            return status
        ended = True
        return finish(status, rule)

    leave = os._exit

    @functools.wraps(leave)
    def leaving(status: int) -> NoReturn:
        leave(end(status & 0xFF))

    os._exit = leaving
    kept = sys.modules["__main__"]  # its frames are still running
    raised = None
    try:
        code, main = program.load()
        if "__annotations__" in vars(kept):  # not in Python 3.14
            main.__annotations__ = {}
        sys.modules["__main__"] = main
        exec(code, vars(main))
    except CannotRun:
        os._exit = leave
        raise
    except BaseException as error:
        raised = error
    status = _outcome(raised, told)
    interrupted = isinstance(raised, KeyboardInterrupt)
    del raised  # and everything that its frames hold
    if os.getpid() == began:
        for wait in (_threading._shutdown, atexit._run_exitfuncs):
            raised = None
            try:
                wait()
            except BaseException as error:
                raised = error
            _outcome(raised, told)
        del raised
        status = end(status)
    del kept
    if interrupted:
        # Python then ends the process by the signal, as the sender expects.
        sys.excepthook = _silent
        raise KeyboardInterrupt
    return status


def _silent(*args: object) -> None:
    """An exception hook that shows nothing."""


def _nobody(error: BaseException) -> None:
    """Ignore an exception."""


def _outcome(error: BaseException | None, told: _Told = _nobody) -> int:
    """Return the exit status after an uncaught exception, or after none (None); show it as Python would.

    Do not call this while handling the exception: a hook would notice.
    """
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        with contextlib.suppress(Exception):
            print(error.code, file=sys.stderr)
        return 1
    clean(error)
    told(error)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    sys.last_exc = error  # type: ignore[attr-defined]  # from Python 3.12 on
    second = None
    try:
        _hook()(type(error), error, error.__traceback__)
    except BaseException as raised:
        second = raised
    if isinstance(second, SystemExit):
        return _outcome(second, told)
    if second is not None:
        clean(second)
        _say("Error in sys.excepthook:", second)
        _say("\nOriginal exception was:", error)
    return 1


def _hook() -> Callable[..., object]:
    """Return the function that shows an exception."""
    return getattr(sys, "excepthook", None) or (lambda kind, error, trace: _say("sys.excepthook is missing", error))


def _say(title: str, error: BaseException) -> None:
    with contextlib.suppress(Exception):
        print(title, file=sys.stderr)
        sys.__excepthook__(type(error), error, error.__traceback__)


def clean(error: BaseException | None) -> None:
    """Remove the frames of these modules from the traceback of an exception, and of those that led to it."""
    waiting, seen = [error], set()
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = _without_own(error.__traceback__)
        waiting += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]


def _without_own(first: types.TracebackType | None) -> types.TracebackType | None:
    kept = None
    for each in reversed(list(_entries(first))):
        if not each.tb_frame.f_code.co_filename.startswith(_OWN_FILES):
            each.tb_next = kept
            kept = each
    return kept


def _entries(trace: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


# ---- threads and processes -------------------------------------------------------------------------------------------


def _follow(rule: ImportRule, enter: Callable[[], object], told: _Told = _nobody) -> None:
    """Make threads, and processes of `multiprocessing`, begin with the modes in force in this context."""
    base = contextvars.copy_context()

    start_new_thread = _thread.start_new_thread

    @functools.wraps(start_new_thread)
    def start_thread(function: Any, args: Any, /, *kwargs: Any) -> int:
        if not callable(function) or not isinstance(args, tuple):
            return start_new_thread(function, args, *kwargs)  # it says what is wrong
        return start_new_thread(base.copy().run, (function, *args), *kwargs)

    _thread.start_new_thread = _thread.start_new = start_thread
    if hasattr(_threading, "_start_new_thread"):
        _threading._start_new_thread = start_thread
    if hasattr(_threading, "_start_joinable_thread"):  # Python 3.13
        start_joinable_thread = _threading._start_joinable_thread

        @functools.wraps(start_joinable_thread)
        def start_joinable(function: Any, *args: Any, **kwargs: Any) -> Any:
            return start_joinable_thread(functools.partial(base.copy().run, function), *args, **kwargs)

        _threading._start_joinable_thread = start_joinable
    flags: Any = sys.flags
    if hasattr(flags, "thread_inherit_context"):  # Python 3.14: each thread then runs in a new context
        start = threading.Thread.start

        @functools.wraps(start)
        def start_in_context(self: Any) -> None:
            if getattr(self, "_context", self) is None and not flags.thread_inherit_context:
                self._context = base.copy()
            start(self)

        threading.Thread.start = start_in_context  # type: ignore[method-assign]  # for every thread there will be
    show = threading.excepthook

    @functools.wraps(show)
    def show_clean(args: threading.ExceptHookArgs, /) -> None:
        if args.exc_value is not None:
            clean(args.exc_value)
            told(args.exc_value)
            args = threading.ExceptHookArgs((args.exc_type, args.exc_value, args.exc_value.__traceback__, args.thread))
        show(args)

    threading.excepthook = show_clean
    rule.tell(_Following(rule.folder, rule.include, rule.replacing, enter))


class _Following:
    """The object that a process unpickles when the program starts it."""

    def __init__(self, *told: Any) -> None:
        self.told = told

    def __reduce__(self) -> tuple[Any, ...]:
        return _follow_on, self.told


def _follow_on(folder: str, include: Sequence[str], replacing: _Replacing, enter: Callable[[], object]) -> None:
    rule = ImportRule(folder, include, replacing)
    rule.install()
    _withhold()
    enter()
    _follow(rule, enter)


def _withhold() -> None:
    """Remove attributes that NumPy's arrays lack, and by which libraries choose a format."""
    provide(_repr_html_=None)
