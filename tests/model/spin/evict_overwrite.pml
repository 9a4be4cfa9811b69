/* An overwrite against an eviction by another sharer, whose count of shares may be that of a moment ago: what the scope reads
 * stays. */
#define BLOCKS 8
#include "protocol.pml"

proctype overwriter() {
    LOCALS;
    do
    :: overwrite(0, 1);
        if
        :: ok -> break
        :: else -> fill(0, 9)
        fi
    od
}

proctype evictor() {
    LOCALS;
    if
    :: evict(1, 2)
    :: evict(1, 3)
    fi;
    const_begin_at_last(1, 9);
    const_read(9);
    const_end(1)
}

init {
    set_up(2, 9);
    atomic { run overwriter(); run evictor() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
