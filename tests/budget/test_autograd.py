"""HIPS autograd differentiates with our arrays: gradients are NumPy's, bit for bit, and no value is asked for before.

`cowarray.register` is all that it takes. Where autograd gives NumPy's arrays in spite of it is recorded here:
what it computed there stays in memory.
"""

import subprocess
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from support.sources import load

import cowarray

pytest.importorskip("autograd", reason="autograd is not installed; it comes with the group test")

import autograd.numpy as anp
from autograd import grad, hessian_vector_product, jacobian, make_vjp, value_and_grad
from autograd.builtins import tuple as atuple
from autograd.core import VJPNode
from autograd.extend import vspace
from autograd.test_util import check_grads

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "gradient_within_a_budget.py"


@pytest.fixture(scope="module")
def example():
    module = load(EXAMPLE)
    cowarray.register()
    cowarray.register()
    return module


# ---- one function at a time ------------------------------------------------------------------------------------------

# Expressions in x, y (6, 6) and v (6,), of what is differentiated by x.
UNARY = (
    "negative abs fabs reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arctan sinh cosh tanh arcsinh "
    "degrees radians square sqrt sinc conj real nan_to_num ravel transpose diag triu tril fliplr flipud rot90 cumsum "
    "prod var std max min squeeze atleast_1d atleast_3d"
)
BINARY = (
    "add subtract multiply true_divide power arctan2 maximum minimum fmax fmin logaddexp logaddexp2 mod matmul inner "
    "tensordot kron dot"
)
REDUCTIONS = ("sum", "mean", "prod", "var", "std", "max", "min")
OURS = [
    *(f"np.{name}(x)" for name in UNARY.split()),
    *(f"np.{name}(x, y)" for name in BINARY.split()),
    *(f"np.{name}(y, x)" for name in BINARY.split()),
    *(f"np.{name}(x, x * 2)" for name in BINARY.split()),
    *(f"np.{name}(x, axis=0)" for name in ("cumsum", *REDUCTIONS)),
    *(f"np.{name}(x, axis=1, keepdims=True)" for name in REDUCTIONS),
    *("x + y", "2 * x + 1", "x / v", "v - x", "x ** 3", "-x", "abs(x)", "x @ y", "y @ x", "x @ v", "v @ x", "x[0] + y"),
    *("x[1:3]", "x[[1, 2, 1]]", "x[2]", "x[2, 3]", "x[y > 1]", "x.T", "x.ravel()", "x.flatten()", "x.sum(axis=0)"),
    *("x.reshape((4, 9))", "np.reshape(x, (4, 9))", "np.swapaxes(x, 0, 1)", "np.moveaxis(x, 0, 1)"),
    *("np.where(y > 1, x, y)", "np.where(y > 1, x, 0.0)", "np.clip(x, 0.6, 1.0)", "np.roll(x, 2, axis=1)"),
    *("np.repeat(x, 3, axis=0)", "np.tile(x, (2, 3))", "np.expand_dims(x, 0)", "np.pad(x, 2, 'constant')"),
    *("np.einsum('ij,jk->ik', x, y)", "np.einsum('ij->j', x)", "np.cross(x[:, :3], y[:, :3])", "x.astype('float32')"),
    *("np.real(np.fft.fft(x))", "np.real(np.fft.ifft2(x))", "np.linalg.inv(x)", "np.linalg.det(x)"),
    *("np.sum(x)", "np.mean(x)", "np.dot(x, v)", "np.mean(x, axis=(0, 1))", "np.sum(x, axis=-1)", "np.dot(v, x)"),
    *("np.linalg.norm(x)", "np.linalg.solve(x + 6, y)", "np.linalg.cholesky(x @ x.T + np.eye(6))"),
    *("np.array(x)", "np.array(x, ndmin=3)", "np.array([x, y])", "np.array([x[0], v])", "np.stack([y, x], axis=1)"),
    *("np.concatenate([x, y])", "np.concatenate([v, x[1], v])", "np.concatenate([v[:, None], x], axis=1)"),
    *("np.hstack([x, y])", "np.vstack([x, y])", "np.column_stack([x, y])", "np.column_stack([v, x[0]])"),
    *("np.append(x, y)", "np.diff(x)", "np.gradient(x)[0]", "np.split(x, 2)[0]"),
]
# autograd itself asks for a NumPy array here: of the value, or of the gradient.
PLAIN_VALUE = ["np.select([y > 1], [x])", "np.make_diagonal(x, axis1=-1, axis2=-2)"]
PLAIN_GRADIENT = ["np.trace(x)", "np.diagonal(x, axis1=-1, axis2=-2)"]


def inputs():
    random = np.random.default_rng(3)
    return random.random((6, 6)) + 0.5, random.random((6, 6)) + 0.5, random.random(6)


def run(text, kind):
    """What it gives, and its gradient for a gradient of the result that differs in each element."""
    x, y, v = (kind(each) for each in inputs())
    code = compile(text, text, "eval")
    vjp, value = make_vjp(lambda x: eval(code, {"np": anp, "y": y, "v": v, "x": x}))(x)
    shape = np.shape(value)
    given = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape).astype(np.result_type(value))
    return value, vjp(kind(given) if shape else given[()])


def is_ours(found):
    return isinstance(found, cowarray.ndarray) or np.isscalar(found)


@pytest.mark.parametrize("text", [*OURS, *PLAIN_VALUE, *PLAIN_GRADIENT])
def test_values_and_gradients_are_numpys(example, text):
    value, gradient = run(text, cowarray.array)
    expected, expected_gradient = run(text, np.array)
    for found, wanted in ((value, expected), (gradient, expected_gradient)):
        assert (np.shape(found), np.result_type(found)) == (np.shape(wanted), np.result_type(wanted))
        assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()
    assert is_ours(value) == (text not in PLAIN_VALUE)
    assert is_ours(gradient) == (text not in PLAIN_GRADIENT)


def test_the_spaces_of_gradients_are_autograds(example):
    for dtype in ("float64", "float32", "complex128", "complex64"):
        plain = np.ones((2, 3), dtype)
        ours, theirs = vspace(cowarray.array(plain)), vspace(plain)
        assert (ours.shape, ours.dtype, ours.size, ours.iscomplex) == (
            theirs.shape, theirs.dtype, theirs.size, theirs.iscomplex
        )  # fmt: skip
        for name in ("zeros", "ones"):
            found, wanted = getattr(ours, name)(), getattr(theirs, name)()
            assert isinstance(found, cowarray.ndarray)
            assert found.dtype == dtype
            assert found.tobytes() == wanted.astype(dtype).tobytes()


# ---- whole functions -------------------------------------------------------------------------------------------------


def same(found, expected):
    return np.asarray(found).tobytes() == np.asarray(expected).tobytes()


@pytest.mark.parametrize("layers", [1, 2, 17])
def test_the_gradient_of_a_chain_is_numpys(example, layers):
    parameters, state = example.start(50)
    expected, wanted = value_and_grad(example.chain(layers))(parameters, state)
    ours = tuple(cowarray.array(each) for each in parameters)
    value, gradients = value_and_grad(example.chain(layers))(ours, cowarray.array(state))
    assert same(value, expected)
    for found, plain in zip(gradients, wanted, strict=True):
        assert isinstance(found, cowarray.ndarray)
        assert same(found, plain)


def kept_by(function):
    """The arrays that a function of autograd's has, in what it closes over: of a gradient, the whole tape."""
    found, seen, stack = [], set(), [function]
    while stack:
        each = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, (np.ndarray, cowarray.ndarray)):
            found.append(each)
        elif isinstance(each, FunctionType):
            stack += [*(cell.cell_contents for cell in each.__closure__ or ()), *(each.__defaults__ or ())]
        elif isinstance(each, VJPNode):
            stack += [each.vjp, *each.parents]
        elif isinstance(each, dict):
            stack += each.values()
        elif isinstance(each, (tuple, list)):
            stack += each
    return found


def test_what_is_kept_for_the_way_back_is_ours(example):
    parameters, state = example.start(50)
    ours = (tuple(cowarray.array(each) for each in parameters), cowarray.array(state))
    for kind, (given, begun) in ((np.ndarray, (parameters, state)), (cowarray.ndarray, ours)):
        vjp, _value = make_vjp(lambda given, begun=begun: example.chain(9)(given, begun))(atuple(given))
        kept = kept_by(vjp)
        assert len(kept) >= 9
        assert {type(each) for each in kept if each.ndim} == {kind}


def test_differentiating_asks_for_no_value(example):
    """Inside `deferred`, where asking would compute: so a budget may evict whatever is on the tape."""
    parameters, state = example.start(50)
    expected, wanted = value_and_grad(example.chain(9))(parameters, state)
    ours = tuple(cowarray.array(each) for each in parameters)
    with cowarray.deferred():
        value, gradients = value_and_grad(example.chain(9))(ours, cowarray.array(state))
        assert all(cowarray.is_deferred(each) for each in (value, *gradients))
    assert same(value, expected)
    assert all(map(same, gradients, wanted))


def test_higher_derivatives(example):
    _x, _y, v = inputs()

    def function(x):
        return anp.sum(anp.tanh(x) ** 2 * anp.exp(-x))

    for derivative in (lambda x: jacobian(grad(function))(x), lambda x: hessian_vector_product(function)(x, x + 1)):
        assert same(derivative(cowarray.array(v)), derivative(v))
    check_grads(function, modes=["rev"])(v)


def test_an_array_that_is_used_twice_is_not_added_to_in_place(example):
    """autograd adds gradients with +=: an array that somebody else has stays as it was."""
    x = cowarray.array(inputs()[2])
    vjp, _value = make_vjp(lambda x: x + x + x * 1 + x)(x)
    given = cowarray.ones(6)
    first, second = vjp(given), vjp(given)
    assert given.tolist() == [1] * 6
    assert first.tolist() == second.tolist() == [4] * 6


def descend(x, weights):
    """What is to be small: of layers with products by `dot`, less their means."""
    for weight in weights:
        x = anp.tanh(anp.dot(x, weight))
        x = x - anp.mean(x, axis=0)
    return anp.sum(x * x)


@pytest.mark.parametrize(("layers", "rows", "columns", "fraction"), [(12, 50, 400, 0.6), (10, 2000, 50, 0.25)])
def test_a_net_of_products_and_means_keeps_to_a_budget(example, layers, rows, columns, fraction):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, columns))
    weights = [random.normal(size=(columns, columns)) / columns**0.5 for _ in range(layers)]

    def gradients(kind):
        return grad(descend, 1)(kind(x), [kind(each) for each in weights])

    expected = gradients(np.array)
    with cowarray.budget("1 TiB", cost="model") as free:
        gradients(cowarray.array)
    with cowarray.budget(int(free.peak_bytes * fraction), cost="model") as run:
        found = gradients(cowarray.array)
        assert all(map(same, found, expected))
    assert run.remakes


# ---- the example -----------------------------------------------------------------------------------------------------


def program(*arguments):
    found = subprocess.run([sys.executable, EXAMPLE, *arguments], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_the_example_runs():
    lines = program("--layers", "8", "--elements", "1000")
    assert [line.split()[0] for line in lines[:2]] == ["NumPy", "cowarray"]
    assert lines[2:] == ["the gradients are the same, bit for bit"]


def test_the_example_takes_less_memory_within_a_budget():
    plain, ours, within, verdict = program("--layers", "64", "--budget", "32 MiB")
    assert verdict == "the gradients are the same, bit for bit"
    mebibytes = [float(line.split()[-2]) for line in (plain, ours, within)]
    assert mebibytes[0] > 100
    assert mebibytes[2] < 32 + 40
