/* Who asks whether bytes are gone, and who brings them back. They are absent at first, and have no past. Two sharers fill them;
 * whoever has done so writes, which takes the bytes over; one reads, which recalls them, and a window ends, whose heir they are.
 * One who asks is told that they are gone only if they are; one at a time has them moving.
 *
 * Each sharer has a share throughout, and `extra` counts the references beyond those of shares. What a line's lock protects is
 * one step. */
#define FILLED 1
#define ABSENT 2
#define MOVING 3
#define NOBODY 9

byte state = ABSENT, extra, movers, original = NOBODY;
bool past, listed;

inline hold() { extra++ }
inline release() { assert(extra > 0); extra-- }

inline claim() {
    movers++;
    state = MOVING
}

/* The context's `is_gone`: each look is a step. */
inline is_gone() {
    gone = false;
    if
    :: !(state & ABSENT)
    :: else ->
        if
        :: past
        :: else ->
#ifndef GONE_WITHOUT_REFERENCE
            hold();
#endif
            do
            :: state != MOVING ->
                no_past = !past;
                if
                :: state != MOVING -> break
                :: else
                fi
            od;
            atomic { gone = no_past && (state & ABSENT); assert(!gone || !past) }
#ifndef GONE_WITHOUT_REFERENCE
            release()
#endif
        fi
    fi;
    no_past = false
}

inline fill() {
    is_gone();
    filled = false;
    if
    :: gone ->
        atomic {
            if
            :: state == ABSENT -> claim(); filled = true
            :: else
            fi
        };
        if
        :: filled && past -> atomic { filled = false; movers--; state = state - FILLED }
        :: filled && !past ->
            assert(movers == 1);
            original = _pid;
            atomic { movers--; state = state - ABSENT }
        :: else
        fi
    :: else
    fi;
    gone = false
}

inline take_over() {
    hold();
    filled = false;
    atomic {
        if
        :: !(state & ABSENT) && extra == 1 -> claim(); filled = true
        :: else
        fi
    };
    if
    :: filled ->
        assert(movers == 1);
        original = NOBODY;
        past = true;
        listed = true;
        atomic { movers--; state = state - FILLED }
    :: else
    fi;
    release()
}

inline bring_back() {
#ifdef GONE_FILLS_NOT_AWAITED
    claim();
#else
    atomic { state != MOVING; claim() };
#endif
    assert(movers == 1);
    original = _pid;
    past = false;
    atomic { movers--; state = state - ABSENT }
}

proctype fills_and_writes() {
    bool gone, no_past, filled;
    fill();
    if
    :: filled -> take_over(); take_over()
    :: else
    fi
}

proctype recalls() {
    bool gone, no_past, mine;
    hold();
    do
    :: !(state & ABSENT) -> break
    :: else ->
        if
        :: !past ->
            is_gone();
            if
            :: gone -> break
            :: else
            fi
        :: else ->
            if
            :: state == MOVING
            :: else ->
                atomic { mine = listed; listed = false };
                if
                :: mine -> bring_back()
                :: else
                fi
            fi
        fi
    od;
    release()
}

/* It has no reference, and does not look. */
proctype inherits() {
    if
    :: atomic { listed; listed = false } -> bring_back()
    :: true /* the window does not end */
    fi
}

init {
    atomic { run fills_and_writes(); run fills_and_writes(); run recalls(); run inherits() };
    _nr_pr == 1;
    assert(movers == 0 && extra == 0);
    assert(state == FILLED && original != NOBODY && !past || state == ABSENT && past == listed)
}
