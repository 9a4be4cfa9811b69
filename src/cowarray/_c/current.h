/* One pointer for each thread: what it is doing now. Borrowed; whoever sets it puts back what was there. */
#ifndef COWI_CURRENT_H
#define COWI_CURRENT_H

#include <Python.h>

static _Thread_local void *cowi_current_thing;

static inline void *cowi_get_current(void)
{
    return cowi_current_thing;
}

static inline void cowi_set_current(void *thing)
{
    cowi_current_thing = thing;
}

/* For each thread: operations that it is in, and bytes that it is about to allocate. */
typedef struct {
    Py_ssize_t active;
    size_t reserved;
} cowi_own_counts;

static _Thread_local cowi_own_counts cowi_counts;

static inline cowi_own_counts *cowi_get_own(void)
{
    return &cowi_counts;
}

#endif
