/* A sharer writes by the page while the other takes the bytes away and brings them back. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write_at_last(0, 9, 1)
}

proctype evictor() {
    LOCALS;
    byte managed = 2;
    do
    :: managed > 0 ->
        evict(1, managed);
        if
        :: ok -> fill(1, 9)
        :: else
        fi;
        managed--
    :: else -> break
    od;
    write_at_last(1, 9, 5)
}

init {
    set_up(2, 9);
    atomic { run writer(); run evictor() };
    ALL_DONE;
    must_hold(0, 1);
    must_hold(1, 5);
    free_storage(0);
    free_storage(1);
    assert(sharing == 0);
    nothing_leaked()
}
