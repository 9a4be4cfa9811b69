"""Descriptors that the program closes, and interrupts: what is the program's stays so, and blocks begin or end."""

import os
import socket
from functools import partial
from multiprocessing import util
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from support import extensions
from support.descriptors import N, message_of, numbers, run, worker
from support.workers import loaded_total

import cowarray as ca
from cowarray._processes import by_descriptor
from cowarray._processes.sharing import sharer


@pytest.mark.parametrize("waits", [True, False])
def test_no_socket_of_the_program_is_taken_for_ours(waits):
    """Who closes all descriptors has others under their numbers."""
    done = run(
        f"""
        import contextlib, os, pickle, socket, time
        import cowarray as ca
        ca.paging(small_pages=True)
        from multiprocessing.reduction import ForkingPickler
        with ca.by_descriptor():
            message = ForkingPickler.dumps(ca.ones(1 << 20))
            if {waits}:
                time.sleep(0.1)  # the thread waits at its door
            os.closerange(3, 1000)
            theirs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(40)]
            numbers = [os.dup2(theirs[0][0].fileno(), number) for number in range(500, 560)]
            assert pickle.loads(ForkingPickler.dumps(ca.full(1 << 20, 2.0))).sum() == 2 << 20
            with contextlib.suppress(OSError):  # its base is closed, too; nobody waits for it at the end
                pickle.loads(message).sum()
        ca.by_descriptor.start()
        ca.by_descriptor.stop()
        for one, other in theirs:
            other.setblocking(False)
            try:
                assert not other.recv(100)
            except BlockingIOError:
                pass
            one.send(b"mine")
            assert other.recv(100) == b"mine"
        for number in numbers:
            os.close(number)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_door_that_the_program_closes_opens_again():
    """What was sent before can be fetched: the name is the same."""
    with worker("spawn") as call:
        x = numbers()
        messages = [message_of(x) for _ in range(2)]
        door, theirs = sharer()._door, socket.socketpair()
        for message in messages:
            number = door._listener.number()
            os.dup2(theirs[0].fileno(), number)
            assert call(loaded_total, message) == float(np.arange(N).sum())
            assert os.path.samestat(os.fstat(number), os.fstat(theirs[0].fileno()))
            os.close(number)
        theirs[0].send(b"mine")
        assert theirs[1].recv(100) == b"mine"
        for each in theirs:
            each.close()
        del x


@pytest.fixture(scope="module")
def interrupting(tmp_path_factory):
    made = extensions.interrupting(tmp_path_factory.mktemp("interrupting"))
    if not extensions.is_told_at_first(made):
        pytest.skip("this Python tells no bytecodes of code that runs for the first time")
    return made


def off():
    return not (by_descriptor._holds or by_descriptor._replaced or sharer()._wanted) and (
        ca.ndarray not in ForkingPickler._extra_reducers
    )


@pytest.mark.parametrize("end", [False, True])
def test_a_block_whose_beginning_or_end_is_interrupted_is_off(interrupting, end):
    """But for an interrupt when all is done, before the caller has it, or before anything has begun."""
    block, traced = ca.by_descriptor(), (by_descriptor.__file__,)
    count, left = 1, 0
    point = 0
    while point <= count:
        point += 1
        if end:
            block.__enter__()
        step = partial(block.__exit__, None, None, None) if end else block.__enter__
        count, error, _ = interrupting.call(step, traced, point)
        if not off():
            left += error is not None
            block.__exit__(None, None, None)
        assert off(), point
    assert count > 60
    assert left < 20


def test_an_interrupt_leaves_no_half_of_what_waits_at_the_end(interrupting, monkeypatch):
    """A child that did not wait at its end took what it had sent with it."""
    monkeypatch.setattr(os, "register_at_fork", lambda **_: None)  # it would stay
    count, point = 1, 0
    while point <= count:
        point += 1
        hook = by_descriptor._Hook()
        monkeypatch.setattr(by_descriptor, "_hook", hook)
        count, error, _ = interrupting.call(by_descriptor._wait_at_exit, (by_descriptor.__file__,), point)
        assert error is None or not hook.registered or hook in util._afterfork_registry.values()
        assert error is not None or hook.registered
    assert count > 20
