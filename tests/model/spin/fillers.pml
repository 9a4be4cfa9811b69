/* Three sharers of absent bytes: two fill, one reads as soon as it can. One fill wins, and all see its bytes. */
#define BLOCKS 8
#include "protocol.pml"

byte wins, winner;

proctype filler(byte me) {
    LOCALS;
    fill(me, 5 + me);
    if
    :: ok -> wins++; winner = 5 + me
    :: else
    fi
}

proctype reader() {
    LOCALS;
    const_begin(2);
    if
    :: ok ->
        assert(!block_free[seen] && (value[seen] == 5 || value[seen] == 6));
        const_end(2)
    :: else
    fi
}

init {
    LOCALS;
    set_up(3, 9);
    evict(0, 3);
    assert(ok);
    atomic { run filler(0); run filler(1); run reader() };
    ALL_DONE;
    assert(wins == 1);
    const_begin(1);
    assert(ok);
    const_read(winner);
    const_end(1);
    free_storage(0);
    free_storage(1);
    free_storage(2);
    nothing_leaked()
}
