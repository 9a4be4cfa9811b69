# Operands of other libraries' types.

from cowarray._array.array cimport Array


cdef object defer(Array self, object other, object ufunc, bint reflected)
cdef object compare_with(Array self, object other, int op)
cdef object ask_overrides(object ufunc, str method_name, tuple inputs, dict kwargs, tuple out)
cdef object after_overrides(object ufunc, str method_name, tuple inputs, dict kwargs, tuple out)
