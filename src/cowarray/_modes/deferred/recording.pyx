"""Recording operations on deferred arrays.

What an operation gives, and what it writes, the rules of fakes say, of ghosts of its arguments; what they give becomes
deferred arrays, and a `Node` keeps the arguments as they were: deferred ones by their versions, real ones by lazy
copies. An operation that the rules refuse needs values, and is done at once.

While the rules run, a finalizer or a signal handler of the program may compute, and is to get what it would get
anywhere. The rules and NumPy's code run no function of the program there, so what it calls is told by its frame.

One file, for what is shown to the rules, what they give and what is recorded of it are steps of one operation.
"""

from contextvars import Context

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF

from cowarray._array.array cimport Array, descr_of, is_array, storage_for
from cowarray._c.frames cimport PyFrameObject
from cowarray._c.numpy cimport NPY_VSTRING, PyDataType_REFCHK
from cowarray._modes.common.blocks cimport call_in, current_in, put_in, take_out
from cowarray._modes.record.captures cimport captured, captured_foreign
from cowarray._modes.fake.fakes cimport Ledger
from cowarray._modes.common.quiet cimport hush, unhush
from cowarray._modes.record.nodes cimport (
    find_recipe,
    find_traced,
    new_ghost,
    new_recipe,
    Node,
    placed,
    Recipe,
    Reference,
    site_of,
    Traced,
    Version,
)
from cowarray._modes.common.sites cimport program_frame
from cowarray._modes.common.thread cimport Instead, this_thread, Thread
from cowarray._native.storage cimport fake_storage, modes_in_use, Storage, window_size
from cowarray._ops.operands cimport is_harmless

from cowarray._modes.fake.calls import Block, Call, disown
from cowarray._modes.record.draws import NotRecorded, Waiting, draw_of
from cowarray._modes.fake.fakes import first_fake, origin_of
from cowarray._modes.fake.faking import follow
from cowarray._modes.deferred.making import making
from cowarray._modes.record.nodes import first_deferred
from cowarray._modes.fake.refusals import FakeError
from cowarray._ops.protocols import bearing, runs_user_code, written_by

cnp.import_array()

cdef object bearing_type = type(bearing(None))

# Whoever is handed operations that are no concern of ours; None: nobody.
beneath = None

# What gives an array also without axes, where others give a scalar.
cdef frozenset GIVES_ARRAYS = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like array asarray copy reshape astype where "
    "ndarray.copy ndarray.lazy_clone ndarray.reshape ndarray.astype ndarray.__deepcopy__".split()
)
cdef object numpy_dtype = np.dtype, numpy_empty = np.empty
cdef object copy_mode = np._CopyMode


@cython.final
cdef class Deferral:
    """What holds inside a block: whether what needs a value is refused, and how small a result is computed at once.

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


# Of operations on deferred arrays outside of any block.
cdef Deferral OUTSIDE = Deferral(False, 0)


class DryCall(Call):
    """An operation of which only shape and dtype are asked."""

    __slots__ = ()

    def compute(self):
        raise NotRecorded

    def writes(self, x, whole=False, text=False, key=..., where=...):
        if not (is_array(x) and (<Array>x).storage_ is not None and (<Array>x).storage_.is_fake):
            raise NotRecorded  # bytes that are there are written now
        return Call.writes(self, x, whole, text, key, where)


def travel(str operation, function, tuple args, dict kwargs):
    """Do an operation that has been handed over: record it, where it is about deferred arrays or inside their block."""
    cdef Thread thread = this_thread()
    cdef object inner = current_in(thread)
    cdef Deferral block
    cdef Recipe recipe
    if thread.recorded is not None:
        if (<Seen?>thread.recorded).frame == outer_frame():
            return on(operation, function, args, kwargs)  # of ghosts
        return travel_apart(thread, operation, function, args, kwargs)
    found = first_deferred(args)
    if found is None and kwargs:
        found = first_deferred(kwargs.values())
    if type(inner) is Deferral:
        block = <Deferral>inner
    elif found is None or inner is not None:
        return on(operation, function, args, kwargs)
    else:
        block = OUTSIDE
    fake = first_fake(args)
    if fake is None and kwargs:
        fake = first_fake(kwargs.values())
    if fake is not None:
        raise FakeError(operation, "it is not recorded with a fake among its arguments", origin_of(fake).site)
    try:
        return record(operation, function, args, kwargs, block)
    except NotRecorded:
        pass
    recipe = None if found is None else find_recipe(<Array>found)  # it may have been made meanwhile
    if recipe is not None and (block.strict or recipe.strict):
        raise FakeError(operation, "a value is needed, and the block is strict", site_of(recipe))
    return call_in(None, function, args, kwargs)  # a deferred argument is made at its door


cdef object travel_apart(Thread thread, str operation, object function, tuple args, dict kwargs):
    """Do an operation of code that has come in between, as if nothing were being recorded."""
    cdef Seen seen = <Seen?>thread.recorded
    cdef Ledger ledger = seen.block.ledger
    cdef object inner = current_in(thread)
    cdef Instead instead = None
    cdef dict written = ledger.written
    if type(inner) is Block and (<object>inner).ledger is ledger:
        instead = put_in(thread, seen.outer)  # else it has entered a block of its own, or makes something
    thread.recorded = None
    ledger.written = None
    try:
        return travel(operation, function, args, kwargs)
    finally:
        ledger.written = written
        thread.recorded = seen
        if instead is not None:
            take_out(thread, instead)


cdef void *outer_frame() except? NULL:
    """Which frame of the program runs. It stays the same object as long as it runs."""
    cdef PyFrameObject *frame = program_frame()
    Py_XDECREF(<PyObject *>frame)
    return <void *>frame


cdef object on(str operation, object function, tuple args, dict kwargs):
    return function(*args, **kwargs) if beneath is None else beneath(operation, function, args, kwargs)


cdef object record(str operation, object function, tuple args, dict kwargs, Deferral block):
    cdef Seen seen
    cdef list fresh, held
    cdef dict held_names
    cdef Recipe recipe
    cdef Node node
    if runs_user_code(function):
        raise NotRecorded
    for value in written_by(operation, function, args, kwargs):
        if is_array(value) and find_recipe(<Array>value) is None:
            raise NotRecorded  # bytes that are there are written now
    draw = draw_of(function) if type(function) is bearing_type else None
    if draw is not None:
        function = draw.replay  # by NumPy's generator, whoever stands in for it
        if first_deferred(args) is None and not draw.is_possible(args, kwargs):
            raise NotRecorded
    elif operation == "ndarray.__setitem__" and not is_array(args[2]):
        check_value(<Array?>args[0], args[2])
    seen = Seen.__new__(Seen)
    seen.block = own_block()
    shown = tuple([seen.show(value) for value in args])
    named = {name: seen.show(value) for name, value in kwargs.items()} if kwargs else kwargs
    result = dry(operation, function, shown, named, seen)
    fresh = []
    seen.find_fresh(result, fresh)
    if seen.has_real:
        disown(result)
    if not fresh and not seen.written:
        return seen.give_back(result)
    for _, array in fresh:
        refuse_objects((<Array>array).descr)
    if block.at_least and not seen.ghosts and sum([array.nbytes for _, array in fresh]) < block.at_least:
        raise NotRecorded
    with making():  # nobody makes what is read here before it is noted
        versions = {}
        held = [hold(value, versions) for value in args]
        held_names = {name: hold(value, versions) for name, value in kwargs.items()} if kwargs else kwargs
        node = Node(operation, function, held, held_names, seen.site)
        for recipe in seen.written_recipes():
            if recipe.latest not in versions:
                raise NotRecorded  # somebody has made it meanwhile
        waiting = None if draw is None else Waiting(draw.state)
        # From here on no function runs that is written in Python: all of it is noted, or nothing.
        node.read(versions)
        give_birth(node, fresh, block)
        if draw is not None:
            note_draw(node, waiting)
        for recipe in seen.written_recipes():
            recipe.latest = node.write(recipe.latest, recipe.storage)
    return seen.give_back(result)


cdef int note_draw(Node node, object waiting) except -1:
    """Note that a node draws: it writes the state of a generator."""
    cdef Version before
    state = waiting.state
    owner = state.owner()
    if type(owner._numpys) is Waiting:
        state = owner._numpys.state  # another thread may have recorded the first one meanwhile
    else:
        owner._numpys = waiting
    before = state.latest
    if before is None:
        before = Version(None)
        before.value = state.generator
    node.read([before])
    state.latest = node.write(before, None)
    return 0


cdef int give_birth(Node node, list fresh, Deferral block) except -1:
    """Make what the rules gave deferred arrays."""
    cdef Array x
    cdef Version version
    for place, array in fresh:
        x = <Array>array
        if x.storage_.is_deferred:
            continue  # of one Storage with another
        version = Version(node)
        node.bear(place, x, version)
        new_recipe(x, version, block.strict, x.nd == 0 and node.operation not in GIVES_ARRAYS)
    return 0


cdef object dry(str operation, object function, tuple args, dict kwargs, Seen seen):
    """What an operation gives, and writes, on ghosts; where it stands in the program. Nobody is warned."""
    cdef object block = seen.block
    cdef Ledger ledger = block.ledger
    cdef Thread thread = this_thread()
    cdef Instead instead
    seen.written = {}
    call = DryCall(operation, function, args, kwargs, block, seen.first)
    seen.site = call.origin.site
    seen.outer = current_in(thread)
    seen.frame = outer_frame()
    instead = put_in(thread, block)
    ledger.written = seen.written
    thread.recorded = seen
    try:
        hush(thread)
        try:
            if seen.everything and modes_in_use():
                return Context().run(follow, call)  # the operation itself will be refused, or told
            return follow(call)
        finally:
            unhush(thread)
    except (ValueError, IndexError, MemoryError):
        raise  # as NumPy would
    except Exception:
        raise NotRecorded from None
    finally:
        thread.recorded = None
        take_out(thread, instead)
        ledger.written = None


cdef object blocks = __import__("threading").local()


cdef object own_block():
    """The thread's own block, on whose ledger ghosts are."""
    try:
        return blocks.block
    except AttributeError:
        blocks.block = Block(Ledger(False), 0)
        return blocks.block


@cython.final
cdef class Seen:
    """The arguments of an operation as the rules of fakes may see them."""

    cdef object show(self, object value):
        cdef type kind = type(value)
        cdef Traced traced
        if is_array(value):
            refuse_objects((<Array>value).descr)
            traced = find_traced(<Array>value) if self.everything else find_recipe(<Array>value)
            if traced is None and not self.everything:
                return value
            if self.ghosts is None:
                self.ghosts = []
            for ghost, original, _ in self.ghosts:
                if original is value:
                    return ghost
            if traced is None:
                ghost = self.ghost_of_real(<Array>value)
            else:
                ghost = new_ghost(<Array>value, traced, self.block.ledger.here())
            self.ghosts.append((ghost, value, traced))
            if self.first is None:
                self.first = ghost
            return ghost
        if kind is list:
            return [self.show(item) for item in <list>value]
        if kind is tuple:
            return tuple([self.show(item) for item in <tuple>value])
        if kind is dict:
            return {name: self.show(item) for name, item in (<dict>value).items()}
        if kind is cnp.ndarray:
            refuse_objects(descr_of(value))
            if self.foreign is None:
                self.foreign = []
            self.foreign.append(value)
            return value
        if kind is slice:
            for bound in (value.start, value.stop, value.step):
                if not is_harmless(type(bound)):
                    raise NotRecorded
            return value
        if is_harmless(kind) or isinstance(value, numpy_dtype) or type(value) is copy_mode:
            return value
        raise NotRecorded  # it may change, or run code of the user

    cdef Array ghost_of_real(self, Array x):
        """A ghost of an array of which nothing is known but that it has bytes."""
        cdef Storage storage = storage_for(x)
        for ghost, original, _ in self.ghosts:
            if (<Array>original).storage_ is storage:
                return placed(x, (<Array>ghost).storage_)
        made = fake_storage(window_size(storage), self.block.ledger.here())
        made.never_shared = storage.never_shared
        return placed(x, made)

    cdef int find_fresh(self, object result, list found) except -1:
        """The arrays in a result that have been born, with their places."""
        self.look_into(result, found, 0)
        return 0

    cdef Py_ssize_t look_into(self, object result, list found, Py_ssize_t place) except -1:
        if isinstance(result, (tuple, list)):
            for item in result:
                place = self.look_into(item, found, place)
            return place
        if is_array(result):
            if (<Array>result).storage_ is None or not (<Array>result).storage_.is_fake:
                self.has_real = True
            elif self.original_on((<Array>result).storage_) is None:
                found.append((place, result))
        return place + 1

    cdef Array original_on(self, Storage storage):
        """An array whose ghost lies on a Storage; None of others."""
        if self.ghosts is not None:
            for ghost, original, _ in self.ghosts:
                if (<Array>ghost).storage_ is storage:
                    return original
        return None

    cdef Recipe recipe_on(self, Storage storage):
        """The Recipe whose ghosts lie on a Storage, also if its bytes have been made meanwhile; None of others."""
        if self.ghosts is not None:
            for ghost, _, traced in self.ghosts:
                if (<Array>ghost).storage_ is storage:
                    return <Recipe?>traced
        return None

    cdef object give_back(self, object result):
        """A result of the rules, with the arrays that the ghosts stand for."""
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
        """The Recipes of the Storages that have been written, each once."""
        cdef list found = []
        for storage in self.written:
            recipe = self.recipe_on(<Storage>storage)
            if recipe is not None and recipe not in found:
                found.append(recipe)
        return found


cdef int check_value(Array x, object value) except -1:
    """Refuse to record an assignment of what cannot be an element."""
    if type(value) is float or type(value) is int or type(value) is bool:
        if x.descr.type_num == cnp.NPY_DOUBLE:
            return 0
    try:
        numpy_empty(np.shape(value), x.descr)[...] = value
    except Exception:
        raise NotRecorded from None
    return 0


cdef int refuse_objects(cnp.dtype descr) except -1:
    if PyDataType_REFCHK(descr) or descr.type_num == NPY_VSTRING:
        raise NotRecorded
    return 0


cdef object hold(object value, dict versions):
    """An argument as it is now, for later."""
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
