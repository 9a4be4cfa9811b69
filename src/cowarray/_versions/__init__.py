"""Versions of arrays: where they differ, how they are merged, and their history."""
