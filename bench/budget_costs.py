"""What the model of a budget says that operations take, over what they take.

usage: budget_costs.py [--kib N ...] [--dtype NAME ...] [--rounds N] [--all] [--check TIMES] [OPERATION ...]

Each operation runs on arrays of so many KiB of each dtype, in a budget that is never reached, and outside: that in one
thread, by the processor's time, the median of rounds. Prints in Markdown what the model says over what it took: above 1
it is too dear. `-` is what does not go for a dtype, `·` what a budget does not count: views, and results that are
constants, since nobody knows their sizes before. Without `--all` only rows are printed that are out by more than four
times somewhere. `--check` fails where one is out by more than so many times.
"""

import argparse
import operator
import os
import statistics
import sys
import time
import warnings

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # read when the libraries are loaded

import numpy  # noqa: E402

import cowarray  # noqa: E402

__all__ = ["OPERATIONS", "measure"]

FAR = 4.0
CALL = 5e-6  # seconds: what the model leaves out
DTYPES = ("f8", "f4", "i8", "c16", "bool")

# x, y: one axis. a, b: square. z, d: the same, to write to. c: cube. t: tall, of 16 columns; t3: of 3. u, v: one axis,
# as long as `a`. h: the left half of `a`. k: 3 x 3 matrices. s: a matrix for Cholesky. n: numbers in order.
# i: as many indices as x has elements. r: as many as `a` has rows, of rows. o: an order of each row of `a`. w: where.
OPERATIONS = {
    "elementwise": (
        "x + y", "x * y", "x - 1", "x / y", "x // y", "x % y", "x ** 2", "x ** 3", "x ** .5", "x ** -1", "x ** 1.7",
        "x ** y", "x * 2", "x > y", "x == 1", "-x", "~w", "w & w", "np.abs(x)", "np.square(x)", "np.sqrt(x)",
        "np.exp(x)", "np.log(x)", "np.log1p(x)", "np.sin(x)", "np.cos(x)", "np.tan(x)", "np.arctan(x)",
        "np.arctan2(x, y)", "np.sinh(x)", "np.tanh(x)", "np.hypot(x, y)", "np.maximum(x, y)", "np.floor(x)",
        "np.round(x)", "np.clip(x, 0, 1)", "np.sign(x)", "np.isnan(x)", "np.isfinite(x)", "np.conj(x)", "np.angle(x)",
        "np.where(w, x, y)", "np.where(w, x, 0)", "np.logaddexp(x, y)", "a + u", "a * u[:, None]", "np.nan_to_num(x)",
    ),
    "in place": ("op.iadd(z, y)", "op.imul(z, 2)", "op.ipow(z, 2)", "np.add(x, y, out=z)"),
    "reductions": (
        "x.sum()", "a.sum(0)", "a.sum(1)", "c.sum((0, 2))", "t.sum(1)", "t.sum(0)", "a.mean(0)", "a.mean(1)",
        "a.std(0)", "a.var(1)", "a.max(0)", "a.max(1)", "t.max(1)", "a.min()", "a.argmax(0)", "a.argmax(1)",
        "a.prod(1)", "a.all(0)", "a.any(1)", "np.count_nonzero(a, 0)", "np.add.reduce(a, 0)", "np.cumsum(x)",
        "np.cumsum(a, 0)", "np.cumprod(x)", "np.diff(x)", "np.gradient(x)", "np.ptp(a, 0)", "np.nansum(a, 0)",
        "np.nanmean(a, 1)", "np.average(a, 0)", "np.trapezoid(a, axis=0)", "np.linalg.norm(a, axis=0)",
    ),
    "order": (
        "np.sort(x)", "np.sort(a, 0)", "np.sort(a, 1)", "np.argsort(x)", "np.argsort(x, kind='stable')",
        "np.argsort(a, 1)", "np.partition(x, 9)", "np.argpartition(x, 9)", "np.median(a, 0)", "np.median(x)",
        "np.percentile(a, 30, 1)", "np.quantile(x, .3)", "np.searchsorted(n, x)", "np.lexsort((x, y))",
        "np.interp(x, n, n)", "np.digitize(x, n)", "np.isin(x, u)",
    ),
    "products": (
        "a @ b", "a @ u", "u @ a", "x @ y", "h @ h.T", "a.T @ b", "np.dot(a, b)", "np.dot(x, y)", "np.vdot(x, y)",
        "np.inner(a, b)", "np.inner(x, y)", "np.outer(u, v)", "np.multiply.outer(u, v)", "np.tensordot(a, b, 1)",
        "np.tensordot(a, b, 2)", "np.tensordot(c, c, ([0, 1], [0, 1]))", "np.tensordot(c, c, ([0, 2], [0, 2]))",
        "np.tensordot(c, u[:c.shape[0]], 1)", "np.einsum('ij,jk->ik', h, h.T)",
        "np.einsum('ij,jk', b, b, optimize=True)",
        "np.einsum('ij,ij->', a, b)", "np.einsum('ij,ij->i', a, b)", "np.einsum('ij,ij->j', a, b)",
        "np.einsum('ij,j->i', a, u)", "np.einsum('i,j->ij', u, v)", "np.einsum('ijk,ijk->k', c, c)",
        "np.einsum('ijk->k', c)", "np.einsum('ij->ji', a) * 1", "np.einsum('ij->i', a)",
        "np.einsum('ijk,ikl->ijl', k, k)", "k @ k", "c @ c", "np.kron(u, v)", "np.cross(t3, t3)", "np.vecdot(t, t)",
        "np.linalg.multi_dot([a, b, a])", "np.convolve(x, u[:9])", "np.correlate(x, u[:9])", "np.trace(a, 1)",
    ),
    "decompositions": (
        "np.linalg.inv(a)", "np.linalg.solve(a, u)", "np.linalg.det(a)", "np.linalg.qr(a)", "np.linalg.eigh(a)",
        "np.linalg.cholesky(s)", "np.linalg.svd(a)", "np.linalg.eigvals(a)", "np.linalg.pinv(a)",
        "np.linalg.inv(k)", "np.linalg.det(k)", "np.linalg.eigh(k)", "np.linalg.svd(k)", "np.linalg.norm(a, 2)",
        "np.linalg.svd(t, full_matrices=False)", "np.linalg.qr(t)", "np.linalg.lstsq(t, x[:len(t)])",
        "np.linalg.matrix_power(a, 3)",
    ),
    "transforms": (
        "np.fft.fft(x)", "np.fft.rfft(x)", "np.fft.ifft(x)", "np.fft.fft2(a)", "np.fft.fft(a, axis=0)",
        "np.fft.irfft(x[: x.size // 2 + 1])", "np.fft.fftshift(a)",
    ),
    "assignments": (
        "put(z, slice(None, None), 1)", "put(z, slice(9, 99), 1)", "put(z, slice(None, None, 2), 1)", "put(z, 3, 1)",
        "put(d, 3, 1)", "put(d, (slice(None), 3), 1)", "put(d, (slice(1, -1), slice(1, -1)), 0)", "put(z, ..., y)",
        "put(z, slice(len(z) // 2), y[: len(z) // 2])", "put(z, w, 1)",
        "put(z, i, 1)", "put(z, i, y)", "put(d, r, 1)", "put(d, [1, 2, 3], 0)", "put(d, 3, u)",
        "put(d, slice(None), u)",
        "z.fill(1)", "np.copyto(z, y)", "np.copyto(z, y, where=w)", "np.putmask(z, w, 0)", "np.put(z, i, 0)",
        "np.add.at(z, i, y)", "np.fill_diagonal(d, 0)", "np.place(z, w, [0])", "put(z, slice(9), [1] * 9)",
    ),
    "picks": (
        "x[i]", "a[r]", "a[:, r]", "a[r, r]", "a[r[:, None], r]", "x[w]", "x.take(i)", "a.take(r, 0)",
        "a.take(r, 1)", "np.take_along_axis(a, o, 1)", "np.compress(w, x)", "np.choose(w * 1, [x, y])",
        "np.select([w], [x], 0)", "np.extract(w, x)", "np.nonzero(w)", "np.unique(x)", "np.bincount(i)",
        "np.histogram(x, 9)", "np.flatnonzero(w)", "np.argwhere(w)", "np.tril(a)", "np.diag(u)",
    ),
    "copies": (
        "np.concatenate([x, y])", "np.concatenate([a, b], 1)", "np.stack([x, y])", "np.stack([x, y], 1)",
        "np.vstack([a, b])", "np.hstack([a, b])", "np.block([[a, b], [b, a]])", "np.column_stack([u, v])",
        "x[::2].copy()", "a.T.copy()", "a.T.reshape(-1)", "c.transpose(2, 0, 1).copy()", "np.ascontiguousarray(a.T)",
        "x.astype('f8')", "x.astype('f4')", "x.astype('i8')", "x.astype('c16')", "x.astype(bool)", "x.astype('i1')",
        "np.pad(a, 1)", "np.roll(x, 5)", "np.roll(a, 1, 0)", "np.roll(a, 1, 1)", "np.repeat(u, 99)", "np.repeat(x, 2)",
        "np.tile(u, 99)", "np.flip(x).copy()", "np.rot90(a).copy()", "np.delete(x, 3)", "np.insert(x, 3, 0)",
        "np.append(x, y)", "np.meshgrid(u, v)", "np.array([x, y])", "np.array(x)", "x.byteswap()",
    ),
    "new arrays": (
        "ca.zeros(x.shape)", "ca.ones(x.shape, x.dtype)", "ca.full(x.shape, 2, x.dtype)", "ca.arange(x.size)",
        "ca.linspace(0, 1, x.size)", "np.zeros_like(x)", "np.ones_like(x)", "ca.eye(len(a))",
        "ca.indices((len(a), len(a)))", "np.vander(u)", "np.full_like(x, 1)", "ca.fromfunction(lambda i: i, x.shape)",
    ),
    "draws": (
        "rng.random(x.shape)", "rng.normal(size=x.shape)", "rng.integers(0, 99, x.shape)", "rng.permutation(x)",
        "rng.standard_exponential(x.shape)", "rng.gamma(2, size=x.shape)", "rng.poisson(3, x.shape)",
        "rng.binomial(9, .3, x.shape)", "rng.choice(x, x.shape)", "rng.random(x.shape, 'f4')", "rng.shuffle(z)",
        "rng.beta(2, 3, x.shape)", "rng.standard_normal(x.shape)", "rng.uniform(0, 1, x.shape)",
    ),
}  # fmt: skip
LARGEST = {"products": 2 << 20, "decompositions": 1 << 20}  # bytes: with a matrix of more they take seconds


def put(x, key, value):
    x[key] = value


def names(nbytes, dtype):
    """What operations are said with. The arrays are computed, so a budget manages them."""
    rng = numpy.random.default_rng(1)
    kind = numpy.dtype(dtype).kind
    size = nbytes // numpy.dtype(dtype).itemsize
    side, edge = round(size ** (1 / 2)), round(size ** (1 / 3))

    def computed(values):
        return cowarray.array(values) | False if values.dtype.kind == "b" else cowarray.array(values) + 0

    def made(*shape):
        values = rng.random(shape)
        return computed(values > 0.5 if kind == "b" else (values * (9 if kind == "i" else 1) + 0.25).astype(dtype))

    return {
        "np": numpy, "ca": cowarray, "op": operator, "rng": cowarray.random.default_rng(1), "put": put,
        "x": made(size), "y": made(size), "z": made(size), "d": made(side, side),
        "a": made(side, side), "b": made(side, side), "c": made(edge, edge, edge),
        "t": made(size // 16, 16), "t3": made(size // 3, 3), "u": made(side), "v": made(side),
        "k": made(size // 9, 3, 3), "h": made(side, side // 2), "s": computed(numpy.eye(side, dtype=dtype)),
        "w": computed(rng.random(size) > 0.5), "n": computed(numpy.linspace(0, 3, size)),
        "i": computed(rng.integers(0, size, size)), "r": computed(rng.integers(0, side, side)),
        "o": computed(numpy.argsort(rng.random((side, side)), 1)),
    }  # fmt: skip


def results(given, operation, rounds, clock):
    """What an operation adds to a clock, the median of rounds; None: it does not go for a dtype."""
    code, found = compile(operation, operation, "eval"), []
    begun = clock()
    while len(found) < rounds and (len(found) < 3 or clock() - begun < 1):
        before = clock()
        try:
            eval(code, given)
        except (TypeError, ValueError, numpy.linalg.LinAlgError):
            return None
        found.append(clock() - before)
    return statistics.median(found)


def measure(nbytes, dtype, operations, rounds=7):
    """(by the model, processor time) of each operation, in seconds. None: it does not go for the dtype."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with cowarray.budget("1 TiB", small=0) as budget:
            given = names(nbytes, dtype)
            told = [results(given, each, 1, lambda: budget.base_time) for each in operations]
        given = names(nbytes, dtype)
        return list(zip(told, [results(given, each, rounds, time.thread_time) for each in operations], strict=True))


def cell(model, clock):
    if model is None or clock is None:
        return "-"
    if min(model, clock) == 0:
        return "·"
    return f"{model / clock:.2f}"


def is_far(model, clock, times):
    """Whether a price is out by more than so many times, either way, and by more than a call takes."""
    return bool(model and clock) and abs(model - clock) > CALL and not 1 / times <= model / clock <= times


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help="as it is printed; or a group")
    parser.add_argument("--kib", type=int, nargs="+", default=[1024, 8192])
    parser.add_argument("--dtype", nargs="+", default=DTYPES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--all", action="store_true", help="print rows that are near, too")
    parser.add_argument("--check", type=float, metavar="TIMES", help="fail where a price is out by more")
    options = parser.parse_args(arguments)
    groups = {each: group for group, members in OPERATIONS.items() for each in members}
    wanted = [
        each
        for each, group in groups.items()
        if not options.operations or each in options.operations or group in options.operations
    ]
    columns = [(kib, dtype) for kib in options.kib for dtype in options.dtype]
    rows = {each: [] for each in wanted}
    for kib, dtype in columns:
        some = [each for each in wanted if kib << 10 <= LARGEST.get(groups[each], kib << 10)]
        found = dict(zip(some, measure(kib << 10, dtype, some, options.rounds), strict=True))
        for each in wanted:
            rows[each].append(found.get(each, (None, None)))
    print(f"| operation | {' | '.join(f'{kib} KiB {dtype}' for kib, dtype in columns)} |")
    print("|---" * (1 + len(columns)) + "|")
    for each, pairs in rows.items():
        if options.all or any(is_far(*pair, FAR) for pair in pairs):
            print(f"| `{each}` | {' | '.join(cell(*pair) for pair in pairs)} |")
    pairs = [pair for found in rows.values() for pair in found if all(pair)]
    for times in (2, 4, 10):
        near = sum(not is_far(*pair, times) for pair in pairs)
        print(f"within {times} times: {near} of {len(pairs)}")
    return 1 if options.check and any(is_far(*pair, options.check) for pair in pairs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
