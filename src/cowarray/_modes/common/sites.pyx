"""Lines of the program: those of the innermost frame that is neither this library's nor NumPy's."""

import os
import numpy as np

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF

from cowarray._c.frames cimport (
    code_of,
    file_of,
    PyEval_GetFrame,
    PyFrame_GetBack,
    PyFrame_GetLasti,
    PyFrame_GetLineNumber,
    PyFrameObject,
)

from cowarray._modes.common.site import Site

cdef tuple inner_folders = (
    os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep,
    os.path.dirname(np.__file__) + os.sep,
    os.path.join(os.path.dirname(os.__file__), "copy.py"),
    "<frozen ",
)
cdef dict is_inner = {}  # by file
cdef dict sites = {}  # by file and line: one object each
# A cache of sites of recent instructions: (code, offset, site). Without it, Python decodes its line table each time.
cdef enum:
    RECENT = 256
cdef list recent = [None] * RECENT
cdef object nowhere = Site("<unknown>", 0)


cdef PyFrameObject *program_frame() except? NULL:
    """Return a new reference to the innermost frame that is neither this library's nor NumPy's, or NULL."""
    cdef PyFrameObject *frame = PyEval_GetFrame()
    cdef PyFrameObject *back
    cdef object name
    if frame != NULL:
        Py_INCREF(<object>frame)
    try:
        while frame != NULL:
            name = file_of(frame)
            inner = is_inner.get(name)
            if inner is None:
                inner = is_inner[name] = name.startswith(inner_folders)
            if not inner:
                break
            back = PyFrame_GetBack(frame)
            Py_DECREF(<object>frame)
            frame = back
    except BaseException:
        if frame != NULL:
            Py_DECREF(<object>frame)
        raise
    return frame


cdef object here():
    """Return the line of the innermost frame that is neither this library's nor NumPy's."""
    cdef PyFrameObject *frame = program_frame()
    try:
        return site_at(frame)
    finally:
        Py_XDECREF(<PyObject *>frame)


def spot():
    """Return the program's current line, and a key that identifies its instruction."""
    cdef PyFrameObject *frame = program_frame()
    try:
        if frame == NULL:
            return nowhere, None
        return site_at(frame), (code_of(frame), PyFrame_GetLasti(frame))
    finally:
        Py_XDECREF(<PyObject *>frame)


cdef object site_at(PyFrameObject *frame):
    """Return the line at which a frame is; ``<unknown>`` for NULL."""
    cdef int instruction
    cdef size_t place
    cdef tuple found
    if frame == NULL:
        return nowhere
    code = code_of(frame)
    instruction = PyFrame_GetLasti(frame)
    place = (<size_t><void *>code // 16 + instruction) % RECENT
    found = <tuple>recent[place]
    if found is not None and found[0] is code and found[1] == instruction:
        return found[2]
    key = (file_of(frame), PyFrame_GetLineNumber(frame))
    site = sites.get(key)
    if site is None:
        site = sites[key] = Site(*key)
    recent[place] = (code, instruction, site)
    return site
