"""Random numbers as arrays of ours: NumPy's generators, with the same streams for the same seeds.

`default_rng` makes a `Generator`. Bit generators and `SeedSequence` are NumPy's own. NumPy's legacy functions with
their one hidden state (`numpy.random.seed`, ...) are not here.

Threads may share a Generator: as in NumPy, a lock of its bit generator is held while numbers are drawn.
"""

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence

from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import asarray
from cowarray._ops.protocols import fresh

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


def default_rng(seed=None):
    """A Generator.

    Parameters
    ----------
    seed : int, array_like of int, SeedSequence, BitGenerator or Generator, optional
        As for `numpy.random.default_rng`, and with the same stream. ``None``: from the operating system. A Generator of
        NumPy's goes on: both draw from one stream.

    Returns
    -------
    Generator
        Seed itself, if it is one of ours.

    Examples
    --------
    >>> import cowarray
    >>> rng = cowarray.random.default_rng(7)
    >>> rng.integers(10, size=4)
    array([9, 6, 6, 8])
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(np.random.default_rng(seed.to_numpy() if type(seed) is ndarray else seed).bit_generator)


class Generator(np.random.Generator):
    """`numpy.random.Generator` whose results are arrays of ours, and which takes them to write to.

    Parameters are NumPy's: of the distribution first, which broadcast, then ``size``, the shape of the result. Without
    a size, and without arrays among the parameters, the result is a scalar. Parameters are only read; results fresh.
    ``out``, where there is one, is written and returned: it gets bytes of its own first, if it shares them.

    Parameters
    ----------
    bit_generator : BitGenerator
    """

    def __init__(self, bit_generator):
        super().__init__(bit_generator)
        # NumPy's methods call each other. These are asked: they get NumPy's arrays from each other, and not ours.
        self._numpys = np.random.Generator(bit_generator)

    def __reduce__(self):
        return Generator, (self.bit_generator,)

    def spawn(self, n_children):
        """A list of n_children new generators, with streams of their own."""
        return [Generator(child) for child in self.bit_generator.spawn(n_children)]

    # ---- what is shuffled or chosen ----------------------------------------------------------------------------------

    def shuffle(self, x, axis=0):
        """Shuffle an array along an axis, in place; a mutable sequence, too.

        Views of the array see it, copies do not: what is shared is copied first.

        Examples
        --------
        >>> import cowarray
        >>> x = cowarray.asarray([1, 2, 3, 4])
        >>> before = x.copy()
        >>> cowarray.random.default_rng(5).shuffle(x)
        >>> x, before
        (array([4, 2, 3, 1]), array([1, 2, 3, 4]))
        """
        self._numpys.shuffle(_target(x), axis)

    def permutation(self, x, axis=0):
        """A shuffled copy of an array along an axis, made at once, or of ``range(x)``."""
        return fresh(self._numpys.permutation(x if isinstance(x, (int, np.integer)) else asarray(x).to_numpy(), axis))

    def permuted(self, x, *, axis=None, out=None):
        """A copy of an array with each slice along an axis shuffled by itself, made at once, or out.

        Parameters
        ----------
        x : array_like
        axis : int, optional
            ``None``: all elements.
        out : ndarray, optional
            Of x's shape; may be x.
        """
        target = _target(out)  # first: of what it has just got, the snapshot is a copy
        result = self._numpys.permuted(asarray(x).to_numpy(), axis=axis, out=target)
        return fresh(result) if out is None else out

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of an array along an axis, or of ``range(a)``, with probabilities p."""
        shown = a.to_numpy() if type(a) is ndarray else a
        result = self._numpys.choice(shown, size, replace, p, axis, shuffle)
        if size is None and np.ndim(a) == 1:
            return result  # an element; of objects it can be an array that is somebody's
        return fresh(result)

    # ---- numbers that can be written to out --------------------------------------------------------------------------

    def random(self, size=None, dtype=np.float64, out=None):
        """Uniform distribution in [0, 1)."""
        result = self._numpys.random(size, dtype, _target(out))
        return fresh(result) if out is None else out

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        """Exponential distribution with mean 1."""
        result = self._numpys.standard_exponential(size, dtype, method, _target(out))
        return fresh(result) if out is None else out

    def standard_gamma(self, shape, size=None, dtype=np.float64, out=None):
        """Gamma distribution with scale 1."""
        result = self._numpys.standard_gamma(shape, size, dtype, _target(out))
        return fresh(result) if out is None else out

    def standard_normal(self, size=None, dtype=np.float64, out=None):
        """Normal distribution with mean 0 and standard deviation 1."""
        result = self._numpys.standard_normal(size, dtype, _target(out))
        return fresh(result) if out is None else out

    # ---- the others --------------------------------------------------------------------------------------------------

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Integers in [low, high), or in [0, low); with endpoint, up to and with the limit."""
        return fresh(self._numpys.integers(low, high, size, dtype, endpoint))

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """How many of each color are among nsample that are drawn without replacement, along a last axis."""
        return fresh(self._numpys.multivariate_hypergeometric(colors, nsample, size, method))

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-08, *, method="svd"):
        """Normal distribution in several dimensions, along a last axis."""
        return fresh(self._numpys.multivariate_normal(mean, cov, size, check_valid, tol, method=method))

    def beta(self, a, b, size=None):
        """Beta distribution with parameters a and b, in [0, 1]."""
        return fresh(self._numpys.beta(a, b, size))

    def binomial(self, n, p, size=None):
        """Successes in n trials of probability p."""
        return fresh(self._numpys.binomial(n, p, size))

    def chisquare(self, df, size=None):
        """Chi-square distribution with df degrees of freedom."""
        return fresh(self._numpys.chisquare(df, size))

    def dirichlet(self, alpha, size=None):
        """Dirichlet distribution with concentrations alpha, along a last axis."""
        return fresh(self._numpys.dirichlet(alpha, size))

    def exponential(self, scale=1.0, size=None):
        """Exponential distribution with mean scale."""
        return fresh(self._numpys.exponential(scale, size))

    def f(self, dfnum, dfden, size=None):
        """F distribution with dfnum and dfden degrees of freedom."""
        return fresh(self._numpys.f(dfnum, dfden, size))

    def gamma(self, shape, scale=1.0, size=None):
        """Gamma distribution."""
        return fresh(self._numpys.gamma(shape, scale, size))

    def geometric(self, p, size=None):
        """Trials until the first success of probability p."""
        return fresh(self._numpys.geometric(p, size))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Gumbel distribution."""
        return fresh(self._numpys.gumbel(loc, scale, size))

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """Good ones among nsample that are drawn without replacement."""
        return fresh(self._numpys.hypergeometric(ngood, nbad, nsample, size))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Laplace distribution."""
        return fresh(self._numpys.laplace(loc, scale, size))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Logistic distribution."""
        return fresh(self._numpys.logistic(loc, scale, size))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Numbers whose logarithms have a normal distribution."""
        return fresh(self._numpys.lognormal(mean, sigma, size))

    def logseries(self, p, size=None):
        """Logarithmic series distribution."""
        return fresh(self._numpys.logseries(p, size))

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials, along a last axis."""
        return fresh(self._numpys.multinomial(n, pvals, size))

    def negative_binomial(self, n, p, size=None):
        """Failures before n successes of probability p."""
        return fresh(self._numpys.negative_binomial(n, p, size))

    def noncentral_chisquare(self, df, nonc, size=None):
        """Noncentral chi-square distribution."""
        return fresh(self._numpys.noncentral_chisquare(df, nonc, size))

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Noncentral F distribution."""
        return fresh(self._numpys.noncentral_f(dfnum, dfden, nonc, size))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal distribution with mean loc and standard deviation scale."""
        return fresh(self._numpys.normal(loc, scale, size))

    def pareto(self, a, size=None):
        """Pareto II distribution with shape a."""
        return fresh(self._numpys.pareto(a, size))

    def poisson(self, lam=1.0, size=None):
        """Poisson distribution with mean lam."""
        return fresh(self._numpys.poisson(lam, size))

    def power(self, a, size=None):
        """Power distribution with exponent a - 1, in [0, 1]."""
        return fresh(self._numpys.power(a, size))

    def rayleigh(self, scale=1.0, size=None):
        """Rayleigh distribution."""
        return fresh(self._numpys.rayleigh(scale, size))

    def standard_cauchy(self, size=None):
        """Cauchy distribution with mode 0."""
        return fresh(self._numpys.standard_cauchy(size))

    def standard_t(self, df, size=None):
        """Student's t distribution with df degrees of freedom."""
        return fresh(self._numpys.standard_t(df, size))

    def triangular(self, left, mode, right, size=None):
        """Triangular distribution from left over mode to right."""
        return fresh(self._numpys.triangular(left, mode, right, size))

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform distribution in [low, high)."""
        return fresh(self._numpys.uniform(low, high, size))

    def vonmises(self, mu, kappa, size=None):
        """Von Mises distribution on the circle, from -π to π."""
        return fresh(self._numpys.vonmises(mu, kappa, size))

    def wald(self, mean, scale, size=None):
        """Wald distribution."""
        return fresh(self._numpys.wald(mean, scale, size))

    def weibull(self, a, size=None):
        """Weibull distribution with shape a."""
        return fresh(self._numpys.weibull(a, size))

    def zipf(self, a, size=None):
        """Zipf distribution with exponent a."""
        return fresh(self._numpys.zipf(a, size))


def _target(out):
    """What NumPy may write to: an alias of an array of ours, which pins it meanwhile; a read-only one as NumPy's."""
    return out.to_numpy(writable=out.flags.writeable) if type(out) is ndarray else out


for _public in (Generator, default_rng):
    _public.__module__ = "cowarray.random"
del _public
