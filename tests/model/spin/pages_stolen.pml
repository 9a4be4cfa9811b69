/* Two sharers write, by the page or not, and then one of them writes to a clone of what it has: nobody shares pages of what
 * the bytes were before they were stolen. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write(0, 1);
    lazy_clone(0, 2);
    assert(ok);
    mutable_begin(2, false);
    assert(value[block_of[2]] == 1);
    mutable_end(2)
}

proctype sharer() {
    LOCALS;
    write(1, 5)
}

init {
    set_up(2, 9);
    atomic { run writer(); run sharer() };
    ALL_DONE;
    must_hold(0, 1);
    must_hold(1, 5);
    free_storage(0);
    free_storage(1);
    free_storage(2);
    assert(sharing == 0);
    nothing_leaked()
}
