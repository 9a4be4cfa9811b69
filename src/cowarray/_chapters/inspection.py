"""The chapter "inspection" of the array API standard: the namespace's capabilities, and the version it follows."""

from typing import Any, Literal

import numpy as np

__all__ = ["__array_api_version__", "__array_namespace_info__"]

__array_api_version__ = "2025.12"


class __array_namespace_info__:
    """The capabilities of this namespace. The answers are those of `numpy.__array_namespace_info__`."""

    __module__ = "cowarray"

    def __init__(self) -> None:
        self._numpys: Any = np.__array_namespace_info__()

    def capabilities(self) -> dict[str, Any]:
        """Return the optional features by name, and the largest number of dimensions.

        Returns
        -------
        dict
        """
        return self._numpys.capabilities()

    def default_device(self) -> Literal["cpu"]:
        """Return the device that arrays are on unless another is requested.

        Returns
        -------
        str
        """
        return self._numpys.default_device()

    def default_dtypes(self, *, device: Literal["cpu"] | None = None) -> dict[str, np.dtype[Any]]:
        """Return the default dtypes of arrays, by kind.

        Parameters
        ----------
        device : {'cpu'}, optional
            All are on this one.

        Returns
        -------
        dict
        """
        return self._numpys.default_dtypes(device=device)

    def devices(self) -> list[Literal["cpu"]]:
        """Return the devices.

        Returns
        -------
        list of str
        """
        return list(self._numpys.devices())

    def dtypes(
        self, *, device: Literal["cpu"] | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the standard's dtypes by name.

        Parameters
        ----------
        device : {'cpu'}, optional
            All are on this one.
        kind : str or tuple of str, optional
            Default: all kinds.

        Returns
        -------
        dict
        """
        return self._numpys.dtypes(device=device, kind=kind)
