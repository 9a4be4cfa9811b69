"""Random numbers as arrays of this library: NumPy's generators, with the same stream for the same seed.

`default_rng` makes a `Generator`. Bit generators and `SeedSequence` are NumPy's own. NumPy's legacy functions with
their single hidden state (`numpy.random.seed`, ...) are in `legacy_random.py`.

Threads may share a Generator: as in NumPy, its bit generator's lock is held while numbers are drawn.

It is one file because it is one class, with NumPy's methods. Read it a method at a time.
"""

# NumPy's stubs have an overload for each way to call, which pyright also expects here.
# pyright: reportIncompatibleMethodOverride=false

import weakref
from collections.abc import MutableSequence
from typing import Any, Literal, cast

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence
from numpy.typing import ArrayLike

from cowarray._chapters.declared import drawing
from cowarray._chapters.docstrings import Completed
from cowarray._face.annotations import AnyArray, DType, Size
from cowarray._face.ndarray import ndarray
from cowarray._native.storage import is_fake_storage
from cowarray._ops.conversion import asarray
from cowarray._ops.creation import born

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

_NUMBER = "float or array_like of float"
_COUNT = "int or array_like of int"
_PARAMETERS = {
    "a": f"{_NUMBER}\n    A shape parameter, greater than 0.",
    "b": f"{_NUMBER}\n    The other shape parameter, greater than 0.",
    "df": f"{_NUMBER}\n    Degrees of freedom, greater than 0.",
    "dfden": f"{_NUMBER}\n    Degrees of freedom of the denominator, greater than 0.",
    "dfnum": f"{_NUMBER}\n    Degrees of freedom of the numerator, greater than 0.",
    "dtype": "dtype, default float64\n    Either float64 or float32.",
    "high": f"{_NUMBER}, default 1.0\n    The upper limit, excluded.",
    "kappa": f"{_NUMBER}\n    The concentration about `mu`, at least 0.",
    "lam": f"{_NUMBER}, default 1.0\n    The mean, at least 0.",
    "left": f"{_NUMBER}\n    The lower limit.",
    "loc": f"{_NUMBER}, default 0.0\n    The position of the peak.",
    "low": f"{_NUMBER}, default 0.0\n    The lower limit.",
    "method": "{'zig', 'inv'}, default 'zig'\n    The ziggurat method, or inversion.",
    "mode": f"{_NUMBER}\n    The position of the peak.",
    "mu": f"{_NUMBER}\n    The position of the peak, in radians.",
    "n": "number or array_like\n    The number of trials; for `negative_binomial`, of successes.",
    "nbad": f"{_COUNT}\n    The number of bad elements.",
    "ngood": f"{_COUNT}\n    The number of good elements.",
    "nonc": f"{_NUMBER}\n    The noncentrality, at least 0.",
    "nsample": f"{_COUNT}\n    The number of elements drawn.",
    "out": "ndarray, optional\n    Written and returned, in place of a fresh array.",
    "p": (
        f"{_NUMBER}\n"
        "    A probability from 0 to 1. An end of this range that defines no distribution raises ValueError."
    ),
    "right": f"{_NUMBER}\n    The upper limit.",
    "scale": f"{_NUMBER}, default 1.0\n    The width of the distribution, at least 0.",
    "shape": f"{_NUMBER}\n    The shape parameter, at least 0.",
    "size": (
        "int or tuple of int, optional\n"
        "    The shape of the result. Default: that of the parameters, broadcast; without any, a single number."
    ),
}
_NUMPYS = {"space": "numpy.random.Generator", "same": "The same stream as NumPy's arrays."}
_floats = Completed(_PARAMETERS, "ndarray or float", returns="Fresh.", **_NUMPYS)
_integers = Completed(_PARAMETERS, "ndarray or int", returns="Fresh.", **_NUMPYS)
_SIZE = (
    "int or tuple of int, optional\n"
    "    The shape of the result. Default: out's; else that of the parameters, broadcast; without any, a single number."
)
_filling = Completed({**_PARAMETERS, "size": _SIZE}, "ndarray or float", returns="Fresh, or `out`.", **_NUMPYS)


def default_rng(
    seed: ArrayLike | SeedSequence | BitGenerator | np.random.Generator | np.random.RandomState | None = None,
) -> "Generator":
    """Make a `Generator`.

    Parameters
    ----------
    seed : int, array_like of int, SeedSequence, BitGenerator or Generator, optional
        As for `numpy.random.default_rng`, with the same stream. ``None``: from the operating system. With a NumPy
        Generator, both draw from one stream.

    Returns
    -------
    Generator
        The seed itself, if it is a Generator of this library.

    See Also
    --------
    numpy.random.default_rng : The same for NumPy's arrays.

    Examples
    --------
    >>> import cowarray
    >>> rng = cowarray.random.default_rng(7)
    >>> rng.integers(10, size=4)
    array([9, 6, 6, 8])
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(np.random.default_rng(cast(Any, seed.to_numpy() if type(seed) is ndarray else seed)).bit_generator)


class _Numpys(np.random.Generator):
    """The NumPy generator behind a `Generator`, which is its `owner`."""

    owner: weakref.ref["Generator"]


class Generator(np.random.Generator):
    """Random numbers from many distributions: `numpy.random.Generator`, whose results are arrays of this library.

    The parameters are NumPy's: first those of the distribution, which broadcast, then ``size``, the shape of the
    result. Without a size, and without arrays among the parameters, the result is a scalar. Parameters are only read;
    results are fresh. ``out`` is written to and returned: it first gets its own bytes, if it shares them.

    Parameters
    ----------
    bit_generator : BitGenerator

    See Also
    --------
    numpy.random.Generator : The same for NumPy's arrays.
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        super().__init__(bit_generator)
        # NumPy's methods call each other. This generator's methods get NumPy arrays from each other, not cowarray's.
        self._numpys: Any = _Numpys(bit_generator)  # or its stand-in while draws are recorded
        self._numpys.owner = weakref.ref(self)

    @property
    def bit_generator(self) -> Any:
        """BitGenerator: Where the random bits come from, in its state after all draws so far."""
        if type(self._numpys) is not _Numpys:
            self._numpys.settle()
        return super().bit_generator

    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)

    def spawn(self, n_children: int) -> list["Generator"]:  # type: ignore[override]  # of this library
        """Make new generators with independent streams.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of Generator

        See Also
        --------
        numpy.random.Generator.spawn : The same for NumPy's generators.
        """
        return [Generator(child) for child in self.bit_generator.spawn(n_children)]

    # ---- what is shuffled or chosen ----------------------------------------------------------------------------------

    def shuffle(self, x: AnyArray | MutableSequence[Any], axis: int = 0) -> None:
        """Shuffle an array along an axis, in place, or a mutable sequence.

        Parameters
        ----------
        x : ndarray or mutable sequence
            Written in place.
        axis : int, default 0

        Returns
        -------
        None
            Views of x see the write; copies do not: shared bytes are copied first.

        See Also
        --------
        numpy.random.Generator.shuffle : The same stream as NumPy's arrays.

        Examples
        --------
        >>> import cowarray
        >>> x = cowarray.asarray([1, 2, 3, 4])
        >>> before = x.copy()
        >>> cowarray.random.default_rng(5).shuffle(x)
        >>> x, before
        (array([4, 2, 3, 1]), array([1, 2, 3, 4]))
        """
        if has_no_bytes(x):
            born(self._numpys.shuffle, x, axis)
        else:
            self._numpys.shuffle(target(x), axis)

    def permutation(self, x: ArrayLike, axis: int = 0) -> Any:
        """Return a copy of an array, shuffled along an axis.

        Parameters
        ----------
        x : int or array_like
            An integer stands for ``range(x)``.
        axis : int, default 0

        Returns
        -------
        ndarray
            A copy, made at once.

        See Also
        --------
        numpy.random.Generator.permutation : The same stream as NumPy's arrays.
        """
        if isinstance(x, (int, np.integer)):
            return born(self._numpys.permutation, x, axis)
        x = asarray(x)
        if x.shape == (0,):
            return nothing_permuted(self._numpys, x, axis)
        return born(self._numpys.permutation, _shown(x), axis)

    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: AnyArray | None = None) -> Any:
        """Return a copy of an array with each slice along an axis shuffled independently.

        Parameters
        ----------
        x : array_like
        axis : int, optional
            Default: shuffle over all elements.
        out : ndarray, optional
            Of x's shape; may be x. Written and returned, in place of a copy.

        Returns
        -------
        ndarray
            A copy, made at once, or `out`.

        See Also
        --------
        numpy.random.Generator.permuted : The same stream as NumPy's arrays.
        """
        if out is None:
            return born(self._numpys.permuted, _shown(asarray(x)), axis=axis)
        written = target(out)  # first, so that the snapshot has the new values
        self._numpys.permuted(asarray(x).to_numpy(), axis=axis, out=written)
        return out

    def choice(
        self,
        a: ArrayLike,
        size: Size = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Choose elements of an array along an axis.

        Parameters
        ----------
        a : int or array_like
            An integer stands for ``range(a)``.
        size : int or tuple of int, optional
            How many. Default: one.
        replace : bool, default True
            Whether an element may be chosen more than once.
        p : array_like of float, optional
            The probability of each. Default: all equal.
        axis : int, default 0
        shuffle : bool, default True
            Whether elements chosen without replacement come in random order.

        Returns
        -------
        ndarray or scalar
            Fresh; without a size an element, or a part of an array of several axes.

        See Also
        --------
        numpy.random.Generator.choice : The same stream as NumPy's arrays.
        """
        if has_no_bytes(a) or has_no_bytes(p):
            return born(self._numpys.choice, a, size, replace, p, axis, shuffle)
        shown = a.to_numpy() if type(a) is ndarray else a
        if size is None and np.ndim(a) == 1:
            return self._numpys.choice(shown, size, replace, p, axis, shuffle)  # an element, perhaps the user's array
        return born(self._numpys.choice, shown, size, replace, p, axis, shuffle)

    # ---- numbers that can be written to out --------------------------------------------------------------------------

    @drawing
    @_filling
    def random(self, size: Size = None, dtype: DType = np.float64, out: AnyArray | None = None) -> Any:
        """Uniform distribution in [0, 1)."""
        if out is None or has_no_bytes(out):
            return born(self._numpys.random, size, dtype, *(() if out is None else (out,)))
        self._numpys.random(size, dtype, filled(out))
        return out

    @drawing
    @_filling
    def standard_exponential(
        self,
        size: Size = None,
        dtype: DType = np.float64,
        method: Literal["zig", "inv"] = "zig",
        out: AnyArray | None = None,
    ) -> Any:
        """Exponential distribution with mean 1."""
        if out is None or has_no_bytes(out):
            return born(self._numpys.standard_exponential, size, dtype, method, *(() if out is None else (out,)))
        self._numpys.standard_exponential(size, dtype, method, filled(out))
        return out

    @drawing
    @_filling
    def standard_gamma(
        self, shape: ArrayLike, size: Size = None, dtype: DType = np.float64, out: AnyArray | None = None
    ) -> Any:
        """Gamma distribution with scale 1."""
        if out is None or has_no_bytes(out):
            return born(self._numpys.standard_gamma, shape, size, dtype, *(() if out is None else (out,)))
        self._numpys.standard_gamma(shape, size, dtype, filled(out))
        return out

    @drawing
    @_filling
    def standard_normal(self, size: Size = None, dtype: DType = np.float64, out: AnyArray | None = None) -> Any:
        """Normal distribution with mean 0 and standard deviation 1."""
        if out is None or has_no_bytes(out):
            return born(self._numpys.standard_normal, size, dtype, *(() if out is None else (out,)))
        self._numpys.standard_normal(size, dtype, filled(out))
        return out

    # ---- the others --------------------------------------------------------------------------------------------------

    @drawing
    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Size = None,
        dtype: DType = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Draw integers in [low, high), or in [0, low); with endpoint, the limit is included.

        Parameters
        ----------
        low : int or array_like of int
            The least value. Given alone, it is `high`.
        high : int or array_like of int, optional
        size : int or tuple of int, optional
            The shape of the result. Default: that of the parameters.
        dtype : dtype, default int64
        endpoint : bool, default False
            Whether `high` may be drawn.

        Returns
        -------
        ndarray or scalar
            Fresh.

        See Also
        --------
        numpy.random.Generator.integers : The same stream as NumPy's arrays.
        """

    @drawing
    def multivariate_hypergeometric(
        self, colors: ArrayLike, nsample: int, size: Size = None, method: Literal["marginals", "count"] = "marginals"
    ) -> Any:
        """Draw without replacement, and count the elements of each color.

        Parameters
        ----------
        colors : array_like of int
            The number of elements of each color.
        nsample : int
            The number of draws.
        size : int or tuple of int, optional
            How many draws, as a shape.
        method : {'marginals', 'count'}, default 'marginals'
            How to compute.

        Returns
        -------
        ndarray
            Fresh, with a last axis for the colors.

        See Also
        --------
        numpy.random.Generator.multivariate_hypergeometric : The same stream as NumPy's arrays.
        """

    @drawing
    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: Size = None,
        check_valid: Literal["warn", "raise", "ignore"] = "warn",
        tol: float = 1e-08,
        *,
        method: Literal["svd", "eigh", "cholesky"] = "svd",
    ) -> Any:
        """Normal distribution in several dimensions.

        Parameters
        ----------
        mean : array_like of float
            One-dimensional.
        cov : array_like of float
            The matrix of covariances.
        size : int or tuple of int, optional
            How many draws, as a shape.
        check_valid : {'warn', 'raise', 'ignore'}, default 'warn'
            How to treat a matrix that is not positive semidefinite.
        tol : float, default 1e-08
            The tolerance when singular values are checked.
        method : {'svd', 'eigh', 'cholesky'}, default 'svd'
            How to factor the matrix.

        Returns
        -------
        ndarray
            Fresh, with a last axis for the dimensions.

        See Also
        --------
        numpy.random.Generator.multivariate_normal : The same stream as NumPy's arrays.
        """

    @drawing
    @_floats
    def beta(self, a: ArrayLike, b: ArrayLike, size: Size = None) -> Any:
        """Beta distribution with parameters a and b, in [0, 1]."""

    @drawing
    @_integers
    def binomial(self, n: ArrayLike, p: ArrayLike, size: Size = None) -> Any:
        """Number of successes in n trials of probability p."""

    @drawing
    @_floats
    def chisquare(self, df: ArrayLike, size: Size = None) -> Any:
        """Chi-square distribution with df degrees of freedom."""

    @drawing
    def dirichlet(self, alpha: ArrayLike, size: Size = None) -> Any:
        """Dirichlet distribution.

        Parameters
        ----------
        alpha : array_like of float
            Concentrations, of one axis.
        size : int or tuple of int, optional
            How many draws, as a shape.

        Returns
        -------
        ndarray
            Fresh, with a last axis for the concentrations.

        See Also
        --------
        numpy.random.Generator.dirichlet : The same stream as NumPy's arrays.
        """

    @drawing
    @_floats
    def exponential(self, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Exponential distribution with mean scale."""

    @drawing
    @_floats
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: Size = None) -> Any:
        """F distribution with dfnum and dfden degrees of freedom."""

    @drawing
    @_floats
    def gamma(self, shape: ArrayLike, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Gamma distribution."""

    @drawing
    @_integers
    def geometric(self, p: ArrayLike, size: Size = None) -> Any:
        """Number of trials until the first success of probability p."""

    @drawing
    @_floats
    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Gumbel distribution."""

    @drawing
    @_integers
    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: Size = None) -> Any:
        """Number of good elements among those drawn without replacement."""

    @drawing
    @_floats
    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Laplace distribution."""

    @drawing
    @_floats
    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Logistic distribution."""

    @drawing
    def lognormal(self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: Size = None) -> Any:
        """Log-normal distribution: the logarithms have a normal distribution.

        Parameters
        ----------
        mean : float or array_like of float, default 0.0
            The mean of the logarithms.
        sigma : float or array_like of float, default 1.0
            Their standard deviation, at least 0.
        size : int or tuple of int, optional
            The shape of the result. Default: that of the parameters.

        Returns
        -------
        ndarray or float
            Fresh.

        See Also
        --------
        numpy.random.Generator.lognormal : The same stream as NumPy's arrays.
        """

    @drawing
    @_integers
    def logseries(self, p: ArrayLike, size: Size = None) -> Any:
        """Logarithmic series distribution."""

    @drawing
    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: Size = None) -> Any:
        """Draw the counts of each outcome in n trials.

        Parameters
        ----------
        n : int or array_like of int
            Trials.
        pvals : array_like of float
            The probability of each outcome, along the last axis.
        size : int or tuple of int, optional
            How many draws, as a shape.

        Returns
        -------
        ndarray
            Fresh, with a last axis for the outcomes.

        See Also
        --------
        numpy.random.Generator.multinomial : The same stream as NumPy's arrays.
        """

    @drawing
    @_integers
    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: Size = None) -> Any:
        """Number of failures before n successes of probability p."""

    @drawing
    @_floats
    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: Size = None) -> Any:
        """Noncentral chi-square distribution."""

    @drawing
    @_floats
    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: Size = None) -> Any:
        """Noncentral F distribution."""

    @drawing
    @_floats
    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Normal distribution with mean loc and standard deviation scale."""

    @drawing
    @_floats
    def pareto(self, a: ArrayLike, size: Size = None) -> Any:
        """Pareto II distribution with shape a."""

    @drawing
    @_integers
    def poisson(self, lam: ArrayLike = 1.0, size: Size = None) -> Any:
        """Poisson distribution with mean lam."""

    @drawing
    @_floats
    def power(self, a: ArrayLike, size: Size = None) -> Any:
        """Power distribution with exponent a - 1, in [0, 1]."""

    @drawing
    @_floats
    def rayleigh(self, scale: ArrayLike = 1.0, size: Size = None) -> Any:
        """Rayleigh distribution."""

    @drawing
    @_floats
    def standard_cauchy(self, size: Size = None) -> Any:
        """Cauchy distribution with mode 0."""

    @drawing
    @_floats
    def standard_t(self, df: ArrayLike, size: Size = None) -> Any:
        """Student's t distribution with df degrees of freedom."""

    @drawing
    @_floats
    def triangular(self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: Size = None) -> Any:
        """Triangular distribution from left to right, with its peak at mode."""

    @drawing
    @_floats
    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Size = None) -> Any:
        """Uniform distribution in [low, high)."""

    @drawing
    @_floats
    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: Size = None) -> Any:
        """Von Mises distribution on the circle, from -π to π."""

    @drawing
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: Size = None) -> Any:
        """Wald distribution, or inverse Gaussian.

        Parameters
        ----------
        mean : float or array_like of float
            The mean, greater than 0.
        scale : float or array_like of float
            The scale, greater than 0.
        size : int or tuple of int, optional
            The shape of the result. Default: that of the parameters.

        Returns
        -------
        ndarray or float
            Fresh.

        See Also
        --------
        numpy.random.Generator.wald : The same stream as NumPy's arrays.
        """

    @drawing
    @_floats
    def weibull(self, a: ArrayLike, size: Size = None) -> Any:
        """Weibull distribution with shape a."""

    @drawing
    def zipf(self, a: ArrayLike, size: Size = None) -> Any:
        """Zipf distribution with exponent a.

        Parameters
        ----------
        a : float or array_like of float
            The exponent, greater than 1.
        size : int or tuple of int, optional
            The shape of the result. Default: that of the parameters.

        Returns
        -------
        ndarray or int
            Fresh.

        See Also
        --------
        numpy.random.Generator.zipf : The same stream as NumPy's arrays.
        """


def has_no_bytes(x: Any) -> bool:
    """True if x is a fake, whose draws are decided by rules."""
    return type(x) is ndarray and is_fake_storage(x.storage)


def _shown(x: Any) -> Any:
    """Return a snapshot for NumPy, or a copy if x is empty; a fake as it is, for the mode that draws are handed to.

    NumPy does not see that an empty array is the caller's, and would shuffle it.
    """
    if has_no_bytes(x):
        return x
    return x.to_numpy() if x.size else np.array(x.to_numpy())


def nothing_permuted(generator: Any, x: Any, *axis: int) -> Any:
    """Return a copy of a vector without elements; NumPy checks the axis, and draws no number.

    NumPy does not see that such an array is the caller's, and would return it.
    """
    generator.permutation(np.empty(0), *axis)
    return x.copy()


def target(out: Any) -> Any:
    """Return what NumPy may write to: for a cowarray array an export, which pins it; if it is read-only, a snapshot."""
    return out.to_numpy(writable=out.flags.writeable) if type(out) is ndarray else out


def filled(out: Any) -> Any:
    """`target` of an array for NumPy to fill; TypeError for anything else.

    NumPy takes any object for an array, and reads flags that lie beyond its end.
    """
    if not isinstance(out, (ndarray, np.ndarray)):
        raise TypeError(f"out must be an array, not {type(out).__name__!r}")
    return target(out)


for _public in (Generator, default_rng):
    _public.__module__ = "cowarray.random"
del _public
