#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# needs: python3 jq pdftotext
# Plain diskwipe on a terminal, by keystrokes: the disk that was marked and confirmed is erased,
# the other is bit by bit what it was, until the service erases it in the same way. Its certificate lies
# in the current folder.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

plant_random /dev/sda /dev/sdb
sha256sum /dev/sda >"$T/before"
dw list --json >"$T/disks"
serial=$(jq -r '.disks[] | select(.device == "/dev/sg1").serial' "$T/disks")
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "$0")" && pwd)
cd "$T"
python3 "$here/guided.py" /dev/sg1 "$serial" || fail 'the guided start'
pdftotext -layout diskwipe-*.pdf paper
assert_match 'Certificate of erasure' paper
assert_match "$serial" paper
assert_erased 00 /dev/sdb
blockdev --flushbufs /dev/sda
sha256sum --quiet -c "$T/before" || fail 'the other disk was written to'

# Off a terminal it is no command.
expect 1 dw </dev/null
assert_match 'no device named; see diskwipe list' "$T/err"

served="$(dirname "$DISKWIPE")/../src/service/diskwiped"
[[ -x $served ]] || exit 0 # built without the service
plant_random /dev/sdb
sha256sum /dev/sdb >"$T/before"
export DISKWIPE_BUS_ADDRESS=unix:path=$T/bus
mkdir "$T/state"
"$served" --no-bus --state-dir="$T/state" --socket="$T/bus" 2>"$T/service" &
service=$!
trap 'kill "$service"; wait "$service" || true; rm -rf "$T"' EXIT
knows() { (($(dw status -q --noheadings -o device | grep -c '/dev/sg[01]') == 2)); }
wait_for 60 knows
serial=$(jq -r '.disks[] | select(.device == "/dev/sg0").serial' "$T/disks")
python3 "$here/guided.py" /dev/sg0 "$serial" service || fail 'by the service'
assert_erased 00 /dev/sda
blockdev --flushbufs /dev/sdb
sha256sum --quiet -c "$T/before" || fail 'the other disk was written to'
expect 0 dw records --json
assert_json "$T/out" '[.records[] | .serial] == [$serial]' --arg serial "$serial"
