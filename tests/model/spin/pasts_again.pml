/* A past of before. Copy 1 was recalled and cloned, so its context has a past that nobody needs. Now the clone is written to,
 * which takes the bytes over once more, while one thread asks what was put aside for copy 1, and another reads it or writes to
 * it. Storage 0 is written to as well. */
#define CLIENT
#define COPIES 2
#define CONTEXTS 7
#define PASTS 5
#define WINDOWS 7
#include "pasts.pml"

/* What was put aside. It may be the past of before that is found, if the bytes are moving. */
proctype asks(byte k) {
    byte c, before;
    bool here;
    atomic { c = context_of[k]; here = where[c] == HERE; references[c] = references[c] + !here };
    if
    :: !here ->
#ifndef PASTS_ASKED_WHILE_MOVING
        where[c] != MOVING;
#endif
        before = past[c];
        atomic { OPEN(line[before]); assert(!dropped[before]) };
        give_back(c, 0)
    :: else
    fi
}

init {
    byte k, read;
    atomic { set_up(); clone(0, 1); run writes(0, 0, 1, 1, 0) };
    ALL_DONE;
    run uses_once(1, true, false);
    ALL_DONE;
    clone(1, 2);
    assert(where[0] == HERE && past[0] == 0 && !listed[0]);
    atomic {
        run writes(2, 0, 5, 6, 0);
        run writes(0, 1, 2, 2, 0);
        run asks(1);
        if
        :: run uses_once(1, true, false)
        :: run writes(1, 1, 7, 7, 0)
        fi
    };
    ALL_DONE;
    tear_down()
}
