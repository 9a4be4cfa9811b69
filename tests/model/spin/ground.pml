/* One page of a ground. Its owner changes it twice, while another thread makes a window from one that is on it and drops that one,
 * and a third forks. Whoever has a window, the child too, sees what he saw at first. */
#define WINDOWS 3
#define CHILD 3
#define NONE 255

byte ground = 9;
bool listed[WINDOWS], own[WINDOWS + 1];
byte page[WINDOWS + 1];
bool lock, lists, inside, closed;
byte forks;
bool dropped;

#define LOCK(which) atomic { !which; which = true }
#define UNLOCK(which) which = false
#define SEEN(w) (own[w] -> page[w] : ground)

/* The state is window 0. A child's windows are nobody's to list. */
inline keep() {
    w = 0;
    do
    :: w < WINDOWS ->
        if
        :: listed[w] && !own[w] -> d_step { page[w] = ground; own[w] = true }
        :: else
        fi;
        w++
    :: else -> break
    od
}

inline put(value) {
    atomic { !closed; inside = true };
    LOCK(lock);
    if
#ifdef GROUND_IGNORES_FORKS
    :: true ->
#else
    :: forks == 0 ->
#endif
#ifdef GROUND_CHANGES_FIRST
        ground = value;
#endif
        LOCK(lists);
        keep();
        UNLOCK(lists);
        ground = value
    :: else
    fi;
    UNLOCK(lock);
    inside = false
}

proctype owner() {
    byte w;
    d_step { page[0] = 1; own[0] = true };
    put(1);
    if
    :: ground == 1 -> own[0] = false
    :: else
    fi;
    d_step { page[0] = 2; own[0] = true };
    put(2);
    assert(SEEN(0) == 2)
}

/* Window 2 from window 1, which says 9. */
proctype maker() {
    bool had;
#ifndef GROUND_MADE_WITHOUT_LOCK
    LOCK(lock);
#endif
    had = own[1];
    if
    :: had -> d_step { page[2] = page[1]; own[2] = true }
    :: else
    fi;
#ifdef GROUND_LISTED_LATE
    UNLOCK(lock);
#endif
    LOCK(lists);
    listed[2] = true;
    UNLOCK(lists);
#ifndef GROUND_MADE_WITHOUT_LOCK
#ifndef GROUND_LISTED_LATE
    UNLOCK(lock);
#endif
#endif
    assert(SEEN(2) == 9);
    LOCK(lists); /* a drop takes the list's lock only */
    listed[1] = false;
    UNLOCK(lists);
    dropped = true
}

/* The child has window 1, if that is still there. */
proctype forker() {
    closed = true;
    !inside;
    d_step {
        forks++;
        page[CHILD] = (own[1] -> page[1] : 9);
        own[CHILD] = own[1] || !listed[1]
    };
    closed = false;
    assert(SEEN(CHILD) == 9)
}

init {
    d_step { listed[0] = true; listed[1] = true };
    atomic { run owner(); run maker(); run forker() };
    _nr_pr == 1;
    assert(SEEN(2) == 9 && SEEN(CHILD) == 9);
    assert(dropped || SEEN(1) == 9)
}
