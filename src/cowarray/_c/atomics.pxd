# Reading what other threads count.

cdef extern from *:
    """
    static inline int cowi_relaxed(const int *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }
    static inline int cowi_add(int *count, int change) { return __atomic_add_fetch(count, change, __ATOMIC_RELAXED); }
    """
    int relaxed "cowi_relaxed" (const int *count) noexcept nogil
    int add "cowi_add" (int *count, int change) noexcept nogil
