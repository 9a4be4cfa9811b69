"""The chapter "inspection" of the array API standard: what the namespace can do, and which version it follows."""

import numpy as np

__all__ = ["__array_api_version__", "__array_namespace_info__", "namespace"]

# NumPy computes, so what is newer in NumPy is newer here. What this one lacked, NumPy 2.1 has.
__array_api_version__ = max("2024.12", np.__array_api_version__)

_VERSIONS = {"2021.12", "2022.12", "2023.12", "2024.12", __array_api_version__}


def __array_namespace_info__():
    """What this namespace can do: devices, dtypes, capabilities, as `numpy.__array_namespace_info__`."""
    return np.__array_namespace_info__()


def namespace(api_version):
    """The module that has the standard's functions; ValueError for a version that it does not follow."""
    import cowarray

    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(
            f"__array_namespace__: version {api_version!r} of the array API standard is none of {sorted(_VERSIONS)}"
        )
    return cowarray
