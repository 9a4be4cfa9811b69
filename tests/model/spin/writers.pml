/* Three sharers that all write: two copies, one steal, each its own value. */
#include "protocol.pml"

proctype writer(byte me) {
    LOCALS;
    write(me, me)
}

init {
    set_up(3, 9);
    atomic { run writer(0); run writer(1); run writer(2) };
    ALL_DONE;
    assert(copies == 2 && steals == 1);
    must_hold(0, 0);
    must_hold(1, 1);
    must_hold(2, 2);
    free_storage(0);
    free_storage(1);
    free_storage(2);
    nothing_leaked()
}
