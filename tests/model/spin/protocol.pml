/* The steps of src/core/protocol.md, once, for all clients. What the micro lock protects is one atomic step here, since it
 * is held across nothing that waits; everything else interleaves. Memory orders are the other checker's business.
 *
 * An allocation is a block with a context, or a block alone (a plain Storage). Using what is freed, copying what somebody
 * writes, and freeing what somebody copies are assertions in the steps; values are the clients'. Mutants: -D and a name. */

#define NONE 255
#ifndef STORAGES
#define STORAGES 4
#endif
#define CONTEXTS 6
#ifndef BLOCKS
#define BLOCKS 6
#endif

/* Where a context's bytes are: where each sharer's address says; where `original` says; nowhere; nowhere, and one thread has
 * `original`. */
#define HERE 0
#define FILLED 1
#define ABSENT 2
#define MOVES 3

byte value[BLOCKS];
bool block_free[BLOCKS];
byte copying[BLOCKS];          /* copies under way */
byte blocks;                   /* given out so far */

byte shares[CONTEXTS];
byte references[CONTEXTS];
byte original[CONTEXTS];       /* the block */
byte bytes_at[CONTEXTS];       /* HERE, ... ABSENT; a part of the word that has the counts */
byte readers[CONTEXTS];        /* the context's lock, held shared */
byte left[CONTEXTS];           /* open const scopes of Storages that have left */
bool context_free[CONTEXTS];
byte contexts;

#ifdef PAGES
/* What is kept beside the bytes: of which block, and the value that it had. */
byte shadow_of[CONTEXTS] = NONE;
byte shadow[CONTEXTS];
bool paged[BLOCKS];
byte sharing;                  /* threads that share pages or look at them */
#endif

byte context_of[STORAGES];     /* NONE: plain */
byte block_of[STORAGES];
bool sole[STORAGES];
bool busy[STORAGES];
byte pins[STORAGES];
byte scopes[STORAGES];         /* open const scopes on the context that the Storage has */
byte uses[STORAGES] = 1;       /* of the struct: the Storage, and each open const scope */

byte inside;                   /* the fork gate */
bool closed;
byte copies, steals;

/* What the steps below need in each process. */
#ifdef PAGES
#define LOCALS byte c, fresh, spare, seen; bool got, gave, last, ok, moved, by_page
#else
#define LOCALS byte c, fresh, spare, seen; bool got, gave, last, ok, moved
#endif

/* ---- memory ------------------------------------------------------------------------------------------------------ */

inline new_block(b) {
    d_step {
        assert(blocks < BLOCKS);
        b = blocks;
        blocks++
    }
}

inline free_block(b) {
    d_step {
        assert(!block_free[b] && copying[b] == 0);
        block_free[b] = true
    }
}

inline release(x) {
    d_step {
        assert(!context_free[x] && references[x] > 0);
        references[x]--;
        if
        :: references[x] == 0 ->
            context_free[x] = true;
#ifndef BYTES_WITH_LAST_SHARE
            if
            :: bytes_at[x] < ABSENT ->
                assert(!block_free[original[x]]);
                block_free[original[x]] = true
            :: else
            fi
#endif
        :: else
        fi
    }
}

/* Lowers the count of shares; the mutant frees the bytes with the last of them. */
inline lower_shares(x) {
    d_step {
        assert(!context_free[x] && shares[x] > 0);
        shares[x]--;
#ifdef BYTES_WITH_LAST_SHARE
        if
        :: shares[x] == 0 -> block_free[original[x]] = true
        :: else
        fi
#endif
    }
}

inline drop(x) {
    lower_shares(x);
    release(x)
}

/* Inside an atomic step. The open const scopes stay behind in the context. */
inline leave(s) {
#ifndef LEFT_NOT_RAISED
    if
    :: context_of[s] != NONE -> left[context_of[s]] = left[context_of[s]] + scopes[s]
    :: else
    fi;
#endif
    scopes[s] = 0;
    context_of[s] = NONE
}

inline unuse(s) {
    d_step {
        assert(uses[s] > 0);
        uses[s]--
    }
}

/* The context stays in the struct: open const scopes compare it with theirs. */
inline free_storage(s) {
    if
    :: context_of[s] != NONE -> drop(context_of[s])
    :: else -> free_block(block_of[s])
    fi;
#ifdef STRUCT_FREED_WITH_STORAGE
    uses[s] = 0
#else
    unuse(s)
#endif
}

/* ---- the context's lock; leaving it is two steps, and the second still touches it ------------------------------------ */

inline lock_shared(x) {
    d_step {
        assert(!context_free[x]);
        readers[x]++
    }
}

inline unlock_shared(x) {
    d_step {
        assert(!context_free[x] && readers[x] > 0);
        readers[x]--
    };
    assert(!context_free[x])
}

/* Nobody else looks at the lock while it is held exclusively, so waiting for it is all there is to see. */
inline wait_for_copies(x) {
#ifdef NO_WAIT_BEFORE_STEAL
    skip
#else
    assert(!context_free[x]);
    readers[x] == 0
#endif
}

/* ---- the gate ---------------------------------------------------------------------------------------------------- */

inline enter_gate() {
    atomic {
        !closed;
        inside++
    }
}

inline leave_gate() {
    inside--
}

#ifdef FILL_IGNORES_BUSY
#define MAY_FILL_ALONE(s) true
#else
#define MAY_FILL_ALONE(s) (!busy[s])
#endif

#ifdef CLONE_IGNORES_BUSY
#define MAY_CLONE(s) true
#else
#define MAY_CLONE(s) !busy[s]
#endif

/* ---- lazy clone -------------------------------------------------------------------------------------------------- */

inline new_context(x) {
    d_step {
        assert(contexts < CONTEXTS);
        x = contexts;
        contexts++;
        shares[x] = 1;
        references[x] = 1
    }
}

/* Inside an atomic step. got: the Storage has a context, by now ours if we brought one and there was none. */
inline look(s) {
    if
#ifdef WRAP_WITHOUT_LOOKING_AGAIN
    :: spare != NONE ->
#else
    :: spare != NONE && context_of[s] == NONE ->
#endif
        original[spare] = block_of[s];
        context_of[s] = spare;
        spare = NONE
    :: else
    fi;
    got = (context_of[s] != NONE)
}

/* Another thread was first. */
inline discard_spare() {
    if
    :: spare != NONE -> context_free[spare] = true; spare = NONE
    :: else
    fi
}

#ifdef PAGES
inline wrap(s) {
    spare = NONE;
    do
    :: atomic {
            look(s);
            if
            :: got -> break
            :: else
            fi
        };
        new_context(spare)
    od;
    discard_spare()
}
#endif

/* A new Storage n on the bytes of s. ok: it shares them. Otherwise s is pinned, and n stays unused. */
inline lazy_clone(s, n) {
    spare = NONE;
    do
    :: atomic {
            look(s);
            if
            :: !got
#ifndef CLONE_IGNORES_BUSY
            :: got && busy[s]
#endif
#ifndef CLONE_IGNORES_PINS
            :: got && !busy[s] && pins[s] > 0 -> ok = false; break
            :: got && MAY_CLONE(s) && pins[s] == 0 ->
#else
            :: got && MAY_CLONE(s) ->
#endif
                shares[context_of[s]]++;
                references[context_of[s]]++;
                context_of[n] = context_of[s];
                block_of[n] = block_of[s];
#ifndef CLONE_LEAVES_SOLE
                sole[s] = false;
#endif
                sole[n] = false;
                ok = true;
                break
            fi
        };
        if
        :: !got -> new_context(spare)
        :: got -> !busy[s]
        fi
    od;
    discard_spare()
}

/* Inside an atomic step: the Storage's address is where the bytes are. */
inline find(s) {
    if
    :: bytes_at[context_of[s]] == FILLED -> block_of[s] = original[context_of[s]]
    :: else
    fi
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A const scope: c and seen tell what it holds. ok: it is open; otherwise the bytes are absent. */
inline const_begin(s) {
    spare = NONE;
    do
    :: atomic {
            look(s);
            if
            :: !got
            :: got ->
                c = context_of[s];
                assert(!context_free[c] && uses[s] > 0);
#ifndef CONST_WITHOUT_REFERENCE
                references[c]++;
#endif
                ok = (bytes_at[c] < ABSENT);
                if
                :: ok ->
                    find(s);
                    seen = block_of[s];
                    scopes[s]++;
                    uses[s]++
                :: else
                fi;
                break
            fi
        };
        new_context(spare)
    od;
    discard_spare();
    if
    :: ok
    :: else -> release(c) /* it was counted before it was known */
    fi
}

inline const_read(expected) {
    assert(!block_free[seen] && value[seen] == expected)
}

inline const_end(s) {
    atomic {
        assert(uses[s] > 0); /* the struct is still there to look at */
        if
        :: context_of[s] == c -> scopes[s]--
        :: else ->
#ifndef LEFT_NOT_RAISED
            left[c]--;
#endif
            skip
        fi
    };
    unuse(s);
#ifndef CONST_WITHOUT_REFERENCE
    release(c)
#else
    skip
#endif
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

inline give_up(x, last_too) {
    atomic {
        assert(!context_free[x]);
        if
        :: shares[x] == 1 && !(last_too) -> gave = false
#ifndef COPY_OF_ABSENT
        :: bytes_at[x] >= ABSENT -> gave = false
#endif
        :: else -> lower_shares(x); gave = true
        fi
    }
}

inline copy_bytes(from, to) {
    d_step {
        assert(!block_free[from]);
        copying[from]++;
        value[to] = value[from]
    };
    d_step {
        assert(!block_free[from] && value[from] == value[to]);
        copying[from]--
    }
}

inline place(s, b) {
    atomic {
        leave(s);
        block_of[s] = b;
        sole[s] = true
    }
}

#ifdef PAGES

#ifdef AT_REST_IGNORES_PINS
#define NO_PINS(s) true
#else
#define NO_PINS(s) (pins[s] == 0)
#endif
#ifdef AT_REST_IGNORES_BUSY
#define NOT_BUSY(s) true
#else
#define NOT_BUSY(s) (!busy[s])
#endif
#define AT_REST(s) (sole[s] && paged[block_of[s]] && NOT_BUSY(s) && NO_PINS(s))

/* Bytes of its own for a writer, in fresh: by_page. Otherwise the allocator refused, after it made the shadow or before. With
 * the context's lock shared. */
inline share_pages() {
    by_page = false;
    atomic {
        assert(!context_free[c]);
        ok = (bytes_at[c] < ABSENT);
        if
        :: ok ->
#ifndef SHARE_WITHOUT_REFERENCE
            references[c]++;
#endif
            seen = original[c];
            sharing++
        :: else
        fi
    };
    if
    :: !ok -> ok = true
    :: else ->
        if
        :: true -> skip /* refused at once */
        :: true ->
            atomic {
                assert(!block_free[seen]);
                if
                :: shadow_of[c] == NONE -> shadow_of[c] = seen; shadow[c] = value[seen]
                :: else
                fi;
                copying[seen]++
            };
            d_step {
                assert(!block_free[seen] && copying[seen] > 0);
                assert(shadow_of[c] == seen && shadow[c] == value[seen]);
                copying[seen]--
            };
            if
            :: true -> skip /* refused afterwards */
            :: true ->
                new_block(fresh);
                d_step {
                    value[fresh] = shadow[c];
                    paged[fresh] = true;
                    by_page = true
                }
            fi
        fi;
        sharing--;
#ifndef SHARE_WITHOUT_REFERENCE
        release(c)
#else
        skip
#endif
    fi
}

inline unshadow(x) {
    shadow_of[x] = NONE
}

/* The pages are looked at, and perhaps given up. */
inline settle(s) {
#ifndef SETTLE_OUTSIDE_GATE
    enter_gate();
#endif
    wrap(s);
    atomic {
        if
        :: AT_REST(s) && context_of[s] != NONE ->
#ifndef SETTLE_LEAVES_SOLE
            sole[s] = false;
#endif
            c = context_of[s];
            busy[s] = true;
            got = true;
            sharing++
        :: else -> got = false
        fi
    };
    if
    :: !got -> skip
    :: else ->
        moved = false;
        if
        :: true -> skip /* they stay, or memory has run out */
        :: true ->
            lock_shared(c);
            new_block(fresh);
            give_up(c, true);
            assert(gave);
            copy_bytes(original[c], fresh);
            place(s, fresh);
            unlock_shared(c);
            moved = true
        fi;
        atomic {
            if
            :: !moved -> assert(context_of[s] == c && shares[c] == 1); sole[s] = true
            :: else
            fi;
            sharing--;
            busy[s] = false
        }
    fi;
#ifndef SETTLE_OUTSIDE_GATE
    leave_gate();
#endif
    if
    :: got && moved -> release(c)
    :: else
    fi
}
#endif

/* Ends with got: the Storage is busy by our hand. Or with it pinned, since it is sole. */
inline become_busy(s) {
#ifdef PAGES
    if
    :: AT_REST(s) -> settle(s)
    :: true
    fi;
#endif
    if
    :: atomic { sole[s] -> pins[s]++; got = false } /* no gate: nothing here is cut in two by a fork */
    :: else ->
        do
        :: enter_gate();
            atomic {
                if
                :: sole[s] -> pins[s]++; got = false; inside--; break
#ifdef SECOND_WRITER_DOES_NOT_WAIT
                :: !sole[s] -> busy[s] = true; got = true; break
#else
                :: !sole[s] && !busy[s] -> busy[s] = true; got = true; break
                :: !sole[s] && busy[s] -> inside--
#endif
                fi
            };
            !busy[s]
        od
    fi
}

/* ok: the Storage has bytes of its own and is pinned. may_fail: the allocation may. Not ok without it: absent. */
inline mutable_begin(s, may_fail) {
    become_busy(s);
    ok = true;
    if
    :: !got
    :: else ->
        c = context_of[s];
        moved = false;
        do
#ifdef ABSENCE_BEFORE_SHARES
        :: if
            :: bytes_at[c] >= ABSENT -> ok = false; break
            :: else
            fi;
            last = (shares[c] == 1);
#else
        :: last = (shares[c] == 1);
            if
            :: bytes_at[c] >= ABSENT -> ok = false; break
            :: else
            fi;
#endif
            if
            :: last ->
#ifdef SHADOW_WITHOUT_ORDER
                unshadow(c);
#endif
                wait_for_copies(c);
                if
#ifdef STEAL_IGNORES_LEFT
                :: true -> steals++; break
#else
                :: left[c] == 0 ->
#if defined(PAGES) && !defined(STEAL_KEEPS_SHADOW) && !defined(SHADOW_WITHOUT_ORDER)
                    unshadow(c);
#endif
                    steals++;
                    break
#endif
                :: else
                fi
            :: else
            fi;
#ifdef DECREMENT_BEFORE_LOCK
            give_up(c, last);
            lock_shared(c);
#else
            lock_shared(c);
#endif
#ifdef SHARE_GIVEN_UP_BEFORE_ALLOCATION
            give_up(c, last);
#endif
            if
            :: may_fail ->
                unlock_shared(c);
                if
                :: shares[c] == 1 && left[c] == 0
                :: else -> ok = false; break
                fi
            :: true ->
#if defined(PAGES) && !defined(SHADOW_WITHOUT_ORDER)
                share_pages();
                if
                :: by_page
                :: else -> new_block(fresh)
                fi;
#else
                new_block(fresh);
#endif
#if !defined(DECREMENT_BEFORE_LOCK) && !defined(SHARE_GIVEN_UP_BEFORE_ALLOCATION)
                give_up(c, last);
#endif
                if
                :: gave ->
#ifdef SHADOW_WITHOUT_ORDER
                    seen = fresh;
                    byte plain = fresh;
                    share_pages();
                    if
                    :: by_page -> free_block(plain)
                    :: else -> copy_bytes(original[c], fresh)
                    fi;
#elif defined(PAGES)
                    if
                    :: by_page
                    :: else -> copy_bytes(original[c], fresh)
                    fi;
#else
                    copy_bytes(original[c], fresh);
#endif
#ifdef PLACED_AFTER_UNLOCK
                    unlock_shared(c);
                    place(s, fresh);
#else
                    place(s, fresh);
#ifdef RELEASE_BEFORE_UNLOCK
                    references[c]--;
                    unlock_shared(c);
                    references[c]++;
#else
                    unlock_shared(c);
#endif
#endif
                    copies++;
                    moved = true;
                    break
                :: else ->
                    unlock_shared(c);
                    free_block(fresh)
                fi
            fi
        od;
        atomic {
            if
            :: ok ->
                if
                :: !moved -> assert(bytes_at[c] < ABSENT); find(s)
                :: else
                fi;
                sole[s] = true;
                pins[s]++
            :: else
            fi;
            busy[s] = false
        };
        leave_gate();
        if
        :: moved -> release(c)
        :: else
        fi
    fi
}

inline put(s, v) {
    d_step {
        assert(!block_free[block_of[s]] && copying[block_of[s]] == 0);
        value[block_of[s]] = v
    }
}

inline mutable_end(s) {
    pins[s]--
}

inline write(s, v) {
    mutable_begin(s, false);
    put(s, v);
    mutable_end(s)
}

/* ---- overwrite --------------------------------------------------------------------------------------------------- */

inline end_overwrite(x) {
#ifndef OVERWRITE_WITHOUT_REFERENCE
    references[x]--;
#endif
#ifdef OVERWRITE_WITHOUT_SHARE
    release(x)
#else
    drop(x)
#endif
}

/* moved: somebody gave the Storage other bytes; then v is written into those. ok: otherwise the bytes were absent. */
inline overwrite(s, v) {
    ok = true;
#ifdef PAGES
    if
    :: AT_REST(s) -> wrap(s)
    :: else
    fi;
#endif
    atomic {
        c = context_of[s];
        if
#ifdef PAGES
        :: !(AT_REST(s) && context_of[s] != NONE) && (sole[s] || busy[s] || (shares[c] == 1 && left[c] == 0)) -> got = false
#else
        :: sole[s] || busy[s] || (shares[c] == 1 && left[c] == 0) -> got = false
#endif
        :: else ->
#if defined(PAGES) && !defined(OVERWRITTEN_STAYS_SOLE)
            sole[s] = false;
#endif
            got = true;
            ok = (bytes_at[c] < ABSENT);
            if
            :: ok -> find(s); seen = block_of[s]
            :: else
            fi;
#ifndef OVERWRITE_WITHOUT_REFERENCE
            references[c]++; /* that it reads, beside its share's */
#endif
            references[c]++;
#ifndef OVERWRITE_WITHOUT_SHARE
            shares[c]++
#endif
        fi
    };
    if
    :: !got -> write(s, v)
    :: got && !ok -> end_overwrite(c)
    :: else ->
        new_block(spare);
        copy_bytes(seen, spare); /* it reads the old bytes */
        value[spare] = v;
        enter_gate();
        atomic {
            if
#ifdef COMMIT_WITHOUT_LOOKING
            :: true ->
#else
            :: context_of[s] == c && !sole[s] && !busy[s] ->
#endif
                leave(s);
                block_of[s] = spare;
                sole[s] = true;
                moved = false
            :: else -> moved = true
            fi
        };
        leave_gate();
        if
        :: moved ->
            byte held = c, made = spare;
            write(s, v);
            free_block(made);
            c = held
        :: else -> drop(c)
        fi;
        end_overwrite(c);
        ok = true
    fi
}

/* ---- absence ----------------------------------------------------------------------------------------------------- */

/* ok: the bytes are gone. managed: how many shares there should be. */
inline evict(s, managed) {
    spare = NONE;
    enter_gate();
    do
    :: atomic {
            look(s);
            if
            :: !got
            :: got ->
                c = context_of[s];
                assert(!context_free[c]);
                ok = (bytes_at[c] < ABSENT && left[c] == 0 && shares[c] == managed
#ifndef EVICT_IGNORES_BUSY
                    && !busy[s]
#endif
#ifndef EVICT_IGNORES_PINS
                    && pins[s] == 0
#endif
#ifndef EVICT_IGNORES_READERS
                    && references[c] == managed
#endif
                    );
                if
                :: ok -> bytes_at[c] = MOVES; sole[s] = false
                :: else
                fi;
                break
            fi
        };
        new_context(spare)
    od;
    discard_spare();
    if
    :: ok ->
        fresh = original[c];
        original[c] = NONE;
#if defined(PAGES) && !defined(EVICT_KEEPS_SHADOW)
        unshadow(c);
#endif
        bytes_at[c] = ABSENT;
        leave_gate();
        free_block(fresh)
    :: else -> leave_gate()
    fi
}

/* ok: the bytes are there by our hand; otherwise by another's. */
inline fill(s, v) {
    new_block(fresh);
    value[fresh] = v;
    enter_gate();
    do
    :: atomic {
            c = context_of[s];
            if
            :: c == NONE -> ok = false; break
            :: c != NONE && bytes_at[c] < ABSENT -> ok = false; break
#ifdef FILL_WITHOUT_CLAIM
            :: c != NONE && bytes_at[c] == ABSENT -> last = (shares[c] == 1); ok = true; break
#else
            :: c != NONE && bytes_at[c] == ABSENT -> last = (shares[c] == 1); bytes_at[c] = MOVES; ok = true; break
#endif
            :: c != NONE && bytes_at[c] == MOVES
            fi
        };
        bytes_at[c] != MOVES
    od;
    if
    :: ok ->
        original[c] = fresh;
        bytes_at[c] = FILLED;
        atomic {
            if /* the lock that is held all the while keeps others from this Storage; here they may come between */
#ifdef FILL_LOOKS_LATE
            :: context_of[s] == c && shares[c] == 1 && bytes_at[c] < ABSENT -> find(s); sole[s] = true
#else
            :: context_of[s] == c && last && shares[c] == 1 && bytes_at[c] < ABSENT && MAY_FILL_ALONE(s) ->
                find(s);
                sole[s] = true
#endif
            :: else
            fi
        };
        leave_gate()
    :: else ->
        leave_gate();
        free_block(fresh)
    fi
}

/* A write that fills where it must: the bytes are all v0. */
inline write_at_last(s, v0, v) {
    do
    :: mutable_begin(s, false);
        if
        :: ok -> assert(value[block_of[s]] == v0); put(s, v); mutable_end(s); break
        :: else -> fill(s, v0)
        fi
    od
}

inline const_begin_at_last(s, v0) {
    do
    :: const_begin(s);
        if
        :: ok -> break
        :: else -> fill(s, v0)
        fi
    od
}

/* ---- setting up, and looking at the end ------------------------------------------------------------------------------ */

/* Storages 0 to n - 1 share one allocation that holds v. */
inline set_up(n, v) {
    d_step {
        value[0] = v;
        blocks = 1;
        contexts = 1;
        shares[0] = n;
        references[0] = n;
        byte i = 0;
        do
        :: i < n -> context_of[i] = 0; block_of[i] = 0; i++
        :: else -> break
        od
    }
}

inline set_up_plain(v) {
    d_step {
        value[0] = v;
        blocks = 1;
        context_of[0] = NONE;
        block_of[0] = 0;
        sole[0] = true
    }
}

inline must_hold(s, v) {
    assert(!busy[s] && pins[s] == 0 && !block_free[block_of[s]] && value[block_of[s]] == v)
}

#define ALL_DONE (_nr_pr == 1)

/* After the last Storage is freed nothing is left. */
inline nothing_leaked() {
    d_step {
        assert(inside == 0);
        byte k = 0;
        do
        :: k < blocks -> assert(block_free[k] && copying[k] == 0); k++
        :: else -> break
        od;
        k = 0;
        do
        :: k < contexts -> assert(context_free[k] && readers[k] == 0); k++
        :: else -> break
        od
    }
}
