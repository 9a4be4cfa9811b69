/* The last share is dropped while the other Storage copies: the copier's reference keeps the bytes. */
#include "protocol.pml"

proctype writer() {
    LOCALS;
    write(0, 1)
}

proctype dropper() {
    free_storage(1)
}

init {
    set_up(2, 9);
    atomic { run writer(); run dropper() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    nothing_leaked()
}
