#!/bin/sh
# see.sh OMPTTRACE PROGRAM: traces PROGRAM and PROGRAM-cured and prints what the reports find first.
set -eu
ompttrace=$1
for program in "$2" "$2-cured"; do
    run=$program.run
    rm -rf "$run"
    echo "== $program"
    "$ompttrace" run --output "$run" -- "$program"
    "$ompttrace" report --top 3 "$run" | sed -n '/^Findings/,/^$/p'
done
