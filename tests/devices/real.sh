#!/bin/bash
# What the tests cannot try without a device: `tests/devices/real.sh ./heat_gpu`, with the program of README.md beside a build of
# `cargo xtask build`. It takes two minutes on an H100 and writes what it finds line by line; real.expected.txt has how that looks.
set -u
program=$(realpath "$1")
tool=$(realpath "${OMPTTRACE:-$(dirname "$0")/../../target/ompttrace/ompttrace}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_TARGET_OFFLOAD=MANDATORY
failed=0

check() { # NAME COMMAND...: says whether the command succeeds
    if "${@:2}" > "$work/out" 2>&1; then echo "$1: ok"; else echo "$1: FAILED"; cat "$work/out"; failed=1; fi
}
field() { # RUN JSON-PATH: a value of `info --json`
    "$tool" info --json "$1" | python3 -c 'import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1].split("/"): value = value[int(key) if key.isdigit() else key]
print(value)' "$2"
}
word() { grep -o "$1 [0-9]*" "$work/said" | cut -d' ' -f2; } # a number that the program printed

"$tool" run --format recording --output "$work/run" -- "$program" 5 10 > "$work/said" 2> "$work/messages"
check "the program runs on the device" grep -q "on_host 0" "$work/said"
check "each kernel is recorded" test "$(field "$work/run" devices/kernels)" = "$(word kernels)"
check "nothing is lost" test "$(field "$work/run" devices/lost)" = 0
"$tool" info "$work/run" | grep -i -E "cupti|devices"

report="$work/report.json"
"$tool" report --json "$work/run" > "$report"
check "each kernel belongs to a target construct" python3 - "$report" <<'P'
import json, sys
devices = json.load(open(sys.argv[1]))["devices"]
runs = sum(kernel["runs"] for kernel in devices["kernels"])
assert sum(target["kernels"] for target in devices["targets"]) == runs, devices
P
check "copies that the program does not need again are a finding" python3 - "$report" <<'P'
import json, sys
kinds = [finding["kind"] for finding in json.load(open(sys.argv[1]))["findings"]]
assert "copied_again" in kinds or "copies" in kinds, kinds
P

# What the host's side alone cannot show: programs of CUDA, compiled where there is a compiler for them.
here=$(dirname "$(realpath "$0")")
for name in managed two_streams; do
    if ! command -v nvcc > /dev/null; then echo "$name: no nvcc"; continue; fi
    check "$name is compiled" nvcc -O2 -arch=native -o "$work/$name" "$here/$name.cu"
    "$tool" run --format recording --output "$work/run_$name" -- "$work/$name" > "$work/said" 2> "$work/messages"
    run=$work/run_$name
    check "$name: each kernel is recorded" test "$(field "$run" devices/kernels)" = "$(word kernels)"
    "$tool" info "$run" | grep -i -E "cupti|devices"
    "$tool" report --json "$run" > "$report"
    if test "$name" = managed; then
        check "all memory migrates to the device and back" test "$(field "$run" devices/migrated_bytes)" -ge "$(word migrated)"
        check "page faults of the device" test "$(field "$run" devices/page_faults)" -gt 0
        check "page faults of the host" test "$(field "$run" devices/host_page_faults)" -gt 0
        check "unified memory is a finding" grep -q '"unified_memory"' <(python3 -c 'import json, sys
print(json.dumps([finding["kind"] for finding in json.load(sys.stdin)["findings"]]))' < "$report")
    else
        check "each wait is recorded" test "$(field "$run" devices/event_waits)" = "$(word waits)"
        check "waits take as long as the other stream" python3 - "$report" "$(word wait_ns)" <<'P'
import json, sys
waited = sum(device["event_wait_ns"] for device in json.load(open(sys.argv[1]))["devices"]["devices"])
assert 0.9 * int(sys.argv[2]) < waited < 1.5 * int(sys.argv[2]), waited
P
    fi
done

for how in without off with; do
    case $how in
        without) command=("$program" 1 10000) ;;
        off) command=("$tool" run --format recording --output "$work/$how" --cupti off -- "$program" 1 10000) ;;
        with) command=("$tool" run --format recording --output "$work/$how" -- "$program" 1 10000) ;;
    esac
    least=$(for _ in 1 2 3; do "${command[@]}" 2> /dev/null | grep -o "empty_us [0-9.]*" | cut -d' ' -f2; rm -rf "${work:?}/$how"; done | sort -n | head -1)
    echo "an empty target region, $how: $least us"
done

"$tool" run --format recording --output "$work/killed" -- "$program" 2000 > /dev/null 2>&1 &
sleep 5
pkill -KILL -P $! -f "$program" || true
wait $! 2> /dev/null
check "a killed program leaves a recording that is not closed" test "$(field "$work/killed" closed)" = False
check "it has what the device did" test "$(field "$work/killed" devices/kernels)" -gt 0
check "a report is made of it" "$tool" report --json "$work/killed"

for script in pytorch "import torch; a = torch.ones(1 << 20, device='cuda'); print(float((a + a).sum()))" \
              cupy "import cupy; print(float((cupy.ones(1 << 20) * 2).sum()))"; do
    case $script in pytorch | cupy) name=$script; continue ;; esac
    if ! python3 -c "import ${name/pytorch/torch}" 2> /dev/null; then echo "$name: not there"; continue; fi
    "$tool" run --format recording --output "$work/$name" -- python3 -c "$script" > /dev/null 2>&1
    check "$name has kernels" test "$(field "$work/$name" devices/kernels)" -gt 0
done
exit $failed
