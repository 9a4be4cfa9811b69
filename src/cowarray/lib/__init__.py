"""The part of `numpy.lib` that is here: `stride_tricks`."""

from cowarray.lib import stride_tricks

__all__ = ["stride_tricks"]
