# Every declaration of C from outside these packages, and nothing else.
