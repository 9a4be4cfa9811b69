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
    """An open block, or a `start`, which has no owner."""

    def __init__(self, owner: object, lease: float) -> None:
        self.owner, self.lease = owner, lease


_lock = new_fork_lock()
_holds: list[_Hold] = []
_replaced: list[tuple[Any, type, Any]] = []  # in tables of reducers: table, class, its previous reducer


@public
class by_descriptor:
    """Context manager in which large arrays go to other processes of this machine without their bytes.

    An array of 4 MiB or more that multiprocessing (`Process`, `Pool`, `Queue`, `Pipe`, `concurrent.futures`) or loky
    (joblib) pickles travels as a ticket. Its bytes are copied once to a frozen base, as pickling would have copied
    them. The receiver maps that base privately, reads it at no cost, and pays only for the pages that it writes; no
    process can change another's values. A process that already has the base, as when a worker's result comes back, gets
    only the pages that have changed.

    The block applies to the whole process, and to children forked meanwhile. Other workers send their results as
    tickets once they have called `start`: ``ProcessPoolExecutor(initializer=cowarray.by_descriptor.start)``. Any
    process can receive.

    Parameters
    ----------
    lease : float, default 3600.0
        Seconds for which an array is kept for a receiver that has not fetched it, before it is dropped. If several
        blocks are open in the process (or `start` was called), the longest lease applies.

    Raises
    ------
    TypeError
        `lease` is not a number.
    ValueError
        `lease` is not positive.

    See Also
    --------
    merge : Combines the changes that several processes have made to one array.
    changes : Where two arrays differ.

    Notes
    -----
    A receiver that cannot fetch, because the sender or the lease has ended, or because it runs on another machine, gets
    an array whose first use raises an OSError that says why. If the sender is merely slow, that is a TimeoutError, and
    the next use tries again. At exit a process waits until others have fetched the arrays it sent, for 30 seconds at
    most. Where no base is available (an array that a mode watches, no pages, few descriptors), the bytes are pickled as
    usual. Arrays that are views of one Storage stay so within one message, if each has 4 MiB.

    joblib's reducers are set if joblib has been imported by then.

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
        """Send arrays as tickets until `stop` has been called as often as `start`.

        Parameters
        ----------
        lease : float, default 3600.0
            As for the block.

        Raises
        ------
        TypeError
            `lease` is not a number.
        ValueError
            `lease` is not positive.
        """
        _begin(None, _checked(lease))

    @staticmethod
    def stop() -> None:
        """Undo one `start`. Arrays already sent can be fetched until their leases end.

        Raises
        ------
        RuntimeError
            Every `start` has been stopped already.
        """
        if not _end(None):
            raise RuntimeError("by_descriptor: stop without a start")

    @staticmethod
    def stats() -> dict[str, int]:
        """Count the arrays (Storages) that this process has sent and received.

        Returns
        -------
        dict
            ``sent``: as tickets; ``sent_as_bytes``: because no base was available; ``leases``: open now; ``fetched``;
            ``held``: received when the base was here already; ``lost``: received but could not be fetched.
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
    """Return the tables of reducers, by class: multiprocessing's, and loky's where it was imported."""
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
    except BaseException:  # an interrupt: no block has begun that would drop the hold
        _drop(hold)
        raise


def _end(owner: object) -> bool:
    """End an owner's last hold; return False if it has none."""
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
    """Drop a hold; a second call does nothing more."""
    with _lock:
        if hold in _holds:
            _holds.remove(hold)
        _settle()


def _settle() -> None:
    """With the lock: make the tables and the sharer match the holds."""
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
    """The object by which multiprocessing, weakly, registers the hooks."""

    registered = False


_hook = _Hook()


def _wait_at_exit() -> None:
    """Make this process and its multiprocessing children wait for leases when they end."""
    with importing:
        from multiprocessing import util

    if not _hook.registered:
        _finalize(_hook)
        util.register_after_fork(_hook, _finalize)  # which drops the parent's
        os.register_at_fork(after_in_child=lambda: _finalize(_hook))
        _hook.registered = True  # last: after an interrupt all of it is repeated, harmlessly


def _finalize(_: object) -> None:
    with importing:
        from multiprocessing import util

    # After queues have written their items, at priority -5.
    util.Finalize(None, _wait, exitpriority=-100)


def _wait() -> None:
    with importing:
        from cowarray._processes.sharing import sharer

    try:
        sharer().wait(_AT_EXIT)
    except KeyboardInterrupt:
        return
