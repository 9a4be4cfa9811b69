#!/bin/sh
# Checks that each public header compiles alone, as C11 and as C++17, and that ignoring a status draws a warning:
# headers.sh HEADER...          CC and CXX name the compilers
test $# -gt 0 || { echo "headers: none found"; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
marked=$(cat "$@" | grep -c '^COW_NODISCARD cow_status')

# compiles NAME COMPILER STANDARD HEADER...
compiles() {
    name=$1 compiler=$2 standard=$3
    shift 3
    for header; do
        printf '#include "%s"\n' "$header" > "$folder/$name"
        $compiler "$standard" -pedantic -Wall -Wextra -Werror -Iinclude -I. -fsyntax-only "$folder/$name" || return 1
    done
    cp tests/c/ignored.c "$folder/$name"
    warned=$($compiler "$standard" -Iinclude -c "$folder/$name" -o "$folder/ignored.o" 2>&1 | grep -c 'warning:')
    test "$marked" -gt 0 && test "$warned" = "$marked" ||
        { echo "headers: $marked statuses must not be ignored, and $standard warns of $warned"; return 1; }
}

compiles header.c "${CC:-cc}" -std=c11 "$@" || exit 1
if echo '#include <stddef.h>' | ${CXX:-c++} -x c++ -fsyntax-only - 2> /dev/null; then
    compiles header.cpp "${CXX:-c++}" -std=c++17 "$@"
else
    tools/skip.sh "headers as C++17: no C++ compiler (${CXX:-c++})"
fi
