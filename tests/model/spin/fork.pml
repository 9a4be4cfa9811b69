/* A fork while two sharers write: the child finds no lock held, nobody busy, and no Storage between two sets of bytes. */
#include "protocol.pml"

proctype writer(byte me) {
    LOCALS;
    write(me, me)
}

proctype forker() {
    closed = true;
#ifndef GATE_NOT_DRAINED
    inside == 0;
#endif
    assert(!busy[0] && !busy[1]);
    assert(context_free[0] || readers[0] == 0);
    assert(sole[0] || context_of[0] == 0);
    assert(sole[1] || context_of[1] == 0);
    closed = false
}

init {
    set_up(2, 9);
    atomic { run writer(0); run writer(1); run forker() };
    ALL_DONE;
    assert(copies == 1 && steals == 1);
    must_hold(0, 0);
    must_hold(1, 1);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
