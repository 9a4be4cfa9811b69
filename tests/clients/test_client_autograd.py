"""autograd differentiates functions of our arrays, after cowarray.register()."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "autograd",
        "autograd",
        """
        import autograd
        import autograd.numpy as anp
        from autograd import elementwise_grad, grad, jacobian, value_and_grad
        from autograd.test_util import check_grads
        """,
        [
            *uses(
                "anp.sum(x)",
                "grad(lambda u: anp.sum(u * x))(2.0)",
            ),
            use("grad(lambda x: anp.sum(x ** 2))(x)", NEEDS_ASARRAY, "grad(lambda x: anp.sum(x ** 2))(np.asarray(x))"),
        ],
    ),
    Client(
        "autograd, after cowarray.register()",
        "autograd",
        """
        import autograd
        import autograd.numpy as anp
        from autograd import elementwise_grad, grad, jacobian, value_and_grad
        from autograd.test_util import check_grads
        cowarray.register()
        """,
        [
            *uses(
                "grad(lambda x: anp.sum(x ** 2))(x)",
                "elementwise_grad(anp.tanh)(x)",
                "jacobian(lambda v: s @ v)(v)",
                "value_and_grad(lambda m: anp.sum(anp.dot(m, anp.ones(3)) ** 2))(m)",
                "grad(lambda x: anp.sum(x * y))(x)",
                "grad(lambda v: anp.sum(anp.linalg.solve(s, v)))(v)",
                "grad(lambda x: x[3] * x[4])(x)",
                "anp.sum(x)",
                "grad(lambda m: anp.sum(anp.tanh(m) @ anp.ones(3)))(m)",
                "grad(lambda x: anp.sum(anp.concatenate([x, x * 2]) ** 2))(x)",
                "grad(lambda x: anp.mean(anp.where(b, x, x ** 2)))(x)",
                "elementwise_grad(lambda z: anp.abs(z))(z)",
                "grad(lambda pair: anp.sum(pair[0] * pair[1]))((x, y))",
                "autograd.hessian(lambda v: anp.sum(v ** 3))(v)",
                "grad(lambda x: anp.sum(anp.sort(x)[:4]))(x)",
                "grad(lambda m: anp.sum(anp.reshape(m, (3, 12))[0]))(m)",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_autograd(client):
    check(__name__, client)
