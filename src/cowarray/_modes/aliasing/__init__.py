"""NumPy's aliases in place of copies in meaning, in a context or the whole process."""
