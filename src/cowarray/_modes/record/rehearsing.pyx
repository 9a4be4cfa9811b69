"""What an operation would give and write, found without doing it: by the rules of fakes, on ghosts of its arguments.

While the rules run, a finalizer or a signal handler of the program may compute, and is to get what it would get
anywhere. The rules and NumPy's code run no function of the program there, so what it calls is told by its frame.
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

# Imported to be enlisted: the rules compute with ghosts.
cdef object stands_on = passing

cdef object numpy_dtype = np.dtype
cdef object copy_mode = np._CopyMode


@cython.final
cdef class RehearsalsHandler(Handler):
    """Keeps operations apart from a rehearsal into which their code has come."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        if thread.recorded is None or (<Rehearsal?>thread.recorded).frame == outer_frame():
            return LEFT
        return dispatch_apart(thread, block, operation, function, args, kwargs)


enlist(REHEARSALS, RehearsalsHandler())


cdef object dispatch_apart(Thread thread, object inner, str operation, object function, tuple args, dict kwargs):
    """Do an operation of code that has come in between, as if nothing were being rehearsed."""
    cdef Rehearsal rehearsal = <Rehearsal?>thread.recorded
    cdef Ledger ledger = rehearsal.block.ledger
    cdef Instead instead = None
    cdef dict written = ledger.written
    if type(inner) is Block and (<object>inner).ledger is ledger:
        instead = put_in(thread, rehearsal.outer)  # else that code has a block of its own
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
    """Which frame of the program runs. It stays the same object as long as it runs."""
    cdef PyFrameObject *frame = program_frame()
    Py_XDECREF(<PyObject *>frame)
    return <void *>frame


class RehearsedCall(Call):
    """An operation of which only shape and dtype are asked."""

    __slots__ = ()

    def compute(self, *, forgets=False):
        raise NotRecorded

    def writes(self, x, whole=False, text=False, key=...):
        if not (is_array(x) and (<Array>x).storage_ is not None and (<Array>x).storage_.is_fake):
            raise NotRecorded  # bytes that are there are written now
        return Call.writes(self, x, whole, text, key)


cdef object rehearse(str operation, object function, tuple args, dict kwargs, Rehearsal rehearsal):
    """What an operation gives, and writes, on ghosts; where it stands in the program. Nobody is warned."""
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
    """The thread's own block, on whose ledger ghosts are."""
    try:
        return blocks.block
    except AttributeError:
        pass
    blocks.block = Block(Ledger(False), 0)
    return blocks.block


cdef class Rehearsal:
    """The arguments of an operation as the rules of fakes may see them."""

    cdef int stand_here(self) except -1:
        """Note where it stands in the program, and on whose ledger ghosts are."""
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
        if is_harmless(kind) or isinstance(value, numpy_dtype) or type(value) is copy_mode:
            return value
        raise NotRecorded  # it may change, or run code of the user

    cdef object show_array(self, Array x):
        return self.ghost_of(x, find_traced(x))

    cdef object ghost_of(self, Array x, Traced traced):
        """The ghost of an array, by what is known of its Storage; None: nothing."""
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
        """A ghost of an array of which nothing is known but that it has bytes."""
        cdef Storage storage = storage_for(x)
        for ghost, original, _ in self.ghosts:
            if (<Array>original).storage_ is storage:
                return placed(x, (<Array>ghost).storage_)
        made = fake_storage(window_size(storage), self.origin)
        made.never_shared = storage.never_shared
        return placed(x, made)

    cdef int find_fresh(self, object result, list found) except -1:
        """The arrays in a result that have been born, with their places."""
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
        """An array whose ghost lies on a Storage; None of others."""
        if self.ghosts is not None:
            for ghost, original, _ in self.ghosts:
                if (<Array>ghost).storage_ is storage:
                    return original
        return None


cdef int refuse_objects(cnp.dtype descr) except -1:
    if PyDataType_REFCHK(descr) or descr.type_num == NPY_VSTRING:
        raise NotRecorded
    return 0
