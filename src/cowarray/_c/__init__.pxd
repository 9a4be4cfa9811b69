# Every declaration of C from outside these rooms, and nothing else.
