/* An overwrite of a Storage that has pages to itself, or is about to get them, beside another writer, whose pin keeps the
 * bytes where they are. */
#define PAGES
#define BLOCKS 10
#include "protocol.pml"

proctype overwriter() {
    LOCALS;
    overwrite(0, 1)
}

proctype writer() {
    LOCALS;
    mutable_begin(0, false);
    assert(ok);
    seen = block_of[0];
    assert(block_of[0] == seen && !block_free[seen] && sole[0]);
    mutable_end(0)
}

init {
    bool two = false;
    if
    :: true ->
        set_up(1, 9);
        sole[0] = true;
        paged[0] = true
    :: true -> set_up(2, 9); two = true
    fi;
    atomic { run overwriter(); run writer() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    if
    :: two -> must_hold(1, 9); free_storage(1)
    :: else
    fi;
    assert(sharing == 0);
    nothing_leaked()
}
