"""The rules of operations on fakes."""
