# Arrays whose bytes will be made when somebody needs them.

from cowarray._native.storage cimport Keeper, Storage


cdef class Recipe(Keeper):
    cdef readonly object storage  # a weak reference to the Storage that this keeps
    cdef public object latest  # the Version that its bytes are to be
    cdef Storage ghost  # a fake one of the same size, for those who look at shapes
    cdef readonly bint strict
