# Recorded operations, and the bytes that they read and make.

from cowarray._array.array cimport Array
from cowarray._modes.fake.fakes cimport Origin
from cowarray._native.storage cimport Keeper, Storage


# The doorkeeper of a Storage whose bytes a recorded operation makes.
cdef class Traced(Keeper):
    cdef readonly object storage  # a weak reference to the Storage whose doorkeeper this is
    cdef Storage ghost  # a fake one of the same size, for the rules of fakes


cdef class Version:
    cdef public Node node
    cdef public object value
    cdef public Py_ssize_t readers
    cdef public object home
    cdef object __weakref__


cdef class Reference:
    cdef readonly Version version
    cdef readonly Array place


cdef class Node:
    cdef readonly long long number
    cdef readonly str operation
    cdef readonly object function
    cdef readonly object args
    cdef readonly object kwargs
    cdef readonly object site
    cdef readonly object handling
    cdef readonly object printing
    cdef readonly list reads
    cdef readonly dict writes
    cdef readonly list births

    cpdef object read(self, object versions)
    cpdef object write(self, Version before, Version after)
    cpdef object bear(self, Py_ssize_t place, Array array, Version version)
    cpdef object forget(self)
    cpdef object come_again(self, object function)


cdef Traced find_traced(Array x)
cdef Array new_ghost(Array x, Traced traced, Origin origin)
cdef tuple outline_of(Array x)
cdef Array placed(Array x, Storage storage)
cpdef Storage clone(Storage storage)
