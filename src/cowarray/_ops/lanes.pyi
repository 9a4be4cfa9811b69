from typing import Final

LANES: Final[dict[str, str]]
OUTSIDE: Final[frozenset[str]]
PARTS: Final[frozenset[str]]
ROAD: Final[frozenset[str]]
VALUES: Final[frozenset[str]]
