/* One Storage that nobody shares, plain or with a context: one thread writes to it, the other evicts it. */
#define BLOCKS 8
#include "protocol.pml"

proctype writer() {
    LOCALS;
    mutable_begin(0, false);
    if
    :: ok ->
        assert(!block_free[block_of[0]]);
        mutable_end(0)
    :: else -> fill(0, 9)
    fi
}

proctype evictor() {
    LOCALS;
    evict(0, 1);
    const_begin_at_last(0, 9);
    const_read(9);
    const_end(0)
}

init {
    if
    :: set_up(1, 9)
    :: set_up_plain(9)
    fi;
    atomic { run writer(); run evictor() };
    ALL_DONE;
    if
    :: context_of[0] != NONE && bytes_at[context_of[0]] == ABSENT -> assert(!sole[0])
    :: else -> must_hold(0, 9)
    fi;
    free_storage(0);
    nothing_leaked()
}
