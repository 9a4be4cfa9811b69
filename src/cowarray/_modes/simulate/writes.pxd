# Writes to watched Storages, by operations and by code outside the library.

from cowarray._modes.simulate.regions cimport Region
from cowarray._modes.simulate.shadows cimport Run, Shadow, Watch, Write
from cowarray._native.storage cimport Storage


cdef Write new_write(Watch watch, Storage storage, Shadow s, Region region, object site, bint overwrites)
cdef int note(Write write) except -1
cdef int note_export(Watch watch, Storage storage, Shadow s, Region region, Py_ssize_t itemsize,
                     object site, Run run) except -1
cdef int tell_readers(Watch watch, Storage storage, Write write, Region region) except -1
cdef int begin_comparing(Watch watch, Storage storage) except -1
cdef int settle(Watch watch, Storage storage, Region region) except -1
