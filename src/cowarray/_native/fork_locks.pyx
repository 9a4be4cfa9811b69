# cython: freethreading_compatible=True
"""Locks that whoever forks holds, so that no child begins with one of a thread that it lacks.

`importing` is that of whoever imports a module when it is first needed. A child that is forked while another thread
imports would wait for that thread for ever, at its own first import. Of these locks it is the last that a thread takes.

It is compiled: the handler of a signal runs between the bytecodes of Python code, so none comes in between a lock that
is taken and the note of it.
"""

import logging
import os
import threading

# It has a lock that a fork takes, and here, registered earlier, takes after these: who imports may want it, and so may
# finalizers that run meanwhile. It is no module to import while another thread forks: see the end.
del logging

importing = threading.RLock()
cdef list locks = [importing]
cdef list taken = []  # by a fork


def new_fork_lock():
    """A lock for a module that is imported when it is first needed, perhaps while another thread forks.

    Returns
    -------
    RLock
    """
    lock = threading.RLock()
    locks.append(lock)
    return lock


def take():
    """Take all of them. What handlers of signals raise meanwhile is raised at the end; `fork` reports it."""
    cdef object interruption = None
    cdef list held = []
    while len(held) < len(locks):  # others may be made meanwhile
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
    """Give back what a fork has taken. With the last one another fork may take all."""
    cdef Py_ssize_t _i
    for _i in range(len(taken)):
        taken.pop().release()


# Once, with the package: functions that are registered while another thread forks are called after that fork alone.
os.register_at_fork(before=take, after_in_parent=release, after_in_child=release)
