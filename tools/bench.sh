#!/bin/sh
# Measures and reports, even if something failed: bench.sh PYTHON [argument of pytest ...]
# A complete run, without arguments, also counts instructions, and updates the documentation. With RUNS=3 in the
# environment it runs three times, and the report takes the medians.
python=$1
shift
latest=build/bench/latest.json
mkdir -p build/bench
[ ! -f $latest ] || mv $latest build/bench/previous.json
status=0
runs=
for run in $(seq "${RUNS:-1}"); do
    json=build/bench/run-$run.json
    rm -f "$json"
    "$python" -m pytest bench -q -p no:randomly --benchmark-enable --benchmark-only --benchmark-quiet --benchmark-json=$json "$@" || status=$?
    cp $json $latest || exit
    runs="$runs $json"
done
# shellcheck disable=SC2086 - a word each
if [ $# -gt 0 ]; then
    "$python" bench/report.py $runs || exit
else
    "$python" bench/front_page.py
    "$python" bench/instructions.py
    for program in history checkpoints saves; do
        "$python" bench/$program.py | tee build/bench/$program.txt
    done
    "$python" bench/report.py $runs --into build/bench && "$python" bench/pages.py $runs || exit
fi
exit $status
