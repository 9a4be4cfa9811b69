/* Pages of a Storage are healed, while another thread writes to it, and a third clones it, or takes its bytes away and brings
 * them back. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

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
        :: ok -> fill(0, 9)
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
    must_hold(0, 1);
    free_storage(0);
    assert(sharing == 0);
    nothing_leaked()
}
