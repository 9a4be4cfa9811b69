# Lines of the program.

from cowarray._c.frames cimport PyFrameObject


cdef object here()
cdef PyFrameObject *program_frame() except? NULL
