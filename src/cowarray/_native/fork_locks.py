"""Locks that whoever forks holds, so that no child begins with one of a thread that it lacks.

`importing` is that of whoever imports a module when it is first needed. A child that is forked while another thread
imports would wait for that thread for ever, at its own first import. Of these locks it is the last that a thread takes.
"""

import os
import threading

__all__ = ["importing", "new_fork_lock"]

importing = threading.RLock()
_locks = [importing]
_taken: list[threading.RLock] = []  # by a fork


def new_fork_lock() -> threading.RLock:
    """A lock for a module that is imported when it is first needed, perhaps while another thread forks.

    Returns
    -------
    RLock
    """
    lock = threading.RLock()
    _locks.append(lock)
    return lock


def _take() -> None:
    while True:
        locks = _locks[::-1]
        for lock in locks:
            lock.acquire()
        if len(locks) == len(_locks):
            _taken.extend(locks)
            return
        for lock in locks:
            lock.release()


def _release() -> None:
    while _taken:
        _taken.pop().release()


# Once, with the package: functions that are registered while another thread forks are called after that fork alone.
os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
