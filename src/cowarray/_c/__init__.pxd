# Every declaration of C that is not ours or not Python, and nothing else.
