/* A lease. The thread that answers gives its base to a receiver, while its time runs out and the process itself says that it
 * needs no more. It ends once, what is given is alive, and then nothing keeps the base. */
byte references = 1;
byte count = 1, ended;
bool open = true, changed;

#define LOCK(which) atomic { !which; which = true }
#define UNLOCK(which) which = false

inline end_lease() {
#ifdef LEASE_ENDS_WITHOUT_LOCK
    if
    :: open ->
        open = false;
        count--;
        ended++;
        references--
    :: else
    fi
#else
    LOCK(changed);
    if
    :: open ->
        open = false;
        count--;
        ended++;
        references--
    :: else
    fi;
    UNLOCK(changed)
#endif
}

proctype answers() {
    bool found;
    LOCK(changed);
    found = open;
#ifndef GIVEN_WITHOUT_REFERENCE
    if
    :: found -> references++
    :: else
    fi;
#endif
    UNLOCK(changed);
    if
    :: found ->
        assert(references > 0); /* its descriptor is sent */
#ifndef GIVEN_WITHOUT_REFERENCE
        references--;
#endif
        end_lease()
    :: else
    fi;
    assert(ended <= 1)
}

proctype time_runs_out() {
    end_lease()
}

proctype needs_no_more() {
    end_lease()
}

init {
    atomic { run answers(); run time_runs_out(); run needs_no_more() };
    _nr_pr == 1;
    assert(ended == 1 && count == 0 && references == 0)
}
