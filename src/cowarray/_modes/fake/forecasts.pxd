# What operations give, by what the rules have said of others just like them.

from cowarray._array.array cimport Array
from cowarray._modes.fake.fakes cimport Ledger, Origin


cdef class Forecast:
    cdef list births  # of (place among the results, an array that lies as the result will)
    cdef tuple written  # of (which of the arrays that take part, how many pages of it)
    cdef size_t size  # of the Storages of those births
    cdef Array alone  # without a Storage: the one array that it gives, which does nothing else
    cdef size_t nbytes  # of its Storage
    cdef tuple kept  # what its key names by address
    cdef double cost  # what a budget's model says that it costs; negative: not asked yet


# A rule that is about to be asked, and what to look at to see what it did.
cdef class Question:
    cdef object key
    cdef object function
    cdef list arrays
    cdef Ledger ledger
    cdef Py_ssize_t births
    cdef size_t copied


cdef object key_of(object function, tuple args, dict kwargs, list arrays, bint by_value=*)
cdef Forecast recall(object key)
cdef int memorize(object key, object function, list arrays, list births, tuple written) except -1
# Of operations that make one new array without bytes of others: the array, or None; and then what the rules said.
cdef Array give_again(Question question, Origin origin)
cdef Question ask(str operation, object function, tuple args, dict kwargs, Ledger ledger, bint deferred)
cdef int note_answer(Question question, object result) except -1
