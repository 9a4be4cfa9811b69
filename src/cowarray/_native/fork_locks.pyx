# cython: freethreading_compatible=True
"""Locks that a fork takes first, so that no child inherits one held by a thread that it lacks.

Hold `importing` to import a module on first use. Otherwise a child forked while another thread imports would wait for
that thread forever at its own first import. Of these locks, it is the last that a thread takes.

Compiled, because signal handlers run between Python bytecodes: none can run between taking a lock and recording it.
"""

import logging
import os
import threading

# logging has a lock that a fork takes. Registered before these, it is taken after them: an import may want it, and so
# may finalizers that run meanwhile. Do not import logging while another thread forks: see the end.
del logging

importing = threading.RLock()
cdef list locks = [importing]
cdef list taken = []  # by a fork


def new_fork_lock():
    """Make a lock for a module that is imported on first use, perhaps while another thread forks.

    Returns
    -------
    RLock
    """
    lock = threading.RLock()
    locks.append(lock)
    return lock


def take():
    """Take all locks. An exception from a signal handler meanwhile is raised at the end; `fork` reports it."""
    cdef object interruption = None
    cdef list held = []
    while len(held) < len(locks):  # new locks may be made meanwhile
        while held:
            held.pop().release()
        for lock in locks[::-1]:
            while True:
                try:
                    lock.acquire()
                    break
                except BaseException as error:
                    interruption = error
            held.append(lock)
    taken.extend(held)
    if interruption is not None:
        raise interruption


def release():
    """Release the locks that a fork has taken. After the last release, another fork may take them all."""
    cdef Py_ssize_t _i
    for _i in range(len(taken)):
        taken.pop().release()


# Once, with the package: functions registered while another thread forks are called only after that fork.
os.register_at_fork(before=take, after_in_parent=release, after_in_child=release)
