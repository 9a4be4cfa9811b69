from cowarray.lib import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
