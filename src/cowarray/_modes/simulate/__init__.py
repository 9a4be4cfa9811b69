"""Simulation: NumPy's aliases, with reports of where a program relies on them."""
