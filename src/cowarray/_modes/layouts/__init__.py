"""Shapes, dtypes and strides of results, inferred without their bytes. Imports nothing else of the library."""
