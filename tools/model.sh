#!/bin/sh
# Runs tests/model/run.py with the installed checkers, and notes what was skipped: model.sh PYTHON [argument ...]
python=$1
shift
mkdir -p build
has_relacy() {
    printf '#include <relacy/relacy.hpp>\n' | ${CXX:-c++} -x c++ -w -fsyntax-only - 2> /dev/null
}
if ! command -v spin > /dev/null && ! command -v "${GENMC:-genmc}" > /dev/null && ! has_relacy; then
    exec tools/skip.sh "models of the protocol: neither spin nor relacy nor genmc is installed"
fi
rm -f build/model-failed
{ "$python" tests/model/run.py "$@" || touch build/model-failed; } | tee build/model.log
grep '^skipped' build/model.log >> build/skipped
test ! -e build/model-failed
