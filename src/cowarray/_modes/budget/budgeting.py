"""`budget`: a block whose arrays leave memory when there are too many, and come back when somebody needs them."""

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
    """An attribute that is what `stats` has by its name."""

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
    """Context manager and decorator that keeps the arrays that are computed inside within so many bytes of memory.

    When there is no room for a result, arrays leave memory: those that are cheap to make again for the bytes they free.
    An access to such an array first makes it again from its inputs, or reads it back from a file (`spill`). Its bytes
    are the very same, whatever was written, drawn or changed since. Shape, dtype and strides stay.

    Parameters
    ----------
    nbytes : int, float or str
        The budget, in bytes; or with a unit, ``"2 GiB"``. It counts the bytes of the arrays that are computed inside,
        and those of the arrays outside that they were computed from; each allocation once. What NumPy needs for itself
        in the middle of an operation is not counted.
    heuristic : {"dtr", "local", "lru", "size", "random"}, default "dtr"
        What leaves first. "dtr": what costs least to make again, with all that is away and needed for it, for its bytes
        and the time since it was used. "local": the same without what else is away. "lru": what was used longest ago.
        "size": the largest. "random": any. All but the first can compute the same thing very many times.
    cost : {"model", "clock"}, default "model"
        Whether the time of operations is said by a fixed model of names, sizes and dtypes, or measured. By the model a
        program evicts the same arrays each time, in one thread, without `spill`, and but for what waits for the garbage
        collector. A busy machine misleads measured times.
    spill : str or path, optional
        A directory for a file to which bytes go where that is cheaper than making them again. The file has no name, so
        nothing is left behind.
    log : str or path, optional
        A file for a log of all operations, as the DTR prototypes write it, for ``python -m cowarray replay``.
    verify : bool, default False
        Whether checksums of bytes that leave and of those that come back are compared; not of arrays with bytes that
        mean nothing, as between the fields of a structure.
    keep, recompute : iterable of str, default ()
        Operations by name ("matmul", "tanh") whose results are never evicted (but may be spilled), and whose results
        leave first.
    sample : bool, default False
        Look only at a random sample of the arrays that may leave, as many as the square root of their number.
    small : int, float or str, default 65536
        Results of fewer bytes stay.

    Attributes
    ----------
    base_time, remat_time, search_time : float
        Seconds in operations, in repeating them, and in looking for what to evict; by `cost` "model", the first two are
        the model's.
    evictions, remakes, spills, spilled_bytes : int
        How often bytes left and were made again; how often they went to a file, and how many.
    peak_bytes, live_bytes : int
        The most that there were at once, and those that there are now.

    Raises
    ------
    ValueError
        `nbytes` or `small` is no size; `heuristic` or `cost` is none of these; a name is in both `keep` and
        `recompute`.
    TypeError
        `nbytes` or `small` is neither a number nor text, `verify` or `sample` no bool, `spill` or `log` no path, or a
        name in `keep` or `recompute` no text.
    RuntimeError
        A block is entered while the budget has been started (`start`), or with a log that is complete; or it is left
        in another context than it was entered in, and has ended.
    OSError
        There can be no file in `spill`, or none for `log`; or, at the end, the log could not be written.
    MemoryError
        Inside: an operation does not fit, with what it reads. It says how many bytes it needs, and at which line;
        nothing has changed.

    See Also
    --------
    checkpoint : Has what is computed from an array managed, also outside of such a block.
    evict : Has an array leave now.

    Notes
    -----
    After the block nothing is enforced, and arrays that are away still come back. What is computed by functions of the
    user, and what is smaller than `small`, cannot be made again and stays; so does what somebody outside writes to,
    through an export. An array with a snapshot or an export stays as long as that lives. Inside, `empty` gives zeros,
    so that what comes back is what left.

    A block holds in its context: in the thread or task that entered it, and in tasks made there while it lasts. Threads
    and tasks may have blocks of the same budget at once, and one may be entered again; the budget ends with the last.
    Of `budget`, `fake` and `deferred`, the innermost block has an operation; inside `simulate` nothing is managed.

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
        # Imported here, and not at the top: it turns on a GIL where there is none.
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
        self._managing, self._outside = managing, outside  # which has the door
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
            This one.

        Raises
        ------
        RuntimeError
            One has been started already, or a block of this one is open.
        """
        self._managing.start(self._run)
        return self

    def stop(self) -> None:
        """End what `start` began.

        Raises
        ------
        RuntimeError
            It has not been started.
        OSError
            The log could not be written. The budget has ended.
        """
        self._managing.stop(self._run)

    def stats(self) -> dict[str, Any]:
        """What has happened so far.

        Returns
        -------
        dict
            The attributes, by name.
        """
        return self._run.stats()

    base_time = _Figure[float]("float: Seconds in operations, as they were done first.")
    remat_time = _Figure[float]("float: Seconds in operations that were repeated.")
    search_time = _Figure[float]("float: Seconds in looking for what to evict.")
    evictions = _Figure[int]("int: How often bytes left to be made again.")
    remakes = _Figure[int]("int: How often bytes were made again.")
    spills = _Figure[int]("int: How often bytes left for the file.")
    spilled_bytes = _Figure[int]("int: How many were written to it.")
    peak_bytes = _Figure[int]("int: The most that there were at once, until the end.")
    live_bytes = _Figure[int]("int: Those that there are now.")
    constants = _Figure[dict[str, int]](
        "dict: Bytes that there are now and that cannot be made again, by line and reason; the most first."
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
    """A managed copy of an array, from which managed arrays are computed, inside a budget or not.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    ndarray
        A lazy copy: a constant, which is never evicted. What is computed from it remembers how, and can be evicted.

    Raises
    ------
    TypeError
        `x` is no `cowarray.ndarray`.
    ValueError
        It is managed already, or another mode has it.

    See Also
    --------
    is_checkpointed : Whether an array is managed.
    decheckpoint : Has it stay.
    evict : Has it leave now.
    budget : Manages all that is computed in a block.

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
    """Whether an array is managed: computed in a `budget`, or from what `checkpoint` gave.

    Parameters
    ----------
    x : object
        Of anything but an array the answer is no.

    Returns
    -------
    bool

    See Also
    --------
    checkpoint : Has what is computed from an array managed.

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
    """Have an array stay: its bytes are brought, and how it was made is forgotten.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    ndarray
        `x` itself. Its views stay as well.

    Raises
    ------
    TypeError
        `x` is no `cowarray.ndarray`.
    MemoryError
        There is no room for its bytes. It is managed as before.

    See Also
    --------
    checkpoint : Has what is computed from an array managed.

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
    """Where the bytes of an array are, if they have been evicted, and what it takes to bring them; else an empty text.

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
    """Free the bytes of a managed array, and of all that share them; they come back when somebody needs them.

    Parameters
    ----------
    x : ndarray

    Raises
    ------
    TypeError
        `x` is no `cowarray.ndarray`.
    BufferError
        It is not managed; it is a constant, which cannot be made again; or somebody holds the bytes: an export, a
        snapshot, a lazy copy that is not managed, an operation. The message says who. Nothing has changed.

    See Also
    --------
    budget : Evicts when there is no room.
    checkpoint : Has what is computed from an array managed.

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
