# Atomic counts and pointers.

cdef extern from *:
    """
    static inline int cowi_relaxed(const int *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }
    static inline int cowi_add(int *count, int change) { return __atomic_add_fetch(count, change, __ATOMIC_RELAXED); }
    static inline void *cowi_glance(void *const *place) { return __atomic_load_n(place, __ATOMIC_RELAXED); }
    static inline void *cowi_swap(void **place, void *value) {
        return __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL);
    }
    """
    int relaxed "cowi_relaxed" (const int *count) noexcept nogil
    int add "cowi_add" (int *count, int change) noexcept nogil
    # A pointer to compare with NULL; to follow it, take it with `swap`.
    void *glance "cowi_glance" (void *const *place) noexcept nogil
    void *swap "cowi_swap" (void **place, void *value) noexcept nogil
