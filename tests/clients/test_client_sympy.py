"""sympy's lambdas compute with our arrays, and its matrices are made of them."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "sympy",
        "sympy",
        """
        import sympy
        from sympy import Matrix, lambdify, symbols
        u, w = symbols("u w")
        """,
        [
            *uses(
                "lambdify(u, u ** 2 + sympy.sin(u))(x)",
                "lambdify((u, w), u * sympy.exp(w))(x, y)",
                "lambdify(u, sympy.Piecewise((u, u > 0), (0, True)))(x)",
                "lambdify([u], sympy.besselj(0, u), 'scipy')(x)",
                "lambdify(u, Matrix([u, u ** 2]))(x[0])",
                "np.array(Matrix(s).inv(), dtype=float)",
                "np.array(Matrix(v).T, dtype=float)",
                "float(Matrix(s).det())",
                "float(sympy.sympify(v[0]))",
                "str(sympy.sympify(v))",
                "str(sympy.Array(v))",
                "str(sympy.N(u).subs(u, v[0]))",
                "str(v * u)",
                "float(sympy.Float(v[0]) + 1)",
                "lambdify(u, sympy.Max(u, 0))(x)",
                "lambdify((u, w), sympy.Heaviside(u) + w)(x, y)",
            ),
            use("str(u * v)", NEEDS_ASARRAY, "str(u * np.asarray(v))"),
        ],
        needs=("scipy",),
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_sympy(client):
    check(__name__, client)
