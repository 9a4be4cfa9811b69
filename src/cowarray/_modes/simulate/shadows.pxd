# What is known of aliases that stand for copies: whose they are, and who wrote which bytes.

cimport cython

from cowarray._array.array cimport Array
from cowarray._modes.simulate.regions cimport Region
from cowarray._native.storage cimport Keeper, Storage


@cython.final
cdef class Run:
    cdef object record
    cdef readonly bint exact
    cdef readonly Py_ssize_t watched  # copies in meaning that became aliases
    cdef Py_ssize_t relied
    cdef Py_ssize_t written  # of those that have ended
    cdef void *living  # its Shadows, borrowed


@cython.final
@cython.no_gc
cdef class Birth:
    cdef object made
    cdef str copied_by
    cdef Run run
    cdef bint relied
    cdef bint wrote  # and it is counted as written


@cython.final
@cython.no_gc
cdef class Mark:
    cdef Region region
    cdef object written
    cdef Birth birth
    cdef Py_ssize_t others  # copies made at the same line that the mark also stands for
    cdef bint exported


cdef class Shadow
cdef class Watch
cdef class Write


@cython.final
@cython.no_gc
cdef class Write:
    cdef Watch watch
    cdef Write before  # of those that wait for memory
    cdef Storage storage  # until it is in the log, as `shadow`
    cdef Shadow shadow  # the writer; None where that has ended
    cdef long long number
    cdef Py_ssize_t writer  # -1: several
    cdef Birth birth  # the writer's
    cdef Region region
    cdef object site
    cdef bint exported
    cdef bint overwrites


@cython.final
@cython.no_gc
cdef class Shadow:
    cdef Watch watch  # None of a Watch's own, which stands for the Storage itself
    cdef Birth birth  # None of that one
    cdef Py_ssize_t number  # in the order in which they were made, from 1; 0 of a Storage's own
    cdef long long seen  # the last write of which it has taken note
    cdef long long born
    cdef bint wrote
    cdef list marks  # None, or what is foreign to it; newer last
    cdef object values  # of a run that is exact: the window's bytes as they would be, where they are foreign; or None
    cdef Region unknown  # where that is not known any more
    cdef void *next
    cdef void *previous
    cdef void *next_of_run
    cdef void *previous_of_run


@cython.final
@cython.no_gc
cdef class Export:
    cdef Py_ssize_t writer
    cdef Birth birth
    cdef Region region
    cdef Py_ssize_t itemsize
    cdef object site
    cdef Run run  # the simulation that is told of writes that its reader sees, or None
    cdef bint would_share  # it would be a snapshot: nobody's writes would be seen
    cdef object saved  # the bytes from `start` on, as they were when last looked at; None as long as no shadow is there
    cdef Py_ssize_t start


@cython.final
@cython.no_gc
cdef class Watch(Keeper):
    cdef Shadow own
    cdef long long number  # of the last write
    cdef list log  # of Writes; each number is greater than the one before
    cdef Write waiting  # the last of those for which there was no memory in the log, or None
    cdef Py_ssize_t ranges  # of bytes, that have come to the log since it was last shortened
    cdef void *first  # a chain of Shadows that are in use, borrowed
    cdef list exports  # or None
    cdef Run exporting  # of the next export, as `would_share`
    cdef bint would_share
    cdef long long sealed  # the last write that others than its writer have taken note of
    cdef bint exact


cdef inline bint was_written(Shadow s) noexcept:
    return s.wrote or s.watch.number > s.born


cdef inline Shadow shadow_of(Watch watch, Array x):
    return watch.own if x.shadow == NULL else <Shadow>x.shadow


cdef Mark new_mark(Region region, object written, Birth birth, Py_ssize_t others, bint exported)
cdef Shadow find_shadow(Watch watch, Py_ssize_t number)
cdef int catch_up(Watch watch, Shadow s) except -1
cdef Birth between(Birth writers, Py_ssize_t writer, Birth readers, Py_ssize_t reader)
cdef int make_own(Shadow s, Region region) except -1
cdef int log(Watch watch, Write write) except -1
cdef int log_waiting(Watch watch) except -1
