# Arrays without bytes, and the accounts that they are on.

cimport cython

from cowarray._array.array cimport Array
from cowarray._c.core cimport cow_account
from cowarray._native.storage cimport Keeper, Storage


cdef class Ledger:
    cdef cow_account *account
    cdef readonly dict lines  # by site: the Origins
    cdef bint notes  # whether births are recorded
    cdef size_t noted  # the peak for which the lines' bytes were recorded
    cdef public dict written  # by written Storage: how many pages; None if nobody collects them
    cdef readonly object peak_site  # the line that ran at the peak; None if there never were bytes
    cdef list entries  # of (births so far, the most live bytes since the previous entry)
    cdef size_t crest  # the most live bytes since the last entry
    cdef Py_ssize_t births
    cdef Py_ssize_t stride  # births between two entries
    cdef readonly object assumptions  # the plan's assumptions about values, or None
    cdef readonly size_t largest  # bytes of its largest array
    cdef dict real  # by weak reference to the Storage of a real array of the plan: its bytes
    cdef readonly size_t real_live, real_peak


cdef class Origin(Keeper):
    cdef readonly Ledger ledger
    cdef readonly object site
    cdef cow_account *account
    cdef Origin inner
    cdef readonly size_t at_peak  # live bytes of this line at the ledger's peak


@cython.final
@cython.no_gc
cdef class Permit:
    cdef str operation
    cdef Storage storage  # the one that may be touched, or None
    cdef list others


cdef Origin origin_here(Ledger ledger)
cdef Origin origin_at(Ledger ledger, object site)
cdef size_t bytes_copied(Ledger ledger) noexcept
cdef Array make_like(Origin origin, Array place, size_t nbytes)
