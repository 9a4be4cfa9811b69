/* The tracing allocator. Each block lies between two guards; a list of live blocks, under one mutex, tells true frees from
 * false ones. A forking test must not allocate from it in another thread meanwhile: the mutex is not known to the gate. */
#include "tracing.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES COW_ALIGNMENT
#define GUARD_BYTE 0xA5
#define FREED_BYTE 0xDD

typedef struct block {
    struct block *next;
    struct block *previous;
    char *data;
    size_t nbytes;
    size_t alignment;
} block;

struct cow_tracing {
    cow_allocator table;
    const cow_allocator *under;
    pthread_mutex_t mutex; /* protects all below */
    block live;            /* head of a ring */
    size_t refuse_in;
    int refuse_every;
    cow_tracing_report report;
};

static bool refuses(cow_tracing *tracing)
{
    tracing->report.allocations++;
    if (tracing->refuse_in == 0 || --tracing->refuse_in > 0) {
        return false;
    }
    tracing->refuse_in = tracing->refuse_every ? 1 : 0;
    tracing->report.refused++;
    return true;
}

static void *tracing_alloc(void *self, size_t nbytes, size_t alignment)
{
    cow_tracing *tracing = (cow_tracing *)self;
    const size_t guarded = alignment > GUARD_BYTES ? alignment : GUARD_BYTES;
    block *node = NULL;
    char *raw = NULL;
    (void)pthread_mutex_lock(&tracing->mutex);
    if (!refuses(tracing) && nbytes <= (size_t)PTRDIFF_MAX - 3 * guarded) {
        node = (block *)malloc(sizeof *node);
        raw = node == NULL ? NULL : (char *)tracing->under->alloc(tracing->under->self, nbytes + 2 * guarded, guarded);
        if (raw == NULL) {
            free(node);
        }
    }
    if (raw != NULL) {
        memset(raw, GUARD_BYTE, guarded);
        memset(raw + guarded + nbytes, GUARD_BYTE, guarded);
        node->data = raw + guarded;
        node->nbytes = nbytes;
        node->alignment = guarded;
        node->next = tracing->live.next;
        node->previous = &tracing->live;
        node->next->previous = node;
        tracing->live.next = node;
        tracing->report.live_blocks++;
        tracing->report.live_bytes += nbytes;
        if (tracing->report.live_bytes > tracing->report.peak_bytes) {
            tracing->report.peak_bytes = tracing->report.live_bytes;
        }
    }
    (void)pthread_mutex_unlock(&tracing->mutex);
    return raw == NULL ? NULL : raw + guarded;
}

static bool guards_intact(const block *node)
{
    for (size_t i = 0; i < node->alignment; i++) {
        if ((unsigned char)node->data[-(ptrdiff_t)i - 1] != GUARD_BYTE ||
            (unsigned char)node->data[node->nbytes + i] != GUARD_BYTE) {
            return false;
        }
    }
    return true;
}

static void tracing_free(void *self, void *data, size_t nbytes, size_t alignment)
{
    cow_tracing *tracing = (cow_tracing *)self;
    block *node;
    (void)alignment;
    (void)pthread_mutex_lock(&tracing->mutex);
    for (node = tracing->live.next; node != &tracing->live && node->data != data; node = node->next) {
    }
    if (node == &tracing->live) {
        tracing->report.faults++;
        node = NULL;
    }
    else {
        if (node->nbytes != nbytes || !guards_intact(node)) {
            tracing->report.faults++;
        }
        node->previous->next = node->next;
        node->next->previous = node->previous;
        tracing->report.live_blocks--;
        tracing->report.live_bytes -= node->nbytes;
    }
    (void)pthread_mutex_unlock(&tracing->mutex);
    if (node != NULL) {
        memset(node->data, FREED_BYTE, node->nbytes);
        tracing->under->free(tracing->under->self, node->data - node->alignment, node->nbytes + 2 * node->alignment,
                             node->alignment);
        free(node);
    }
}

static void tracing_clone(void *self, void *data, const void *source, size_t nbytes)
{
    cow_tracing *tracing = (cow_tracing *)self;
    tracing->under->clone(tracing->under->self, data, source, nbytes);
    (void)pthread_mutex_lock(&tracing->mutex);
    tracing->report.clones++;
    tracing->report.cloned_bytes += nbytes;
    (void)pthread_mutex_unlock(&tracing->mutex);
}

cow_status cow_tracing_new(const cow_allocator *under, cow_tracing **out)
{
    cow_tracing *tracing = (cow_tracing *)calloc(1, sizeof *tracing);
    if (tracing == NULL) {
        return COW_ENOMEM;
    }
    if (pthread_mutex_init(&tracing->mutex, NULL) != 0) {
        free(tracing);
        return COW_ENOMEM;
    }
    tracing->table.name = "tracing";
    tracing->table.self = tracing;
    tracing->table.alloc = tracing_alloc;
    tracing->table.free = tracing_free;
    tracing->table.clone = tracing_clone;
    tracing->under = under;
    tracing->live.next = tracing->live.previous = &tracing->live;
    *out = tracing;
    return COW_OK;
}

const cow_allocator *cow_tracing_allocator(cow_tracing *tracing)
{
    return &tracing->table;
}

void cow_tracing_refuse(cow_tracing *tracing, size_t n, int every)
{
    (void)pthread_mutex_lock(&tracing->mutex);
    tracing->refuse_in = n;
    tracing->refuse_every = every;
    (void)pthread_mutex_unlock(&tracing->mutex);
}

void cow_tracing_read(cow_tracing *tracing, cow_tracing_report *out)
{
    (void)pthread_mutex_lock(&tracing->mutex);
    *out = tracing->report;
    (void)pthread_mutex_unlock(&tracing->mutex);
}

cow_status cow_tracing_free(cow_tracing *tracing)
{
    cow_tracing_report report;
    cow_tracing_read(tracing, &report);
    if (report.live_blocks != 0) {
        return COW_EINVAL;
    }
    (void)pthread_mutex_destroy(&tracing->mutex);
    free(tracing);
    return COW_OK;
}
