#!/bin/sh
# Measures and reports, even if something failed: bench.sh PYTHON [argument of pytest ...]
# A complete run, without arguments, also counts instructions, and goes into the documentation.
python=$1
shift
latest=build/bench/latest.json
mkdir -p build/bench
[ ! -f $latest ] || mv $latest build/bench/previous.json
status=0
"$python" -m pytest bench -q -p no:randomly --benchmark-enable --benchmark-only --benchmark-quiet --benchmark-json=$latest "$@" || status=$?
if [ $# -gt 0 ]; then
    "$python" bench/report.py $latest || exit
else
    "$python" bench/front_page.py
    "$python" bench/instructions.py
    for program in history checkpoints saves; do
        "$python" bench/$program.py | tee build/bench/$program.txt
    done
    "$python" bench/report.py $latest --into build/bench && "$python" bench/pages.py $latest || exit
fi
exit $status
