#!/bin/sh
# Prints the first Python of a version, on the path or in pyenv, that runs and has its headers: at_hand.sh 3.12
# A pyenv shim need not run.
for python in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1"; do
    if "$python" -c 'import sysconfig; open(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null; then
        echo "$python"
        exit
    fi
done
