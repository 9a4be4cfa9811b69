/* A const scope of Storage 0 reads one part while another thread writes the other part, and then frees the Storage: what
 * the scope reads is changed by nobody, least of all by the sharer that was left alone with the bytes. */
#include "protocol.pml"

bool open;

proctype reader() {
    LOCALS;
    const_begin(0);
    open = true;
    const_read(9);
    const_read(9);
    const_end(0)
}

proctype writer() {
    LOCALS;
    mutable_begin(0, false); /* the other part: the scope does not look at it */
    mutable_end(0);
    open; /* who frees a Storage is alone with it, but for the scopes that are open */
    free_storage(0)
}

proctype sharer() {
    LOCALS;
    write(1, 5)
}

init {
    set_up(2, 9);
    atomic { run reader(); run writer(); run sharer() };
    ALL_DONE;
    assert(steals <= 1 && copies + steals == 2);
    must_hold(1, 5);
    free_storage(1);
    nothing_leaked()
}
