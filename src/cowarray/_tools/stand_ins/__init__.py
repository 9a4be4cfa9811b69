"""Stand-ins for NumPy's modules, for a program that runs on this library: NumPy's names, with cowarray's arrays."""
