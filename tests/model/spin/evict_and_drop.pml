/* A sharer evicts and is gone: the other, alone by now with bytes that are absent, may be in the middle of a write, or of a
 * fill. */
#define BLOCKS 8
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write_at_last(0, 9, 1)
}

proctype filler() {
    LOCALS;
    fill(0, 9)
}

proctype evictor() {
    LOCALS;
    evict(1, 2);
    free_storage(1)
}

init {
    set_up(2, 9);
    atomic { run writer(); run filler(); run evictor() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    nothing_leaked()
}
