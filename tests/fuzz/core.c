/* A fuzzer for the C API: bytes are a program of calls on a few Storages. The stress program's actions (tests/c/stress),
 * with the model that they keep beside each Storage, take their choices from the input instead of from random numbers; to
 * these come arguments that break the contract. libFuzzer looks for inputs that reach new code. */
#include <stdlib.h>

#include "stress.h"

static const uint8_t *input, *end;
static bool had_rare; /* what an action does once in hundreds of times costs much: once in an input is enough */

void found(const worker *w, const char *what)
{
    (void)fprintf(stderr, "fuzz: FOUND: %s\n  in: %s (action %zu)\n", what, w->action == NULL ? "-" : w->action,
                  cowi_load_relaxed(&w->progress));
    abort();
}

static uint8_t next_byte(void)
{
    return input < end ? *input++ : 0;
}

unsigned choose(worker *w, unsigned count)
{
    (void)w;
    return (count > 256 ? (unsigned)next_byte() << 8 | next_byte() : (unsigned)next_byte()) % count;
}

bool one_in(worker *w, unsigned count)
{
    if (choose(w, count) != count - 1 || (count > 256 && had_rare)) {
        return false;
    }
    had_rare = had_rare || count > 256;
    return true;
}

/* ---- what breaks the contract --------------------------------------------------------------------------------------- */

/* Around the bounds that matter, or anything. */
static size_t some_size(worker *w, size_t bound)
{
    const size_t near[] = {0, bound, (size_t)PTRDIFF_MAX, SIZE_MAX, SIZE_MAX / 2 + 1};
    size_t size = 0;
    if (one_in(w, 4)) {
        for (size_t i = 0; i < sizeof size; i++) {
            size = size << 8 | next_byte();
        }
        return size;
    }
    return near[choose(w, sizeof near / sizeof *near)] + choose(w, 5) - 2;
}

static void must_explain(worker *w, const cow_error *err)
{
    const size_t length = strnlen(err->text, sizeof err->text);
    MUST(w, length > 0 && length < sizeof err->text);
}

static void clone_anything(worker *w, const array *a)
{
    const size_t nbytes = nbytes_of(a);
    const size_t offset = some_size(w, nbytes);
    const size_t wanted = some_size(w, nbytes - (offset < nbytes ? offset : nbytes));
    const bool inside = offset <= nbytes && wanted <= nbytes - offset;
    cow_storage *made = a->storage;
    cow_error err;
    const cow_status status = cow_lazy_clone(a->storage, offset, wanted, next_byte(), &made, &err);
    MUST(w, (status == COW_EINVAL) == !inside);
    if (status != COW_OK) {
        MUST(w, made == a->storage);
        must_explain(w, &err);
        return;
    }
    MUST(w, cow_storage_nbytes(made) == wanted);
    cow_storage_free(made);
}

static void make_anything(worker *w)
{
    const size_t nbytes = some_size(w, 4096);
    cow_storage *made = NULL;
    cow_error err;
    cow_status status;
    blocks_refuse(nbytes > 65536 ? 2 : 0); /* the Storage may have memory, its bytes may not */
    status = cow_storage_new(w->allocator, nbytes, &made, &err);
    MUST(w, status == (nbytes > (size_t)PTRDIFF_MAX ? COW_EOVERFLOW : nbytes > 65536 ? COW_ENOMEM : COW_OK));
    if (status != COW_OK) {
        MUST(w, made == NULL);
        must_explain(w, &err);
    }
    blocks_refuse(0);
    cow_storage_free(made);
}

static void adopt_anything(worker *w)
{
    static char bytes[64];
    const size_t nbytes = one_in(w, 2) ? sizeof bytes : some_size(w, sizeof bytes);
    const unsigned flags = one_in(w, 2) ? COW_FOREIGN : next_byte();
    const cow_dataptr ptr = {one_in(w, 4) ? NULL : bytes, NULL, NULL};
    const bool good = ptr.data != NULL && nbytes <= (size_t)PTRDIFF_MAX && (flags & ~(unsigned)COW_FOREIGN) == 0;
    cow_storage *made = NULL;
    cow_error err;
    const cow_status status = cow_storage_adopt(w->allocator, ptr, nbytes, flags, &made, &err);
    if (status == COW_ENOMEM) {
        MUST(w, w->counts.refused > 0 && made == NULL);
        return;
    }
    MUST(w, status == (good ? COW_OK : COW_EINVAL) && (made != NULL) == good);
    if (good) {
        MUST(w, cow_storage_address(made) == bytes && cow_storage_nbytes(made) == nbytes);
        cow_storage_free(made);
    }
    else {
        must_explain(w, &err);
    }
}

static void break_the_contract(worker *w)
{
    const array *a = &w->arrays[choose(w, ARRAYS)];
    w->action = "arguments that break the contract";
    switch (choose(w, 4)) {
    case 0:
        make_anything(w);
        break;
    case 1:
        adopt_anything(w);
        break;
    case 2:
        MUST(w, strlen(cow_status_text((cow_status)(signed char)next_byte())) > 0);
        cow_storage_free(NULL);
        break;
    default:
        if (a->storage != NULL) {
            clone_anything(w, a);
        }
    }
}

/* ---- one input ----------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static worker w;
    cow_stats stats;
    memset(&w, 0, sizeof w);
    input = data;
    end = data + size;
    had_rare = false;
    w.allocator = blocks_over(cow_heap());
    cowi_init(&w.progress, 0);
    cow_stats_reset();
    this_thread_is(&w);
    for (size_t step = 0; input < end; step++) {
        const unsigned what = choose(&w, 16);
        blocks_refuse(what % 8 == 7 ? 1 + choose(&w, 3) : 0);
        cowi_store_relaxed(&w.progress, step);
        if (what < 9) {
            act_on_arrays(&w);
        }
        else if (what < 14) {
            act_on_held(&w);
        }
        else {
            break_the_contract(&w);
        }
    }
    blocks_refuse(0);
    end_all_held(&w);
    for (unsigned i = 0; i < ARRAYS; i++) {
        drop_array(&w, &w.arrays[i]);
    }
    cow_stats_read(&stats);
    w.action = "the sums";
    MUST(&w, w.counts.blocks_given == w.counts.blocks_taken && w.counts.bytes_given == w.counts.bytes_taken);
    MUST(&w, w.counts.adopted == w.counts.deleted && w.counts.bytes_copied == stats.bytes_copied);
    MUST(&w, w.counts.copies == stats.copies + stats.eager_copies);
    MUST(&w, w.counts.steals == stats.steals && w.counts.overwrites == stats.overwrites);
    return 0;
}
