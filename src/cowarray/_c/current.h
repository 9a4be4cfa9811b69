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

#endif
