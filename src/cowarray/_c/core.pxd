# The core's public header (include/cowarray/core.h), which has the contracts.

from libc.stdint cimport uint64_t


cdef extern from "cowarray/core.h" nogil:
    ctypedef enum cow_status:
        COW_OK
        COW_ENOMEM
        COW_EINVAL
        COW_EOVERFLOW
        COW_EBUSY
        COW_ECOPY
        COW_EMOVED
        COW_EABSENT
        COW_EPRESENT
        COW_EREFUSED

    ctypedef struct cow_error:
        char text[160]

    const char *cow_status_text(cow_status status)

    ctypedef struct cow_allocator:
        const char *name
        void *self
        void (*clone)(void *self, void *data, const void *source, size_t nbytes) noexcept
        const void *paging

    const cow_allocator *cow_heap()
    size_t cow_heap_keep(size_t nbytes)
    void *cow_heap_malloc(size_t nbytes)
    void *cow_heap_calloc(size_t count, size_t nbytes)
    void *cow_heap_realloc(void *data, size_t nbytes)
    void cow_heap_free(void *data)

    const cow_allocator *cow_nowhere()
    void cow_nowhere_region(void **start, size_t *nbytes)

    ctypedef struct cow_account:
        pass

    ctypedef struct cow_account_figures:
        size_t live
        size_t peak
        uint64_t copied

    cow_status cow_account_new(cow_account *above, cow_account **out, cow_error *err)
    void cow_account_hush(cow_account *account)
    void cow_account_drop(cow_account *account)
    cow_account *cow_account_use(cow_account *account)
    void cow_account_read(const cow_account *account, cow_account_figures *out)

    ctypedef struct cow_dataptr:
        void *data
        void *context
        void (*deleter)(void *data, void *context, size_t nbytes) noexcept

    ctypedef struct cow_storage:
        pass

    ctypedef struct cow_box:
        ptrdiff_t offset
        ptrdiff_t itemsize
        int ndim
        const ptrdiff_t *dims
        size_t most

    ctypedef enum cow_paging_mode:
        COW_PAGING_OFF
        COW_PAGING_LEDGER
        COW_PAGING_EAGER

    size_t COW_PAGING_ALLOWANCE

    ctypedef struct cow_paging_policy:
        cow_paging_mode mode
        size_t allowance
        int small_pages

    ctypedef struct cow_paging_figures:
        uint64_t page_copies
        uint64_t pages_copied
        uint64_t bases
        uint64_t commits
        uint64_t give_ups
        size_t base_bytes
        size_t base_files
        size_t maps

    size_t cow_box_pages(const cow_box *box, size_t nbytes)
    cow_paging_policy cow_paging_use(cow_paging_policy policy)
    cow_paging_policy cow_paging_now()
    void cow_paging_read(cow_paging_figures *out)
    cow_status cow_paging_map_file(
        int descriptor, size_t offset, size_t nbytes, const cow_dataptr *kept, cow_dataptr *out, cow_error *err
    )

    unsigned COW_TRY
    unsigned COW_NO_COPY
    unsigned COW_FOREIGN
    unsigned COW_QUIET
    unsigned COW_READS

    cow_status cow_storage_new(const cow_allocator *allocator, size_t nbytes, cow_storage **out, cow_error *err)
    cow_status cow_storage_adopt(const cow_allocator *allocator, cow_dataptr ptr, size_t nbytes, unsigned flags,
                                 cow_storage **out, cow_error *err)
    cow_status cow_storage_new_absent(const cow_allocator *allocator, size_t nbytes, cow_storage **out, cow_error *err)
    int cow_storage_is_absent(cow_storage *storage)
    int cow_storage_has_past(cow_storage *storage)
    cow_status cow_storage_evict(cow_storage *storage, size_t managed, cow_error *err)
    cow_status cow_storage_take(cow_storage *storage, size_t managed, cow_dataptr *out, cow_error *err)
    cow_status cow_storage_fill(cow_storage *storage, cow_dataptr ptr, size_t nbytes, cow_error *err)
    void cow_storage_free(cow_storage *storage)
    cow_status cow_lazy_clone(cow_storage *source, size_t offset, size_t nbytes, unsigned flags, cow_storage **out,
                              cow_error *err)
    size_t cow_storage_nbytes(const cow_storage *storage)
    size_t cow_storage_allocated(cow_storage *storage)
    const void *cow_storage_allocation(cow_storage *storage)
    int cow_storage_is_busy(cow_storage *storage)
    size_t cow_storage_shares(cow_storage *storage)
    int cow_storage_shares_with(cow_storage *storage, cow_storage *other)
    size_t cow_storage_pins(const cow_storage *storage)
    int cow_storage_is_sole(cow_storage *storage)
    int cow_storage_is_foreign(cow_storage *storage)
    size_t cow_storage_write_cost(cow_storage *storage)
    int cow_storage_is_paged(cow_storage *storage)
    int cow_storage_write_moves(cow_storage *storage)
    int cow_storage_writes_by_page(cow_storage *storage)
    int cow_storage_page_refusal(cow_storage *storage)
    cow_status cow_storage_page(cow_storage *storage, cow_error *err)
    size_t cow_storage_write_takes(cow_storage *storage, size_t pages)
    size_t cow_storage_own_bytes(cow_storage *storage)
    ctypedef void (*cow_run_function)(void *to, size_t start, size_t nbytes)
    ctypedef struct cow_ground:
        pass
    cow_status cow_ground_new(cow_storage *source, cow_ground **ground, cow_storage **storage, cow_error *err)
    cow_status cow_ground_storage(cow_ground *ground, cow_storage **out, cow_error *err)
    void cow_ground_free(cow_ground *ground)
    const void *cow_ground_bytes(const cow_ground *ground)
    cow_status cow_ground_changes(
        cow_ground *ground, cow_storage *storage, cow_run_function found, void *to, cow_error *err
    )
    cow_status cow_ground_put(cow_ground *ground, size_t start, const void *data, size_t nbytes, cow_error *err)
    void cow_ground_settle(cow_ground *ground, cow_storage *storage)
    ctypedef struct cow_base:
        pass
    cow_status cow_storage_base(
        cow_storage *storage, cow_base **base, size_t *start, cow_run_function found, void *to, cow_error *err
    )
    cow_status cow_storage_rebase(cow_storage *storage, cow_error *err)
    cow_status cow_base_storage(cow_base *base, size_t start, size_t nbytes, cow_storage **out, cow_error *err)
    cow_base *cow_base_find(const uint64_t *identity)
    cow_status cow_base_receive(
        int descriptor, const uint64_t *identity, size_t nbytes, cow_base **out, cow_error *err
    )
    int cow_base_descriptor(const cow_base *base)
    void cow_base_identity(const cow_base *base, uint64_t *identity)
    size_t cow_base_nbytes(const cow_base *base)
    void cow_base_release(cow_base *base)
    cow_status cow_storage_differences(
        cow_storage *a,
        size_t a_start,
        cow_storage *b,
        size_t b_start,
        size_t nbytes,
        cow_run_function found,
        void *to,
        cow_error *err,
    )
    size_t cow_storage_own_regions(cow_storage *storage, size_t *regions, size_t count)
    size_t cow_storage_copied_bytes(cow_storage *storage)
    void cow_storage_spare(cow_storage *storage)
    const void *cow_storage_address(const cow_storage *storage)

    ctypedef struct cow_const_scope:
        const void *data
        size_t nbytes

    cow_status cow_const_begin(cow_storage *storage, cow_const_scope *out, cow_error *err)
    void cow_const_end(cow_const_scope *scope)

    ctypedef struct cow_mutable_scope:
        void *data
        size_t nbytes
        cow_storage *storage

    cow_status cow_mutable_begin_at(cow_storage *storage, const cow_box *box, unsigned flags, cow_mutable_scope *out,
                                    cow_error *err)
    void cow_mutable_end(cow_mutable_scope *scope)

    ctypedef struct cow_overwrite_scope:
        void *data
        const void *old
        size_t nbytes
        cow_storage *storage

    cow_status cow_overwrite_begin(cow_storage *storage, unsigned flags, cow_overwrite_scope *out, cow_error *err)
    cow_status cow_overwrite_commit(cow_overwrite_scope *scope, cow_mutable_scope *pinned, cow_error *err)
    void cow_overwrite_abort(cow_overwrite_scope *scope)

    ctypedef struct cow_stats:
        uint64_t lazy_clones
        uint64_t copies
        uint64_t bytes_copied
        uint64_t steals
        uint64_t overwrites
        uint64_t eager_copies

    void cow_stats_read(cow_stats *out)
    void cow_stats_reset()
    void cow_stats_count_eager(size_t nbytes)
