"""What a module is handed by another one is listed, with its reason.

A lower room that a higher one hands something to imports nothing of it: `test_layers.py` cannot see that. Each function
by which a module keeps what it is given stands in HANDED; a new one is found by what it writes to, if it does so in one
of the ways of SETTERS.
"""

import re
from itertools import dropwhile, pairwise

import pytest
from support.sources import modules, placed, statements

# Functions by which a module keeps what it is given, and why. First those by which a room is handed what stands on it.
HANDED = {
    "_native.storage.set_modes": "the blocks asked before bytes are copied, and told of copies and births",
    "_native.storage.set_moved": "kept headers are dropped when a Storage has other bytes; headers are `_array`'s",
    "_native.storage._use_allocator": "the tests' allocator; its table of functions is plain C",
    "_array.array.set_array_type": "the class of new arrays: `ndarray` has the methods, `Array` what they stand on",
    "_array.copies.set_alias_question": "whether copies are to be aliases here: `aliasing` and `simulate` know",
    "_array.copies.watch_copies": "what watches copies that become aliases, in blocks of `simulate`",
    "_ops.operands.register": "the one function that is handed operations, `_modes.common.dispatching`'s",
    "_ops.operands.provide": "methods of arrays that a mode or a notebook does",
    "_face.ndarray.set_namespace": "`x.__array_namespace__()` is `array_api`",
    # Within a room.
    "_processes.fetching.Fetch.__init__": "fetches, whose connections a forked child closes",
    "_versions.history.History.__init__": "histories, whose locks a forked child makes anew",
    "_versions.database.Database.__init__": "open tables, in which no thread is when the process forks",
    "_versions.database.Database._see_itself": "connections that are never closed: a stranger has their descriptors",
    "_versions.store.Store.__init__": "open folders, whose locks a forked child lets go of",
    "_versions.background.Background.__init__": "rows of jobs, which the end of the process waits for",
    "_ops.passage.set_special": "functions that go their own way; `functions` has them, and calls the road",
    "_modes.common.dispatching.enlist": "the handlers of modes, in the order in which each is handed operations",
    "_modes.common.dispatching.name_managed": "the doorkeepers of managed arrays, which one scan of arguments finds",
    "_modes.fake.rules.rules.enter": "the table of rules, which each module of rules fills",
    "_tools.stand_ins.modules.StandIns.install": "the modules of the program that runs, which its pickles bring back",
    "_modes.deferred.recipes.set_maker": "what makes bytes reads the recipes whose bytes they are",
    "_modes.budget.runs.set_door": "the door of a managed Storage is `outside`'s, which stands on runs",
    # What a module remembers for itself.
    "._late": "names that were asked for",
    "random.__getattr__": "names that were asked for",
    "_ops.overwriting.leave_attempt": "the context of the last attempt, for the next",
    "_modes.copies.copies.born": "where a Storage was made, for `trace`",
    "_modes.fake.forecasts.keep": "what the rules have answered, for operations just like those",
    "_modes.fake.refusals.FakeError.__init__": "what the thread was refused last, if C code raises another error",
    "_modes.fake.calls._row_of": "a cache of rows of the table",
    "_modes.fake.rules.composites._replaced": "a cache of modules whose creators are replaced",
    "_modes.fake.rules.composites.seen.enter": "functions of ours by the NumPy functions that they replace",
    "_modes.deferred.making._Slice._run_all": "the nodes that run, whose results nobody may ask for",
    "_modes.fake.unwritten.keep": "what files would have that a plan has not written",
    "_modes.budget.managing.start": "the budget that holds where no block does",
    "_modes.budget.runs.Run.__cinit__": "all runs, for a process that has forked",
}


# Methods by which a container, or a context's variable, keeps something.
PUTTING = {"add", "append", "extend", "insert", "setdefault", "update", "set", "__setitem__"}
AUGMENTED = (["+", "="], ["|", "="])
# What stands for a module's names without naming one.
NAMESPACES = {"globals", "sys.modules"}


def root(token):
    return "sys.modules" if token.startswith("sys.modules") else token.partition(".")[0]


def with_lambdas(read):
    """The statements, and the bodies of the lambdas in them as if they were functions'."""
    for around, tokens in read:
        yield around, tokens
        for at, token in enumerate(tokens):
            if token == "lambda" and ":" in tokens[at:]:
                ends = tokens.index(":", at)
                name = tokens[0] if tokens[1:2] in (["="], [":"]) else "lambda"
                body = list(dropwhile("(".__eq__, tokens[ends + 1 :]))
                yield [*around, (name, ["(", *tokens[at + 1 : ends], ")"])], body


def written_to(tokens):
    """The names that a statement puts something into: an item, an attribute, a container."""
    tokens = tokens[tokens[0] == "return" :]
    if not tokens:
        return set()
    at = tokens.index("=") if "=" in tokens else 0
    if tokens[0] in ("setattr", "vars") and len(tokens) > 2:
        return {root(tokens[2])}
    _, dot, name = tokens[0].rpartition(".")
    calls = (dot and name in PUTTING) or any(one == "." and two in PUTTING for one, two in pairwise(tokens))
    puts = at and (at == 1 or tokens[1] in ("[", ":") or tokens[1:3] in AUGMENTED or tokens[0] == "globals")
    return {root(tokens[0])} if calls or puts else set()


def handings(text):
    """The functions of a file by which its module keeps what it is given, or by which another module does."""
    read = list(statements(text))
    binding = [tokens[: tokens.index("=")] for indent, tokens in read if indent == 0 and "=" in tokens]
    kept = {left[0] if ":" in left[1:2] else left[-1] for left in binding if "(" not in left}
    kept |= {tokens[tokens.index("class") + 1] for indent, tokens in read if indent == 0 and "class" in tokens[:2]}
    above = [tokens for _, tokens in read if tokens[0] in ("from", "import", "cimport")]
    packages = {token for tokens in above if tokens[1].startswith((".", "cowarray")) for token in tokens} - {"(", ")"}
    found, bound, local = set(), {}, {}
    for around, tokens in with_lambdas(placed(text)):
        functions = [(name, tuple(header[header.index("(") :])) for name, header in around if "class" not in header[:2]]
        if not functions:
            continue
        given = {token for _, inside in functions for token in inside if token.isidentifier()} - {"None", "not"}
        at = tokens.index("=") if "=" in tokens else 0
        if tokens[0] == "global":
            bound.setdefault(functions[-1], set()).update(tokens)
        elif tokens[0] == "cdef" or at == 1:
            local.setdefault(functions[-1], set()).update(tokens[: at or None])
        elsewhere = given.union(*map(local.get, functions, [()] * len(functions)))
        outside = (kept | packages | NAMESPACES) - elsewhere
        binds = any(bound.get(each, set()) & set(tokens[:at]) for each in functions)
        hands = binds or written_to(tokens) & outside
        if (hands and given & set(map(root, tokens[at + 1 :]))) or (
            at == 1 and tokens[0].rpartition(".")[0] in packages - elsewhere
        ):
            found.add(".".join(name for name, _ in around))
    return found


def test_whatever_a_module_is_handed_is_listed():
    files = [(name, text) for name, texts in modules().items() for text in texts.values()]
    assert {f"{name}.{function}" for name, text in files for function in handings(text)} == set(HANDED)


SETTERS = """
cdef object hook = None
cdef void set_hook(object function) noexcept:
    global hook
    hook = function
other: object = None
def set_other(function: object) -> None:
    def set_now():
        global other
        other = wrapped(function)
hooks = {}
def set_by_name(name, function): hooks[name] = function
listed = []
def set_by_call(function):
    listed.append(("name", function))
class Kept:
    hook = None
def set_on_a_class(function):
    Kept.hook = function
cdef Kept kept = Kept()
cdef void set_on_an_object(object function) noexcept:
    kept.hook = function
def set_in_an_item(function):
    hooks["name"].append(function)
current = ContextVar("current")
def set_in_a_context(function):
    current.set(function)
from cowarray._ops import road as road_above
def set_elsewhere(function):
    road_above.hook = function
def set_by_name_elsewhere(name, function):
    setattr(road_above, name, function)
def set_in_a_table_elsewhere(name, function):
    road_above.hooks[name] = function
def set_by_names(name, function):
    globals()[name] = function
def set_by_all_names(function):
    globals().update(hook=function)
def set_by_vars(name, function):
    vars(road_above)[name] = function
def set_by_dict(function):
    road_above.__dict__.update(hook=function)
def set_by_modules(function):
    sys.modules["cowarray._ops.road"].hook = function
def set_by_attribute(name, function):
    setattr(sys.modules[__name__], name, function)
def set_by_adding(function):
    road_above.listed += [function]
def set_by_joining(function):
    road_above.hooks |= {"name": function}
def set_with_a_type(function):
    road_above.hook: object = function
set_by_lambda = lambda function: hooks.update(name=function)
"""


@pytest.mark.sampled
def test_a_new_setter_is_found_in_each_file():
    functions = re.findall(r"\b(set_(?!now)\w+)(?:\(| = lambda)", SETTERS)
    planted = {name.replace("set_other", "set_other.set_now") for name in functions}
    assert len(planted) == 21
    files = [(name, text) for name, texts in modules().items() for text in texts.values()]
    assert [name for name, text in files if not planted <= handings(f"{text}\n{SETTERS}")] == []
