/* Texts for status codes. */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

const char *cow_status_text(cow_status status)
{
    switch (status) {
    case COW_OK:
        return "no error";
    case COW_ENOMEM:
        return "out of memory";
    case COW_EINVAL:
        return "invalid argument";
    case COW_EOVERFLOW:
        return "size or count too large";
    case COW_EBUSY:
        return "would have to wait";
    case COW_ECOPY:
        return "would have to copy";
    case COW_EMOVED:
        return "the Storage's bytes were replaced while the scope was open";
    case COW_EABSENT:
        return "the bytes are absent";
    case COW_EPRESENT:
        return "the bytes are there";
    case COW_EREFUSED:
        return "no pages can be had";
    }
    return "unknown status";
}

cow_status cowi_fail(cow_error *err, cow_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

cow_status cowi_fail_absent(cow_error *err)
{
    return cowi_fail(err, COW_EABSENT, "fill the allocation, then try again");
}
