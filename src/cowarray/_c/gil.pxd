# Whether this Python has a GIL.

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define COWI_KEEPS_HEADERS 0
    #else
    #define COWI_KEEPS_HEADERS 1
    #endif
    """
    # Whether Storages and arrays keep Holds and headers for the next reader. Keeping them changes the objects on reads,
    # which would need a lock without a GIL. There each reader makes its own, and only resizing or reinterpreting an
    # array changes more than its bytes.
    bint KEEPS_HEADERS "COWI_KEEPS_HEADERS"
