"""Dispatch to the rules of fakes: of operations with a fake, and of all operations inside `fake()`.

This module is compiled, so it has no frame: NumPy's warnings name the line of the program, or of NumPy's caller.
"""

cimport cython

from cowarray._array.array cimport Array
from cowarray._modes.common.dispatching cimport enlist, FAKES, Found, Handler, LEFT
from cowarray._modes.common.thread cimport Thread
from cowarray._modes.fake.fakes cimport Ledger, Origin, origin_here
from cowarray._modes.fake.forecasts cimport ask, give_again, note_answer, Question

from cowarray._modes.fake.calls import Block, Call
from cowarray._modes.fake.faking import follow
from cowarray._modes.fake.fakes import origin_of


@cython.final
cdef class FakesHandler(Handler):
    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        cdef Ledger ledger
        cdef Question question = None
        cdef Array again
        cdef object asked = None  # how many assumptions there were before: an answer that depends on one is not kept
        if type(block) is not Block:
            if found.fake is None:
                return LEFT
            block = None  # another mode's
        if found.fake is not None and (block is None or block.assumed is None):
            ledger = origin_of(found.fake).ledger if block is None else block.ledger
            question = ask(operation, function, args, kwargs, ledger, False)
            if question is not None:
                origin = None if block is None else block.origin
                again = give_again(question, origin_here(ledger) if origin is None else <Origin?>origin)
                if again is not None:
                    return again
            if question is not None and ledger.assumptions is not None:
                asked = ledger.assumptions.asked
        result = follow(Call(operation, function, args, kwargs, block, found.fake))
        if question is not None and (asked is None or ledger.assumptions.asked == asked):
            note_answer(question, result)
        return result


enlist(FAKES, FakesHandler())
