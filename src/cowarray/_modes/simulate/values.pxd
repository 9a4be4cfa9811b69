# The bytes that aliases would have if they were copies.

from cowarray._modes.simulate.regions cimport Region
from cowarray._modes.simulate.shadows cimport Export, Shadow, Watch
from cowarray._native.storage cimport Storage


cdef object differs(Watch watch, Storage storage, Shadow s, Region part)
cdef int keep_values(Watch watch, Storage storage, Shadow writer, Region region) except -1
cdef int lose_values(Watch watch, Storage storage, Shadow s, Region region) except -1
cdef int keep_saved(Watch watch, Storage storage, Export export, Region changed) except -1
cdef int save(Storage storage, bytearray values, Py_ssize_t first, Region region) except -1
cdef list differing(const char *data, bytearray saved, Py_ssize_t first, Region region)
