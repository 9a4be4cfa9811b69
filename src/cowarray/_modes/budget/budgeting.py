"""`budget`: a block that evicts arrays from memory when they do not fit, and restores each at its next access."""

import os
import sys
from collections.abc import Iterable
from typing import Any, Generic, Literal, Never, Self, TypeVar, overload

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.entering import Mode
from cowarray._modes.common.sizes import nbytes_of
from cowarray._native.fork_locks import importing
from cowarray._native.public import public

__all__ = ["budget", "checkpoint", "decheckpoint", "evict", "is_checkpointed"]

_Array = TypeVar("_Array", bound=ndarray)
_Value = TypeVar("_Value")

_HEURISTICS = ("dtr", "local", "lru", "size", "random")
_COSTS = ("model", "clock")


class _Figure(Generic[_Value]):
    """An attribute that reads the entry of `stats` with its name."""

    def __init__(self, text: str) -> None:
        self.__doc__ = text

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, run: "budget", value: Never) -> None:
        raise AttributeError(f"budget: {self._name} is what has happened, and cannot be set")

    @overload
    def __get__(self, run: None, owner: type) -> Self: ...
    @overload
    def __get__(self, run: "budget", owner: type | None = None) -> _Value: ...
    def __get__(self, run: "budget | None", owner: type | None = None) -> Any:
        return self if run is None else run.stats()[self._name]


@public
class budget(Mode):
    """Context manager and decorator that keeps the arrays computed inside within a given number of bytes of memory.

    When a result does not fit, arrays are evicted: those that are cheapest to recompute for the bytes they free.
    Accessing an evicted array first recomputes it from its inputs, or reads it back from a file (`spill`). Its bytes
    are identical, whatever was written, drawn or changed since. It keeps its shape, dtype and strides meanwhile.

    Parameters
    ----------
    nbytes : int, float or str
        The budget, in bytes, or with a unit: ``"2 GiB"``. It counts the bytes of the arrays that are computed inside,
        and of the outside arrays that they were computed from, each allocation once. NumPy's temporaries within an
        operation are not counted.
    heuristic : {"dtr", "local", "lru", "size", "random"}, default "dtr"
        Which array is evicted first. "dtr": the cheapest to recompute, together with evicted arrays that are connected
        to it, for its bytes and the time since its last use. "local": the same, without other arrays. "lru": the least
        recently used. "size": the largest. "random": any. All but the first can recompute the same thing very often.
    cost : {"model", "clock"}, default "model"
        Whether operations' times come from a fixed model of names, sizes and dtypes, or are measured. With the model, a
        program in one thread without `spill` evicts the same arrays in every run, apart from arrays that wait for the
        garbage collector. On a busy machine, measured times mislead.
    spill : str or path, optional
        A directory for a file that takes bytes where that is cheaper than recomputing them. The file has no name, so
        nothing is left behind.
    log : str or path, optional
        A file for a log of all operations, in the DTR prototypes' format, for ``python -m cowarray replay``.
    verify : bool, default False
        Whether to compare checksums of recomputed bytes with those of the evicted ones; except for arrays with
        meaningless bytes, such as padding between the fields of a structure.
    keep, recompute : iterable of str, default ()
        Names of operations ("matmul", "tanh"): results of the first are never evicted (but may be spilled), results of
        the second are evicted first.
    sample : bool, default False
        Consider only a random sample of the arrays that may leave, as many as the square root of their number.
    small : int, float or str, default 65536
        Results of fewer bytes are never evicted.

    Attributes
    ----------
    base_time, remat_time, search_time : float
        Seconds spent in operations, in repeating them, and in choosing what to evict; with `cost` "model", the first
        two are the model's.
    evictions, remakes, spills, spilled_bytes : int
        Number of evictions, of recomputations and of spills to the file; number of bytes written to the file.
    peak_bytes, live_bytes : int
        Most bytes in memory at once, and bytes in memory now.

    Raises
    ------
    ValueError
        `nbytes` or `small` is not a size; `heuristic` or `cost` is none of those above; a name is in both `keep` and
        `recompute`.
    TypeError
        `nbytes` or `small` is neither a number nor text, `verify` or `sample` is not a bool, `spill` or `log` is not a
        path, or a name in `keep` or `recompute` is not text.
    RuntimeError
        A block is entered after `start`, or when the log is complete; or it is left in a context other than the one it
        was entered in, and has ended nevertheless.
    OSError
        No file can be created in `spill`, or for `log`; or, at the end, the log could not be written.
    MemoryError
        Inside: an operation and what it reads do not fit. The message says how many bytes it needs, and at which line;
        nothing has changed.

    See Also
    --------
    checkpoint : Manage arrays computed from an array, also outside of such a block.
    evict : Evict an array now.

    Notes
    -----
    After the block nothing is enforced, and evicted arrays still come back. Results of user functions, and results
    smaller than `small`, cannot be recomputed and are not evicted; nor are arrays written from outside, through an
    export. An array with a snapshot or an export stays as long as that lives. Inside, `empty` returns zeros, so that
    recomputed bytes equal the evicted ones.

    A block applies to its context: the thread or task that entered it, and tasks created there while it lasts. Threads
    and tasks may have blocks of the same budget at once, and it may be entered again; it ends with its last block. Of
    `budget`, `fake` and `deferred`, the innermost block handles an operation; inside `simulate` nothing is managed.

    The default heuristic is that of Kirisame et al., "Dynamic Tensor Rematerialization" (2021).

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.linspace(0, 1, 1 << 17)
    >>> with cowarray.budget("4 MiB") as run:
    ...     steps = [x]
    ...     for _ in range(20):
    ...         steps.append(cowarray.tanh(steps[-1]))
    >>> run.peak_bytes <= 4 << 20, run.evictions > 0
    (True, True)
    >>> float(steps[1][0])
    0.0
    """

    def __init__(
        self,
        nbytes: float | str,
        *,
        heuristic: Literal["dtr", "local", "lru", "size", "random"] = "dtr",
        cost: Literal["model", "clock"] = "model",
        spill: str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        verify: bool = False,
        keep: Iterable[str] = (),
        recompute: Iterable[str] = (),
        sample: bool = False,
        small: float | str = 65536,
    ) -> None:
        limit = min(nbytes_of(nbytes, "budget: nbytes"), sys.maxsize)  # more than that is never reached
        least = min(nbytes_of(small, "budget: small"), sys.maxsize)
        if heuristic not in _HEURISTICS:
            raise ValueError(f"budget: heuristic must be one of {_HEURISTICS} (got {heuristic!r})")
        if cost not in _COSTS:
            raise ValueError(f"budget: cost must be one of {_COSTS} (got {cost!r})")
        for name, value in (("verify", verify), ("sample", sample)):
            if type(value) is not bool:
                raise TypeError(f"budget: {name} must be True or False (got {value!r})")
        kept, recomputed = frozenset(_names("keep", keep)), frozenset(_names("recompute", recompute))
        if kept & recomputed:
            raise ValueError(f"budget: {min(kept & recomputed)!r} cannot be both in keep and in recompute")
        spill_path, log_path = _path("spill", spill), _path("log", log)
        # Imported here, not at the top: importing these enables the GIL of a free-threaded Python.
        with importing:
            from cowarray._modes.budget import managing, outside, pools, runs
            from cowarray._modes.common import blocks

        file = log_file = None
        if spill_path is not None:
            with importing:
                from cowarray._modes.budget.spilling import Spill

            file = Spill(spill_path)
        if log_path is not None:
            with importing:
                from cowarray._modes.budget.run_log import RunLog

            log_file = RunLog(log_path)
        held = pools.Pools(limit, heuristic, small=least, sample=sample, spilling=spill is not None)
        self._run = runs.Run(held, cost == "model", verify, log_file, file, kept, recomputed)
        self._managing, self._outside = managing, outside  # `outside` sets the door
        self._nbytes = limit
        super().__init__("budget", blocks.variable, self._run, ((managing.count_block, self._run),), blocks)

    def __repr__(self) -> str:
        now = self.stats()
        return (
            f"<cowarray.budget of {self._nbytes} bytes: {now['live_bytes']} live, peak {now['peak_bytes']}; "
            f"{now['evictions']} evictions, {now['remakes']} remakes, {now['spills']} spills>"
        )

    def start(self) -> Self:
        """Enforce the budget in the whole process from now on, until `stop`; for notebooks.

        Returns
        -------
        budget
            This budget.

        Raises
        ------
        RuntimeError
            A budget has been started already, a block of this one is open, or its log is complete.
        """
        self._managing.start(self._run)
        return self

    def stop(self) -> None:
        """End what `start` began.

        Raises
        ------
        RuntimeError
            This budget has not been started.
        OSError
            The log could not be written. The budget has ended nevertheless.
        """
        self._managing.stop(self._run)

    def stats(self) -> dict[str, Any]:
        """Return the figures so far.

        Returns
        -------
        dict
            The attributes, by name.
        """
        return self._run.stats()

    base_time = _Figure[float]("float: Seconds spent in operations, the first time that each ran.")
    remat_time = _Figure[float]("float: Seconds spent in repeating operations, to bring arrays back.")
    search_time = _Figure[float]("float: Seconds spent in choosing what to evict.")
    evictions = _Figure[int]("int: How often bytes were freed, to be recomputed if needed.")
    remakes = _Figure[int]("int: How often bytes were recomputed.")
    spills = _Figure[int]("int: How often bytes were freed that the file keeps.")
    spilled_bytes = _Figure[int]("int: Bytes written to the file.")
    peak_bytes = _Figure[int]("int: The most bytes in memory at once, until the budget ended.")
    live_bytes = _Figure[int]("int: Bytes in memory now.")
    constants = _Figure[dict[str, int]](
        "dict: Bytes in memory that cannot be recomputed, by line and reason; the most first."
    )


def _path(parameter: str, path: Any) -> Any:
    try:
        return path if path is None else os.fspath(path)
    except TypeError:
        raise TypeError(f"budget: {parameter} must be a path (got {path!r})") from None


def _names(parameter: str, names: Iterable[str]) -> list[str]:
    if not isinstance(names, Iterable):
        raise TypeError(f"budget: {parameter} must be names of operations (got {names!r})")
    names = list(names) if not isinstance(names, str) else [names]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"budget: {parameter} must be names of operations (got {name!r})")
    return names


@public
def checkpoint(x: _Array, /) -> _Array:
    """Return a managed copy of an array: arrays computed from it are managed, inside a budget or not.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    ndarray
        A lazy copy: a constant, which is never evicted. Arrays computed from it can be evicted and recomputed.

    Raises
    ------
    TypeError
        `x` is not a `cowarray.ndarray`.
    ValueError
    `x` is managed already, or belongs to another mode.

    See Also
    --------
    is_checkpointed : Tell whether an array is managed.
    decheckpoint : Keep an array in memory for good.
    evict : Evict an array now.
    budget : Manage everything that is computed in a block.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.checkpoint(cowarray.arange(4.0))
    >>> y = x + 1
    >>> cowarray.evict(y)
    >>> y
    array([1., 2., 3., 4.])
    """
    with importing:
        from cowarray._modes.budget import outside

    _check("checkpoint", x)
    return outside.checkpoint(x)


@public
def is_checkpointed(x: object, /) -> bool:
    """Tell whether an array is managed: computed in a `budget`, returned by `checkpoint`, or computed from such arrays.

    Parameters
    ----------
    x : object
        False for anything but an array.

    Returns
    -------
    bool

    See Also
    --------
    checkpoint : Manage what is computed from an array.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.checkpoint(cowarray.ones(3))
    >>> cowarray.is_checkpointed(x * 2), cowarray.is_checkpointed(cowarray.ones(3))
    (True, False)
    """
    with importing:
        from cowarray._modes.budget import outside

    return isinstance(x, ndarray) and outside.is_checkpointed(x)


@public
def decheckpoint(x: _Array, /) -> _Array:
    """Keep an array in memory: bring back its bytes, and forget how it was made.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    ndarray
        `x` itself. Its views stay in memory as well.

    Raises
    ------
    TypeError
        `x` is not a `cowarray.ndarray`.
    MemoryError
    There is no room for its bytes. `x` stays managed.

    See Also
    --------
    checkpoint : Manage what is computed from an array.

    Examples
    --------
    >>> import cowarray
    >>> y = cowarray.decheckpoint(cowarray.checkpoint(cowarray.ones(3)) + 1)
    >>> cowarray.is_checkpointed(y)
    False
    """
    _check("decheckpoint", x)
    with importing:
        from cowarray._modes.budget import outside

    outside.decheckpoint(x)
    return x


def where_away(x: ndarray) -> str:
    """Say where an evicted array's bytes are, and what it takes to bring them back; empty if they are present.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    str
    """
    with importing:
        from cowarray._modes.budget import outside

    return outside.where_away(x)


@public
def evict(x: ndarray, /) -> None:
    """Free the bytes of a managed array, and of all arrays that share them; they come back at the next access.

    Parameters
    ----------
    x : ndarray

    Raises
    ------
    TypeError
        `x` is not a `cowarray.ndarray`.
    BufferError
    `x` is not managed; it is a constant, which cannot be recomputed; or its bytes are held by an export, a
    snapshot, a lazy copy that is not managed, or an operation. The message says by which. Nothing has changed.

    See Also
    --------
    budget : Evict arrays when there is no room.
    checkpoint : Manage what is computed from an array.

    Examples
    --------
    >>> import cowarray
    >>> y = cowarray.checkpoint(cowarray.arange(3)) * 2
    >>> cowarray.evict(y)
    >>> y.tolist()
    [0, 2, 4]
    """
    _check("evict", x)
    with importing:
        from cowarray._modes.budget import outside

    outside.evict(x)


def _check(name: str, x: object) -> None:
    if not isinstance(x, ndarray):
        raise TypeError(f"{name}: expected a cowarray.ndarray (got {type(x).__name__})")
