/* Readers left behind, and any allocation may fail: the last sharer then neither copies nor steals, and keeps what it has. */
#include "protocol.pml"

bool wrote[2];

proctype reader() {
    LOCALS;
    const_begin(0);
    const_read(9);
    const_read(9);
    const_end(0)
}

proctype writer(byte me, v) {
    LOCALS;
    mutable_begin(me, true);
    if
    :: ok && v != 9 -> put(me, v); mutable_end(me); wrote[me] = true
    :: ok && v == 9 -> mutable_end(me); wrote[me] = true
    :: !ok -> assert(context_of[me] == 0 && !sole[me] && !context_free[0] && value[block_of[me]] == 9)
    fi
}

init {
    set_up(2, 9);
    atomic { run reader(); run writer(0, 9); run writer(1, 5) };
    ALL_DONE;
    assert(copies + steals == wrote[0] + wrote[1]);
    must_hold(0, 9);
    if
    :: wrote[1] -> must_hold(1, 5)
    :: else -> must_hold(1, 9)
    fi;
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
