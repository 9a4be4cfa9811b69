/* An overwrite against another writer of the same Storage, and a write to the other sharer. */
#include "protocol.pml"

proctype overwriter() {
    LOCALS;
    overwrite(0, 1)
}

proctype mover() {
    LOCALS;
    byte exported;
    mutable_begin(0, false);
    exported = block_of[0];
    assert(!block_free[exported]);
    assert(exported == block_of[0]); /* the pointer it gave away stays the array's */
    mutable_end(0)
}

proctype other() {
    LOCALS;
    write(1, 5)
}

init {
    set_up(2, 9);
    atomic { run overwriter(); run mover(); run other() };
    ALL_DONE;
    must_hold(0, 1);
    must_hold(1, 5);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
