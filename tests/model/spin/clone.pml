/* A Storage is cloned while another sharer materializes and a third drops. */
#include "protocol.pml"

proctype cloner() {
    LOCALS;
    lazy_clone(0, 3);
    assert(ok);
    write(3, 3)
}

proctype writer() {
    LOCALS;
    write(1, 1)
}

proctype dropper() {
    free_storage(2)
}

init {
    set_up(3, 9);
    atomic { run cloner(); run writer(); run dropper() };
    ALL_DONE;
    must_hold(0, 9);
    must_hold(1, 1);
    must_hold(3, 3);
    assert(shares[0] == 1);
    free_storage(0);
    free_storage(1);
    free_storage(3);
    nothing_leaked()
}
