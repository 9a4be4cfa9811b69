"""The default cost of operations: a model of names and sizes, by which the same program is the same run each time."""

import time

import numpy as np
import pytest

import cowarray
from cowarray._modes.budget.run_log import Call, Mutate, read_log

N = 256


def priced(tmp_path, program):
    """Operations of a program and what the model says that they take, in nanoseconds."""
    path = tmp_path / "run.log"
    with cowarray.budget("1 GiB", small=0, log=path):
        x = cowarray.array(np.random.default_rng(0).random((N, N))) * 2
        kept = program(x)
    del kept
    found = [(record.operation, record.time) for _, record in read_log(path) if type(record) in (Call, Mutate)]
    assert found[0][0] == "multiply"
    return found[1:]


def price(tmp_path, program):
    return priced(tmp_path, program)[-1][1]


@pytest.mark.parametrize(
    "reduced",
    [
        lambda x: x.sum(0),
        lambda x: np.mean(x, axis=1),
        lambda x: cowarray.median(x, axis=0),
        lambda x: x > 0.5,
    ],
)
def test_what_gives_little_costs_what_it_reads(tmp_path, reduced):
    assert price(tmp_path, reduced) >= price(tmp_path, lambda x: cowarray.cumsum(x, axis=0)) / 2


@pytest.mark.parametrize(
    "picked", [lambda x: x[[1, 2]], lambda x: x.take([1, 2], 0), lambda x: cowarray.take(x, [1, 2], 0)]
)
def test_a_few_rows_cost_little_whatever_they_are_picked_from(tmp_path, picked):
    assert 0 < price(tmp_path, picked) < price(tmp_path, lambda x: x.sum(0)) / 50


@pytest.mark.parametrize(
    "product", [lambda x: x @ x, lambda x: x.dot(x), lambda x: np.inner(x, x), lambda x: cowarray.tensordot(x, x, 1)]
)
def test_products_cost_their_multiplications(tmp_path, product):
    assert price(tmp_path, product) == pytest.approx(2 * N**3 / 24, rel=1e-3)


def test_decompositions_cost_more_than_products(tmp_path):
    assert price(tmp_path, cowarray.linalg.inv) > price(tmp_path, lambda x: x @ x)


def test_what_is_sorted_in_a_copy_costs_a_sort(tmp_path):
    assert price(tmp_path, lambda x: cowarray.sort(x)) > price(tmp_path, lambda x: x + 1)


def test_a_part_that_is_written_costs_what_is_written(tmp_path):
    def assigned(x):
        row = cowarray.ones(N)
        x[3] = row
        return row

    def added(x):
        x += 1

    assert 0 < price(tmp_path, assigned) < price(tmp_path, added)


def stack(n):
    return cowarray.asarray(np.random.default_rng(1).random((n, 3, 3)) + 10 * np.eye(3))


# Seconds that they took on one core of a machine of 2024.
TOOK = {
    "a norm": (lambda x: np.linalg.norm(x, axis=0), lambda: cowarray.ones((1000, 1000)), 1.2e-3),
    "a norm of few rows": (lambda x: np.linalg.norm(x, axis=0), lambda: cowarray.ones((3, 10**6)), 4e-3),
    "a wide SVD": (lambda x: np.linalg.svd(x, full_matrices=False), lambda: cowarray.ones((10, 10**4)), 8e-3),
    "a solution of many": (
        lambda x: np.linalg.solve(cowarray.eye(300) + 1, x),
        lambda: cowarray.ones((300, 3000)),
        2.5e-2,
    ),
    "many small inverses": (np.linalg.inv, lambda: stack(10**4), 1e-2),
    "many small products": (lambda x: x @ x, lambda: stack(10**4), 1e-3),
    "a product by another name": (lambda x: np.linalg.matmul(x, x), lambda: cowarray.ones((500, 500)), 1e-2),
    "a product of a list": (
        lambda x: np.linalg.multi_dot([x, x, x]),
        lambda: cowarray.ones((500, 500)),
        2e-2,
    ),
    "a product with NumPy's": (lambda x: np.matmul(np.ones((1000, 10)), x), lambda: cowarray.ones((10, 1000)), 2e-3),
    "a product of integers": (lambda x: x @ x, lambda: cowarray.ones((300, 300), dtype=int), 2.5e-2),
    "a contraction": (
        lambda x: np.tensordot(x, x, ([0], [0])),
        lambda: cowarray.ones((1000, 100)),
        1.5e-3,
    ),
    "an einsum": (lambda x: np.einsum("ij,jk->ik", x, x), lambda: cowarray.ones((200, 200)), 6e-3),
    "a convolution": (lambda x: np.convolve(x, np.ones(100)), lambda: cowarray.ones(10**5), 4e-3),
    "half floats": (lambda x: x + x, lambda: cowarray.ones(10**6, dtype="f2"), 6e-3),
    "a search": (
        lambda x: np.searchsorted(np.arange(1000.0), x),
        lambda: cowarray.linspace(0, 999, 10**5),
        3e-3,
    ),
    "an order": (cowarray.argsort, lambda: cowarray.asarray(np.random.default_rng(2).random(10**5)), 8e-3),
    "arguments by name": (lambda x: np.cumsum(a=x), lambda: cowarray.ones(10**6), 2e-3),
}


@pytest.mark.parametrize("name", TOOK)
def test_the_model_is_within_twenty_times_of_the_clock(tmp_path, name):
    function, given, seconds = TOOK[name]
    x = given()
    assert seconds / 20 < 1e-9 * price(tmp_path, lambda _: function(x)) < 20 * seconds


def run_of(layers, room, pause):
    with cowarray.budget(room << 13, small=1) as run:
        weights, states = cowarray.linspace(-1, 1, 1024), [cowarray.linspace(0, 1, 1024)]
        for _ in range(layers):
            states.append(cowarray.tanh(weights * states[-1]))
            time.sleep(pause())
        gradient, total = 2 * states[-1], cowarray.zeros(1024)
        while len(states) > 1:
            gradient = gradient * (1 - states.pop() ** 2)
            total = total + gradient * states[-1]
            gradient = gradient * weights
            time.sleep(pause())
    stats = run.stats()
    return {name: stats[name] for name in ("evictions", "remakes", "base_time", "remat_time", "peak_bytes")}


def test_a_run_is_the_same_however_long_things_take():
    rng = np.random.default_rng()
    quiet = run_of(64, 16, lambda: 0)
    assert quiet["evictions"] > 50
    for _ in range(2):
        assert run_of(64, 16, lambda: float(rng.exponential(3e-4))) == quiet
