/* Statuses that nobody looks at: tools/headers.sh sees that a compiler warns of each, as C and as C++. Never run. */
#include "cowarray/core.h"

void ignores(const cow_allocator *allocator, cow_dataptr ptr, cow_storage *storage);

void ignores(const cow_allocator *allocator, cow_dataptr ptr, cow_storage *storage)
{
    cow_const_scope reader;
    cow_mutable_scope writer;
    cow_overwrite_scope overwriter;
    cow_ground *ground;
    cow_base *base;
    size_t start;
    uint64_t identity[2] = {0, 0};
    cow_storage_new(allocator, 0, &storage, NULL);
    cow_storage_adopt(allocator, ptr, 0, 0, &storage, NULL);
    cow_storage_new_absent(allocator, 0, &storage, NULL);
    cow_storage_page(storage, NULL);
    cow_storage_evict(storage, 1, NULL);
    cow_storage_take(storage, 1, &ptr, NULL);
    cow_storage_fill(storage, ptr, 0, NULL);
    cow_lazy_clone(storage, 0, 0, 0, &storage, NULL);
    cow_const_begin(storage, &reader, NULL);
    cow_mutable_begin(storage, 0, &writer, NULL);
    cow_overwrite_begin(storage, 0, &overwriter, NULL);
    cow_overwrite_commit(&overwriter, NULL, NULL);
    cow_account_new(NULL, NULL, NULL);
    cow_mutable_begin_at(storage, NULL, 0, &writer, NULL);
    cow_paging_map_file(0, 0, 0, NULL, &ptr, NULL);
    cow_storage_differences(storage, 0, storage, 0, 0, NULL, NULL, NULL);
    cow_ground_new(storage, &ground, &storage, NULL);
    cow_ground_storage(ground, &storage, NULL);
    cow_ground_changes(ground, storage, NULL, NULL, NULL);
    cow_ground_put(ground, 0, NULL, 0, NULL);
    cow_storage_base(storage, &base, &start, NULL, NULL, NULL);
    cow_storage_rebase(storage, NULL);
    cow_base_storage(base, 0, 0, &storage, NULL);
    cow_base_receive(0, identity, 0, &base, NULL);
}
