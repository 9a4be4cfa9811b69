# The compiler's flags, once: for the Makefile, setup.py and the scripts that build the core in other ways.
# Lines of `NAME := words`, without variables.

STANDARD := -std=c11 -D_POSIX_C_SOURCE=200809L
# For what a person writes.
WARNINGS := -Wall -Wextra -Wundef -Wshadow -Wconversion
# For what Cython writes.
CYTHON_FLAGS := -Wall -Wextra
# Beside -fsanitize=...
SANITIZED := -fno-sanitize-recover=all -fno-omit-frame-pointer
# All that the core can check of itself (src/core/assertions.h): for tests and with sanitizers.
ASSERTIONS := -DCOWI_FULL_ASSERTIONS
# On a busy machine a fill may take long: tests of pages are not to meet that pause by chance.
NO_PAUSE := -DCOWI_SLOW_PER_REGION=1000000000000000u
