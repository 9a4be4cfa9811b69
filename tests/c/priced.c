/* What priced.h declares. */
#include "priced.h"

#define FILL 1150 /* thousandths, as failing.h has them */
#define COPY 2100

uint64_t price_of(size_t pages)
{
    return (uint64_t)pages * PAGE * COPY / 1000;
}

uint64_t price_of_fill(size_t regions)
{
    return (uint64_t)regions * REGION * FILL / 1000;
}

uint64_t copied_now(void)
{
    return stats_now().bytes_copied - figures().filled - figures().promised * PAGE;
}

/* ---- tests in children ------------------------------------------------------------------------------------------- */

static void run_priced(void *argument)
{
    const failing_plan plan = {0, false, false, false, false, false, 0};
    void (*const *body)(void) = (void (*const *)(void))argument;
    failing_report had;
    (void)alarm(120);
    failing_begin(plan);
    use(COW_PAGING_EAGER);
    (*body)();
    nothing_is_left();
    had = failing_now();
    CHECK(had.mapped == 0 && had.descriptors == 0 && had.blocks == 0);
}

void at_made_up_prices(void (*body)(void))
{
    CHECK(child_succeeds(run_priced, &body));
}

/* ---- writers ----------------------------------------------------------------------------------------------------- */

cow_storage *make_plain(void)
{
    return make_filled(cow_heap(), SIZE, 7);
}

void put_pages(cow_storage *storage, size_t page, size_t count, int value)
{
    const ptrdiff_t dims[] = {(ptrdiff_t)count, (ptrdiff_t)PAGE};
    const cow_box box = {(ptrdiff_t)(page * PAGE), 1, 1, dims, SIZE_MAX};
    cow_mutable_scope scope;
    REQUIRE(cow_mutable_begin_at(storage, &box, 0, &scope, NULL) == COW_OK);
    for (size_t i = page; i < page + count; i++) {
        ((char *)scope.data)[i * PAGE] = (char)value;
    }
    cow_mutable_end(&scope);
}

void put_pages_beside_a_reader(cow_storage *storage, size_t page, size_t count, int value)
{
    cow_const_scope scope;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    put_pages(storage, page, count, value);
    cow_const_end(&scope);
}

void put_each(cow_storage *storage, size_t page, size_t count, int value)
{
    for (size_t i = page; i < page + count; i++) {
        put_pages(storage, i, 1, value);
    }
}

bool pages_hold(cow_storage *storage, size_t page, size_t count, int value)
{
    cow_const_scope scope;
    bool right = true;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    for (size_t i = page; i < page + count; i++) {
        right = right && ((const char *)scope.data)[i * PAGE] == value && ((const char *)scope.data)[i * PAGE + 1] == 7;
    }
    cow_const_end(&scope);
    return right;
}

size_t dirty_pages(cow_storage *storage)
{
    uint64_t bits[SIZE / PAGE / 64] = {0};
    cowi_dirt dirt = {bits, 0};
    REQUIRE(cowi_dirt_find((const char *)cow_storage_address(storage), SIZE, &dirt));
    return dirt.pages;
}

bool next_is_paged(cow_storage *source, bool gives_up)
{
    cow_storage *clone = make_clone(source);
    bool paged;
    put_pages(clone, 0, 1, 1);
    paged = cow_storage_is_paged(clone) != 0;
    if (gives_up) {
        CHECK_OK(fill(clone, 2));
    }
    cow_storage_free(clone);
    return paged;
}
