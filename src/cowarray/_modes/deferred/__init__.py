"""Deferred arrays."""
