# Arrays whose bytes will be made when somebody needs them, and what they are made by.

cimport cython

from cowarray._array.array cimport Array
from cowarray._modes.fake.fakes cimport Origin
from cowarray._native.storage cimport Keeper, Storage


# The doorkeeper of a Storage of which it is known how its bytes are made.
cdef class Traced(Keeper):
    cdef readonly object storage  # a weak reference to the Storage that this keeps
    cdef public Version latest  # what its bytes are, or are to be
    cdef Storage ghost  # a fake one of the same size, for those who look at shapes


cdef class Recipe(Traced):
    cdef readonly bint strict


cdef class Version:
    cdef public Node node
    cdef public object value
    cdef public Py_ssize_t readers
    cdef public object home
    cdef public object unit  # under a budget, the Allocation in which its bytes lie; None: in none
    cdef public str name  # in the log of a budget
    # Under a budget, the next version was written where this one lay. Else what wrote it read this one elsewhere.
    cdef public bint gave_way
    cdef public int depth  # how many operations were done for it after one another, since the last that is kept
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
    cdef public double cost  # under a budget, of running it
    cdef public size_t pages  # under a budget, that its writes touch at most

    cpdef object read(self, object versions)
    cpdef Version write(self, Version before, object home)
    cpdef object bear(self, Py_ssize_t place, Array array, Version version)
    cpdef object forget(self)


cdef Recipe find_recipe(Array x)
cdef object site_of(Recipe recipe)
cdef Traced find_traced(Array x)
cdef Recipe new_recipe(Array x, Version version, bint strict, bint is_scalar)
cdef Array new_ghost(Array x, Traced traced, Origin origin)
cdef tuple outline(Array x)
cdef Array placed(Array x, Storage storage)
