/* A Storage is cloned, read and written at once: the clone is lazy only while nobody can write its bytes. */
#include "protocol.pml"

proctype cloner() {
    LOCALS;
    byte first;
    lazy_clone(0, 2);
    if
    :: ok ->
        first = value[block_of[2]];
        assert(first == 9 || first == 1);
        assert(!block_free[block_of[2]] && value[block_of[2]] == first);
        free_storage(2)
    :: else
    fi
}

proctype writer() {
    LOCALS;
    write(0, 1);
    write(0, 1)
}

proctype other() {
    LOCALS;
    write(1, 5)
}

init {
    set_up(2, 9);
    atomic { run cloner(); run writer(); run other() };
    ALL_DONE;
    must_hold(0, 1);
    must_hold(1, 5);
    free_storage(0);
    free_storage(1);
    nothing_leaked()
}
