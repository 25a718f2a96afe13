#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/caches.conf
# The topology of a guest's disks: what the kernel says, and a job on it in virtual time.
. "$(dirname "$0")/lib.sh"

key() { # SG KEY
	awk -v disk="[disk ${1##*/}]" -v key="$2" '/^\[/ { on = $0 == disk }
		on && $1 == key { sub(/^[^=]*= /, ""); print }' "$T/here.station"
}

expect 0 dw topology -o "$T/here.station"
mapfile -t disks < <(sg_nodes)
n=0
for sg in "${disks[@]}"; do
	d=/sys/class/scsi_generic/${sg##*/}/device
	assert_eq "$(sed 's/ *$//' "$d/vendor")" "$(key "$sg" vendor)" "vendor of $sg"
	assert_eq "$(<"$d/queue_depth")" "$(key "$sg" tagged)" "depth of $sg"
	want='write through'
	[[ $(key "$sg" cache) == on ]] && want='write back'
	assert_eq "$want" "$(cat "$d"/scsi_disk/*/cache_type)" "cache of $sg"
	assert_match "^\[bus $(key "$sg" on)\]" "$T/here.station"
	n=$((n + 1))
done
((n > 1)) || fail 'too few disks'
expect 0 dw topology "${disks[0]}"
assert_eq 1 "$(grep -c '^\[disk' "$T/out")" 'disks'
expect 0 dw simulate --json --verify=off "$T/here.station"
assert_json "$T/out" '.job.outcome == "erased" and (.disks | length) == $n' --argjson n $n
