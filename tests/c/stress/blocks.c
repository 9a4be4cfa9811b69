/* The stress program's allocator. No state but the calling thread's, so that it orders no threads. */
#include "stress.h"

#define FRESH 0xCC
#define FREED 0xDD

static _Thread_local worker *current;
static _Thread_local unsigned refuse_in;

static void *give(void *self, size_t nbytes, size_t alignment)
{
    const cow_allocator *under = (const cow_allocator *)self;
    void *data;
    if (refuse_in > 0 && --refuse_in == 0) {
        current->counts.refused++;
        return NULL;
    }
    data = under->alloc(under->self, nbytes, alignment);
    if (data != NULL) {
        memset(data, FRESH, nbytes);
        current->counts.blocks_given++;
        current->counts.bytes_given += nbytes;
    }
    return data;
}

static void take(void *self, void *data, size_t nbytes, size_t alignment)
{
    const cow_allocator *under = (const cow_allocator *)self;
    memset(data, FREED, nbytes);
    current->counts.blocks_taken++;
    current->counts.bytes_taken += nbytes;
    under->free(under->self, data, nbytes, alignment);
}

static void copy(void *self, void *data, const void *source, size_t nbytes)
{
    const cow_allocator *under = (const cow_allocator *)self;
    under->clone(under->self, data, source, nbytes);
    current->counts.copies++;
    current->counts.bytes_copied += nbytes;
}

const cow_allocator *blocks_over(const cow_allocator *under)
{
    static cow_allocator tables[2]; /* each of them outlives its bytes: one over the heap, one over the tracing one */
    cow_allocator *table = &tables[under == cow_heap() ? 0 : 1];
    table->name = "stress";
    table->self = (void *)(uintptr_t)under;
    table->alloc = give;
    table->free = take;
    table->clone = copy;
    return table;
}

void this_thread_is(worker *w)
{
    current = w;
    refuse_in = 0;
}

void blocks_refuse(unsigned n)
{
    refuse_in = n;
}

worker *this_thread(void)
{
    return current;
}
