#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=4 num_tgts=1 max_luns=1 ndelay=20000000"
# guest: --enclosure racks/slow.conf
# Disks that go in the middle, by the kernel's hand and pulled from their shelf: they end as
# `removed`, the others are erased.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

shelf=() fake=()
for node in $(sg_nodes); do
	if [[ $(<"/sys/class/scsi_generic/${node##*/}/device/vendor") == Linux* ]]; then
		fake+=("$node")
	else
		shelf+=("$node")
	fi
done
assert_eq '4 3' "${#fake[@]} ${#shelf[@]}"
sd=()
for node in "${fake[@]}" "${shelf[@]}"; do sd+=("$(sd_of "$node")"); done
plant_random "${sd[@]}"

gone=("${fake[1]}" "${shelf[2]}")
enc 'fault kind=hold disk=2 op=write,ws min=2 nth=8'
start --yes --expect-count=7 --json --progress=plain --controller=fixed:512 \
	--state="$T/state" "${fake[@]}" "${shelf[@]}"
delete_at_work "${gone[0]}"
await_held 2
enc 'gone 2'
status=0
wait $job || status=$?
assert_eq 3 $status 'exit status'
assert_json "$T/out" '[.disks[] | select(.outcome == "removed").device] == [$a, $b]' \
	--arg a "${gone[0]}" --arg b "${gone[1]}"
assert_json "$T/out" '[.disks[] | select(.outcome == "erased")] | length == 5'
assert_json "$T/out" '.disks[] | select(.outcome == "removed") |
	.bytes_written > 0 and .bytes_written < .capacity_bytes and (.reason | length) > 0'
for i in 0 2 3 4 5; do assert_erased 00 "${sd[i]}"; done
[[ ! -e ${gone[0]} ]] || fail "${gone[0]} was made again"

# alone, it is all of the job
start --yes --json --progress=plain --controller=fixed:512 "${fake[0]}"
delete_at_work "${fake[0]}"
status=0
wait $job || status=$?
assert_eq 4 $status 'exit status'
assert_json "$T/out" '.disks[0].outcome == "removed" and .job.outcome == "removed"'

# one whose node has no device for a moment, which sysfs has still: it is asked again
dir=/sys/class/scsi_generic/${fake[2]##*/}/device
start --yes --json --progress=plain --controller=fixed:512 "${fake[2]}"
job_says "${fake[2]##*/}: writing, pass"
echo offline >"$dir/state"
job_says 'no connection: it is asked for 30 s'
echo running >"$dir/state"
status=0
wait $job || status=$?
assert_eq 0 $status 'exit status'
assert_erased 00 "${sd[2]}"
