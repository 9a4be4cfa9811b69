"""What every mode stands on: which block holds, who is handed operations, lines of the program."""
