/* A fork while pages are healed: the child finds nobody in the middle of it. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

proctype healer() {
    LOCALS;
    heal(0)
}

proctype writer() {
    LOCALS;
    write(0, 1)
}

proctype forker() {
    closed = true;
    inside == 0;
    assert(sharing == 0 && !busy[0]);
    closed = false
}

init {
    set_up(1, 9);
    sole[0] = true;
    paged[0] = true;
    atomic { run healer(); run writer(); run forker() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    assert(sharing == 0);
    nothing_leaked()
}
