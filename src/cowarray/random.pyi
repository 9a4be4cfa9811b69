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

def __dir__() -> list[str]: ...
