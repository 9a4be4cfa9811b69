"""`by_descriptor`: arrays that go to other processes as descriptors."""

import math
import numbers
import os
import sys
from types import TracebackType
from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._native.fork_locks import importing, new_fork_lock
from cowarray._native.public import public
from cowarray._native.storage import Storage

__all__ = ["by_descriptor"]

_LOKY = ("joblib.externals.loky.backend.reduction", "loky.backend.reduction")
_AT_EXIT = 30.0  # seconds


class _Hold:
    """A block that holds, or a `start`, which has no owner."""

    def __init__(self, owner: object, lease: float) -> None:
        self.owner, self.lease = owner, lease


_lock = new_fork_lock()
_holds: list[_Hold] = []
_replaced: list[tuple[Any, type, Any]] = []  # in tables of reducers: table, class, what it had


@public
class by_descriptor:
    """Context manager in which large arrays go to other processes of this machine without their bytes.

    An array of 4 MiB or more that multiprocessing (`Process`, `Pool`, `Queue`, `Pipe`, `concurrent.futures`) or loky
    (joblib) pickles goes as a ticket. Its bytes are put into a frozen base once, the copy that pickling would have
    made. The receiver maps that base privately, reads it at no cost, and pays for the pages that it writes; nobody can
    change what another sees. A process that has the base already, as when a worker's result comes back, gets the pages
    that have changed, and nothing else.

    It holds for the whole process, and for children that are forked meanwhile. Other workers send their results as
    tickets once they have called `start`: ``ProcessPoolExecutor(initializer=cowarray.by_descriptor.start)``. Any
    process can receive.

    Parameters
    ----------
    lease : float, default 3600.0
        Seconds for which an array is kept for a receiver that has not fetched it. Then it is dropped. Of several blocks
        that are open in the process, and `start`, the longest holds.

    Raises
    ------
    TypeError
        `lease` is no number.
    ValueError
        It is not positive.

    See Also
    --------
    merge : Puts together what several processes have changed of one array.
    changes : Where two arrays differ.

    Notes
    -----
    A receiver that cannot fetch, because the sender has ended, or the lease, or it runs on another machine, gets an
    array whose first use raises an OSError that says so. If the sender is only slow, that is a TimeoutError, and the
    next use tries again. At its end a process waits until others have fetched what it
    sent, for 30 seconds at most. Where no base can be had (an array that a mode watches, no pages, few descriptors),
    the bytes are pickled, as ever. Arrays that are views of one Storage stay so within one message, if each has 4 MiB.

    joblib's reducers are set if joblib was imported before.

    Examples
    --------
    >>> import cowarray, multiprocessing
    >>> x = cowarray.zeros(2**20)
    >>> receiver, sender = multiprocessing.Pipe(duplex=False)
    >>> with cowarray.by_descriptor():
    ...     sender.send(x)
    ...     y = receiver.recv()
    >>> y[0] = 1.0
    >>> y.sum(), x.sum()
    (np.float64(1.0), np.float64(0.0))
    """

    def __init__(self, *, lease: float = 3600.0) -> None:
        self._lease = _checked(lease)

    def __enter__(self) -> None:
        _begin(self, self._lease)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _end(self)

    @staticmethod
    def start(lease: float = 3600.0) -> None:
        """Send arrays as tickets until `stop` has been called as often.

        Parameters
        ----------
        lease : float, default 3600.0
            As of the block.

        Raises
        ------
        TypeError
            `lease` is no number.
        ValueError
            It is not positive.
        """
        _begin(None, _checked(lease))

    @staticmethod
    def stop() -> None:
        """End what `start` began. What was sent can be fetched until its lease is over.

        Raises
        ------
        RuntimeError
            Nothing was started, or it has been stopped already.
        """
        if not _end(None):
            raise RuntimeError("by_descriptor: stop without a start")

    @staticmethod
    def stats() -> dict[str, int]:
        """What this process has sent and received, in arrays (Storages).

        Returns
        -------
        dict
            ``sent`` as tickets; ``sent_as_bytes``, since no base could be had; ``leases`` that are open; ``fetched``;
            ``held``: received, while the base was here already; ``lost``: received, and could not be fetched.
        """
        with importing:
            from cowarray._processes.sharing import sharer
            from cowarray._processes.tickets import counted

        names = ("sent", "sent_as_bytes", "fetched", "held", "lost")
        return {"leases": sharer().count, **{name: counted[name] for name in names}}


def _checked(lease: object) -> float:
    if isinstance(lease, bool) or not isinstance(lease, numbers.Real):
        raise TypeError(f"by_descriptor: lease must be a number of seconds (got {lease!r})")
    try:
        seconds = float(lease)
    except OverflowError:
        seconds = math.nan
    if not seconds > 0:
        raise ValueError(f"by_descriptor: lease must be a positive number of seconds, as a float (got {lease!r})")
    return seconds


def _tables() -> list[Any]:
    """The tables of reducers, by class, of multiprocessing, and of loky where it was imported."""
    with importing:
        from multiprocessing.reduction import ForkingPickler

    found: list[Any] = [ForkingPickler._extra_reducers]  # type: ignore[attr-defined]
    return found + [sys.modules[name]._dispatch_table for name in _LOKY if name in sys.modules]


def _begin(owner: object, lease: float) -> None:
    hold = _Hold(owner, lease)
    try:
        with _lock:
            _wait_at_exit()
            _holds.append(hold)
            _settle()
    except BaseException:  # an interrupt: no block has begun that would end this
        _drop(hold)
        raise


def _end(owner: object) -> bool:
    """End the last hold of an owner. False: there is none."""
    hold: _Hold | None = None
    try:
        hold = _last_of(owner)
        if hold is not None:
            _drop(hold)
    except BaseException:  # an interrupt
        hold = hold or _last_of(owner)
        if hold is not None:
            _drop(hold)
        raise
    return hold is not None


def _last_of(owner: object) -> _Hold | None:
    with _lock:
        return next((each for each in reversed(_holds) if each.owner is owner), None)


def _drop(hold: _Hold) -> None:
    """What is done twice is done once."""
    with _lock:
        if hold in _holds:
            _holds.remove(hold)
        _settle()


def _settle() -> None:
    """With the lock: have the tables and the sharer as the holds say."""
    with importing:
        from cowarray._processes.sharing import sharer
        from cowarray._processes.tickets import lease_time, reduce_array, reduce_storage

    if _holds:
        for table in _tables():
            for kind, reduce in ((ndarray, reduce_array), (Storage, reduce_storage)):
                if table.get(kind) is not reduce:
                    _replaced.append((table, kind, table.get(kind)))
                    table[kind] = reduce
        lease_time[0] = max(hold.lease for hold in _holds)
    while _replaced and not _holds:
        table, replaced, before = _replaced[-1]
        if before is None:
            table.pop(replaced, None)
        else:
            table[replaced] = before
        _replaced.pop()
    sharer().want(bool(_holds))


# ---- the end of the process ------------------------------------------------------------------------------------------


class _Hook:
    """What multiprocessing registers its hooks by, weakly."""

    registered = False


_hook = _Hook()


def _wait_at_exit() -> None:
    """Have the end of this process, and of its multiprocessing children, wait for leases."""
    with importing:
        from multiprocessing import util

    if not _hook.registered:
        _finalize(_hook)
        util.register_after_fork(_hook, _finalize)  # which drops what the parent had
        os.register_at_fork(after_in_child=lambda: _finalize(_hook))
        _hook.registered = True  # last: an interrupt before it has all done again, which does no harm


def _finalize(_: object) -> None:
    with importing:
        from multiprocessing import util

    # After queues have written what they had: they do so at -5.
    util.Finalize(None, _wait, exitpriority=-100)


def _wait() -> None:
    with importing:
        from cowarray._processes.sharing import sharer

    try:
        sharer().wait(_AT_EXIT)
    except KeyboardInterrupt:
        return
