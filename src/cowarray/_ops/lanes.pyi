from typing import Final

__all__ = ["LANES", "OUTSIDE", "PARTS", "ROAD", "VALUES"]

LANES: Final[dict[str, str]]
OUTSIDE: Final[frozenset[str]]
PARTS: Final[frozenset[str]]
ROAD: Final[frozenset[str]]
VALUES: Final[frozenset[str]]
