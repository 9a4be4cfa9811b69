/* Storages alone: how they begin, what bad arguments do, who frees the bytes, and that foreign bytes stay untouched. */
#include "harness.h"

/* ---- new --------------------------------------------------------------------------------------------------------- */

static void new_storage_has_bytes_of_its_own(fixture *f)
{
    const size_t sizes[] = {0, 1, 63, 64, 65, 4096, (size_t)5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cow_storage *s = NULL;
        CHECK_OK(cow_storage_new(f->allocator, sizes[i], &s, NULL));
        CHECK_EQ(cow_storage_nbytes(s), sizes[i]);
        CHECK_EQ(cow_storage_allocated(s), sizes[i]);
        CHECK_EQ(cow_storage_shares(s), 1);
        CHECK_EQ(cow_storage_pins(s), 0);
        CHECK(cow_storage_is_sole(s));
        CHECK(!cow_storage_is_foreign(s));
        CHECK_EQ(cow_storage_write_cost(s), 0);
        CHECK_OK(fill(s, 7));
        CHECK(holds(s, 7));
        cow_storage_free(s);
        s = make_filled(cow_heap(), sizes[i], 7); /* tracing aligns more than it is asked to */
        CHECK_EQ((uintptr_t)cow_storage_address(s) % COW_ALIGNMENT, 0);
        cow_storage_free(s);
    }
    CHECK_EQ(report_of(f).cloned_bytes, 0);
}

/* An allocator may rely on being asked for at least one byte. */
static void *alloc_some(void *self, size_t nbytes, size_t alignment)
{
    return nbytes == 0 ? NULL
                       : ((const cow_allocator *)self)->alloc(((const cow_allocator *)self)->self, nbytes, alignment);
}

static void free_some(void *self, void *data, size_t nbytes, size_t alignment)
{
    CHECK(nbytes > 0);
    ((const cow_allocator *)self)->free(((const cow_allocator *)self)->self, data, nbytes, alignment);
}

static void zero_size_needs_no_special_case(fixture *f)
{
    const cow_allocator some = {"some", (void *)(uintptr_t)f->allocator, alloc_some, free_some, cow_heap()->clone,
                                NULL};
    cow_storage *a = make_filled(&some, 0, 0);
    cow_storage *b = make_filled(&some, 0, 0);
    cow_storage *clone = make_clone(a);
    cow_overwrite_scope scope;
    CHECK(cow_storage_address(a) != NULL);
    CHECK(cow_storage_address(a) != cow_storage_address(b));
    CHECK_OK(fill(a, 1));
    CHECK(cow_storage_address(a) != cow_storage_address(clone));
    CHECK_EQ(report_of(f).cloned_bytes, 0);
    cow_storage_free(b);
    b = make_clone(a);
    CHECK_OK(cow_overwrite_begin(a, 0, &scope, NULL));
    CHECK_EQ(scope.nbytes, 0);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    cow_storage_free(a);
    cow_storage_free(b);
    cow_storage_free(clone);
}

static void impossible_sizes_are_refused(fixture *f)
{
    cow_storage *const untouched = (cow_storage *)(uintptr_t)1;
    cow_storage *s = untouched;
    cow_error err = {""};
    CHECK_STATUS(cow_storage_new(f->allocator, SIZE_MAX, &s, &err), COW_EOVERFLOW);
    CHECK(err.text[0] != '\0' && memchr(err.text, '\0', sizeof err.text) != NULL);
    CHECK_STATUS(cow_storage_new(f->allocator, (size_t)PTRDIFF_MAX + 1, &s, NULL), COW_EOVERFLOW);
    CHECK_STATUS(cow_storage_new(f->allocator, (size_t)PTRDIFF_MAX, &s, NULL), COW_ENOMEM);
    CHECK_STATUS(cow_storage_new(f->allocator, (size_t)PTRDIFF_MAX - 70, &s, &err), COW_ENOMEM);
    CHECK(s == untouched);
    CHECK_EQ(report_of(f).live_blocks, 0);
}

/* ---- adopt ------------------------------------------------------------------------------------------------------- */

typedef struct owner { /* bytes that count how often they are given back */
    char bytes[100];
    int deleted;
    size_t nbytes;
} owner;

static void give_back(void *data, void *context, size_t nbytes)
{
    owner *o = (owner *)context;
    CHECK(data == o->bytes);
    o->nbytes = nbytes;
    o->deleted++;
}

static cow_dataptr handle(owner *o, int value)
{
    cow_dataptr ptr = {o->bytes, o, give_back};
    memset(o->bytes, value, sizeof o->bytes);
    o->deleted = 0;
    o->nbytes = 0;
    return ptr;
}

static cow_storage *adopt(const fixture *f, owner *o, int value, unsigned flags)
{
    cow_storage *s = NULL;
    REQUIRE(cow_storage_adopt(f->allocator, handle(o, value), sizeof o->bytes, flags, &s, NULL) == COW_OK);
    return s;
}

static void adopt_takes_nothing_over_on_failure(fixture *f)
{
    cow_storage *const untouched = (cow_storage *)(uintptr_t)1;
    cow_storage *s = untouched;
    cow_dataptr null_data = {NULL, NULL, NULL};
    owner o;
    cow_dataptr ptr = handle(&o, 1);
    cow_error err = {""};
    CHECK_STATUS(cow_storage_adopt(f->allocator, null_data, 0, 0, &s, &err), COW_EINVAL);
    CHECK(err.text[0] != '\0');
    CHECK_STATUS(cow_storage_adopt(f->allocator, ptr, (size_t)PTRDIFF_MAX + 1, 0, &s, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_adopt(f->allocator, ptr, 100, COW_TRY, &s, NULL), COW_EINVAL);
    CHECK_STATUS(cow_storage_adopt(f->allocator, ptr, 100, 64, &s, NULL), COW_EINVAL);
    for (unsigned n = 1; n <= 2; n++) {
        cow_tracing_refuse(f->tracing, n, 0);
        CHECK_STATUS(cow_storage_adopt(f->allocator, ptr, 100, COW_FOREIGN, &s, NULL), COW_ENOMEM);
    }
    CHECK(s == untouched);
    CHECK_EQ(o.deleted, 0);
    CHECK_EQ(report_of(f).live_blocks, 0);
}

static void deleter_is_called_exactly_once(fixture *f)
{
    owner o;
    cow_const_scope scope;
    cow_storage *clone;
    cow_storage *s = adopt(f, &o, 1, 0); /* never shared */
    cow_storage_free(s);
    CHECK_EQ(o.deleted, 1);
    CHECK_EQ(o.nbytes, sizeof o.bytes);

    s = adopt(f, &o, 1, 0); /* the clone goes last, and saw only a window */
    clone = make_window(s, 10, 20);
    cow_storage_free(s);
    CHECK_EQ(o.deleted, 0);
    cow_storage_free(clone);
    CHECK_EQ(o.deleted, 1);
    CHECK_EQ(o.nbytes, sizeof o.bytes);

    s = adopt(f, &o, 1, 0); /* both write: one leaves, the other keeps */
    clone = make_clone(s);
    CHECK_OK(fill(s, 2));
    CHECK_OK(fill(clone, 3));
    cow_storage_free(s);
    CHECK_EQ(o.deleted, 0);
    cow_storage_free(clone);
    CHECK_EQ(o.deleted, 1);

    s = adopt(f, &o, 1, 0); /* a scope outlives its Storage */
    CHECK_OK(cow_const_begin(s, &scope, NULL));
    cow_storage_free(s);
    CHECK_EQ(o.deleted, 0);
    CHECK(all_bytes(scope.data, scope.nbytes, 1));
    cow_const_end(&scope);
    CHECK_EQ(o.deleted, 1);

    s = adopt(f, &o, 1, 0); /* the writer leaves after the other sharer did */
    clone = make_clone(s);
    CHECK_OK(cow_const_begin(clone, &scope, NULL));
    CHECK_OK(fill(clone, 2));
    cow_storage_free(s);
    CHECK_EQ(o.deleted, 0);
    cow_const_end(&scope);
    CHECK_EQ(o.deleted, 1);
    cow_storage_free(clone);
    CHECK_EQ(o.deleted, 1);
}

static void adopted_bytes_may_have_no_deleter(fixture *f)
{
    char bytes[8] = {0};
    cow_dataptr ptr = {bytes, NULL, NULL};
    cow_storage *s = NULL;
    CHECK_OK(cow_storage_adopt(f->allocator, ptr, sizeof bytes, 0, &s, NULL));
    CHECK_OK(fill(s, 9));
    CHECK_EQ(bytes[7], 9);
    cow_storage_free(s);
    CHECK_OK(cow_storage_adopt(f->allocator, ptr, sizeof bytes, COW_FOREIGN, &s, NULL));
    CHECK_OK(fill(s, 1));
    CHECK_EQ(bytes[7], 9);
    cow_storage_free(s);
    cow_storage_free(NULL);
}

static void foreign_bytes_are_never_written_and_never_stolen(fixture *f)
{
    owner o;
    cow_overwrite_scope scope;
    cow_storage *clone;
    cow_storage *s = adopt(f, &o, 1, COW_FOREIGN);
    CHECK(cow_storage_is_foreign(s));
    CHECK_EQ(cow_storage_write_cost(s), 100); /* alone, and yet a write copies */
    CHECK_OK(fill(s, 2));
    CHECK(cow_storage_address(s) != o.bytes);
    CHECK(!cow_storage_is_foreign(s));
    CHECK(all_bytes(o.bytes, sizeof o.bytes, 1));
    CHECK_EQ(o.deleted, 1); /* nobody needs them any more */
    cow_storage_free(s);

    s = adopt(f, &o, 1, COW_FOREIGN);
    clone = make_clone(s);
    CHECK_EQ(cow_storage_shares(s), 2);
    CHECK_OK(fill(s, 2));
    CHECK_OK(fill(clone, 3)); /* the last sharer copies, too */
    CHECK(holds(s, 2) && holds(clone, 3) && all_bytes(o.bytes, sizeof o.bytes, 1));
    CHECK_EQ(o.deleted, 1);
    CHECK_EQ(stats_now().steals, 0);
    CHECK_EQ(stats_now().copies, 3);
    cow_storage_free(s);
    cow_storage_free(clone);

    s = adopt(f, &o, 1, COW_FOREIGN);
    CHECK_OK(cow_overwrite_begin(s, 0, &scope, NULL));
    CHECK(scope.data != o.bytes && scope.old == o.bytes);
    memset(scope.data, 4, scope.nbytes);
    CHECK_OK(cow_overwrite_commit(&scope, NULL, NULL));
    CHECK(holds(s, 4) && all_bytes(o.bytes, sizeof o.bytes, 1));
    CHECK_EQ(o.deleted, 1);
    cow_storage_free(s);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static void windows_lie_inside_their_source(fixture *f)
{
    cow_storage *s = make_filled(f->allocator, 100, 5);
    cow_storage *window = make_window(s, 10, 50);
    cow_storage *inner = make_window(window, 5, 10);
    cow_storage *end = make_window(s, 100, 0);
    CHECK(cow_storage_address(window) == (const char *)cow_storage_address(s) + 10);
    CHECK(cow_storage_address(inner) == (const char *)cow_storage_address(s) + 15);
    CHECK_EQ(cow_storage_nbytes(inner), 10);
    CHECK_EQ(cow_storage_allocated(inner), 100);
    CHECK_EQ(cow_storage_shares(inner), 4);
    CHECK_EQ(cow_storage_nbytes(end), 0);
    cow_storage_free(s);
    cow_storage_free(window);
    cow_storage_free(end);
    CHECK(holds(inner, 5));
    cow_storage_free(inner);
}

static void windows_outside_change_nothing(fixture *f)
{
    cow_storage *s = make_filled(f->allocator, 100, 5);
    cow_storage *const untouched = (cow_storage *)(uintptr_t)1;
    cow_storage *out = untouched;
    const size_t live = report_of(f).live_blocks;
    cow_error err = {""};
    CHECK_STATUS(cow_lazy_clone(s, 0, 101, 0, &out, &err), COW_EINVAL);
    CHECK(err.text[0] != '\0');
    CHECK_STATUS(cow_lazy_clone(s, 101, 0, 0, &out, NULL), COW_EINVAL);
    CHECK_STATUS(cow_lazy_clone(s, 50, 51, 0, &out, NULL), COW_EINVAL);
    CHECK_STATUS(cow_lazy_clone(s, SIZE_MAX, 2, 0, &out, NULL), COW_EINVAL); /* the sum would wrap */
    CHECK_STATUS(cow_lazy_clone(s, 2, SIZE_MAX, 0, &out, NULL), COW_EINVAL);
    CHECK(out == untouched);
    CHECK_EQ(cow_storage_shares(s), 1);
    CHECK_EQ(report_of(f).live_blocks, live);
    cow_storage_free(s);
}

static void every_status_has_words(fixture *f)
{
    (void)f;
    for (int status = COW_OK; status <= COW_EMOVED; status++) {
        CHECK(strlen(cow_status_text((cow_status)status)) > 4);
        CHECK(strcmp(cow_status_text((cow_status)status), cow_status_text((cow_status)99)) != 0);
    }
    CHECK(cow_status_text((cow_status)99) != NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    RUN(new_storage_has_bytes_of_its_own);
    RUN(zero_size_needs_no_special_case);
    RUN(impossible_sizes_are_refused);
    RUN(adopt_takes_nothing_over_on_failure);
    RUN(deleter_is_called_exactly_once);
    RUN(adopted_bytes_may_have_no_deleter);
    RUN(foreign_bytes_are_never_written_and_never_stolen);
    RUN(windows_lie_inside_their_source);
    RUN(windows_outside_change_nothing);
    RUN(every_status_has_words);
    return finish(argv[0]);
}
