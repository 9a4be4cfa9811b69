"""Recording operations on deferred arrays.

A rehearsal tells an operation's results and writes. The results become deferred arrays, and a `Node` keeps the
arguments as they were: deferred ones by their versions, real ones by lazy copies. An operation that the rules refuse
needs values, and is done at once.
"""

import warnings

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array, is_array
from cowarray._modes.common.blocks cimport call_in
from cowarray._modes.common.dispatching cimport DEFERRALS, enlist, Found, Handler, LEFT
from cowarray._modes.common.thread cimport Thread
from cowarray._modes.fake.forecasts cimport ask, give_again, note_answer, Question
from cowarray._modes.deferred.recipes cimport find_recipe, new_recipe, Recipe, site_of
from cowarray._modes.record.captures cimport captured, captured_foreign
from cowarray._modes.record.nodes cimport Node, placed, Reference, Version
from cowarray._modes.record.rehearsing cimport refuse_objects, rehearse, Rehearsal
from cowarray._native.storage cimport Storage

from cowarray._modes.deferred.making import settle
from cowarray._modes.fake.calls import disown
from cowarray._modes.fake.fakes import origin_of
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.record.draws import NotRecorded, Waiting, draw_of
from cowarray._modes.record.repeating import making
from cowarray._ops.creation import bearing
from cowarray._ops.ufuncs import runs_user_code, written_by

cnp.import_array()

cdef object bearing_type = type(bearing(None))

# Operations that return an array even without axes, where others return a scalar.
cdef frozenset GIVES_ARRAYS = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like array asarray copy reshape astype where "
    "ndarray.copy ndarray.lazy_clone ndarray.reshape ndarray.astype ndarray.__deepcopy__".split()
)
cdef object numpy_empty = np.empty
# The writes of operations that write nothing. It stays empty.
cdef dict NOTHING = {}


@cython.final
cdef class Deferral:
    """A block's settings: whether operations that need a value are refused, and which results are computed at once.

    Parameters
    ----------
    strict : bool
    at_least : int
        In bytes.
    """

    cdef readonly bint strict
    cdef readonly Py_ssize_t at_least

    def __cinit__(self, bint strict, Py_ssize_t at_least):
        self.strict = strict
        self.at_least = at_least


# For operations on deferred arrays outside any block.
cdef Deferral OUTSIDE = Deferral(False, 0)


@cython.final
cdef class DeferralsHandler(Handler):
    """Records the operations in a block of `deferred`, and outside all blocks those on deferred arrays."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        cdef Deferral deferral
        cdef Recipe recipe
        if thread.recorded is not None:
            return LEFT  # it is an operation on ghosts
        if type(block) is Deferral:
            deferral = <Deferral>block
        elif found.deferred is None or block is not None:
            return LEFT
        else:
            deferral = OUTSIDE
        if found.fake is not None:
            raise FakeError(
                operation, "it is not recorded with a fake among its arguments", origin_of(found.fake).site
            )
        try:
            return record(operation, function, args, kwargs, deferral, found.deferred is not None)
        except NotRecorded:
            pass
        recipe = None if found.deferred is None else find_recipe(found.deferred)  # it may have been made meanwhile
        if recipe is not None and (deferral.strict or recipe.strict):
            raise FakeError(operation, "a value is needed, and the block is strict", site_of(recipe),
                            "have them made first, by materialize(x)")
        return call_in(None, function, args, kwargs)  # a deferred argument is made at its door


enlist(DEFERRALS, DeferralsHandler())


@cython.final
cdef class Recording(Rehearsal):
    """A rehearsal in which only deferred arrays have ghosts."""

    cdef object show_array(self, Array x):
        cdef Recipe recipe = find_recipe(x)
        return x if recipe is None else self.ghost_of(x, recipe)

    cdef Recipe recipe_on(self, Storage storage):
        """Return the Recipe whose ghosts lie on a Storage, even if its bytes have been made meanwhile; or None."""
        if self.ghosts is not None:
            for ghost, _, traced in self.ghosts:
                if (<Array>ghost).storage_ is storage:
                    return <Recipe?>traced
        return None

    cdef object give_back(self, object result):
        """Return a result of the rules, with ghosts replaced by the arrays that they stand for."""
        cdef Recipe recipe
        if is_array(result):
            if self.ghosts is not None:
                for ghost, original, _ in self.ghosts:
                    if ghost is result:
                        return original
                recipe = self.recipe_on((<Array>result).storage_)
                if recipe is not None:
                    return placed(<Array>result, recipe.storage())
            return result
        if isinstance(result, tuple):
            items = [self.give_back(item) for item in result]
            return type(result)._make(items) if hasattr(result, "_make") else tuple(items)
        if type(result) is list:
            return [self.give_back(item) for item in result]
        return result

    cdef list written_recipes(self):
        """Return the Recipes of the written Storages, each once."""
        cdef list found = []
        for storage in self.written:
            recipe = self.recipe_on(<Storage>storage)
            if recipe is not None and recipe not in found:
                found.append(recipe)
        return found


cdef int warn_of_numpys(str operation) except -1:
    """Warn that a write to a NumPy array computes deferred arrays. No frame here: the line is the program's."""
    warnings.warn(
        f"{operation}: NumPy's array is written, so what was deferred is computed now; write x = x + y in the place of "
        "x += y, and that is deferred",
        UserWarning, 1,
    )
    return 0


cdef object record(str operation, object function, tuple args, dict kwargs, Deferral block, bint has_deferred):
    cdef Recording recording
    cdef Question question
    cdef list fresh, held
    cdef dict held_names
    cdef Recipe recipe
    cdef Version after
    cdef Node node
    if runs_user_code(function):
        raise NotRecorded
    for value in written_by(operation, function, args, kwargs):
        if is_array(value) and find_recipe(<Array>value) is None:
            raise NotRecorded  # existing bytes are written at once
        if has_deferred and block is not OUTSIDE and cnp.PyArray_CheckExact(value):
            warn_of_numpys(operation)
    draw = draw_of(function) if type(function) is bearing_type else None
    if draw is not None:
        function = draw.replay  # by NumPy's generator, even if another object stands in for it
        if not has_deferred and not draw.is_possible(args, kwargs):
            raise NotRecorded
    elif operation == "ndarray.__setitem__" and not is_array(args[2]):
        check_value(<Array?>args[0], args[2])
    recording = Recording.__new__(Recording)
    recording.stand_here()
    fresh = []
    question = None if draw is not None else ask(
        operation, function, args, kwargs, recording.block.ledger, True
    )
    result = None if question is None else give_again(question, recording.origin)
    if result is not None:
        fresh.append((0, result))
        recording.written = NOTHING
    else:
        shown = tuple([recording.show(value) for value in args])
        named = {name: recording.show(value) for name, value in kwargs.items()} if kwargs else kwargs
        result = rehearse(operation, function, shown, named, recording)
        recording.find_fresh(result, fresh)
        if recording.has_real:
            disown(result)
        elif question is not None and not recording.written and len(fresh) == 1:
            note_answer(question, result)
    if not fresh and not recording.written:
        return recording.give_back(result)
    for _, array in fresh:
        refuse_objects((<Array>array).descr)
    if block.at_least and not has_deferred and sum([array.nbytes for _, array in fresh]) < block.at_least:
        raise NotRecorded
    lock = making()
    lock.acquire()  # no version read here can be made before that is recorded
    try:
        versions = {}
        held = [hold(value, versions) for value in args]
        held_names = {name: hold(value, versions) for name, value in kwargs.items()} if kwargs else kwargs
        node = Node(operation, function, held, held_names, recording.site)
        for recipe in recording.written_recipes():
            if recipe.latest not in versions:
                raise NotRecorded  # another thread has made it meanwhile
        waiting = None if draw is None else Waiting(draw.state)
        # From here on no function written in Python runs: everything is recorded, or nothing.
        node.read(versions)
        give_birth(node, fresh, block)
        if draw is not None:
            note_draw(node, waiting)
        for recipe in recording.written_recipes():
            after = Version(node)
            node.write(recipe.latest, after)
            recipe.latest = after
    finally:
        lock.release()
    return recording.give_back(result)


cpdef object note_draw(Node node, object waiting):
    """Record that a node draws: it writes the state of a generator."""
    cdef Version before, after = Version(node)
    state = waiting.state
    owner = state.owner()
    if type(owner._numpys) is Waiting:
        state = owner._numpys.state  # another thread may have recorded the first one meanwhile
    else:
        state.make = settle
        owner._numpys = waiting
    before = state.latest
    if before is None:
        before = Version(None)
        before.value = state.generator
    node.read([before])
    node.write(before, after)
    state.latest = after


cdef int give_birth(Node node, list fresh, Deferral block) except -1:
    """Turn the rules' results into deferred arrays."""
    cdef Array x
    cdef Version version
    for place, array in fresh:
        x = <Array>array
        if x.storage_.is_deferred:
            continue  # it shares its Storage with an earlier one
        version = Version(node)
        node.bear(place, x, version)
        new_recipe(x, version, block.strict, x.nd == 0 and node.operation not in GIVES_ARRAYS)
    return 0


cdef int check_value(Array x, object value) except -1:
    """Raise NotRecorded if a value cannot be assigned to elements of x."""
    if type(value) is float or type(value) is int or type(value) is bool:
        if x.descr.type_num == cnp.NPY_DOUBLE:
            return 0
    try:
        numpy_empty(np.shape(value), x.descr)[...] = value
    except Exception:
        raise NotRecorded from None
    return 0


cdef object hold(object value, dict versions):
    """Return an argument as it is now, to be kept for later."""
    cdef type kind = type(value)
    cdef Recipe recipe
    cdef Reference reference
    if is_array(value):
        recipe = find_recipe(<Array>value)
        if recipe is None:
            return captured(<Array>value)
        versions[recipe.latest] = None
        reference = Reference.__new__(Reference)
        reference.version = recipe.latest
        reference.place = placed(<Array>value, None)
        return reference
    if kind is cnp.ndarray:
        return captured_foreign(value)
    if kind is list:
        return [hold(item, versions) for item in <list>value]
    if kind is tuple:
        return tuple([hold(item, versions) for item in <tuple>value])
    if kind is dict:
        return {name: hold(item, versions) for name, item in (<dict>value).items()}
    return value
