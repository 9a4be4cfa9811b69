# Functions of the public namespace that call a ufunc.


cdef object readable_operand(object value)
