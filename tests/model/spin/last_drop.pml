/* The last other share is dropped, and the last other scope ended, while a Storage copies: its reference keeps the bytes. */
#include "protocol.pml"

byte scoped; /* the context that the scope holds */

proctype writer() {
    LOCALS;
    write(0, 1)
}

proctype dropper() {
    free_storage(1)
}

proctype reader() {
    LOCALS;
    c = scoped;
    const_end(1)
}

proctype opener() {
    LOCALS;
    const_begin(1);
    const_read(9);
    scoped = c
}

init {
    set_up(2, 9);
    run opener();
    ALL_DONE;
    atomic { run writer(); run dropper(); run reader() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    nothing_leaked()
}
