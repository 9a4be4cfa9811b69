"""Storages and the doors to their bytes. Here the C core meets Python; nothing here knows what an array is."""
