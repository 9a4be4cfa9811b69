"""Stand-ins for NumPy's modules, for a program that runs on this library: its names, with our arrays behind."""
