from collections.abc import Callable
from typing import Any

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

beta: Callable[..., Any]
binomial: Callable[..., Any]
bytes: Callable[..., Any]
chisquare: Callable[..., Any]
choice: Callable[..., Any]
dirichlet: Callable[..., Any]
exponential: Callable[..., Any]
f: Callable[..., Any]
gamma: Callable[..., Any]
geometric: Callable[..., Any]
get_state: Callable[..., Any]
gumbel: Callable[..., Any]
hypergeometric: Callable[..., Any]
laplace: Callable[..., Any]
logistic: Callable[..., Any]
lognormal: Callable[..., Any]
logseries: Callable[..., Any]
multinomial: Callable[..., Any]
multivariate_normal: Callable[..., Any]
negative_binomial: Callable[..., Any]
noncentral_chisquare: Callable[..., Any]
noncentral_f: Callable[..., Any]
normal: Callable[..., Any]
pareto: Callable[..., Any]
permutation: Callable[..., Any]
poisson: Callable[..., Any]
power: Callable[..., Any]
rand: Callable[..., Any]
randint: Callable[..., Any]
randn: Callable[..., Any]
random: Callable[..., Any]
random_integers: Callable[..., Any]
random_sample: Callable[..., Any]
ranf: Callable[..., Any]
rayleigh: Callable[..., Any]
sample: Callable[..., Any]
seed: Callable[..., Any]
set_state: Callable[..., Any]
shuffle: Callable[..., Any]
standard_cauchy: Callable[..., Any]
standard_exponential: Callable[..., Any]
standard_gamma: Callable[..., Any]
standard_normal: Callable[..., Any]
standard_t: Callable[..., Any]
triangular: Callable[..., Any]
uniform: Callable[..., Any]
vonmises: Callable[..., Any]
wald: Callable[..., Any]
weibull: Callable[..., Any]
zipf: Callable[..., Any]

def __dir__() -> list[str]: ...
