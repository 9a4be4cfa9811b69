"""The base of every mode: the block in force, the dispatch of operations, and source lines of the program."""
