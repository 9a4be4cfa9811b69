"""JAX takes our arrays, and never changes them."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "JAX",
        "jax",
        """
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        """,
        [
            *uses(
                "jnp.asarray(x)",
                "jnp.array(x)",
                "x + jnp.ones(12)",
                "jnp.ones(12) + x",
                "jax.dlpack.from_dlpack(x)",
                "jax.tree.map(lambda a: a + 1, {'x': x})['x']",
                "x[...] = jnp.ones(12)",
                "np.asarray(jnp.asarray(x)) + x",
                "jnp.frombuffer(x)",
                "jnp.asarray(f)",
            ),
            use("jnp.sum(x)", NEEDS_ASARRAY, "jnp.sum(np.asarray(x))"),
            use("jnp.sin(x) + y", NEEDS_ASARRAY, "jnp.sin(np.asarray(x)) + y"),
            use("jax.jit(lambda a: a * 2)(x)", NEEDS_ASARRAY, "jax.jit(lambda a: a * 2)(np.asarray(x))"),
            use(
                "jax.grad(lambda a: (a ** 2).sum())(x)",
                NEEDS_ASARRAY,
                "jax.grad(lambda a: (a ** 2).sum())(np.asarray(x))",
            ),
            use("jax.vmap(jnp.sum)(m)", NEEDS_ASARRAY, "jax.vmap(jnp.sum)(np.asarray(m))"),
            use("jax.device_put(x)", NEEDS_ASARRAY, "jax.device_put(np.asarray(x))"),
            use("jnp.linalg.solve(s, v)", NEEDS_ASARRAY, "jnp.linalg.solve(np.asarray(s), np.asarray(v))"),
            use("jnp.arange(12)[n]", NEEDS_ASARRAY, "jnp.arange(12)[np.asarray(n)]"),
            use("jnp.arange(12)[b]", NEEDS_ASARRAY, "jnp.arange(12)[np.asarray(b)]"),
            use("jnp.zeros(12).at[n].set(x)", NEEDS_ASARRAY, "jnp.zeros(12).at[np.asarray(n)].set(x)"),
            use("jnp.where(b, x, y)", NEEDS_ASARRAY, "jnp.where(np.asarray(b), np.asarray(x), np.asarray(y))"),
            use(
                "jax.lax.scan(lambda carry, item: (carry + item, carry), 0.0, x)",
                NEEDS_ASARRAY,
                "jax.lax.scan(lambda carry, item: (carry + item, carry), 0.0, np.asarray(x))",
            ),
            use("jnp.concatenate([x, y])", NEEDS_ASARRAY, "jnp.concatenate([np.asarray(x), np.asarray(y)])"),
            use("jnp.stack([x, y])", NEEDS_ASARRAY, "jnp.stack([np.asarray(x), np.asarray(y)])"),
            use(
                "jnp.einsum('ij,ik->jk', m, m)", NEEDS_ASARRAY, "jnp.einsum('ij,ik->jk', np.asarray(m), np.asarray(m))"
            ),
            use(
                "jax.random.choice(jax.random.key(0), x)",
                NEEDS_ASARRAY,
                "jax.random.choice(jax.random.key(0), np.asarray(x))",
            ),
            use("jnp.fft.fft(z)", NEEDS_ASARRAY, "jnp.fft.fft(np.asarray(z))"),
        ],
    ),
    Client(
        "JAX, after cowarray.register()",
        "jax",
        """
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        cowarray.register()
        """,
        [
            *uses(
                "jnp.asarray(x)",
                "jnp.array([x, y])",
                "x + jnp.ones(12)",
                "jnp.ones(12) - x",
                "jnp.sum(x)",
                "jnp.sin(x) + y",
                "jax.lax.sin(x)",
                "jnp.linalg.solve(s, v)",
                "jnp.where(b, x, y)",
                "jnp.concatenate([x, y])",
                "jnp.einsum('ij,ik->jk', m, m)",
                "jnp.fft.fft(z)",
                "jax.random.choice(jax.random.key(0), x)",
                "jax.jit(lambda a: a * 2)(x)",
                "jax.jit(lambda a: a['x'] * a['n'])({'x': x, 'n': n})",
                "jax.jit(lambda a: a + x)(y)",
                "jax.jit(jnp.sin).lower(x).compile()(x)",
                "jax.grad(lambda a: (a ** 2).sum())(x)",
                "jax.tree.map(lambda p, g: p - 0.1 * g, {'x': x}, jax.grad(lambda p: (p['x'] ** 2).sum())({'x': x}))['x']",
                "jax.hessian(lambda a: (a ** 3).sum())(v)",
                "(lambda value, pull: pull(y))(*jax.vjp(jnp.sin, x))",
                "jax.jvp(jnp.sin, (x,), (y,))",
                "jax.vmap(jnp.sum)(m)",
                "jax.lax.scan(lambda carry, item: (carry + item, carry), 0.0, x)",
                "jax.tree.map(lambda a: a + 1, {'x': x})['x']",
                "jnp.arange(12)[n]",
                "jnp.zeros(12).at[n].set(x)",
            ),
            use("jax.device_put(x)", COPIES),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_jax(client):
    check(__name__, client)
