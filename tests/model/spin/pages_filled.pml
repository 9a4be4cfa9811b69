/* Two threads write to one Storage, and one of them brings its bytes; the other sharer takes them and is gone. */
#define PAGES
#define BLOCKS 10
#include "protocol.pml"

proctype writer() {
    LOCALS;
    do
    :: mutable_begin(0, false);
        if
        :: ok -> put(0, 1); mutable_end(0); break
        :: else -> fill(0, 9)
        fi
    od
}

proctype filler() {
    LOCALS;
    fill(0, 9);
    if
    :: ok -> write(0, 1)
    :: else
    fi
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
    assert(sharing == 0);
    nothing_leaked()
}
