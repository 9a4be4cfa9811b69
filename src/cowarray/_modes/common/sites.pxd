# Lines of the program.

from cowarray._c.frames cimport PyFrameObject


cdef object here()
cdef object site_at(PyFrameObject *frame)
cdef PyFrameObject *program_frame() except? NULL
