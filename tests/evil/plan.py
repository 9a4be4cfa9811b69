"""Which trials there are: each hook in each place of each call, with each deed, at each firing, in some state.

What a hook does in a place is first seen without a deed: most pass for nothing there, or are not asked, and need no
deeds. The whole product would be thousands of times as much, and tell the same. All trials together are

- each hook in each place of each call;
- each hook with each deed on each road. Nearly every call is a road of its own. Calls that differ only in the ufunc are
  one: they run the same code, which is handed the ufunc. They share out the deeds of each hook, in SHARES at most;
- each deed of a hook in one place, in one state, at one firing. These take turns: over all calls, each pair of a deed
  and a state comes up hundreds of times. In one call a hook meets SITUATIONS of places and states, each with several
  deeds, and each first without one.
"""

import collections
import itertools
import random
import re
import zlib
from functools import cache

import numpy as np
from support.forms import forms_of

from evil import once_found, trial
from evil.ambient import AMBIENT
from evil.cases import CASES
from evil.deeds import DEEDS, OF_HANDED, REBINDING, WRITING
from evil.hooks import STRANGE
from evil.states import ALIKE, STATES
from evil.trial import Key

MANY = 1 << 30
ALIKE = [state.__name__ for state in ALIKE]
# Hooks that are handed arrays of NumPy's.
HANDING = {
    "__array_wrap__",
    "__array_wrap__, its own",
    "__array_ufunc__",
    "__array_function__",
    "operators",
    "function",
}
HANDING |= {"operators with a priority", "subclass, told", "subclass, asked", "subclass, dispatching", "file"}
HANDING |= {"printing elements", "printing arrays", "afterwards", "elements", "elements of x", "number"}
# Only what a thread may do to arrays that another one uses: nothing that makes other arrays of them.
OF_THREADS = ("copy_and_write", "snapshot_and_write", "write_a_copy", "export_and_write", "grow", "retype", "drop")


def deeds_of(hook):
    if hook == "another thread":
        return OF_THREADS
    if hook == "afterwards":
        return [*OF_HANDED, "copy_and_write", "export"]
    left_out = {"nothing"} if hook in HANDING else {"nothing", *OF_HANDED}
    if hook in ("collections", "finalizers"):
        left_out.add("again")  # CPython crashes where a collection in the middle of ContextVar.set sets a variable
    return [name for name in DEEDS if name not in left_out]


SHARES = 4
SITUATIONS = 8
# Ufuncs that the library tells from others.
TOLD_APART = {"add", "multiply", "power"}


@cache
def road(source):
    """The call, with kinds of ufuncs in place of their names."""

    def kind(found):
        ufunc = getattr(np, found[2], None)
        if not isinstance(ufunc, np.ufunc) or found[2] in TOLD_APART:
            return found[0]
        return f"{found[1]}{ufunc.nin} to {ufunc.nout} {ufunc.signature or ''}"

    return re.sub(r"\b(np\.|cowarray\.|cowarray\.array_api\.)(\w+)", kind, source)


@cache
def share_of(source):
    """(i, n): the call does the i-th of n parts of what all on its road do."""
    roads = calls_by_road()[road(source)]
    return roads.index(source) % SHARES, min(len(roads), SHARES)


@cache
def calls_by_road():
    found = collections.defaultdict(list)
    for source in CASES:
        found[road(source)].append(source)
    return dict(found)


# Where NumPy does not end, or spoils memory, of arrays of its own, too, and no later trial could be trusted: (calls,
# hooks, deeds, states). `partition` looks for a place in text, and cuts there whatever the text is by then; ufuncs ask
# a variable of the context that CPython is in the middle of setting; a generator takes whatever out is for an array;
# Python's integers become powers of powers without an end.
SPOILING = [
    (r".*\b(all|any|cumsum|cumprod)\(.*out=.*", ".*", ".*", "strings"),
    (r".*\b(all|any)\(.*out=.*", "elements|strange: objects", ".*", ".*"),
    (r".*\br?partition\(A\(.*", ".*", ".*(write|place).*|sort|keep_handed|reopen", ".*"),
    (r".*(printoptions|errstate).*", "collections|finalizers", "compute_in_place", ".*"),
    (r".*default_rng\(.*out=.*", r"strange: .*|__.*|operators.*|number.*|list|tuple|iterator", ".*", ".*"),
    (r".*\bdiff\(.*", r"strange: 2 \*\* 70", ".*", ".*"),
    (r".*\bpower\.\w+\(.*", ".*", "grow|flatten", ".*objects?"),
    (r"x\.__ipow__\(x\)|x \*\*= x", ".*", "again", ".*objects?"),
]


@cache
def is_spoiling(*trial_of):
    return any(all(map(re.fullmatch, patterns, trial_of)) for patterns in SPOILING)


class Plan:
    """The trials of one call, and what is known of it without deeds.

    Attributes
    ----------
    begin : function
        Told of each key before it runs.
    skip : set of Key
        Known to end the process.
    tried, asked : int
        Trials that ran, and those in which user code did its deed.
    """

    def __init__(self, source, begin, tell, skip=(), seed=0, hooks=None, deeds=None):
        self.source, self.begin, self.tell, self.skip, self.seed = source, begin, tell, skip, seed
        self.hooks, self.deeds = hooks, deeds
        self.controls = {}
        self.tried = self.asked = 0
        self.seen = set()  # (hook, deed)

    def run(self, key, control=None):
        if (
            is_spoiling(key.source, key.hook, key.deed, key.state)
            or key in self.skip
            or (key.slot, key.hook) in {(each.slot, each.hook) for each in self.skip if each.at == -2}
        ):
            return None
        self.begin(key)
        told = trial.run(key, control)
        if told is not None:
            self.tried += 1
            self.asked += bool(told.fired)
            if told.fired or key.hook in STRANGE:
                self.seen.add((key.hook, key.deed))
            for kind, detail in told.found:
                self.tell(key, kind, detail)
        return told

    def control(self, form, slot, hook, state):
        key = Key(self.source, form, slot, hook, "nothing", -1, state)
        if key not in self.controls:
            self.controls[key] = self.run(key)
        return self.controls[key]

    def states(self, *of):
        """All states, from one on that depends on what the trial is."""
        names = [*STATES]
        at = zlib.crc32(repr((self.seed, self.source, of)).encode()) % len(names)
        return names[at:] + names[:at]

    def places(self):
        """(form, slot, hook): all of them that could be, and are asked for."""
        return [place for place in self.all_places() if not self.hooks or place[2] in self.hooks]

    def deeds_of(self, hook):
        return [deed for deed in deeds_of(hook) if not self.deeds or deed in self.deeds]

    def all_places(self):
        for form in range(len(forms_of(self.source))):
            for slot, hooks in enumerate(trial.fitting(self.source, form)):
                yield from ((form, slot, hook) for hook in hooks)
        yield from ((0, -1, hook) for hook in AMBIENT)

    def states_for(self, count, form, slot, hook, *of):
        """States in which user code is asked there, and what it does without a deed."""
        states = self.states(form, slot, hook, *of)
        for state in states[: max(count, TRIED)]:
            found = self.control(form, slot, hook, state)
            if found is not None and found.count:
                yield state, found
                count -= 1
                if not count:
                    break

    # ---- all of it, or some ------------------------------------------------------------------------------------------

    def all(self):
        """Each hook with each deed that is this call's; each place, firing and state in its turn."""
        places = collections.defaultdict(list)
        for form, slot, hook in self.places():
            places[hook].append((form, slot))
        for hook, found in places.items():
            asked = [place for place in found if next(self.states_for(1, *place, hook), None)]
            for deed in self.own_deeds_of(hook) if asked else ():
                situation = self.turn(max(SITUATIONS, len(asked)), hook, deed)
                self.try_one(*asked[situation % len(asked)], hook, deed, situation)
            if asked and (asked[0][1] >= 0 or AMBIENT[hook].is_steady):
                for deed in self.deeds or [COMPARED[self.turn(len(COMPARED), hook)]]:
                    self.compare(*asked[self.turn(len(asked), hook)], hook, deed)
        self.all_strange(1)

    def own_deeds_of(self, hook):
        """Its share of those that the calls on its road do."""
        share, shares = share_of(self.source)
        return [deed for at, deed in enumerate(self.deeds_of(hook), zlib.crc32(hook.encode())) if at % shares == share]

    def turn(self, count, *of):
        """Whose turn it is, of so many."""
        return zlib.crc32(repr((self.seed, self.source, of)).encode()) % count

    def try_one(self, form, slot, hook, deed, situation):
        for state, found in self.states_for(1, form, slot, hook, situation):
            at = self.turn(bound_of(slot, hook, found.count) + 1, hook, deed, state) - 1
            self.run(Key(self.source, form, slot, hook, deed, at, state), found)

    def all_strange(self, count):
        for form, taken in enumerate(forms_of(self.source) if not self.hooks else ()):
            for slot, strange in itertools.product(range(len(taken.slots)), STRANGE):
                for state in self.states(form, slot, strange)[:count]:
                    self.control(form, slot, strange, state)

    def product(self, count):
        """Each hook in each place with each deed at each firing, in so many states."""
        for form, slot, hook in self.places():
            if next(self.states_for(1, form, slot, hook), None) is None:
                continue
            for deed, at in itertools.product(self.deeds_of(hook), range(-1, bound_of(slot, hook))):
                for state, found in self.states_for(count, form, slot, hook, deed, at):
                    if at < bound_of(slot, hook, found.count):
                        self.run(Key(self.source, form, slot, hook, deed, at, state), found)
            if slot >= 0 or AMBIENT[hook].is_steady:
                for deed in self.deeds or COMPARED:
                    self.compare(form, slot, hook, deed)
        self.all_strange(count)

    def some(self, count):
        """A few trials of each kind, the same ones for the same seed."""
        if not self.hooks and not self.deeds:
            self.once_found()
        rng = random.Random(f"{self.seed} {self.source}")
        places = self.places()
        rng.shuffle(places)
        if rng.random() < 0.5:
            places.sort(key=lambda place: not re.search(RARE.get(place[2], "$^"), self.source))
        done = 0
        for form, slot, hook in places:
            if done >= count:
                break
            if next(self.states_for(1, form, slot, hook), None):
                done += 1
                deed = rng.choice(self.deeds_of(hook))
                self.try_one(form, slot, hook, deed, deed)
        form = rng.randrange(len(forms_of(self.source)))
        slots = len(forms_of(self.source)[form].slots)
        if slots and not self.hooks:
            self.control(form, rng.randrange(slots), rng.choice([*STRANGE]), rng.choice([*STATES]))

    def once_found(self):
        for key in map(Key._make, once_found.KEYS):
            if key.source == self.source:
                control = self.control(*key[1:4], key.state)
                if key.deed != "nothing":
                    self.run(key, control)
        for source, *trial_of in once_found.COMPARED:
            if source == self.source:
                self.compare(*trial_of)

    def compare(self, form, slot, hook, deed):
        """The same trial, where the same values lie in memory otherwise."""
        chosen = [ALIKE[0], *sorted(ALIKE[1:], key=lambda state: self.turn(1 << 30, hook, deed, state))[:2]]
        controls = {state: self.control(form, slot, hook, state) for state in chosen}
        plain = controls[ALIKE[0]]
        again = self.run(Key(self.source, form, slot, hook, "nothing", -1, ALIKE[0]))
        if plain is None or again is None or not plain.count or plain.digest is None or again.digest != plain.digest:
            return
        first = None
        for state, control in controls.items():
            if control is None or (control.digest, control.count) != (plain.digest, plain.count):
                continue
            key = Key(self.source, form, slot, hook, deed, -1, state)
            if deed in REBINDING and state == "view":
                continue  # it leaves its base
            told = self.run(key, control)
            if told is None or told.digest is None:
                continue
            if first is None:
                first = told.digest
            elif told.digest != first:
                kind = "depends on sharing, written meanwhile" if deed in WRITING else "depends on sharing"
                self.tell(key, kind, f"{summary(told.digest)} instead of {summary(first)}")


def bound_of(slot, hook, count=MANY):
    """So many firings are tried one by one."""
    return min(2, count) if slot >= 0 else min(AMBIENT[hook].bound, count * AMBIENT[hook].steps)


# Hooks that pass for something, or are asked, in few calls only: a sample takes them first where they may.
RARE = {
    **dict.fromkeys(
        ["function", "file", "iterator", "dtype", "text", "list", "tuple", "bounds", "numbers", "__array_struct__"], ""
    ),
    **dict.fromkeys(("printing elements", "printing arrays"), "repr|str|print|format"),
    **dict.fromkeys(("errstate", "warnings"), "/|log|divide|sqrt|power|arc"),
    "elements of x": "=|sort|put|fill|copyto",
    "the end of foreign bytes": "=|sort|put|fill|copyto",
}
TRIED = 4  # states
COMPARED = ("write_one", "write_all", "copy_and_write", "grow", "retype")


def summary(digest):
    return repr(digest)[:80]
