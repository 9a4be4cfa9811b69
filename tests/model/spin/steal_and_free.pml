/* The stealer frees bytes and context as soon as it can, while the copier is still on its way out of the lock. */
#include "protocol.pml"

proctype guest(byte me) {
    LOCALS;
    write(me, me);
    must_hold(me, me);
    free_storage(me)
}

init {
    set_up(2, 9);
    atomic { run guest(0); run guest(1) };
    ALL_DONE;
    nothing_leaked()
}
