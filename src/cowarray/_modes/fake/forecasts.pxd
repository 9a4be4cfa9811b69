# A cache of the rules' answers, for operations that are repeated.

from cowarray._array.array cimport Array
from cowarray._modes.fake.fakes cimport Ledger, Origin


cdef class Forecast:
    cdef list births  # of (place among the results, an array that lies as the result will)
    cdef tuple written  # of (index among the arrays that take part, how many of its pages)
    cdef size_t size  # of the Storages of those births
    cdef Array alone  # without a Storage: the result of an operation that makes one array and does nothing else
    cdef size_t nbytes  # of its Storage
    cdef tuple kept  # the objects that its key names by address
    cdef double cost  # by a budget's model; negative: not computed yet


# A question to the rules, and the counts that show afterwards what they did.
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
# For operations that make one new array: `give_again` returns it, or None; `note_answer` then keeps the rules' answer.
cdef Array give_again(Question question, Origin origin)
cdef Question ask(str operation, object function, tuple args, dict kwargs, Ledger ledger, bint deferred)
cdef int note_answer(Question question, object result) except -1
