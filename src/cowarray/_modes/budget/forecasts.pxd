# What operations give, by what the rules have said of others just like them.


cdef class Forecast:
    cdef list births  # of (place among the results, an array that lies as the result will)
    cdef tuple written  # of (which of the arrays that take part, how many pages of it)


cdef object key_of(object function, tuple args, dict kwargs, list arrays)
cdef Forecast recall(object key)
cdef int memorize(object key, list births, tuple written) except -1
