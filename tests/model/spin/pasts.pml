/* Pasts. Two threads write to Storage 0, which shares its bytes with copy 1, and one of them clones it in between, as copy 2. A
 * third reads or frees one of the copies, and Storage 0 is freed, before or after. Each Storage keeps its values; nothing is
 * freed twice, used afterwards, read while somebody writes to it, or left over.
 *
 * What the micro lock protects is one step, and so is what is done with a line's lock, except for recalls. A Storage that gets
 * other bytes has a new context at once. A past's spare line has its number. What the last reference to a context does is a
 * process of its own. Copies of whole windows are here as far as they get in the way of a writer who takes over.
 *
 * pasts_end.pml and pasts_again.pml are other clients of the same steps. */
#ifndef COPIES
#define COPIES 2
#define CONTEXTS 6
#define PASTS 4
#define WINDOWS 6
#endif
#define PAGES 2
#define NONE 255
#define HERE 0
#define MOVING 1
#define ABSENT 2

#define AT(which, page) ((which) * PAGES + (page))
#define MAY_READ(w, page) (!freed[w] && !writing[AT(w, page)])
#define OPEN(l) (l == NONE || !lock[l])

byte value[WINDOWS * PAGES];
bool writing[WINDOWS * PAGES], freed[WINDOWS];
byte on[WINDOWS] = NONE;       /* its line, with a reference */
byte watched[WINDOWS];
byte windows, numbers;

byte shares[CONTEXTS], references[CONTEXTS], where[CONTEXTS], left[CONTEXTS], copying[CONTEXTS];
byte original[CONTEXTS] = NONE, past[CONTEXTS] = NONE;
bool gone[CONTEXTS];
byte contexts;

bool lock[PASTS];              /* of lines */
byte uses[PASTS], window[PASTS] = NONE, newest[PASTS] = NONE;

bool listed[PASTS], dropped[PASTS];
byte whose[PASTS], line[PASTS], newer[PASTS] = NONE, older[PASTS] = NONE;
bool has[PASTS * PAGES];       /* what it has put aside */
byte aside[PASTS * PAGES];
byte pasts;

byte context_of[COPIES + 1] = NONE, pins[COPIES + 1], scopes[COPIES + 1];
bool sole[COPIES + 1], busy[COPIES + 1];
byte expected[(COPIES + 1) * PAGES];
bool whole;                    /* writers do not know what they will touch */

hidden byte p, q, w;           /* within one step, and in no d_step, which would not take them back */

inline take_number(number, count, most) {
    assert(count < most);
    number = count;
    count++
}

/* ---- lines: with the lock ---------------------------------------------------------------------------------------- */

inline leave_line(l) {
    assert(uses[l] > 0);
    uses[l]--;
    assert(uses[l] > 0 || newest[l] == NONE && !lock[l])
}

inline watch(l) {
    if
    :: window[l] == NONE
    :: else ->
#ifdef PASTS_NUMBERS_REPEAT
        numbers = watched[window[l]];
#endif
        numbers = numbers + (newest[l] != NONE);
        watched[window[l]] = (newest[l] == NONE -> 0 : numbers)
    fi
}

inline unlist(one) {
    assert(listed[one] && !dropped[one] && !gone[whose[one]]);
    if
    :: newer[one] != NONE -> older[newer[one]] = older[one]
    :: else -> newest[line[one]] = older[one]
    fi;
    if
    :: older[one] != NONE -> newer[older[one]] = newer[one]
    :: else
    fi;
    listed[one] = false;
    newer[one] = NONE;
    older[one] = NONE
}

inline leave_page(one, page) {
    if
#ifdef PASTS_FORGET_DROPS_PAGES
    :: false
#elif defined(PASTS_LEFT_PAGES_REPLACE)
    :: has[AT(one, page)] && older[one] != NONE ->
#else
    :: has[AT(one, page)] && older[one] != NONE && !has[AT(older[one], page)] ->
#endif
        has[AT(older[one], page)] = true;
        aside[AT(older[one], page)] = aside[AT(one, page)]
    :: else
    fi
}

inline free_pages(one) {
    has[AT(one, 0)] = false;
    has[AT(one, 1)] = false;
    aside[AT(one, 0)] = 0;
    aside[AT(one, 1)] = 0
}

/* To the next older one, if there is one. */
inline leave(one) {
    leave_page(one, 0);
    leave_page(one, 1);
    free_pages(one);
    unlist(one);
    if
    :: newest[line[one]] == NONE -> watch(line[one])
    :: else
    fi
}

inline put_back(one, to) {
    value[AT(to, 0)] = (has[AT(one, 0)] -> aside[AT(one, 0)] : value[AT(to, 0)]);
    value[AT(to, 1)] = (has[AT(one, 1)] -> aside[AT(one, 1)] : value[AT(to, 1)])
}

inline drop(one) {
    assert(!listed[one] && !dropped[one]);
    dropped[one] = true;
    leave_line(line[one])
}

inline fill(c, from) {
    assert(where[c] == ABSENT && !gone[c]);
    original[c] = from;
    where[c] = HERE
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

/* The newest past has the window now, or nobody. */
inline inherit(bytes) {
    q = NONE;
    if
    :: on[bytes] != NONE && window[on[bytes]] == bytes -> q = newest[on[bytes]]
    :: else
    fi;
    if
    :: q != NONE ->
#ifndef PASTS_HEIR_KEEPS_PAGES
        put_back(q, bytes);
#endif
        free_pages(q);
        unlist(q);
        watch(on[bytes]);
        fill(whose[q], bytes)
    :: q == NONE && on[bytes] != NONE ->
        window[on[bytes]] = (window[on[bytes]] == bytes -> NONE : window[on[bytes]]);
        leave_line(on[bytes]);
        on[bytes] = NONE
    :: else
    fi
}

/* Its past is forgotten first, as the end of a window may bring it bytes until then. */
proctype ends(byte c) {
#ifdef PASTS_LINE_AFTER_HEIR
    byte left_line;
#endif
#ifdef PASTS_FORGOTTEN_LATE
    byte bytes = original[c];
#else
#define bytes original[c]
#endif
    if
    :: past[c] != NONE ->
        atomic {
            OPEN(line[past[c]]);
            if
            :: listed[past[c]] -> leave(past[c])
            :: else
            fi;
            drop(past[c])
        }
    :: else
    fi;
    atomic {
        bytes == NONE || OPEN(on[bytes]);
        w = bytes;
        if
        :: w != NONE ->
            assert(!freed[w]);
            inherit(w);
            freed[w] = q == NONE
        :: else
        fi;
        assert(!gone[c]);
#ifdef PASTS_LINE_AFTER_HEIR
        left_line = (w != NONE && q != NONE -> on[w] : NONE);
#endif
        gone[c] = true
    };
#ifdef PASTS_LINE_AFTER_HEIR
    assert(left_line == NONE || uses[left_line] > 0)
#endif
#undef bytes
}

/* A reference, and perhaps a share. */
inline give_back(c, share) {
    atomic {
        assert(references[c] > 0);
        shares[c] = shares[c] - share;
        references[c]--;
        if
        :: references[c] == 0 -> run ends(c)
        :: else
        fi;
        c = 0
    }
}

/* ---- recalls and scopes ------------------------------------------------------------------------------------------ */

/* What this one and the newer ones have put aside. */
inline see_aside(one) {
#ifdef PASTS_RECALL_READS_ASIDE
    q = NONE;
#else
    q = one;
#endif
    do
    :: q != NONE ->
        skipped[0] = skipped[0] || has[AT(q, 0)];
        skipped[1] = skipped[1] || has[AT(q, 1)];
        q = newer[q]
    :: else -> break
    od
}

inline copy_page(from, to, page) {
    assert(MAY_READ(from, page));
    value[AT(to, page)] = value[AT(from, page)]
}

/* The nearest comes last. */
inline put_all_back(one, to) {
    q = newest[line[one]];
    do
    :: q != NONE ->
        put_back(q, to);
        q = (q == one -> NONE : older[q])
    :: else -> break
    od
}

/* The older ones go with the newest. */
inline move_line(one, to) {
    watched[window[line[one]]] = 0;
    free_pages(one);
    unlist(one);
#ifndef PASTS_MOVE_LEAVES_OLDER
    uses[line[one]]++;
    on[to] = line[one];
    window[line[one]] = to;
#endif
    watch(line[one])
}

/* A window for it, as what is skipped was put aside. */
inline bring(one) {
    take_number(w, windows, WINDOWS);
    if
    :: !skipped[0] -> copy_page(window[line[one]], w, 0)
    :: else
    fi;
    if
    :: !skipped[1] -> copy_page(window[line[one]], w, 1)
    :: else
    fi;
    put_all_back(one, w);
    if
    :: newer[one] == NONE -> move_line(one, w)
    :: true -> leave(one) /* there are no maps left, or it is not the newest */
    fi;
    fill(whose[one], w);
    skipped[0] = false;
    skipped[1] = false
}

/* With a reference. */
inline recall(c) {
    where[c] != MOVING;
    if
    :: where[c] == ABSENT ->
        atomic {
            OPEN(line[past[c]]);
            l = line[past[c]];
            assert(uses[l] > 0 && !dropped[past[c]]);
            here = !listed[past[c]];
            lock[l] = !here
        };
        if
        :: !here ->
            atomic { see_aside(past[c]) };
            atomic { bring(past[c]); lock[l] = false }
        :: else
        fi;
        l = 0;
        assert(where[c] == HERE)
    :: else
    fi
}

inline begin_scope(k) {
    do
    :: atomic {
            c = context_of[k];
            assert(references[c] > 0 && !gone[c]);
            references[c]++;
            here = where[c] == HERE;
            scopes[k] = scopes[k] + here
        };
        if
        :: here -> break
        :: else -> recall(c); give_back(c, 0)
        fi
    od
}

inline end_scope(k) {
    atomic {
        if
        :: context_of[k] == c -> scopes[k]--
        :: else -> left[c]--
        fi
    };
    give_back(c, 0)
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

inline put_in_place(k, bytes) {
    d_step {
        left[c] = left[c] + scopes[k];
        scopes[k] = 0;
        assert(pins[k] == 0 && !sole[k]);
        take_number(context_of[k], contexts, CONTEXTS);
        shares[context_of[k]] = 1;
        references[context_of[k]] = 1;
        original[context_of[k]] = bytes;
        sole[k] = true
    }
}

/* The window's line, or the spare one: its pasts may have gone elsewhere. */
inline line_of(bytes, made) {
    if
    :: on[bytes] != NONE && window[on[bytes]] != bytes -> leave_line(on[bytes]); on[bytes] = NONE
    :: else
    fi;
    if
    :: on[bytes] == NONE -> on[bytes] = made; window[made] = bytes; uses[made] = 1
    :: else
    fi
}

inline begin_past(bytes) {
    atomic {
        OPEN(on[bytes]);
        take_number(made, pasts, PASTS);
        line_of(bytes, made);
        uses[on[bytes]]++;
        line[made] = on[bytes];
        whose[made] = c;
        older[made] = newest[on[bytes]];
        if
        :: older[made] != NONE -> newer[older[made]] = made
        :: else
        fi;
        listed[made] = true;
        newest[on[bytes]] = made;
#ifdef PASTS_NUMBER_STAYS
        if
        :: watched[bytes] == 0 -> watch(on[bytes])
        :: else
        fi
#else
        watch(on[bytes])
#endif
    }
}

/* The past of before goes. */
inline leave_past() {
    atomic {
        p = past[c];
        past[c] = made;
        made = p;
        where[c] = ABSENT
    };
    if
    :: made != NONE -> atomic { drop(made) }
    :: else
    fi
}

/* Scopes that were left behind have references. */
inline take_over(k) {
    atomic {
        here = where[c] == HERE;
        references[c] = references[c] + here
    };
    if
    :: here ->
        atomic {
            if
#ifdef PASTS_TAKE_OVER_IGNORES_READERS
            :: where[c] == HERE && shares[c] > 1 ->
#else
            :: where[c] == HERE && shares[c] > 1 && references[c] == shares[c] + 1 ->
#endif
                shares[c]--;
                where[c] = MOVING;
                bytes = original[c];
                original[c] = NONE
            :: else
            fi
        };
        if
        :: bytes != NONE ->
#ifdef PASTS_LISTED_LATE
            put_in_place(k, bytes);
            begin_past(bytes);
            leave_past()
#else
            begin_past(bytes);
            leave_past();
            put_in_place(k, bytes)
#endif
        :: else
        fi;
        references[c]-- /* never the last */
    :: else
    fi
}

inline copy_all(k) {
    copying[c]++;
    atomic {
        here = where[c] == HERE && (shares[c] > 1 || last);
        shares[c] = shares[c] - here
    };
    if
    :: here ->
        atomic {
            take_number(bytes, windows, WINDOWS);
            copy_page(original[c], bytes, 0);
            copy_page(original[c], bytes, 1)
        };
        put_in_place(k, bytes)
    :: else
    fi;
    copying[c]--
}

/* Busy: bytes of its own. */
inline materialize(k) {
    do
    :: context_of[k] != c -> break
    :: else ->
        last = shares[c] == 1;
        if
        :: where[c] != HERE -> references[c]++; recall(c); references[c]--
        :: else ->
            if
            :: last -> copying[c] == 0
            :: else
            fi;
            if
            :: last && left[c] == 0 -> break
            :: else ->
                bytes = NONE;
                take_over(k);
                if
                :: bytes == NONE -> copy_all(k)
                :: else
                fi
            fi
        fi
    od
}

/* With the micro lock, and sole. */
inline pin_unless_watched(k, page) {
    w = original[context_of[k]];
    if
#ifdef PASTS_TOLD_NOT_CHECKED
    :: watched[w] == 0 || told != 0 ->
#else
    :: watched[w] == 0 || watched[w] == told ->
#endif
        pins[k]++;
        writing[AT(w, page)] = true;
        pinned = true
    :: else
    fi
}

/* The page, or all pages: then all pasts are recalled. */
inline put_aside(bytes, page) {
    atomic {
#ifndef PASTS_ASIDE_WITHOUT_LOCK
        OPEN(on[bytes]);
#endif
        assert(MAY_READ(bytes, page));
        p = NONE;
        if
        :: on[bytes] != NONE && window[on[bytes]] == bytes -> p = newest[on[bytes]]
        :: else
        fi;
        if
        :: p == NONE
        :: p != NONE && !whole ->
            aside[AT(p, page)] = (has[AT(p, page)] -> aside[AT(p, page)] : value[AT(bytes, page)]);
            has[AT(p, page)] = true;
            told = watched[bytes]
        :: p != NONE && whole ->
            do
            :: p == NONE || window[line[p]] != bytes -> break
            :: else -> see_aside(p); bring(p); p = newest[on[bytes]]
            od
        fi;
        bytes = 0
    }
}

inline begin_write(k, page) {
    do
    :: pinned -> break
    :: else ->
        atomic {
            if
            :: sole[k] -> here = true; pin_unless_watched(k, page)
            :: !sole[k] && !busy[k] -> here = false; busy[k] = true; c = context_of[k]
            fi
        };
        if
        :: !here ->
            materialize(k);
            atomic {
                sole[k] = true;
                pin_unless_watched(k, page);
                busy[k] = false;
                bytes = 0;
                made = 0;
                last = false;
                here = context_of[k] != c;
                c = (here -> c : 0)
            };
            if
            :: here -> give_back(c, 0)
            :: else
            fi
        :: else
        fi;
        if
        :: !pinned ->
            begin_scope(k);
            atomic { assert(where[c] == HERE); bytes = original[c] };
#ifdef PASTS_ASIDE_WITHOUT_SCOPE
            end_scope(k);
            put_aside(bytes, page)
#else
            put_aside(bytes, page);
            end_scope(k)
#endif
        :: else
        fi
    od
}

inline end_write(k, page, new) {
    atomic {
        w = original[context_of[k]];
        assert(!freed[w]);
        value[AT(w, page)] = new;
        expected[AT(k, page)] = new;
        writing[AT(w, page)] = false;
        pins[k]--
    }
}

/* ---- clients ----------------------------------------------------------------------------------------------------- */

byte writers;                  /* of Storage 0 */

/* Of a pinned Storage it would be a copy at once, which is no matter here. */
inline clone(from, to) {
    atomic {
        !busy[from] && pins[from] == 0;
        context_of[to] = context_of[from];
        shares[context_of[to]]++;
        references[context_of[to]]++;
        sole[from] = false;
        expected[AT(to, 0)] = expected[AT(from, 0)];
        expected[AT(to, 1)] = expected[AT(from, 1)]
    }
}

/* First it makes a copy, unless that is 0. */
proctype writes(byte k, page, new, most, copy) {
    byte c, l, bytes, made, told;
    bool here, last, pinned, skipped[PAGES];
    if
    :: copy != 0 -> clone(k, copy)
    :: else -> context_of[k] != NONE
    fi;
    do
    :: new <= most ->
        begin_write(k, page);
        end_write(k, page, new);
        atomic { here = false; last = false; pinned = false; c = 0; bytes = 0; made = 0; told = 0; new++ }
    :: else -> break
    od;
    writers = writers - (k == 0)
}

proctype uses_once(byte k; bool looks, frees) {
    byte c, l;
    bool here, skipped[PAGES];
    context_of[k] != NONE;
    if
    :: looks ->
        begin_scope(k);
        atomic {
            assert(where[c] == HERE);
            assert(MAY_READ(original[c], 0) && value[AT(original[c], 0)] == expected[AT(k, 0)]);
            assert(MAY_READ(original[c], 1) && value[AT(original[c], 1)] == expected[AT(k, 1)])
        };
        end_scope(k)
    :: else
    fi;
    if
    :: frees -> atomic { c = context_of[k]; context_of[k] = NONE }; give_back(c, 1)
    :: else
    fi;
    d_step { c = 0; here = false }
}

inline set_up() {
    windows = 1;
    contexts = 1;
    shares[0] = 1;
    references[0] = 1;
    original[0] = 0;
    context_of[0] = 0;
    sole[0] = true
}

#define ALL_DONE _nr_pr == 1

/* All that are left, at once, and one of them is read before. */
inline tear_down() {
    atomic {
        read = NONE;
        k = 0;
        do
        :: k <= COPIES && context_of[k] != NONE && read == NONE -> run uses_once(k, true, true); read = k; k++
        :: k <= COPIES && context_of[k] != NONE -> run uses_once(k, false, true); k++
        :: k <= COPIES && context_of[k] == NONE -> k++
        :: k > COPIES -> break
        od;
        read = 0
    };
    ALL_DONE;
    atomic {
        k = 0;
        do
        :: k < windows -> assert(freed[k]); k++
        :: else -> break
        od;
        k = 0;
        do
        :: k < contexts -> assert(gone[k]); k++
        :: else -> break
        od;
        k = 0;
        do
        :: k < pasts -> assert(dropped[k] && uses[k] == 0); k++
        :: else -> break
        od
    }
}

#ifndef CLIENT
init {
    byte k, read;
    writers = 2;
    atomic {
        set_up();
        clone(0, 1);
        run writes(0, 0, 1, 2, 0);
        run writes(0, 1, 1, 1, 2);
        if
        :: run uses_once(1, true, false)
        :: run uses_once(2, true, false)
        :: run uses_once(1, false, true)
        :: run uses_once(2, false, true)
        fi
    };
    writers == 0;
    if
    :: run uses_once(0, true, true)
    :: true
    fi;
    ALL_DONE;
    tear_down()
}
#endif
