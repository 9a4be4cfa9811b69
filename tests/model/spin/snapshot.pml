/* Two snapshots are read and released while the array is written: what they release may be stolen, what they hold not. */
#include "protocol.pml"

proctype reader(byte me) {
    LOCALS;
    const_begin(me);
    const_read(9);
    const_read(9);
    const_end(me);
    free_storage(me)
}

proctype writer() {
    LOCALS;
    write(2, 1)
}

init {
    set_up(3, 9);
    atomic { run reader(0); run reader(1); run writer() };
    ALL_DONE;
    must_hold(2, 1);
    free_storage(2);
    nothing_leaked()
}
