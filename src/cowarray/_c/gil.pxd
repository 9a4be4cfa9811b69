# Whether this Python has a GIL.

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define COWI_KEEPS_HEADERS 0
    #else
    #define COWI_KEEPS_HEADERS 1
    #endif
    """
    # Whether Storages and arrays keep what was made for reading, for the next reader. That changes them when they are
    # read, which without a GIL would need a lock. There each reader makes its own, and an array that is not being
    # resized or reinterpreted changes nothing but its bytes.
    bint KEEPS_HEADERS "COWI_KEEPS_HEADERS"
