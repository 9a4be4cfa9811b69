# The state of aliases that stand for copies: which copies, and who wrote which bytes.

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
    cdef Py_ssize_t written  # copies that were written, of those that have ended
    cdef void *living  # its Shadows, borrowed


@cython.final
@cython.no_gc
cdef class Birth:
    cdef object made
    cdef str copied_by
    cdef Run run
    cdef bint relied
    cdef bint wrote  # it is counted in `Run.written`


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
    cdef Write before  # the previous one of those that wait for memory
    cdef Storage storage  # until it is in the log; `shadow` as well
    cdef Shadow shadow  # the writer; None if that has ended
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
    cdef Watch watch  # None in a Watch's own shadow, which stands for the Storage itself
    cdef Birth birth  # None in that one
    cdef Py_ssize_t number  # from 1, in order of creation; 0 for a Watch's own
    cdef long long seen  # the last write that its marks include
    cdef long long born
    cdef bint wrote
    cdef list marks  # the bytes foreign to it, newer last; or None
    cdef object values  # in an exact run, the window's bytes as a copy would have them, valid where foreign; or None
    cdef Region unknown  # where `values` is no longer known
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
    cdef Run run  # the simulation to which writes that its reader sees are reported, or None
    cdef bint would_share  # it would be a snapshot, in which no writes are seen
    cdef object saved  # the bytes from `start` on, to compare with; None until comparing begins
    cdef Py_ssize_t start


@cython.final
@cython.no_gc
cdef class Watch(Keeper):
    cdef Shadow own
    cdef long long number  # of the last write
    cdef list log  # of Writes, by increasing number
    cdef Write waiting  # the last of the writes that the log had no memory for, or None
    cdef Py_ssize_t ranges  # ranges of bytes added to the log since it was last shortened
    cdef void *first  # a chain of the living Shadows, borrowed
    cdef list exports  # or None
    cdef Run exporting  # the run of the next export; `would_share` is that export's
    cdef bint would_share
    cdef long long sealed  # entries up to this number are not extended: others than the writer may have seen them
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
