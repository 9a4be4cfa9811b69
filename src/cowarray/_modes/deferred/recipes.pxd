# Storages that have no bytes yet, and the recipes for those.

from cowarray._array.array cimport Array
from cowarray._modes.record.nodes cimport Traced, Version


# The doorkeeper of a Storage that has no bytes yet.
cdef class Recipe(Traced):
    cdef readonly Version latest  # the version that its bytes are to be
    cdef readonly bint strict


cdef Recipe find_recipe(Array x)
cdef Recipe new_recipe(Array x, Version version, bint strict, bint is_scalar)
cdef object site_of(Recipe recipe)
