/* Two clones and a const scope of one Storage without a context: they get one. */
#include "protocol.pml"

proctype cloner(byte n) {
    LOCALS;
    lazy_clone(0, n);
    assert(ok);
    write(n, n)
}

proctype reader() {
    LOCALS;
    const_begin(0);
    const_read(9);
    const_end(0)
}

init {
    set_up_plain(9);
    atomic { run cloner(1); run cloner(2); run reader() };
    ALL_DONE;
    must_hold(0, 9);
    must_hold(1, 1);
    must_hold(2, 2);
    assert(copies == 2 && shares[context_of[0]] == 1);
    free_storage(0);
    free_storage(1);
    free_storage(2);
    nothing_leaked()
}
