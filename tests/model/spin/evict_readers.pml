/* The bytes are evicted while a sharer reads, and another clones, reads and drops: who has a scope keeps them, and who finds
 * them absent makes them again. */
#define BLOCKS 8
#include "protocol.pml"

proctype reader() {
    LOCALS;
    const_begin_at_last(0, 9);
    const_read(9);
    const_read(9);
    const_end(0)
}

proctype cloner() {
    LOCALS;
    lazy_clone(2, 3);
    assert(ok);
    const_begin_at_last(3, 9);
    const_read(9);
    const_end(3);
    free_storage(3)
}

proctype evictor() {
    LOCALS;
    evict(1, 3)
}

init {
    set_up(3, 9);
    atomic { run reader(); run cloner(); run evictor() };
    ALL_DONE;
    free_storage(0);
    free_storage(1);
    free_storage(2);
    nothing_leaked()
}
