"""The answer of an array that is asked for the standard's namespace."""

import sys
from types import ModuleType

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def namespace(api_version: str | None) -> ModuleType:
    """Return the module that has the standard's functions.

    Parameters
    ----------
    api_version : str or None

    Returns
    -------
    module

    Raises
    ------
    ValueError
        The module does not follow that version.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(
            f"__array_namespace__: api_version must be None or one of {', '.join(_VERSIONS)} (got {api_version!r})"
        )
    return sys.modules[__name__.rpartition(".")[0]]
