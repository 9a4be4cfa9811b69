"""Random numbers as arrays of this library: NumPy's generators, with the same stream for the same seed.

The names are imported from `_chapters/generators.py` on first use: NumPy's generators would take a third of the
library's import time. NumPy's legacy functions (`seed`, `rand`, ...) and `RandomState` are found by name, and are not
in ``__all__``.
"""

import typing as _typing

from cowarray._native.fork_locks import importing as _importing

if _typing.TYPE_CHECKING:
    from cowarray._chapters.generators import (
        MT19937,
        PCG64,
        PCG64DXSM,
        SFC64,
        BitGenerator,
        Generator,
        Philox,
        SeedSequence,
        default_rng,
    )
    from cowarray._chapters.legacy_random import RandomState as RandomState

__all__ = [
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "BitGenerator",
    "Generator",
    "Philox",
    "SeedSequence",
    "default_rng",
]


if _typing.TYPE_CHECKING:

    def _legacy(*args: _typing.Any, **kwargs: _typing.Any) -> _typing.Any: ...

    # NumPy's legacy functions.
    beta = binomial = bytes = chisquare = choice = dirichlet = exponential = f = _legacy
    gamma = geometric = get_state = gumbel = hypergeometric = laplace = logistic = lognormal = _legacy
    logseries = multinomial = multivariate_normal = negative_binomial = noncentral_chisquare = noncentral_f = normal = (
        pareto
    ) = _legacy
    permutation = poisson = power = rand = randint = randn = random = random_integers = _legacy
    random_sample = ranf = rayleigh = sample = seed = set_state = shuffle = standard_cauchy = _legacy
    standard_exponential = standard_gamma = standard_normal = standard_t = triangular = uniform = vonmises = wald = (
        _legacy
    )
    weibull = zipf = _legacy

else:

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in __all__:
            with _importing:
                from cowarray._chapters import generators

            return globals().setdefault(name, getattr(generators, name))
        with _importing:
            import numpy

            from cowarray._chapters import absent, legacy_random

        if name == "RandomState":
            return globals().setdefault(name, legacy_random.RandomState)
        if name in legacy_random.NAMES:
            return globals().setdefault(name, legacy_random.legacy_function(name))
        raise absent.absence(__name__, name, numpy.random, {})


def __dir__() -> list[str]:
    with _importing:
        from cowarray._chapters import legacy_random

    return sorted({*globals(), *__all__, "RandomState", *legacy_random.NAMES})
