"""Whoever has no key gets nothing, nobody can change a base, and a ticket that is none maps nothing."""

import os
import pickle
import random
import secrets

import numpy as np
import pytest
from support.descriptors import N, message_of, numbers, run
from support.seeds import all_or, chosen_seed

import cowarray as ca
from cowarray._processes import tickets
from cowarray._processes.sharing import sharer


def test_another_family_of_processes_gets_nothing():
    with ca.by_descriptor():
        message = message_of(numbers())
        done = run(
            f"""
            import pickle
            x = pickle.loads({message!r})
            try:
                x[0]
            except OSError as error:
                print(error)
            """
        )
        assert "another family" in done.stdout, (done.stdout, done.stderr)
        sharer().wait(0.1)
        assert sharer().count == 1
        pickle.loads(message)


def test_guests_without_the_key_are_shown_out():
    from cowarray._processes.handshake import new_socket

    with ca.by_descriptor():
        x = numbers()
        _, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        name, lease = ticket[3], ticket[4]
        for packet in (b"take" + lease, b"take" + lease + bytes(64), secrets.token_bytes(64), b"x" * 256):
            guest = new_socket()
            guest.settimeout(10)
            guest.connect(name)
            assert len(guest.recv(100)) == 32
            guest.send(packet)
            assert guest.recv(100) == b""
            guest.close()
        assert sharer().count == 1
        sharer().end(lease)
        del x, ticket


def test_a_base_cannot_be_changed_by_whoever_has_its_descriptor():
    import mmap

    with ca.by_descriptor():
        x = numbers()
        _, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        descriptor = tickets.Base.find(ticket[5]).descriptor()
        again = os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR)
        for number in (descriptor, again):
            for change in (
                lambda number=number: os.ftruncate(number, 0),
                lambda number=number: os.ftruncate(number, 1 << 30),
                lambda number=number: os.pwrite(number, b"x", 0),
                lambda number=number: os.posix_fallocate(number, 0, 1 << 24),
                lambda number=number: mmap.mmap(number, 4096, mmap.MAP_SHARED),
            ):
                with pytest.raises(OSError, match=r"not permitted|Invalid argument"):
                    change()
            os.close(number)
        assert x[N - 1] == N - 1
        del x


def test_hostile_tickets_are_errors_and_map_nothing():
    rng = random.Random(chosen_seed())
    with ca.by_descriptor():
        x = numbers()
        function, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        before = ca.paging_memory()["maps"]
        strange = [
            None, -1, 0, 1, 2**62, 2**70, b"", b"x", secrets.token_bytes(16), b"\0" * 16, "", "x", 1.5, (), [],
            b"\0cowarray-0-" + b"0" * 32, b"/tmp/x", b"\0" * 160, np.arange(16, dtype="<i8").tobytes(),
        ]  # fmt: skip
        refused = 0
        for _ in range(all_or(20_000, 1000)):
            parts = list(ticket)
            for _ in range(rng.randrange(1, 4)):
                parts[rng.randrange(len(parts))] = rng.choice(strange)
            if rng.random() < 0.1:
                parts = parts[: rng.randrange(len(parts))]
            try:
                made = function(*parts)
            except ValueError:
                refused += 1
                continue
            del made
        assert refused > 500
        assert ca.paging_memory()["maps"] == before
        assert x[5] == 5.0
        del x


@pytest.mark.parametrize(
    ("part", "value", "why"),
    [(1, "elsewhere/1", "another machine"), (3, b"\0cowarray-0-x", "no sharer"), (3, b"/tmp/socket", "no sharer")],
)
def test_tickets_from_elsewhere_say_so_at_first_use(part, value, why):
    with ca.by_descriptor():
        x = numbers()
        function, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        parts = list(ticket)
        parts[5], parts[part] = secrets.token_bytes(16), value
        made = tickets.array_on(function(*parts), (0, (N,), (8,), "<f8", True, False))
        with pytest.raises(OSError, match=why):
            made.sum()
        del x, made


def test_layouts_that_reach_beyond_the_storage_are_refused():
    x = numbers()
    storage, layout = tickets.parts_of(x)
    for bad in (
        (8, *layout[1:]),
        (-8, *layout[1:]),
        (0, (N + 1,), (8,), *layout[3:]),
        (0, (N,), (16,), *layout[3:]),
        (0, (2, N), (-8, 8), *layout[3:]),
        (0, (N,), (8, 8), *layout[3:]),
        (0, (2**63,), (8,), *layout[3:]),
        (0, (N,), (2**64,), *layout[3:]),
        (0, (-1,), (8,), *layout[3:]),
        (0, (N,), (8.0,), *layout[3:]),
        (0, (N,), (8,), "|O", True, False),
        (0, (N,), (8,), "<f8", 1, False),
        (0, (N,), (8,), "<f8", True, 1),
        (),
        None,
    ):
        with pytest.raises(ValueError, match="unpickle"):
            tickets.array_on(storage, bad)
    assert np.array_equal(tickets.array_on(storage, layout), x)
