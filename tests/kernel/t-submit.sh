#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug 'dev_size_mb=32 per_host_store=1 add_host=2 num_tgts=1 delay=1'
# The program as client of a real service, on its own socket: the whole life of two jobs.
. "$(dirname "$0")/lib.sh"

served="$(dirname "$DISKWIPE")/../src/service/diskwiped"
[[ -x $served ]] || { echo 'SKIPPED: built without the service' >&2; exit 77; }
export DISKWIPE_BUS_ADDRESS=unix:path=$T/bus
expect 8 dw status
mapfile -t disks < <(sg_nodes)
for sg in "${disks[@]}"; do
	sg_dd if=/dev/urandom of="$sg" bs=512 count=64 2>/dev/null
done
mkdir "$T/state"
"$served" --no-bus --state-dir="$T/state" --socket="$T/bus" 2>"$T/service" &
service=$!
trap 'kill "$service"; wait "$service" || true; rm -rf "$T"' EXIT
knows() { dw status -q --noheadings -o device | grep -q sg1; }
wait_for 60 knows

expect 2 dw submit --yes "${disks[@]}"
expect 0 dw submit --dry-run "${disks[0]}"
expect 0 dw submit --yes --wait --json --verify=full --label=one "${disks[0]}"
assert_json "$T/out" '.job.outcome == "erased" and (.disks | length) == 1'
sg_dd if="${disks[0]}" of="$T/blocks" bs=512 count=64 2>/dev/null
cmp -n 32768 "$T/blocks" /dev/zero || fail 'not erased'

expect 0 dw submit --yes --expect-count=2 --select='vendor=linux and size<1GB' --method=dod-short
job=$(<"$T/out")
expect 0 dw pause "$job"
expect 2 dw erase --yes "${disks[1]}"
assert_match 'the service diskwiped works on it' "$T/err"
expect 0 dw resume "${job:0:8}"
expect 0 dw watch "$job"
expect 0 dw records --json --limit=2
assert_json "$T/out" '[.records[] | .outcome] == ["erased", "erased"]'
