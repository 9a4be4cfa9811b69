/* A const scope of a Storage that moves away under it while its other sharer drops: its memory and its values stay. */
#include "protocol.pml"

proctype reader() {
    LOCALS;
    const_begin(0);
    const_read(9);
    const_read(9);
    const_end(0)
}

proctype mover() {
    LOCALS;
    mutable_begin(0, false);
    mutable_end(0)
}

proctype dropper() {
    free_storage(1)
}

init {
    set_up(2, 9);
    atomic { run reader(); run mover(); run dropper() };
    ALL_DONE;
    must_hold(0, 9);
    free_storage(0);
    nothing_leaked()
}
