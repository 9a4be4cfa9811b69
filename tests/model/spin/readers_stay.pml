/* Two readers of Storage 0, which a third thread writes and so takes away, or steals; the other sharers write and drop.
 * Who was left behind makes the last sharer copy; who was not, does not. */
#include "protocol.pml"

proctype reader() {
    LOCALS;
    const_begin(0);
    const_read(9);
    const_read(9);
    const_end(0)
}

proctype writer(byte me, v) {
    LOCALS;
    mutable_begin(me, false);
    if
    :: v != 9 -> put(me, v)
    :: else
    fi;
    mutable_end(me)
}

init {
    set_up(2, 9);
    atomic { run reader(); run reader(); run writer(0, 9); run writer(1, 5) };
    ALL_DONE;
    assert(copies + steals == 2 && copies >= 1);
    must_hold(0, 9);
    must_hold(1, 5);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
