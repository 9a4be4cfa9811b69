#!/bin/sh
# Tells whether a compiler with these flags makes programs that run here: links.sh cc -fsanitize=thread
# A machine may lack a sanitizer's runtime, or a sanitizer may refuse the machine. With -fsanitize=fuzzer, linking is enough.
probe=$(mktemp -d) || exit 1
trap 'rm -rf "$probe"' EXIT
case "$*" in
*fuzzer*)
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' > "$probe/probe.c"
    "$@" -w "$probe/probe.c" -o "$probe/probe" 2> /dev/null
    ;;
*)
    echo 'int main(void) { return 0; }' > "$probe/probe.c"
    "$@" "$probe/probe.c" -o "$probe/probe" 2> /dev/null && "$probe/probe" 2> /dev/null
    ;;
esac
