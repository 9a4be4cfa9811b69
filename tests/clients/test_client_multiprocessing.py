"""multiprocessing sends our arrays, and lets them lie in shared memory."""

import pytest
from client_uses import NEEDS_LEND, Client, check, use, uses

CLIENTS = [
    Client(
        "multiprocessing",
        "multiprocessing",
        """
        import multiprocessing
        import pickle
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        from multiprocessing import shared_memory
        context = multiprocessing.get_context("forkserver")
        pool = context.Pool(1)

        def through(connection, value):
            connection[0].send(value)
            return connection[1].recv()

        def shared(array):
            memory = shared_memory.SharedMemory(create=True, size=array.nbytes)
            try:
                there = np.ndarray(array.shape, array.dtype, memory.buf)
                there[...] = array
                result = there.copy()
                del there
                return result
            finally:
                memory.close()
                memory.unlink()
        """,
        [
            *uses(
                "pool.map(np.sum, m)",
                "pool.apply(np.negative, (x,))",
                "pool.starmap(np.add, [(x, y)])",
                "pool.map(np.sum, [m[:, 1]])",
                "through(context.Pipe(), x)",
                "queue = context.Queue(); queue.put(x); queue.get()",
                "shared(m)",
                "left, right = context.Pipe(); left.send_bytes(x); right.recv_bytes()",
                "array = context.Array('d', 12, lock=False); np.frombuffer(array)[:] = x; np.array(array)",
                "array = context.Array('d', 12, lock=False); array[:] = x; np.array(array)",
                "array = context.Array('d', x, lock=False); np.array(array)",
                "list(ThreadPoolExecutor(2).map(np.sum, m))",
                "pickle.loads(pickle.dumps(x, 5))",
                "pool.map(np.linalg.norm, [x, y])",
            ),
            use(
                "left, right = context.Pipe(); left.send_bytes(x); right.recv_bytes_into(out); out",
                NEEDS_LEND,
                """
                with cowarray.lend(out):
                    left, right = context.Pipe()
                    left.send_bytes(x)
                    right.recv_bytes_into(out)
                    out
                """,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_multiprocessing(client):
    check(__name__, client)
