"""Rehearsals find the results and writes of an operation without running it: by the rules of fakes, on ghosts.

While the rules run, a finalizer or signal handler of the program may compute, and must get its usual results. The rules
and NumPy's code call no function of the program, so the frame tells which operations are its own.
"""

from contextvars import Context

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF

from cowarray._array.array cimport Array, descr_of, is_array, storage_for
from cowarray._c.frames cimport PyFrameObject
from cowarray._c.numpy cimport NPY_VSTRING, PyDataType_REFCHK
from cowarray._modes.common.blocks cimport current_in, put_in, take_out
from cowarray._modes.common.dispatching cimport dispatch, enlist, Found, Handler, LEFT, REHEARSALS
from cowarray._modes.common.quiet cimport hush, unhush
from cowarray._modes.common.sites cimport program_frame, site_at
from cowarray._modes.common.thread cimport Instead, this_thread, Thread
from cowarray._modes.fake.fakes cimport Ledger, origin_at
from cowarray._modes.record.nodes cimport find_traced, new_ghost, placed, Traced
from cowarray._native.storage cimport fake_storage, modes_in_use, Storage, window_size
from cowarray._ops.operands cimport has_plain_bounds, is_harmless

from cowarray._modes.fake import passing
from cowarray._modes.fake.calls import Block, Call
from cowarray._modes.fake.faking import follow
from cowarray._modes.record.draws import NotRecorded

cnp.import_array()

# Imported so that its handler is enlisted: the rules compute with ghosts.
cdef object stands_on = passing

cdef object copy_mode = np._CopyMode


@cython.final
cdef class RehearsalsHandler(Handler):
    """Keeps the operations of interrupting code apart from the rehearsal that it interrupts."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        if thread.recorded is None or (<Rehearsal?>thread.recorded).frame == outer_frame():
            return LEFT
        return dispatch_apart(thread, block, operation, function, args, kwargs)


enlist(REHEARSALS, RehearsalsHandler())


cdef object dispatch_apart(Thread thread, object inner, str operation, object function, tuple args, dict kwargs):
    """Do an operation of interrupting code as if nothing were being rehearsed."""
    cdef Rehearsal rehearsal = <Rehearsal?>thread.recorded
    cdef Ledger ledger = rehearsal.block.ledger
    cdef Instead instead = None
    cdef dict written = ledger.written
    if type(inner) is Block and (<object>inner).ledger is ledger:
        instead = put_in(thread, rehearsal.outer)  # otherwise that code has entered its own block
    thread.recorded = None
    ledger.written = None
    try:
        return dispatch(operation, function, args, kwargs)
    finally:
        ledger.written = written
        thread.recorded = rehearsal
        if instead is not None:
            take_out(thread, instead)


cdef void *outer_frame() except? NULL:
    """Return the program's running frame, to compare: it stays the same object while it runs."""
    cdef PyFrameObject *frame = program_frame()
    Py_XDECREF(<PyObject *>frame)
    return <void *>frame


class RehearsedCall(Call):
    """An operation from which only layouts are wanted."""

    __slots__ = ()

    def compute(self, *, forgets=False):
        raise NotRecorded

    def writes(self, x, whole=False, text=False, key=...):
        if not (is_array(x) and (<Array>x).storage_ is not None and (<Array>x).storage_.is_fake):
            raise NotRecorded  # existing bytes are written at once
        return Call.writes(self, x, whole, text, key)


cdef object rehearse(str operation, object function, tuple args, dict kwargs, Rehearsal rehearsal):
    """Return an operation's result on ghosts, and set `rehearsal.written`. Warnings are suppressed."""
    cdef object block = rehearsal.block
    cdef Ledger ledger = block.ledger
    cdef Thread thread = this_thread()
    cdef Instead instead
    rehearsal.written = {}
    call = RehearsedCall(operation, function, args, kwargs, block, rehearsal.first)
    call._origin = rehearsal.origin
    rehearsal.outer = current_in(thread)
    instead = put_in(thread, block)
    ledger.written = rehearsal.written
    thread.recorded = rehearsal
    try:
        hush(thread)
        try:
            if rehearsal.is_repeated and modes_in_use():
                return Context().run(follow, call)
            return follow(call)
        finally:
            unhush(thread)
    except (ValueError, IndexError, MemoryError):
        raise  # as NumPy would
    except Exception:
        raise NotRecorded from None
    finally:
        thread.recorded = None
        take_out(thread, instead)
        ledger.written = None


cdef object blocks = __import__("threading").local()


cdef object own_block():
    """Return the thread's own block, whose ledger counts ghosts."""
    try:
        return blocks.block
    except AttributeError:
        pass
    blocks.block = Block(Ledger(False), 0)
    return blocks.block


cdef class Rehearsal:
    """An operation's arguments in the form that the rules of fakes may see."""

    cdef int stand_here(self) except -1:
        """Record the program's line and frame, and the block and origin of ghosts."""
        cdef PyFrameObject *frame = program_frame()
        self.block = own_block()
        self.frame = <void *>frame
        try:
            self.site = site_at(frame)
            self.origin = origin_at((<object>self.block).ledger, self.site)
        finally:
            Py_XDECREF(<PyObject *>frame)
        return 0

    cdef object show(self, object value):
        cdef type kind = type(value)
        if is_array(value):
            refuse_objects((<Array>value).descr)
            return self.show_array(<Array>value)
        if kind is list:
            return [self.show(item) for item in <list>value]
        if kind is tuple:
            return tuple([self.show(item) for item in <tuple>value])
        if kind is dict:
            return {name: self.show(item) for name, item in (<dict>value).items()}
        if kind is cnp.ndarray:
            refuse_objects(descr_of(value))
            if self.foreign is None:
                self.foreign = []
            self.foreign.append(value)
            return value
        if kind is slice and not has_plain_bounds(value):
            raise NotRecorded
        if is_harmless(value) or type(value) is copy_mode:
            return value
        raise NotRecorded  # it may change, or run the user's code

    cdef object show_array(self, Array x):
        return self.ghost_of(x, find_traced(x))

    cdef object ghost_of(self, Array x, Traced traced):
        """Return the ghost of an array. traced: the doorkeeper of its Storage, if a recorded operation makes that."""
        if self.ghosts is None:
            self.ghosts = []
        for ghost, original, _ in self.ghosts:
            if original is x:
                return ghost
        ghost = self.ghost_of_real(x) if traced is None else new_ghost(x, traced, self.origin)
        self.ghosts.append((ghost, x, traced))
        if self.first is None:
            self.first = ghost
        return ghost

    cdef Array ghost_of_real(self, Array x):
        """Return a ghost of an array that has bytes, of which nothing else is known."""
        cdef Storage storage = storage_for(x)
        for ghost, original, _ in self.ghosts:
            if (<Array>original).storage_ is storage:
                return placed(x, (<Array>ghost).storage_)
        made = fake_storage(window_size(storage), self.origin)
        made.never_shared = storage.never_shared
        return placed(x, made)

    cdef int find_fresh(self, object result, list found) except -1:
        """Append the new arrays in a result to `found`, with their places."""
        self.look_into(result, found, 0)
        return 0

    cdef Py_ssize_t look_into(self, object result, list found, Py_ssize_t place) except -1:
        if isinstance(result, (tuple, list)):
            for item in result:
                place = self.look_into(item, found, place)
            return place
        if is_array(result):
            if (<Array>result).storage_ is None or not (<Array>result).storage_.is_fake:
                self.has_real = True
            elif self.original_on((<Array>result).storage_) is None:
                found.append((place, result))
        return place + 1

    cdef Array original_on(self, Storage storage):
        """Return an array whose ghost lies on a Storage, or None."""
        if self.ghosts is not None:
            for ghost, original, _ in self.ghosts:
                if (<Array>ghost).storage_ is storage:
                    return original
        return None


cdef int refuse_objects(cnp.dtype descr) except -1:
    if PyDataType_REFCHK(descr) or descr.type_num == NPY_VSTRING:
        raise NotRecorded
    return 0
