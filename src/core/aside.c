/* A hash table, with linear probing, of pages that were put aside. */
#include "aside.h"

#include <stdlib.h>

void cowi_aside_free(cowi_aside *of)
{
    for (size_t i = 0; i < of->room; i++) {
        if (of->entries[i].was != NULL) {
            of->place->drop_aside(of->entries[i].was);
        }
    }
    free(of->entries);
    of->entries = NULL;
    of->count = of->room = 0;
}

/* The page's entry, or a free one for it; the table has one. */
static cowi_put_aside *entry_of(const cowi_aside *of, size_t page)
{
    size_t at = (size_t)((uint64_t)page * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (of->room - 1);
    while (of->entries[at].was != NULL && of->entries[at].page != page) {
        at = (at + 1) & (of->room - 1);
    }
    return &of->entries[at];
}

bool cowi_aside_reserve(cowi_aside *to, size_t more)
{
    const cowi_aside before = *to;
    size_t room = to->room == 0 ? 4 : to->room;
    cowi_put_aside *entries;
    while (to->count + more > room / 4 * 3) {
        room *= 2;
    }
    if (room == to->room) {
        return true;
    }
    entries = (cowi_put_aside *)calloc(room, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    to->entries = entries;
    to->room = room;
    for (size_t i = 0; i < before.room; i++) {
        if (before.entries[i].was != NULL) {
            *entry_of(to, before.entries[i].page) = before.entries[i];
        }
    }
    free(before.entries);
    return true;
}

bool cowi_aside_put(cowi_aside *to, const cowi_window *of, size_t page)
{
    cowi_put_aside *entry = entry_of(to, page);
    entry->was = to->place->put_aside(of, page);
    entry->page = page;
    to->count += entry->was != NULL;
    return entry->was != NULL;
}

void cowi_aside_put_back(const cowi_aside *from, cowi_window *to)
{
    for (size_t i = 0; i < from->room; i++) {
        if (from->entries[i].was != NULL) {
            from->place->put_back(to, from->entries[i].page, from->entries[i].was);
        }
    }
}

static void exchange(cowi_aside *a, cowi_aside *b)
{
    const cowi_aside was = *a;
    *a = *b;
    *b = was;
}

/* Moves the pages of `from` to `to`, if it lacks them. wins: even if not; its own then go to `from` in exchange. */
static void add(cowi_aside *from, cowi_aside *to, bool wins)
{
    for (size_t i = 0; i < from->room; i++) {
        cowi_put_aside *left = &from->entries[i];
        if (left->was != NULL) {
            cowi_put_aside *entry = entry_of(to, left->page);
            const cowi_put_aside there = *entry;
            if (there.was == NULL || wins) {
                to->count += there.was == NULL;
                *entry = *left;
                left->was = there.was;
            }
        }
    }
}

bool cowi_aside_leave(cowi_aside *from, cowi_aside *older)
{
    const bool more = from->count > older->count;
    if (more) {
        exchange(from, older);
    }
    if (!cowi_aside_reserve(older, from->count)) {
        if (more) {
            exchange(from, older);
        }
        return false;
    }
    add(from, older, more);
    return true;
}

static void set_bits(const cowi_aside *of, uint64_t *bits, bool value)
{
    for (size_t i = 0; i < of->room; i++) {
        const size_t page = of->entries[i].page;
        const uint64_t bit = (uint64_t)1 << page % 64;
        if (of->entries[i].was != NULL) {
            bits[page / 64] = value ? bits[page / 64] | bit : bits[page / 64] & ~bit;
        }
    }
}

void cowi_aside_mark(const cowi_aside *of, uint64_t *bits)
{
    set_bits(of, bits, true);
}

void cowi_aside_unmark(const cowi_aside *of, uint64_t *bits)
{
    set_bits(of, bits, false);
}
