"""Simulation: NumPy's aliases, with what a program relies on found."""
