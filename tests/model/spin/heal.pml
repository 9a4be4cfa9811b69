/* Pages of a Storage are healed, while another thread writes to it, and a third clones it, or takes its bytes away and brings
 * them back. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

bool brought; /* what was there at first, perhaps after the write */

proctype healer() {
    LOCALS;
    heal(0)
}

proctype writer() {
    LOCALS;
    write_at_last(0, 9, 1)
}

proctype other() {
    LOCALS;
    if
    :: true ->
        lazy_clone(0, 1);
        if
        :: ok -> free_storage(1)
        :: else
        fi
    :: true ->
        evict(0, 1);
        if
        :: ok -> fill(0, 9); brought = true
        :: else
        fi
    fi
}

init {
    set_up(1, 9);
    sole[0] = true;
    paged[0] = true;
    atomic { run healer(); run writer(); run other() };
    ALL_DONE;
    assert(!busy[0] && pins[0] == 0 && !block_free[block_of[0]]);
    assert(value[block_of[0]] == 1 || (brought && value[block_of[0]] == 9));
    free_storage(0);
    assert(sharing == 0);
    nothing_leaked()
}
