/* The end of a line. Storage 0 has a window with the pasts of three copies. It goes on to write to a page, or to all of them,
 * or is freed, while two threads each read a copy, write to it, or free it. Or all four are freed at once, one after a look. */
#define CLIENT
#define COPIES 3
#define CONTEXTS 9
#define PASTS 6
#define WINDOWS 8
#include "pasts.pml"

/* One thread has the copy to itself. */
inline use(copy) {
    if
    :: run uses_once(copy, true, false)
    :: run uses_once(copy, false, true)
    :: run writes(copy, 1, 7, 7, 0)
    fi
}

inline go_on() {
    atomic {
        if
        :: run writes(0, 1, 4, 4, 0)
        :: whole = true; run writes(0, 1, 4, 4, 0)
        :: run uses_once(0, false, true)
        fi;
        if
        :: use(1); use(2)
        :: use(1); use(3)
        :: use(2); use(3)
        fi
    };
    ALL_DONE;
    k = 0;
    do
    :: k <= COPIES && context_of[k] != NONE -> run uses_once(k, true, true); ALL_DONE
    :: k <= COPIES && context_of[k] == NONE -> k++
    :: k > COPIES -> break
    od
}

init {
    byte k, read;
    atomic { set_up(); clone(0, 1); run writes(0, 0, 1, 1, 0) };
    ALL_DONE;
    run writes(0, 0, 2, 2, 2);
    ALL_DONE;
    run writes(0, 1, 3, 3, 3);
    ALL_DONE;
    assert(window[0] == 0 && newest[0] == 2 && older[2] == 1 && older[1] == 0);
    if
    :: go_on()
    :: true
    fi;
    tear_down()
}
