"""Random numbers as arrays of this library: NumPy's generators, with the same streams for the same seeds.

What is here is made when it is first asked for, in `_chapters/generators.py`: NumPy's generators would take a third of
the time of importing the library. NumPy's legacy functions (`seed`, `rand`, ...) and `RandomState` are found by their
names, and are not in ``__all__``.
"""

# ruff: noqa: F822 - the names are found by __getattr__

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


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in __all__:
        from cowarray._chapters import generators

        return globals().setdefault(name, getattr(generators, name))
    import numpy

    from cowarray._chapters import absent, legacy_random

    if name == "RandomState":
        return globals().setdefault(name, legacy_random.RandomState)
    if name in legacy_random.NAMES:
        return globals().setdefault(name, legacy_random.legacy_function(name))
    raise absent.absence(__name__, name, numpy.random, {})


def __dir__():
    from cowarray._chapters import legacy_random

    return sorted({*globals(), *__all__, "RandomState", *legacy_random.NAMES})
