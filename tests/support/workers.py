"""What other processes do in tests of `by_descriptor`. They import it by name."""

import os
import pickle
import time
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

import cowarray as ca
from cowarray._processes.sharing import sharer


def start() -> None:
    """Send as the test does, also where no huge pages can be had."""
    ca.paging(small_pages=True)
    ca.by_descriptor.start()


def set_elements(x: Any, where: list[int], value: float) -> Any:
    """Write to an array and give it back."""
    x.reshape(-1)
    for i in where:
        x[i] = value
    return x


def total(x: Any) -> float:
    return float(np.sum(x, dtype="f8"))


def same_storage(a: Any, b: Any) -> tuple[bool, Any, Any]:
    """Whether a write to one is seen in the other, and both."""
    a[0] = 77
    return bool(b[0] == 77), a, b


def stats(_: Any = None) -> dict[str, int]:
    return ca.by_descriptor.stats()


def resources(_: Any = None) -> tuple[int, ...]:
    """Descriptors, maps, frozen files and leases of this process."""
    paging = ca.paging_memory()
    return len(os.listdir("/proc/self/fd")), paging["maps"], paging["files"], sharer().count


def put_and_end(queue: Any, n: int) -> None:
    start()
    queue.put(ca.ones(n))


def put_and_wait(connection: Any, n: int) -> None:
    start()
    connection.send(ca.ones(n))
    time.sleep(60)


def serve(connection: Any) -> None:
    """Answer calls, (function, arguments), with results or what was raised; bytes stay as they came."""
    start()
    while True:
        try:
            call = connection.recv()
        except EOFError:
            return
        if call is None:
            return
        function, arguments = call
        try:
            answer = function(*arguments)
        except Exception as error:
            answer = error
        connection.send(answer)


def loaded_total(message: bytes) -> float:
    return total(pickle.loads(message))


def loaded_twice(message: bytes) -> list[Any]:
    """The total, and what a second fetch gives when the first array is gone."""
    found: list[Any] = [total(pickle.loads(message))]
    again = pickle.loads(message)
    try:
        found.append(total(again))
    except OSError as error:
        found.append(str(error))
    return found


def private() -> int:
    """Bytes that this process alone has in memory."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Private_"))


def read_all(x: Any) -> tuple[float, int]:
    """The sum, and how much memory it took to read."""
    before = private()
    return total(x), private() - before


def ping_pong(connection: Any) -> None:
    """Send on what comes, changed, for ever."""
    start()
    step = 0
    while True:
        x = connection.recv()
        x[step % len(x)] = os.getpid()
        step += 1
        connection.send(x)


def bytes_of_ones(n: int) -> bytes:
    """A message with a fresh array of this process."""
    return bytes(ForkingPickler.dumps(ca.ones(n)))


def end_leases() -> None:
    for name in list(sharer()._leases):
        sharer().end(name)
