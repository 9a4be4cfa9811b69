/* A paged Storage, two writers, a clone and a reader: the pages are looked at while nobody writes, and whoever has the old
 * ones keeps them. */
#define PAGES
#define BLOCKS 8
#include "protocol.pml"

proctype writer(byte v) {
    LOCALS;
    write(0, v)
}

proctype other() {
    LOCALS;
    byte first;
    if
    :: true ->
        lazy_clone(0, 1);
        if
        :: ok ->
            first = value[block_of[1]];
            assert(!block_free[block_of[1]] && value[block_of[1]] == first);
            free_storage(1)
        :: else
        fi
    :: true ->
        const_begin(0);
        assert(!block_free[seen]);
        const_end(0)
    fi
}

init {
    set_up(1, 9);
    sole[0] = true;
    paged[0] = true;
    atomic { run writer(1); run writer(1); run other() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    assert(sharing == 0);
    nothing_leaked()
}
