"""Arrays under a memory budget."""
