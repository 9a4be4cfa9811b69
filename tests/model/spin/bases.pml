/* The list of frozen bases. Two threads look for one while the last references to it and to its neighbour go: whoever finds a
 * base has it alive, and nobody frees one that a finder looks at. */
#define NONE 255
#define HEAD 2

byte references[2] = 1;
byte next[2], before[2];
byte newest;
bool freed[2], list;

#define LOCK(which) atomic { !which; which = true }
#define UNLOCK(which) which = false

inline find(wanted) {
    LOCK(list);
    found = NONE;
    at = newest;
    do
    :: at == NONE || found != NONE -> break
    :: else ->
        assert(!freed[at]);
        if
#ifdef FIND_RETAINS_THE_DEAD
        :: at == wanted -> references[at]++; found = at
#else
        :: atomic { at == wanted && references[at] > 0 -> references[at]++; found = at }
#endif
        :: else -> at = next[at]
        fi
    od;
    UNLOCK(list)
}

inline delist(base) {
#ifdef PLACE_SEEN_BEFORE_LOCK
    place = before[base];
    LOCK(list);
#else
    LOCK(list);
    place = before[base];
#endif
    if
    :: place == HEAD -> newest = next[base]
    :: else -> assert(!freed[place]); next[place] = next[base]
    fi;
    if
    :: next[base] != NONE -> assert(!freed[next[base]]); before[next[base]] = place
    :: else
    fi;
    UNLOCK(list)
}

inline release(base) {
    atomic { references[base]--; last = references[base] == 0 };
    if
    :: last ->
#ifdef FREED_IN_THE_LIST
        freed[base] = true;
#endif
        delist(base);
        freed[base] = true
    :: else
    fi
}

proctype finder(byte wanted) {
    byte found, at, place;
    bool last;
    find(wanted);
    if
    :: found != NONE ->
        assert(!freed[found] && references[found] > 0);
        release(found)
    :: else
    fi
}

proctype owner(byte base) {
    byte place;
    bool last;
    release(base)
}

init {
    newest = 0;
    next[0] = 1;
    next[1] = NONE;
    before[0] = HEAD;
    before[1] = 0;
    atomic { run finder(1); run finder(1); run owner(0); run owner(1) };
    _nr_pr == 1;
    assert(newest == NONE && freed[0] && freed[1])
}
