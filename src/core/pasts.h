/* Pasts: what allocations were whose window has become a writer's, and who keeps only the pages that changed since. */
#ifndef COWI_PASTS_H
#define COWI_PASTS_H

#include "internal.h"
#include "windows.h"

/* The heap's, for cow_paging. */
extern const cow_pasts cowi_window_pasts;

/* The window is about to end. True: the newest of its pasts has it now, with the bytes that this had. */
bool cowi_pasts_inherit(cowi_window *of);

#endif
