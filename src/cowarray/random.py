"""Random numbers as arrays of this library: NumPy's generators, with the same streams for the same seeds.

What is here is made when it is first asked for, in `_chapters/generators.py`: NumPy's generators would take a third of
the time of importing the library.
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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cowarray._chapters import generators as _random

    return globals().setdefault(name, getattr(_random, name))


def __dir__():
    return [*globals(), *__all__]
