#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/units.conf
# needs: jq
# The service takes each disk in by itself: what erases all logical units of a device is refused,
# and told to none; an overwrite of each is done, and auto takes that.
. "$(dirname "$0")/lib.sh"

served="$(dirname "$DISKWIPE")/../src/service/diskwiped"
[[ -x $served ]] || { echo 'SKIPPED: built without the service' >&2; exit 77; }
export DISKWIPE_BUS_ADDRESS=unix:path=$T/bus
lun() { # H:C:T:L -> sg node
	local found=(/sys/class/scsi_device/"$1"/device/scsi_generic/sg*)
	echo "/dev/${found[0]##*/}"
}
host=$(cd /sys/class/scsi_device && for d in *:0:2:0; do echo "${d%%:*}"; done)
units=("$(lun "$host:0:0:0")" "$(lun "$host:0:0:1")")
mkdir "$T/state"
"$served" --no-bus --state-dir="$T/state" --socket="$T/bus" 2>"$T/service" &
service=$!
trap 'kill "$service"; wait "$service" || true; rm -rf "$T"' EXIT
knows() { dw status -q --noheadings -o device | grep -q "${units[1]##*/}"; }
wait_for 60 knows

told() { enc stats | jq '[.disks[].opcodes["48"] // 0] | add'; }
before=$(told)
for method in sanitize-block sanitize-overwrite; do
	for n in 1 2; do
		status=0
		dw submit --yes --expect-count=$n --wait --json --method=$method "${units[@]::n}" >"$T/out" 2>"$T/err" || status=$?
		((status != 0)) || fail "$method of $n ended well"
		assert_match 'logical units' <(cat "$T/out" "$T/err")
	done
done
assert_eq "$before" "$(told)" 'commands SANITIZE'
expect 0 dw submit --yes --expect-count=2 --wait --json --method=auto "${units[@]}"
assert_json "$T/out" '[.disks[] | [.outcome, .level]] == [["erased", "clear"], ["erased", "clear"]]'
assert_eq "$before" "$(told)" 'commands SANITIZE, by auto'
expect 0 dw submit --yes --expect-count=2 --wait --json --method=zero --verify=full "${units[@]}"
assert_json "$T/out" '.job.outcome == "erased" and ([.disks[].outcome] == ["erased", "erased"])'
