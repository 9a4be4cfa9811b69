# Arrays without bytes: where they were born, and on whose account.

cimport cython

from cowarray._array.array cimport Array
from cowarray._c.core cimport cow_account
from cowarray._native.storage cimport Keeper, Storage


cdef class Ledger:
    cdef cow_account *account
    cdef readonly dict lines  # by site, the Origins
    cdef bint notes  # whether births are noted
    cdef size_t noted  # the peak that the lines have taken note of
    cdef public dict written  # Storages, and how many pages of each, if somebody wants to know of them
    cdef readonly object peak_site  # the line that ran when the bytes were the most; None: there never were any
    cdef list entries  # of (how many births there had been, the most live bytes since the entry before)
    cdef size_t crest  # the most live bytes since the last entry
    cdef Py_ssize_t births
    cdef Py_ssize_t stride  # births between two entries
    cdef readonly object assumptions  # what the plan assumes of values; None: nobody asks for it
    cdef readonly size_t largest  # bytes of its largest array
    cdef dict real  # bytes, by weak references to the Storages of the plan's arrays that are real
    cdef readonly size_t real_live, real_peak


cdef class Origin(Keeper):
    cdef readonly Ledger ledger
    cdef readonly object site
    cdef cow_account *account
    cdef Origin inner
    cdef readonly size_t at_peak  # live bytes of this line when the ledger's were the most


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
