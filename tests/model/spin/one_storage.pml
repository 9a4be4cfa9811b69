/* Two writers of one Storage, and one of its other sharer: one materialization each, and no part is lost. */
#include "protocol.pml"

bool part[2];      /* the parts that the writers of Storage 0 have written, */
byte written_in[2]; /* and the block that they wrote into */

proctype writer(byte me) {
    LOCALS;
    mutable_begin(0, false);
    d_step {
        assert(!block_free[block_of[0]] && copying[block_of[0]] == 0);
        written_in[me] = block_of[0];
        part[me] = true
    };
    mutable_end(0)
}

proctype other() {
    LOCALS;
    write(1, 1)
}

init {
    set_up(2, 9);
    atomic { run writer(0); run writer(1); run other() };
    ALL_DONE;
    assert(copies == 1 && steals == 1);
    assert(written_in[0] == block_of[0] && written_in[1] == block_of[0]);
    must_hold(0, 9);
    must_hold(1, 1);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
