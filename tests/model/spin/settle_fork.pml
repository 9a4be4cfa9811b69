/* A fork while a writer looks at its pages, and a sharer writes by the page: the child finds nobody in the middle of it. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

proctype writer(byte me) {
    LOCALS;
    write(me, me)
}

proctype forker() {
    closed = true;
    inside == 0;
    assert(sharing == 0 && !busy[0] && !busy[1]);
    closed = false
}

/* Storage 0 alone, with pages; 1 and 2 share. */
init {
    d_step {
        value[0] = 9;
        value[1] = 9;
        blocks = 2;
        contexts = 2;
        shares[0] = 1;
        references[0] = 1;
        shares[1] = 2;
        references[1] = 2;
        original[1] = 1;
        context_of[0] = 0;
        context_of[1] = 1;
        context_of[2] = 1;
        block_of[1] = 1;
        block_of[2] = 1;
        sole[0] = true;
        paged[0] = true
    };
    atomic { run writer(0); run writer(1); run forker() };
    ALL_DONE;
    must_hold(0, 0);
    must_hold(1, 1);
    must_hold(2, 9)
}
