/* Blocks of array bytes, and the heap allocator. No state. */
#include <stdint.h>
#include <string.h>

#include "internal.h"
#include "large.h"
#include "pages.h"

/* malloc, with a pointer to its start kept before the block: posix_memalign bypasses glibc's caches, and took a quarter
 * of the time of `b = a.copy(); b[i] = v` on small arrays. With AddressSanitizer, blocks have exact ends. */
#ifdef COWI_ASAN
#define EXACT_BLOCKS true
#else
#define EXACT_BLOCKS false
#endif

static void **start_of(void *data)
{
    return (void **)data - 1;
}

static void *small_alloc(size_t nbytes, size_t alignment)
{
    void *start, *data = NULL;
    if (alignment <= _Alignof(max_align_t)) {
        return malloc(nbytes);
    }
    if (EXACT_BLOCKS) {
        return posix_memalign(&data, alignment, nbytes) == 0 ? data : NULL;
    }
    start = malloc(nbytes + alignment);
    if (start == NULL) {
        return NULL;
    }
    data = (char *)start + (alignment - (uintptr_t)start % alignment);
    *start_of(data) = start;
    return data;
}

static void small_free(void *data, size_t alignment)
{
    free(EXACT_BLOCKS || alignment <= _Alignof(max_align_t) ? data : *start_of(data));
}

static void *heap_alloc(void *self, size_t nbytes, size_t alignment)
{
    void *data;
    (void)self;
    if (nbytes > (size_t)PTRDIFF_MAX - alignment) {
        return NULL;
    }
    if (nbytes >= COWI_LARGE_BLOCK && alignment > _Alignof(max_align_t) && alignment <= COW_ALIGNMENT) {
        return cowi_large_alloc(nbytes);
    }
    data = small_alloc(nbytes, alignment);
    if (data == NULL) {
        cowi_large_give_back();
        data = small_alloc(nbytes, alignment);
    }
    return data;
}

static void heap_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    (void)self;
    if (nbytes >= COWI_LARGE_BLOCK && alignment > _Alignof(max_align_t) && alignment <= COW_ALIGNMENT) {
        cowi_large_free(data, nbytes);
    }
    else {
        small_free(data, alignment);
    }
}

static void heap_clone(void *self, void *data, const void *source, size_t nbytes)
{
    (void)self;
    memcpy(data, source, nbytes);
}

static const cow_allocator heap = {"heap", NULL, heap_alloc, heap_free, heap_clone, &cowi_pages};

const cow_allocator *cow_heap(void)
{
    return &heap;
}

/* ---- the heap as malloc -------------------------------------------------------------------------------------------- */

/* The bytes before each block of cow_heap_malloc, which record its size: a multiple of the alignment. */
#define RECORD COWI_LARGE_LEAD
COWI_STATIC_ASSERT(RECORD % COW_ALIGNMENT == 0, "behind its record a block is as aligned as before it");

static size_t *recorded_size(void *data)
{
    return (size_t *)(void *)((char *)data - RECORD);
}

void *cow_heap_malloc(size_t nbytes)
{
    char *data;
    if (nbytes > (size_t)PTRDIFF_MAX - RECORD) {
        return NULL;
    }
    if (nbytes >= COWI_LARGE_BLOCK) {
        data = (char *)cowi_large_alloc(nbytes);
    }
    else {
        data = (char *)heap_alloc(NULL, RECORD + nbytes, COW_ALIGNMENT);
        data = data == NULL ? NULL : data + RECORD;
    }
    if (data != NULL) {
        *recorded_size(data) = nbytes;
    }
    return data;
}

void *cow_heap_calloc(size_t count, size_t nbytes)
{
    void *data;
    if (nbytes != 0 && count > (size_t)PTRDIFF_MAX / nbytes) {
        return NULL;
    }
    data = cow_heap_malloc(count * nbytes);
    return data == NULL ? NULL : memset(data, 0, count * nbytes);
}

void *cow_heap_realloc(void *data, size_t nbytes)
{
    void *moved = cow_heap_malloc(nbytes);
    if (moved != NULL && data != NULL) {
        const size_t before = *recorded_size(data);
        memcpy(moved, data, before < nbytes ? before : nbytes);
        cow_heap_free(data);
    }
    return moved;
}

void cow_heap_free(void *data)
{
    if (data == NULL) {
        return;
    }
    const size_t nbytes = *recorded_size(data);
    if (nbytes >= COWI_LARGE_BLOCK) {
        cowi_large_free(data, nbytes);
    }
    else {
        heap_free(NULL, (char *)data - RECORD, RECORD + nbytes, COW_ALIGNMENT);
    }
}

/* ---- blocks of array bytes ---------------------------------------------------------------------------------------- */

/* A zero-sized block has one byte: so its address is unique, and it is no special case. */
static size_t block_size(size_t nbytes)
{
    return nbytes == 0 ? 1 : nbytes;
}

static void delete_block(void *data, void *context, size_t nbytes)
{
    const cow_allocator *allocator = (const cow_allocator *)context;
    allocator->free(allocator->self, data, block_size(nbytes), COW_ALIGNMENT);
}

cow_dataptr cowi_block(const cow_allocator *allocator, void *data)
{
    cow_dataptr ptr;
    ptr.data = data;
    ptr.context = (void *)(uintptr_t)allocator;
    ptr.deleter = delete_block;
    return ptr;
}

bool cowi_block_new(const cow_allocator *allocator, size_t nbytes, cow_dataptr *out)
{
    void *data = allocator->alloc(allocator->self, block_size(nbytes), COW_ALIGNMENT);
    if (data == NULL) {
        return false;
    }
    COWI_ASSERT_FULL((uintptr_t)data % COW_ALIGNMENT == 0);
    *out = cowi_block(allocator, data);
    return true;
}

bool cowi_dataptr_paged(const cow_allocator *allocator, cow_dataptr ptr)
{
    return allocator->paging != NULL && allocator->paging->is_paged(&ptr);
}

void cowi_dataptr_delete(cow_dataptr *ptr, size_t nbytes)
{
    if (ptr->deleter != NULL) {
        ptr->deleter(ptr->data, ptr->context, nbytes);
    }
}
