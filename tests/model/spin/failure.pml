/* Any allocation may fail, of three sharers that all write: who fails keeps its value and its share. */
#include "protocol.pml"

bool wrote[3];

proctype writer(byte me) {
    LOCALS;
    mutable_begin(me, true);
    if
    :: ok -> put(me, me); mutable_end(me); wrote[me] = true
    :: else -> assert(!block_free[block_of[me]] && value[block_of[me]] == 9 && context_of[me] == 0 && !sole[me])
    fi
}

inline check(who) {
    if
    :: wrote[who] -> must_hold(who, who)
    :: else -> must_hold(who, 9)
    fi
}

init {
    set_up(3, 9);
    atomic { run writer(0); run writer(1); run writer(2) };
    ALL_DONE;
    assert(copies + steals == wrote[0] + wrote[1] + wrote[2]);
    assert(steals <= 1);
    assert(context_free[0] || shares[0] == 3 - copies); /* who failed still has a share */
    check(0);
    check(1);
    check(2);
    free_storage(0);
    free_storage(1);
    free_storage(2);
    nothing_leaked()
}
