/* Two sharers write, and one of them evicts the bytes first: each finds what it had, and nobody copies or steals what is
 * absent. */
#define BLOCKS 8
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write_at_last(0, 9, 1)
}

proctype evictor() {
    LOCALS;
    evict(1, 2);
    write_at_last(1, 9, 2)
}

init {
    set_up(2, 9);
    atomic { run writer(); run evictor() };
    ALL_DONE;
    assert(copies + steals <= 2 && copies <= 1);
    must_hold(0, 1);
    must_hold(1, 2);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
