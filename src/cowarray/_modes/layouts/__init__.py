"""Shapes, dtypes and strides of results, found without their bytes. Imports nothing but itself."""
