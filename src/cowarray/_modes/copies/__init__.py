"""Watching copies, and lending arrays to code that writes to them."""
