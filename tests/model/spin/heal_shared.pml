/* Pages that two share are healed through one of them, which is written to meanwhile; the other writes, or takes the bytes away,
 * and is gone. */
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

proctype sharer() {
    LOCALS;
    if
    :: true -> write_at_last(1, 9, 5)
    :: true ->
        evict(1, 2);
        if
        :: ok -> fill(1, 9)
        :: else
        fi
    fi;
    free_storage(1)
}

init {
    set_up(2, 9);
    paged[original[context_of[0]]] = true;
    atomic { run healer(); run writer(); run sharer() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    assert(sharing == 0);
    nothing_leaked()
}
