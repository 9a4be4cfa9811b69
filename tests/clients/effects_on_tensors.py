"""What `cowarray.register()` does for libraries of tensors, for autograd and for numba: a program for each."""

EFFECTS = {
    "autograd": """
        import autograd.numpy as anp
        from autograd import grad
        gradient = grad(lambda a: anp.sum(a ** 2))(x)
        assert type(gradient) is cowarray.ndarray and gradient.tolist() == [2, 4, 6]
    """,
    "dask": """
        import dask.array as da
        joined = np.concatenate([x, da.ones(3, chunks=3)]).compute()
        assert type(joined) is cowarray.ndarray and joined.tolist() == [1, 2, 3, 1, 1, 1]
    """,
    "einops": """
        import einops
        repeated = einops.repeat(x, "a -> (two a)", two=2)
        assert type(repeated) is cowarray.ndarray and repeated.tolist() == [1, 2, 3] * 2
    """,
    "jax": """
        import jax
        gradient = jax.grad(lambda a: (a ** 2).sum())(x)
        assert isinstance(gradient, jax.Array) and gradient.tolist() == [2, 4, 6]
        square, where, few = jax.numpy.arange(9.0).reshape(3, 3), x > 1.5, cowarray.array([0, 2])
        assert square[where, 0].tolist() == [3, 6] and square[few].sum() == 24
        assert square.at[where].set(0).sum() == 3 and jax.jit(lambda a: a[few, 1])(square).tolist() == [1, 7]
    """,
    "numba": """
        import numba

        @numba.njit
        def double(a):
            for i in range(a.shape[0]):
                a[i] *= 2

        copy, snapshot = x.copy(), x.to_numpy()
        double(x)
        assert x.tolist() == [2, 4, 6] and copy.tolist() == snapshot.tolist() == [1, 2, 3]
    """,
    "torch": """
        import torch
        from torch.utils.data import DataLoader

        copy, fixed = x.copy(), x[1:].copy()
        fixed.flags.writeable = False
        for tensor in (torch.from_numpy(x), torch.asarray(x), torch.asarray(obj=x, dtype=torch.float64)):
            tensor += 1
        assert x.tolist() == tensor.tolist() == [4, 5, 6] and copy.tolist() == [1, 2, 3]
        for tensor in (torch.from_numpy(fixed), torch.asarray(fixed)):
            tensor += 1
            assert tensor.tolist() == [3, 4] and fixed.tolist() == [2, 3]
        assert torch.asarray(np.ones(2)).tolist() == torch.asarray([1.0, 1.0]).tolist() == [1, 1]
        kept = x.copy()
        tensor = torch.asarray(x, copy=True)
        tensor += 1
        assert x.tolist() == [4, 5, 6] and tensor.tolist() == [5, 6, 7] and cowarray.shares_bytes(x, kept)
        batch, = DataLoader(cowarray.array(np.arange(4.0).reshape(2, 2)), batch_size=2)
        assert batch.tolist() == [[0, 1], [2, 3]] and batch.dtype == torch.float64
    """,
}
