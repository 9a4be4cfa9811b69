#!/bin/sh
# Runs the programs of the C tests, and stops at the first that fails or hangs: ctest.sh VARIANT PROGRAM...
# RUN="valgrind ..." runs them under something else.
variant=$1
shift
test $# -gt 0 || { echo "ctest: no tests/c/test_*.c"; exit 1; }
# A deadlock is a failure, too.
limit=$(command -v timeout > /dev/null && echo timeout 600)
for program; do
    $limit $RUN "$program" || { echo "ctest: $program failed with status $?"; exit 1; }
done
echo "ctest: $# programs passed ($variant${RUN:+ under ${RUN%% *}})"
