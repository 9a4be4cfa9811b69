/* A plain Storage is written while it is cloned: either the clone is first and the write copies, or the clone sees the pin. */
#include "protocol.pml"

proctype cloner() {
    LOCALS;
    byte first;
    lazy_clone(0, 1);
    if
    :: ok ->
        first = value[block_of[1]];
        assert(first == 9 || first == 1);
        assert(value[block_of[1]] == first);
        write(1, 5);
        free_storage(1)
    :: else
    fi
}

proctype writer() {
    LOCALS;
    write(0, 1)
}

proctype reader() {
    LOCALS;
    const_begin(0);
    assert(!block_free[seen]);
    const_end(0)
}

init {
    set_up_plain(9);
    atomic { run cloner(); run writer(); run reader() };
    ALL_DONE;
    must_hold(0, 1);
    free_storage(0);
    nothing_leaked()
}
