# Counts that every thread reads: for one extension alone, for they are its state.


cdef extern from *:
    """
    /* How many contexts trace or forbid copies, so that an ordinary write asks nobody. One step, and no lock: leaving a
     * lock in Python allocates, and where memory has run out it stays locked. */
    static int mode_users = 0;
    static int modes_in_use(void) { return __atomic_load_n(&mode_users, __ATOMIC_RELAXED) != 0; }
    static int count_mode_users(int change) { return __atomic_add_fetch(&mode_users, change, __ATOMIC_RELAXED); }
    """
    bint modes_in_use() noexcept nogil
    int count_mode_users(int change) noexcept nogil
