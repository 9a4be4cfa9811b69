#!/bin/sh
# Runs the C tests' programs, two at a time, and reports those that failed or hung: ctest.sh VARIANT PROGRAM...
# RUN="valgrind ..." runs them under something else.
variant=$1
shift
test $# -gt 0 || { echo "ctest: no tests/c/test_*.c"; exit 1; }
said=$(mktemp) && failed=$(mktemp) || exit 1
trap 'rm -f "$said" "$failed"' EXIT
# A deadlock is also a failure. Each program's lines stay together.
export RUN LIMIT="$(command -v timeout > /dev/null && echo timeout 600)"
printf '%s\n' "$@" | xargs -P 2 -n 1 sh -c '
    lines=$($LIMIT $RUN "$0" 2>&1)
    status=$?
    test $status = 0 || { printf "%s\n" "$lines" "ctest: $0 failed with status $status" >&2; exit 1; }
    printf "%s\n" "$lines"
' > "$said" 2> "$failed"
status=$?
cat "$said" "$failed" # failures come last
test $status = 0 || exit 1
tests=$(sed -n 's/^.*: \([0-9]*\) tests: .*/\1/p' "$said" | awk '{ n += $1 } END { print n + 0 }')
test "$tests" -gt 0 || { echo "ctest: no program said how many tests it ran"; exit 1; }
echo "ctest: $# programs passed, $tests tests ($variant${RUN:+ under ${RUN%% *}})"
