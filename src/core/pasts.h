/* Pasts: the values of allocations whose window a writer has taken over, kept as the pages that changed since. */
#ifndef COWI_PASTS_H
#define COWI_PASTS_H

#include "internal.h"
#include "windows.h"

/* The heap's, for cow_paging. */
extern const cow_pasts cowi_window_pasts;

/* Called when the window is about to end. True: its newest past has it now, with that past's values. */
bool cowi_pasts_inherit(cowi_window *of);

#endif
