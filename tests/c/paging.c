/* What paging.h declares. */
#include "paging.h"

bool can_page;

/* ---- the policy, and what came of it ------------------------------------------------------------------------------- */

void use_allowance(cow_paging_mode mode, size_t allowance)
{
    const cow_paging_policy policy = {mode, allowance, 1};
    (void)cow_paging_use(policy);
}

void use(cow_paging_mode mode)
{
    use_allowance(mode, 0);
}

cow_paging_figures figures(void)
{
    cow_paging_figures now;
    cow_paging_read(&now);
    return now;
}

void nothing_is_left(void)
{
    const cow_paging_figures now = figures();
    CHECK_EQ(now.base_bytes, 0);
    CHECK_EQ(now.base_files, 0);
    CHECK_EQ(now.maps, 0);
}

void see_whether_pages_are_granted(void)
{
    cow_storage *first, *second;
    use(COW_PAGING_EAGER);
    first = make_large(1);
    second = make_clone(first);
    REQUIRE(put(second, 0, 2) == COW_OK);
    can_page = cow_storage_is_paged(second) != 0;
    cow_storage_free(first);
    cow_storage_free(second);
    if (!can_page) {
        (void)printf("skipped: what needs pages: the system grants none\n");
    }
}

/* ---- large Storages -------------------------------------------------------------------------------------------------- */

cow_storage *make_large(int value)
{
    return make_filled(cow_heap(), LARGE, value);
}

cow_storage *make_paged(cow_storage *source)
{
    cow_storage *clone = make_clone(source);
    CHECK_OK(put(clone, 0, 7));
    while (can_page && !cow_storage_is_paged(clone)) {
        cow_storage_free(clone);
        clone = make_clone(source);
        CHECK_OK(put(clone, 0, 7));
    }
    return clone;
}

cow_status put(cow_storage *storage, size_t at, int value)
{
    const cow_box box = {(ptrdiff_t)at, 1, 0, NULL, SIZE_MAX};
    cow_mutable_scope scope;
    const cow_status status = cow_mutable_begin_at(storage, &box, 0, &scope, NULL);
    if (status == COW_OK) {
        ((char *)scope.data)[at] = (char)value;
        cow_mutable_end(&scope);
    }
    return status;
}

int get(cow_storage *storage, size_t at)
{
    cow_const_scope scope;
    int value;
    REQUIRE(cow_const_begin(storage, &scope, NULL) == COW_OK);
    value = ((const char *)scope.data)[at];
    cow_const_end(&scope);
    return value;
}
