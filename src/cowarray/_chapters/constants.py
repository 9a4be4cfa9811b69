"""The constants of the array API standard, and other constants of NumPy's; all are NumPy's own objects."""

from numpy import False_, True_, e, euler_gamma, inf, nan, newaxis, pi

__all__ = ["False_", "True_", "e", "euler_gamma", "inf", "nan", "newaxis", "pi"]
