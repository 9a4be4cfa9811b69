"""joblib sends our arrays to workers, and remembers calls by them."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "joblib",
        "joblib",
        """
        import math
        import operator
        import joblib
        from joblib import Memory, Parallel, delayed
        """,
        [
            *uses(
                "joblib.hash(x) == joblib.hash(x.copy())",
                "joblib.hash(x) != joblib.hash(y)",
                "joblib.dump(x, f'{folder}/x.pkl'); joblib.load(f'{folder}/x.pkl')",
                "joblib.dump({'m': m}, f'{folder}/m.pkl', compress=3); joblib.load(f'{folder}/m.pkl')",
                "joblib.dump(x, f'{folder}/x.pkl'); joblib.load(f'{folder}/x.pkl', mmap_mode='r')",
                "Parallel(n_jobs=2, backend='threading')(delayed(np.sum)(row) for row in m)",
                "Parallel(n_jobs=2)(delayed(np.sum)(row) for row in m)",
                "Parallel(n_jobs=2, max_nbytes=1)(delayed(np.negative)(a) for a in (x, y))",
                "Parallel(n_jobs=2, backend='multiprocessing')(delayed(np.sum)(a) for a in (x, y))",
                "Parallel(n_jobs=2, backend='threading')(delayed(operator.setitem)(x, i, 7.0) for i in range(3))",
                "Parallel(n_jobs=2, max_nbytes=None)(delayed(operator.setitem)(x, i, 7.0) for i in range(3))",
                "cached = Memory(folder, verbose=0).cache(np.linalg.norm); cached(x); cached.check_call_in_cache(x.copy())",
                "Memory(folder, verbose=0).cache(np.linalg.norm)(x)",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_joblib(client):
    check(__name__, client)
