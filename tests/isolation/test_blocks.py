"""Where the block of a mode holds, and until when: in contexts, threads, tasks and generators, however they end."""

import asyncio
import contextlib
import contextvars
import functools
import threading

import pytest
from support.programs import run

import cowarray as ca
from cowarray._array.copies import alias_copies, watch_copies
from cowarray._native.storage import count_modes
from cowarray._ops.operands import watch_births


def forbids(_mode):
    x = ca.zeros(100)
    y = x.copy()
    try:
        y[0] = 1
    except ca.CopyError:
        return True
    return x[0] == 1


def traces(mode):
    before = len(mode)
    forbids(mode)
    return len(mode) > before


def aliases(_mode):
    x = ca.zeros((2, 2))
    return ca.aliases(x, x.reshape(4))


# How a mode is made, and how one sees that it holds.
MODES = {
    "fake": (ca.fake, lambda mode: ca.is_fake(ca.zeros(3))),
    "deferred": (ca.deferred, lambda mode: ca.is_deferred(ca.zeros(3))),
    "budget": (lambda: ca.budget("1 GiB", small=0), lambda mode: ca.is_checkpointed(ca.zeros(3) + 1)),
    "aliasing": (ca.aliasing, aliases),
    "simulate": (ca.simulate, aliases),
    "no_copy": (ca.no_copy, forbids),
    "trace": (ca.trace, traces),
}


@pytest.fixture(params=MODES)
def modes(request):
    """A function that makes a mode, and one that says whether it holds here."""
    make, holds = MODES[request.param]

    def counts():
        return watch_births(0), alias_copies(0), watch_copies(0, None), count_modes(0)

    assert not holds(make())
    before = counts()
    yield make, holds
    assert not holds(make())
    assert counts() == before


def held_open(mode):
    with mode:
        yield
        yield


def in_thread(function, *args):
    told = []

    def work():
        try:
            function(*args)
        except BaseException as error:
            told.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if told:
        raise told[0]


def test_a_block_can_be_entered_again(modes):
    make, holds = modes
    mode = make()
    for _ in range(2):
        with mode:
            with mode:
                assert holds(mode)
            assert holds(mode)
        assert not holds(mode)
    with pytest.raises(RuntimeError, match="no open block"):
        mode.__exit__(None, None, None)


def test_a_block_that_is_left_in_another_context_is_over_in_all(modes):
    make, holds = modes
    for leave in (contextvars.copy_context, contextvars.Context):
        mode = make()
        home = contextvars.copy_context()
        home.run(mode.__enter__)
        assert home.run(holds, mode)
        kept = home.copy()
        with pytest.raises(RuntimeError, match="in another thread or context"):
            leave().run(mode.__exit__, None, None, None)
        with make():  # some mode is in use
            assert not home.run(holds, mode)
            assert not kept.run(holds, mode)


def test_a_block_that_is_left_in_a_copy_of_its_context_is_over_in_all(modes):
    make, holds = modes
    mode = make()
    home = contextvars.copy_context()
    home.run(mode.__enter__)
    copy = home.copy()
    with pytest.raises(RuntimeError, match="in another thread or context"):
        copy.run(mode.__exit__, None, None, None)
    with make():
        assert not home.run(holds, mode)
        assert not copy.run(holds, mode)


def test_the_end_of_one_of_several_blocks_in_other_contexts_is_refused(modes):
    make, holds = modes
    mode = make()
    homes = [contextvars.copy_context() for _ in range(2)]
    for home in homes:
        home.run(mode.__enter__)
    with pytest.raises(RuntimeError, match="none of them has ended"):
        mode.__exit__(None, None, None)
    for home in homes:
        assert home.run(holds, mode)
        home.run(mode.__exit__, None, None, None)
        assert not home.run(holds, mode)


def test_threads_have_blocks_of_one_mode_that_end_in_any_order(modes):
    make, holds = modes
    mode = make()
    turns = [threading.Event() for _ in range(4)]
    found = []

    def first():
        with mode:
            turns[0].set()
            turns[1].wait(60)
        found.append(holds(mode))
        turns[2].set()

    def second():
        turns[0].wait(60)
        with mode:
            turns[1].set()
            turns[2].wait(60)
            found.append(holds(mode))
        found.append(holds(mode))

    threads = [threading.Thread(target=each) for each in (first, second)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [False, True, False]


def test_a_generator_that_is_closed_in_another_thread_ends_its_block(modes):
    make, holds = modes
    mode = make()
    home = contextvars.copy_context()
    steps = held_open(mode)
    home.run(next, steps)
    with pytest.raises(RuntimeError, match="in another thread or context"):
        in_thread(steps.close)
    with make():
        assert not home.run(holds, mode)
    in_thread(lambda: mode.__enter__().__exit__(None, None, None))


def test_tasks_have_blocks_of_one_mode_that_end_in_any_order(modes):
    make, holds = modes
    mode = make()

    async def work(turns):
        assert not holds(mode)
        with mode:
            for _ in range(turns):
                await asyncio.sleep(0)
                assert holds(mode)
        assert not holds(mode)

    async def work_all():
        await asyncio.gather(*[work(turns) for turns in (5, 2, 8, 3)])
        assert not holds(mode)

    asyncio.run(work_all())


@pytest.mark.parametrize("other", MODES)
def test_generators_that_end_in_the_order_of_their_beginning_end_their_blocks(modes, other):
    make, holds = modes
    make_other, holds_other = MODES[other]
    mode, second = make(), make_other()
    steps = held_open(mode), held_open(second)
    for each in steps:
        next(each)
    steps[0].close()
    assert holds_other(second)
    steps[1].close()
    with contextlib.ExitStack() as stack:
        stack.enter_context(ca.trace())
        assert not holds(mode)
        assert not holds_other(second)


def test_generators_that_zip_ends_have_no_block_left(modes):
    make, holds = modes
    shorter, longer = make(), make()
    for _ in zip(iter(list(held_open(shorter))), held_open(longer), strict=False):
        assert holds(longer)
    for _ in zip(held_open(shorter), held_open(longer), strict=False):
        assert holds(longer)
    assert not holds(shorter)
    assert not holds(longer)
    in_thread(lambda: holds(longer) and pytest.fail("another thread is inside"))


# ---- as decorators ---------------------------------------------------------------------------------------------------


def test_each_call_of_a_decorated_function_is_a_block(modes):
    make, holds = modes
    mode = make()

    @mode
    def work(value, /, *, times=1):
        """Doc."""
        return holds(mode), value * times

    for _ in range(2):
        assert work(3, times=2) == (True, 6)
        assert not holds(mode)
    assert (work.__name__, work.__doc__) == ("work", "Doc.")


def test_an_exception_ends_the_block_of_a_call(modes):
    make, holds = modes
    mode = make()

    @mode
    def fail():
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        fail()
    assert not holds(mode)


def test_a_decorated_function_may_call_itself(modes):
    make, holds = modes
    mode = make()

    @mode
    def deep(n):
        return holds(mode) and (n == 0 or deep(n - 1)) and holds(mode)

    assert deep(5)


def test_a_decorated_coroutine_function_is_a_block_while_it_runs(modes):
    make, holds = modes
    mode = make()

    @mode
    async def work(turns):
        for _ in range(turns):
            await asyncio.sleep(0)
        return holds(mode)

    async def work_all():
        waiting = [work(turns) for turns in (3, 1, 2)]
        assert not holds(mode)
        found = await asyncio.gather(*waiting, asyncio.to_thread(holds, mode))
        assert not holds(mode)
        return found

    assert asyncio.iscoroutinefunction(work)
    assert asyncio.run(work_all()) == [True, True, True, False]


class Later:
    """Called, it gives a coroutine."""

    def __init__(self, holds):
        self.holds = holds

    async def __call__(self, mode):
        await asyncio.sleep(0)
        return self.holds(mode)


def test_whatever_gives_a_coroutine_is_a_block_while_it_runs(modes):
    make, holds = modes
    later = Later(holds)
    for function in (later, functools.partial(later), staticmethod(later.__call__), functools.partial(later.__call__)):
        mode = make()
        assert asyncio.run(mode(function)(mode))


def test_what_is_no_function_and_what_gives_control_back_in_the_middle_is_not_decorated(modes):
    make, _ = modes

    def steps():
        yield

    async def later_steps():
        yield

    class Steps:
        def __call__(self):
            yield

    for function in (steps, later_steps, staticmethod(steps), functools.partial(steps), Steps()):
        with pytest.raises(TypeError, match="between its steps"):
            make()(function)
    for other in (3, Steps):
        with pytest.raises(TypeError, match="expected a function"):
            make()(other)


def test_a_mode_that_stands_above_a_function_without_parentheses_says_what_to_write(modes):
    make, _ = modes
    kind = type(make())
    for below in (len, test_figures_of_all_calls_add_up, object, functools.partial(len)):
        with pytest.raises(TypeError, match=rf"^{kind.__name__}: .* \(got .*\); write @cowarray\.{kind.__name__}\(\)$"):
            kind(below)


def test_figures_of_all_calls_add_up():
    events, run = ca.trace(), ca.budget("1 GiB", small=0)

    @events
    @run
    def work(x):
        y = x.copy()
        y[0] = 1
        return y + 1

    for number in range(1, 4):
        work(ca.zeros(1000))
        assert len(events) == number
    assert run.peak_bytes > 0


def test_a_trace_that_is_entered_inside_itself_tells_each_copy_once():
    events = ca.trace()

    @events
    def deep(n):
        y = x.copy()
        y[0] = 1
        return y[0] + (n and deep(n - 1))

    x = ca.zeros(1000)
    ca.reset_stats()
    assert deep(2) == 3
    assert [(event.kind, event.nbytes) for event in events] == [("copy", x.nbytes)] * 3
    assert sum(event.nbytes for event in events) == ca.stats()["bytes_copied"]
    assert (events.lazy_copies, events.lazy_nbytes) == (3, 3 * x.nbytes)


def test_a_mode_says_what_it_is(modes):
    make, _ = modes
    assert repr(make()).startswith(f"<cowarray.{type(make()).__name__}")
    assert " object at " not in repr(make())


# Before Python 3.12, CPython allocates parts of a context's tree of variables anew while it sets or resets one.
COLLECTED = """
import contextvars
others = [contextvars.ContextVar(str(number)) for number in range(5)]
x = ca.ones(8)
make = eval("lambda: " + sys.argv[1])
with make():
    x + 1  # imports what it needs, in which NumPy sets variables
def look(phase, info):
    x + 1
    if sys.argv[2] == "sets":
        others[0].set(phase)
def whole():
    for other in others:
        other.set(1)
    gc.callbacks.append(look)
    gc.set_threshold(1)
    for _ in range(30):
        with make():
            y = x + 1
        if not ca.is_fake(y):
            assert y.tolist() == [2] * 8
    gc.callbacks.clear()
    gc.set_threshold(700)
for _ in range(10):
    contextvars.copy_context().run(whole)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("does", ["reads", "sets"])
@pytest.mark.parametrize(
    "mode",
    [
        "ca.fake()",
        "ca.deferred()",
        "ca.budget('1 MiB')",
        "ca.aliasing()",
        "ca.simulate()",
        "ca.no_copy()",
        "ca.trace()",
    ],
)
def test_what_the_garbage_collector_calls_while_a_block_begins_or_ends_may_compute(mode, does):
    run(COLLECTED, mode, does)
