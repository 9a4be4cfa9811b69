/* One small client per promise of protocol.md. Arguments: a client's name, or list,
 * or any (all of them, in a few interleavings and then in more, until one breaks); and the number of interleavings. */
#include "core.hpp"

/* Three sharers that all write: two copies, one steal, nobody sees another's value. */
struct writers : client {
    writers() : client("writers", 3)
    {
    }
    cow_storage *own[3];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        write_cells(own[me], 0, 0, (int)me);
    }
    void wind_up()
    {
        for (int i = 0; i < 3; i++) {
            must_hold(own[i], i, 9);
            cow_storage_free(own[i]);
        }
        MUST(model_counters[COWI_COPIES] == 2 && model_counters[COWI_STEALS] == 1);
    }
};

/* One writes, one reads and drops, one writes and drops. */
struct drops : client {
    drops() : client("drops", 3)
    {
    }
    cow_storage *own[3];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 1) {
            must_hold(own[1], 9, 9);
        }
        else {
            write_all(own[me], (int)me);
        }
        if (me != 0) {
            cow_storage_free(own[me]);
        }
    }
    void wind_up()
    {
        must_hold(own[0], 0, 0);
        MUST(cow_storage_shares(own[0]) == 1);
        cow_storage_free(own[0]);
    }
};

/* The last other share is dropped, and the last other scope ended, while a thread copies: its reference keeps the bytes. */
struct last_drop : client {
    last_drop() : client("last_drop", 3)
    {
    }
    cow_storage *a, *b;
    cow_const_scope scope;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
        const cow_status status = cow_const_begin(b, &scope, NULL);
        MUST(status == COW_OK);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_cells(a, 0, 0, 1);
        }
        else if (me == 1) {
            cow_storage_free(b);
        }
        else {
            cow_const_end(&scope);
        }
    }
    void wind_up()
    {
        must_hold(a, 1, 9);
        cow_storage_free(a);
    }
};

/* The stealer frees what it stole while the copier may still be on its way out of unlock. */
struct steal_and_free : client {
    steal_and_free() : client("steal_and_free", 2)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        write_cells(own[me], 0, 0, (int)me);
        must_hold(own[me], (int)me, 9);
        cow_storage_free(own[me]);
    }
    void wind_up()
    {
        MUST(model_counters[COWI_COPIES] + model_counters[COWI_STEALS] >= 1);
    }
};

/* a is cloned while another sharer materializes and a third drops. */
struct clone_against_write : client {
    clone_against_write() : client("clone_against_write", 3)
    {
    }
    cow_storage *a, *b, *c, *made;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
        c = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            made = clone_of(a);
            write_all(made, 3);
        }
        else if (me == 1) {
            write_all(b, 4);
        }
        else {
            cow_storage_free(c);
        }
    }
    void wind_up()
    {
        must_hold(a, 9, 9);
        must_hold(b, 4, 4);
        must_hold(made, 3, 3);
        cow_storage_free(a);
        cow_storage_free(b);
        cow_storage_free(made);
    }
};

/* Three clones of one Storage that has no context yet. */
struct wrap : client {
    wrap() : client("wrap", 3)
    {
    }
    cow_storage *a, *made[3];
    void set_up()
    {
        a = make(9);
    }
    void thread(unsigned me)
    {
        if (me == 2) {
            must_hold(a, 9, 9); /* a const scope needs the context, too */
            made[2] = NULL;
            return;
        }
        made[me] = clone_of(a);
        write_all(made[me], (int)me);
    }
    void wind_up()
    {
        MUST(cow_storage_shares(a) == 1);
        must_hold(a, 9, 9);
        must_hold(made[0], 0, 0);
        must_hold(made[1], 1, 1);
        cow_storage_free(a);
        cow_storage_free(made[0]);
        cow_storage_free(made[1]);
    }
};

/* Two writers of one Storage fill their own parts; its other sharer writes as well. */
struct one_storage : client {
    one_storage() : client("one_storage", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 2) {
            write_cells(b, 0, 0, 7);
        }
        else {
            write_cells(a, (int)me, (int)me, (int)me);
        }
    }
    void wind_up()
    {
        must_hold(a, 0, 1);
        must_hold(b, 7, 9);
        MUST(model_counters[COWI_COPIES] == 1 && model_counters[COWI_STEALS] == 1);
        MUST(cow_storage_pins(a) == 0);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* One of two writers waits for the other, with nothing else in between. */
struct one_waits : client {
    one_waits() : client("one_waits", 2)
    {
    }
    cow_storage *a;
    void set_up()
    {
        a = make(9);
        cow_storage_free(clone_of(a));
    }
    void thread(unsigned me)
    {
        write_cells(a, (int)me, (int)me, (int)me);
    }
    void wind_up()
    {
        must_hold(a, 0, 1);
        cow_storage_free(a);
    }
};

/* A clone of a Storage that one thread materializes: it waits, or comes first; it never has the bytes a writer writes. */
struct clone_of_busy : client {
    clone_of_busy() : client("clone_of_busy", 2)
    {
    }
    cow_storage *a, *b, *made;
    bool steals;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
        made = NULL;
        steals = rl::rand(2) == 1;
        if (steals) {
            cow_storage_free(b);
            b = NULL;
        }
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_all(a, 1);
            return;
        }
        /* Pinned is for another client: there the race on the values would be the user's. */
        if (cow_lazy_clone(a, 0, sizeof(cells), COW_TRY, &made, NULL) == COW_OK) {
            cow_const_scope scope;
            const cow_status status = cow_const_begin(made, &scope, NULL);
            MUST(status == COW_OK);
            const int value = get_cell(scope.data, 0);
            MUST(value == 9 || value == 1);
            rl::yield(1, $);
            MUST(get_cell(scope.data, 1) == value); /* and what it has does not change */
            cow_const_end(&scope);
        }
    }
    void wind_up()
    {
        must_hold(a, 1, 1);
        cow_storage_free(a);
        cow_storage_free(b);
        cow_storage_free(made);
    }
};

/* The waiting room alone: who waits for a busy Storage is woken. */
struct waiting_room : client {
    waiting_room() : client("waiting_room", 2)
    {
    }
    cow_storage *a;
    void set_up()
    {
        a = make(9);
        cowi_store_seq_cst(&a->busy, 1);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            cowi_store_seq_cst(&a->busy, 0);
            cowi_wake_busy();
        }
        else {
            cowi_wait_while_busy(a);
        }
    }
    void wind_up()
    {
        cow_storage_free(a);
    }
};

/* Clones that wait for a busy Storage are woken. The writer changes nothing, so an eager clone is no race. */
struct clone_waits : client {
    clone_waits() : client("clone_waits", 3)
    {
    }
    cow_storage *a, *b, *made[3];
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_cells(a, 0, -1, 0);
        }
        else {
            made[me] = clone_of(a);
        }
    }
    void wind_up()
    {
        must_hold(a, 9, 9);
        must_hold(made[1], 9, 9);
        must_hold(made[2], 9, 9);
        write_all(made[1], 1);
        must_hold(made[2], 9, 9);
        cow_storage_free(a);
        cow_storage_free(b);
        cow_storage_free(made[1]);
        cow_storage_free(made[2]);
    }
};

/* A sole Storage is written and cloned at once: the clone is refused while the pin is there, and otherwise never changes. */
struct pins : client {
    pins() : client("pins", 2)
    {
    }
    cow_storage *a, *made;
    void set_up()
    {
        a = make(9);
        made = NULL;
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_all(a, 1);
            write_all(a, 2);
            return;
        }
        if (cow_lazy_clone(a, 0, sizeof(cells), COW_TRY, &made, NULL) == COW_OK) {
            cow_const_scope scope;
            const cow_status status = cow_const_begin(made, &scope, NULL);
            MUST(status == COW_OK);
            const int value = get_cell(scope.data, 0);
            rl::yield(1, $);
            MUST(get_cell(scope.data, 1) == value);
            cow_const_end(&scope);
        }
    }
    void wind_up()
    {
        must_hold(a, 2, 2);
        cow_storage_free(a);
        cow_storage_free(made);
    }
};

/* A snapshot (a Storage that is read and dropped) against a writer that may steal what it releases. */
struct snapshot : client {
    snapshot() : client("snapshot", 3)
    {
    }
    cow_storage *a, *shot[2];
    void set_up()
    {
        a = make(9);
        shot[0] = clone_of(a);
        shot[1] = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 2) {
            write_all(a, 1);
            return;
        }
        must_hold(shot[me], 9, 9);
        cow_storage_free(shot[me]);
    }
    void wind_up()
    {
        must_hold(a, 1, 1);
        cow_storage_free(a);
    }
};

/* A const scope of a Storage that moves away under it, while the other sharer drops: memory and old values stay. */
struct const_scope : client {
    const_scope() : client("const_scope", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            must_hold(a, 9, 9);
        }
        else if (me == 1) {
            write_cells(a, 0, -1, 0);
        }
        else {
            cow_storage_free(b);
        }
    }
    void wind_up()
    {
        must_hold(a, 9, 9);
        cow_storage_free(a);
    }
};

/* A const scope reads one part of a while another thread writes a's other part, and then b is alone with the bytes that the
 * scope reads: b may not write them in place before the scope has ended. */
struct readers_left : client {
    readers_left() : client("readers_left", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            cow_const_scope scope;
            const cow_status status = cow_const_begin(a, &scope, NULL);
            MUST(status == COW_OK);
            dawdle();
            MUST(get_cell(scope.data, 0) == 9);
            cow_const_end(&scope);
        }
        else if (me == 1) {
            write_cells(a, 1, 1, 1);
        }
        else {
            dawdle();
            write_cells(b, 0, 0, 2);
        }
    }
    void wind_up()
    {
        must_hold(a, 9, 1);
        must_hold(b, 2, 9);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* A Storage is written and freed while a const scope of it is open; the sharer that stays behind writes, too. */
struct struct_lives : client {
    struct_lives() : client("struct_lives", 3)
    {
    }
    cow_storage *a, *b;
    cow_const_scope scope;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
        const cow_status status = cow_const_begin(a, &scope, NULL);
        MUST(status == COW_OK);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            dawdle();
            MUST(get_cell(scope.data, 0) == 9);
            cow_const_end(&scope);
        }
        else if (me == 1) {
            write_cells(a, 1, 1, 1);
            cow_storage_free(a);
        }
        else {
            write_cells(b, 0, 0, 2);
        }
    }
    void wind_up()
    {
        must_hold(b, 2, 9);
        MUST(cow_storage_shares(b) == 1);
        cow_storage_free(b);
    }
};

/* The first allocation of bytes fails, whoever makes it. Its array keeps its value, and the figures still add up. */
struct failure : client {
    failure() : client("failure", 3)
    {
    }
    cow_storage *own[3];
    bool wrote[3];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
        model_refuse = 1 + (int)rl::rand(2);
    }
    void thread(unsigned me)
    {
        wrote[me] = write_cells(own[me], 0, 0, (int)me);
        if (!wrote[me]) {
            must_hold(own[me], 9, 9);
        }
    }
    void wind_up()
    {
        unsigned writes = 0;
        model_refuse = 0;
        for (int i = 0; i < 3; i++) {
            must_hold(own[i], wrote[i] ? i : 9, 9);
            writes += wrote[i] ? 1 : 0;
        }
        MUST(writes >= 1);
        MUST(model_counters[COWI_COPIES] + model_counters[COWI_STEALS] == writes);
        for (int i = 0; i < 3; i++) {
            MUST(write_all(own[i], i)); /* nothing stayed busy */
        }
        MUST(model_counters[COWI_STEALS] == 1);
        for (int i = 0; i < 3; i++) {
            must_hold(own[i], i, i);
            cow_storage_free(own[i]);
        }
    }
};

/* An overwrite of a, another materialization of a, and a write to the other sharer, which must not steal what the scope
 * reads. */
struct overwrite : client {
    overwrite() : client("overwrite", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 1) {
            write_cells(a, 0, -1, 0);
            return;
        }
        if (me == 2) {
            write_all(b, 7);
            return;
        }
        cow_overwrite_scope scope;
        cow_status status = cow_overwrite_begin(a, 0, &scope, NULL);
        MUST(status == COW_OK);
        dawdle(); /* the computation */
        const int first = get_cell(scope.old, 0);
        const int second = get_cell(scope.old, 1);
        dawdle();
        MUST(first == 9 && second == 9);
        put_cell(scope.data, 0, first + 1);
        put_cell(scope.data, 1, second + 1);
        status = cow_overwrite_commit(&scope, NULL, NULL);
        MUST(status == COW_OK || status == COW_EMOVED);
        if (status == COW_EMOVED) {
            write_all(a, 10);
            cow_overwrite_abort(&scope);
        }
    }
    void wind_up()
    {
        must_hold(a, 10, 10);
        must_hold(b, 7, 7);
        MUST(cow_storage_shares(a) == 1 && cow_storage_shares(b) == 1 && cow_storage_pins(a) == 0);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* Two overwrites of one Storage, one of them given up. */
struct overwrites : client {
    overwrites() : client("overwrites", 2)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        cow_overwrite_scope scope;
        cow_status status = cow_overwrite_begin(a, 0, &scope, NULL);
        MUST(status == COW_OK);
        if (me == 1) {
            cow_overwrite_abort(&scope);
            return;
        }
        put_cell(scope.data, 0, 1);
        put_cell(scope.data, 1, 1);
        status = cow_overwrite_commit(&scope, NULL, NULL);
        MUST(status == COW_OK || status == COW_EMOVED);
        if (status == COW_EMOVED) {
            write_all(a, 1);
            cow_overwrite_abort(&scope);
        }
    }
    void wind_up()
    {
        must_hold(a, 1, 1);
        must_hold(b, 9, 9);
        MUST(cow_storage_shares(b) == 1);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* The bytes are evicted while a sharer reads; a third clones, reads and drops. */
struct evict_readers : client {
    evict_readers() : client("evict_readers", 3)
    {
    }
    cow_storage *own[3];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            read_at_last(own[0], 9);
        }
        else if (me == 1) {
            (void)evicted(own[1], 3);
        }
        else {
            cow_storage *made = clone_of(own[2]);
            read_at_last(made, 9);
            cow_storage_free(made);
        }
    }
    void wind_up()
    {
        for (int i = 0; i < 3; i++) {
            read_at_last(own[i], 9);
        }
        for (int i = 0; i < 3; i++) {
            cow_storage_free(own[i]);
        }
    }
};

/* Bytes go, come and go again; who reads sees what the filler wrote, and who evicts frees what the filler brought. */
struct evict_and_fill : client {
    evict_and_fill() : client("evict_and_fill", 3)
    {
    }
    cow_storage *own[3];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 2) {
            read_at_last(own[2], 9);
            return;
        }
        (void)evicted(own[me], 3);
        (void)bring(own[me], 9);
        (void)evicted(own[me], 3);
    }
    void wind_up()
    {
        for (int i = 0; i < 3; i++) {
            cow_storage_free(own[i]);
        }
    }
};

/* Two sharers write, one of them evicts the bytes first: nobody copies or steals what is absent. */
struct evict_writers : client {
    evict_writers() : client("evict_writers", 2)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 1) {
            (void)evicted(own[1], 2);
        }
        write_at_last(own[me], 9, (int)me);
    }
    void wind_up()
    {
        for (int i = 0; i < 2; i++) {
            must_hold(own[i], i, 9);
            cow_storage_free(own[i]);
        }
        MUST(model_counters[COWI_COPIES] == 1);
    }
};

/* A sharer copies while others take the bytes away and bring them back. */
struct evict_copied : client {
    evict_copied() : client("evict_copied", 2)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_at_last(own[0], 9, 1);
            return;
        }
        if (evicted(own[1], 2)) {
            (void)bring(own[1], 9);
        }
        if (evicted(own[1], 2)) {
            (void)bring(own[1], 9);
        }
    }
    void wind_up()
    {
        must_hold(own[0], 1, 9);
        read_at_last(own[1], 9);
        cow_storage_free(own[0]);
        cow_storage_free(own[1]);
    }
};

/* A sharer evicts and is gone: the other, alone by now with what is absent, writes and fills. */
struct evict_and_drop : client {
    evict_and_drop() : client("evict_and_drop", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_at_last(a, 9, 1);
        }
        else if (me == 1) {
            (void)evicted(b, 2);
            cow_storage_free(b);
        }
        else {
            dawdle();
            (void)bring(a, 9);
        }
    }
    void wind_up()
    {
        must_hold(a, 1, 9);
        cow_storage_free(a);
    }
};

/* One Storage that nobody shares, plain or with a context: one thread writes to it, the other evicts it. */
struct evict_one : client {
    evict_one() : client("evict_one", 2)
    {
    }
    cow_storage *a;
    bool gone;
    void set_up()
    {
        a = make(9);
        if (rl::rand(2) == 1) {
            cow_storage_free(clone_of(a));
        }
    }
    void thread(unsigned me)
    {
        cow_mutable_scope scope;
        if (me == 1) {
            dawdle();
            gone = evicted(a, 1);
            return;
        }
        const cow_status status = cow_mutable_begin(a, 0, &scope, NULL);
        MUST(status == COW_OK || status == COW_EABSENT);
        if (status == COW_OK) {
            put_cell(scope.data, 0, 9);
            dawdle();
            put_cell(scope.data, 1, 9);
            cow_mutable_end(&scope);
        }
    }
    void wind_up()
    {
        MUST(gone == (cow_storage_is_absent(a) == 1));
        write_at_last(a, 9, 1);
        cow_storage_free(a);
    }
};

/* An overwrite against an eviction by a sharer whose count of shares is that of a moment ago. */
struct evict_overwrite : client {
    evict_overwrite() : client("evict_overwrite", 2)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        cow_overwrite_scope scope;
        cow_status status;
        if (me == 1) {
            dawdle();
            if (evicted(b, 2 + rl::rand(2)) && rl::rand(2) == 1) {
                (void)bring(b, 9);
            }
            return;
        }
        while ((status = cow_overwrite_begin(a, 0, &scope, NULL)) == COW_EABSENT) {
            (void)bring(a, 9);
        }
        MUST(status == COW_OK);
        dawdle();
        const int first = get_cell(scope.old, 0);
        const int second = get_cell(scope.old, 1);
        MUST(first == 9 && second == 9);
        put_cell(scope.data, 0, 10);
        put_cell(scope.data, 1, 10);
        status = cow_overwrite_commit(&scope, NULL, NULL);
        MUST(status == COW_OK); /* nobody else gives a other bytes */
    }
    void wind_up()
    {
        must_hold(a, 10, 10);
        read_at_last(b, 9);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* Absent bytes, two that fill and one that reads. */
struct fillers : client {
    fillers() : client("fillers", 3)
    {
    }
    cow_storage *own[3];
    bool won[2];
    void set_up()
    {
        const cow_status status = cow_storage_new_absent(model_allocator, sizeof(cells), &own[0], NULL);
        MUST(status == COW_OK);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[1]);
    }
    void thread(unsigned me)
    {
        cow_const_scope scope;
        if (me < 2) {
            won[me] = bring(own[me], (int)me);
            must_hold(own[me], won[me] ? (int)me : 1 - (int)me, won[me] ? (int)me : 1 - (int)me);
            return;
        }
        const cow_status status = cow_const_begin(own[2], &scope, NULL);
        MUST(status == COW_OK || status == COW_EABSENT);
        if (status == COW_OK) {
            MUST(get_cell(scope.data, 0) == get_cell(scope.data, 1));
            cow_const_end(&scope);
        }
    }
    void wind_up()
    {
        MUST(won[0] != won[1]);
        must_hold(own[2], won[1], won[1]);
        for (int i = 0; i < 3; i++) {
            cow_storage_free(own[i]);
        }
    }
};

/* A fork finds no bytes that come or go. */
struct fork_absence : client {
    fork_absence() : client("fork_absence", 3)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me != 2) {
            dawdle(); /* or the fork is never first */
            (void)evicted(own[me], 2);
            (void)bring(own[me], 9);
            return;
        }
        prepare();
        const uint64_t where = cowi_load_relaxed(&own[0]->context->counts) & STATE;
        MUST(where != STATE);
        parent();
    }
    void wind_up()
    {
        read_at_last(own[0], 9);
        cow_storage_free(own[0]);
        cow_storage_free(own[1]);
    }
};

/* A fork's handlers, around a look at what the child would inherit. */
struct fork_gate : client {
    fork_gate() : client("fork_gate", 3)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me != 2) {
            dawdle(); /* or the fork is never first */
            write_cells(own[me], 0, 0, (int)me);
            return;
        }
        prepare();
        for (int i = 0; i < 2; i++) {
            MUST(cowi_load_relaxed(&own[i]->busy) == 0);
            cowi_context *context = own[i]->context; /* without the micro lock, which a child takes over if it must */
            if (context != NULL) {
                const int status = pthread_rwlock_trywrlock(&context->lock); /* nobody is inside */
                MUST(status == 0);
                pthread_rwlock_unlock(&context->lock);
            }
            MUST(own[i]->sole || context != NULL); /* after the lock, which would order it */
        }
        parent();
    }
    void wind_up()
    {
        must_hold(own[0], 0, 9);
        must_hold(own[1], 1, 9);
        MUST(model_counters[COWI_COPIES] == 1 && model_counters[COWI_STEALS] == 1);
        cow_storage_free(own[0]);
        cow_storage_free(own[1]);
    }
};

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Two sharers write, plain bytes or paged ones, and then write to clones of what they have: nobody maps what the bytes were
 * before they were stolen. */
struct pages_stolen : client {
    pages_stolen() : client("pages_stolen", 2)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        model_allocator = &paged_allocator;
        own[0] = rl::rand(2) == 0 ? make(9) : make_paged(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        write_cells(own[me], 0, 0, (int)me);
        cow_storage *made = clone_of(own[me]);
        write_cells(made, 1, 1, 5);
        must_hold(made, (int)me, 5);
        cow_storage_free(made);
    }
    void wind_up()
    {
        for (int i = 0; i < 2; i++) {
            must_hold(own[i], i, 9);
            must_know_its_pages(own[i]);
            cow_storage_free(own[i]);
        }
    }
};

/* Three sharers write by the page, and memory may run out: one makes the shadow, and the others find it. */
struct pages_shared : client {
    pages_shared() : client("pages_shared", 3)
    {
    }
    cow_storage *own[3];
    bool wrote[3];
    void set_up()
    {
        model_allocator = &paged_allocator;
        own[0] = make(9);
        own[1] = clone_of(own[0]);
        own[2] = clone_of(own[0]);
        model_refuse = (int)rl::rand(3);
    }
    void thread(unsigned me)
    {
        wrote[me] = write_cells(own[me], 0, 0, (int)me);
    }
    void wind_up()
    {
        model_refuse = 0;
        for (int i = 0; i < 3; i++) {
            must_hold(own[i], wrote[i] ? i : 9, 9);
            must_know_its_pages(own[i]);
            cow_storage_free(own[i]);
        }
    }
};

/* A sharer writes by the page while another takes the bytes away, and brings them back; and again when it is alone. */
struct pages_evicted : client {
    pages_evicted() : client("pages_evicted", 2)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        model_allocator = &paged_allocator;
        own[0] = make(9);
        own[1] = clone_of(own[0]);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_at_last(own[0], 9, 1);
            return;
        }
        dawdle();
        for (size_t shares = 2; shares > 0; shares--) {
            if (evicted(own[1], shares)) {
                (void)bring(own[1], 9);
            }
        }
    }
    void wind_up()
    {
        (void)evicted(own[1], 1);
        (void)bring(own[1], 9);
        cow_storage *made = clone_of(own[1]);
        write_at_last(made, 9, 3);
        must_hold(made, 3, 9);
        must_hold(own[0], 1, 9);
        read_at_last(own[1], 9);
        cow_storage_free(made);
        cow_storage_free(own[0]);
        cow_storage_free(own[1]);
    }
};

/* One thread writes to a, one brings a's bytes and writes as well, and the other sharer takes them and is gone. */
struct pages_filled : client {
    pages_filled() : client("pages_filled", 3)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        model_allocator = &paged_allocator;
        a = make(9);
        b = clone_of(a);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            write_cell_at_last(a, 0, 9, 1);
        }
        else if (me == 1) {
            (void)evicted(b, 2);
            cow_storage_free(b);
        }
        else {
            dawdle();
            (void)bring(a, 9);
            write_cell_at_last(a, 1, 9, 2);
        }
    }
    void wind_up()
    {
        must_hold(a, 1, 2);
        must_know_its_pages(a);
        cow_storage *made = clone_of(a);
        write_cells(made, 0, 0, 7);
        must_hold(made, 7, 2);
        cow_storage_free(made);
        cow_storage_free(a);
    }
};

/* Two writers of a paged Storage, each of its own part, and a clone: who looks at the pages finds nobody writing. */
struct settled : client {
    settled() : client("settled", 3)
    {
    }
    cow_storage *a, *made;
    void set_up()
    {
        a = make_paged(9);
        made = NULL;
    }
    void thread(unsigned me)
    {
        if (me == 2) {
            if (cow_lazy_clone(a, 0, sizeof(cells), COW_TRY, &made, NULL) == COW_OK) {
                const int first = read_cell(made, 0);
                dawdle();
                MUST(read_cell(made, 0) == first);
            }
            return;
        }
        write_cells(a, (int)me, (int)me, 1 + (int)me);
        write_cells(a, (int)me, (int)me, 3 + (int)me);
    }
    void wind_up()
    {
        must_hold(a, 3, 4);
        must_know_its_pages(a);
        cow_storage_free(made);
        must_know_its_pages(a);
        cow_storage_free(a);
    }
};

/* A const scope of a paged Storage reads one part while a writer of the other part gives the pages up, or memory runs out. */
struct settle_readers : client {
    settle_readers() : client("settle_readers", 2)
    {
    }
    cow_storage *a;
    bool wrote;
    void set_up()
    {
        a = make_paged(9);
        model_refuse = (int)rl::rand(2);
    }
    void thread(unsigned me)
    {
        if (me == 1) {
            wrote = write_cells(a, 0, 0, 1);
            MUST(wrote); /* pages that cannot be given up can be written to */
            return;
        }
        cow_const_scope scope;
        const cow_status status = cow_const_begin(a, &scope, NULL);
        MUST(status == COW_OK);
        dawdle();
        MUST(get_cell(scope.data, 1) == 9);
        cow_const_end(&scope);
    }
    void wind_up()
    {
        model_refuse = 0;
        must_hold(a, 1, 9);
        must_know_its_pages(a);
        cow_storage_free(a);
    }
};

/* Reads nines and writes tens. True when nobody else gave the Storage other bytes. */
static bool overwrite_nines(cow_storage *storage)
{
    cow_overwrite_scope scope;
    cow_status status = cow_overwrite_begin(storage, 0, &scope, NULL);
    MUST(status == COW_OK);
    const int first = get_cell(scope.old, 0);
    const int second = get_cell(scope.old, 1);
    dawdle();
    MUST(first == 9 && second == 9);
    put_cell(scope.data, 0, 10);
    put_cell(scope.data, 1, 10);
    status = cow_overwrite_commit(&scope, NULL, NULL);
    MUST(status == COW_OK || status == COW_EMOVED);
    if (status == COW_EMOVED) {
        write_all(storage, 10);
        cow_overwrite_abort(&scope);
    }
    return status == COW_OK;
}

/* An overwrite of a Storage that another thread is about to give pages of its own. */
struct overwrite_of_busy : client {
    overwrite_of_busy() : client("overwrite_of_busy", 2)
    {
    }
    cow_storage *a, *b;
    void set_up()
    {
        model_allocator = &paged_allocator;
        b = make(9);
        a = clone_of(b);
    }
    void thread(unsigned me)
    {
        if (me == 0) {
            (void)overwrite_nines(a);
            return;
        }
        cow_mutable_scope scope;
        const cow_status status = cow_mutable_begin_at(a, &everything, 0, &scope, NULL);
        MUST(status == COW_OK);
        dawdle();
        MUST(cow_storage_address(a) == scope.data); /* who is pinned stays where it is */
        cow_mutable_end(&scope);
    }
    void wind_up()
    {
        must_hold(a, 10, 10);
        must_hold(b, 9, 9);
        must_know_its_pages(a);
        MUST(cow_storage_pins(a) == 0);
        cow_storage_free(a);
        cow_storage_free(b);
    }
};

/* An overwrite of a paged Storage that nobody shares, beside a clone of it, an eviction, another writer or a pin. */
struct pages_overwritten : client {
    pages_overwritten() : client("pages_overwritten", 2)
    {
    }
    cow_storage *a, *made;
    unsigned what;
    void set_up()
    {
        a = make_paged(9);
        made = NULL;
        what = rl::rand(4);
    }
    void other()
    {
        cow_mutable_scope pin;
        if (what == 0) {
            if (cow_lazy_clone(a, 0, sizeof(cells), COW_TRY, &made, NULL) == COW_OK) {
                const int first = read_cell(made, 0);
                MUST(read_cell(made, 1) == first);
            }
        }
        else if (what == 1) {
            (void)evicted(a, 2);
        }
        else if (what == 2) {
            write_cells(a, 0, -1, 0);
        }
        else if (cow_mutable_begin(a, COW_NO_COPY, &pin, NULL) == COW_OK) {
            dawdle();
            MUST(cow_storage_address(a) == pin.data); /* who is pinned stays where it is */
            cow_mutable_end(&pin);
        }
    }
    void thread(unsigned me)
    {
        if (me == 1) {
            other();
            return;
        }
        const bool in_peace = overwrite_nines(a);
        MUST(in_peace || what >= 2);
    }
    void wind_up()
    {
        must_hold(a, 10, 10);
        must_know_its_pages(a);
        cow_storage_free(made);
        MUST(cow_storage_shares(a) == 1 && cow_storage_pins(a) == 0);
        cow_storage_free(a);
    }
};

/* A fork finds nobody who shares pages or looks at them. */
struct fork_pages : client {
    fork_pages() : client("fork_pages", 3)
    {
    }
    cow_storage *own[2];
    void set_up()
    {
        own[0] = make_paged(9);
        own[1] = clone_of(make_and_keep());
    }
    cow_storage *kept;
    cow_storage *make_and_keep()
    {
        return kept = make(9);
    }
    void thread(unsigned me)
    {
        if (me != 2) {
            dawdle(); /* or the fork is never first */
            write_cells(own[me], 0, 0, (int)me);
            return;
        }
        prepare();
        MUST(paging_sharing == 0 && paging_settling == 0);
        for (int i = 0; i < 2; i++) {
            MUST(cowi_load_relaxed(&own[i]->busy) == 0);
        }
        parent();
    }
    void wind_up()
    {
        must_hold(own[0], 0, 9);
        must_hold(own[1], 1, 9);
        cow_storage_free(own[0]);
        cow_storage_free(own[1]);
        cow_storage_free(kept);
    }
};

template <typename T> static T the;

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "any";
    const unsigned long most = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const bool any = strcmp(what, "any") == 0;
    client *clients[] = {
        &the<writers>,
        &the<drops>,
        &the<last_drop>,
        &the<steal_and_free>,
        &the<clone_against_write>,
        &the<wrap>,
        &the<one_storage>,
        &the<one_waits>,
        &the<clone_of_busy>,
        &the<waiting_room>,
        &the<clone_waits>,
        &the<pins>,
        &the<snapshot>,
        &the<const_scope>,
        &the<readers_left>,
        &the<struct_lives>,
        &the<failure>,
        &the<overwrite>,
        &the<overwrites>,
        &the<fork_gate>,
        &the<evict_readers>,
        &the<evict_and_fill>,
        &the<evict_writers>,
        &the<evict_copied>,
        &the<evict_and_drop>,
        &the<evict_one>,
        &the<evict_overwrite>,
        &the<fillers>,
        &the<fork_absence>,
        &the<pages_stolen>,
        &the<pages_shared>,
        &the<pages_evicted>,
        &the<pages_filled>,
        &the<settled>,
        &the<settle_readers>,
        &the<overwrite_of_busy>,
        &the<pages_overwritten>,
        &the<fork_pages>,
    };
    int found = 0;
    for (unsigned long runs = any ? 100 : most;; runs *= 10) {
        if (runs > most) {
            runs = most;
        }
        for (client *c : clients) {
            if (strcmp(what, "list") == 0) {
                printf("%s\n", c->name);
                found++;
            }
            else if (any || strcmp(what, c->name) == 0) {
                found++;
                if (!check(c, runs)) {
                    return 1;
                }
            }
        }
        if (runs >= most) {
            return found > 0 ? 0 : 2;
        }
    }
}
