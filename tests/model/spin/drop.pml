/* One sharer writes, one writes and drops, one drops. */
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write(0, 1)
}

proctype guest() {
    LOCALS;
    write(1, 2);
    must_hold(1, 2);
    free_storage(1)
}

proctype dropper() {
    free_storage(2)
}

init {
    set_up(3, 9);
    atomic { run writer(); run guest(); run dropper() };
    ALL_DONE;
    assert(copies + steals <= 2 && steals <= 1);
    must_hold(0, 1);
    free_storage(0);
    nothing_leaked()
}
