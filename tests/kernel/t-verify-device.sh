#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/verify-device.conf
# timeout: 300
# needs: jq
# Disks that compare their blocks themselves are believed as far as they find what was planted;
# all others are read in full, and nothing that was planted stays on any.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

honest=(/dev/sg0 /dev/sg1 /dev/sg2)
liars=(/dev/sg3 /dev/sg4 /dev/sg5 /dev/sg6 /dev/sg7 /dev/sg8 /dev/sg9)
all=() sd=()
for sg in "${honest[@]}" "${liars[@]}"; do
	all+=("$sg")
	sd+=("$(sd_of "$sg")")
done
plant_random "${sd[@]}"
erase 0 --verify=device:50% -- "${all[@]}"
assert_erased 00 "${sd[@]}"

assert_json "$T/out" '.disks[:3] | all(.verify | .mode == "device" and .done == "sample" and
	.planted == .planted_found and .planted > 64 and .device_skipped < 0.07 and
	.device_compared + .planted == 131072 and .read < 80000 and .bound <= 0.001)'
assert_json "$T/out" '.disks[3:] | all(.verify | .mode == "device" and .done == "full" and
	.bound == 0 and (.device_skipped // 0) == 0 and (.device_refused | length) > 0)'
assert_json "$T/out" '.disks[:3] | all(.notes | any(test("^compared by the disk \\((\\d+) of \\1 planted")))'

# cut off while differences are planted, twice: they are overwritten by whoever goes on
slow=/dev/sg10
cut_off() { # OPTION...
	local job
	"$DISKWIPE" --yes --expect-count=1 "$@" >"$T/cut" 2>&1 &
	job=$!
	for ((i = 0; i < 600; i++)); do
		grep -qs '"planted":true' "$T/state" && break
		sleep 0.05
	done
	sleep 1
	kill -KILL $job || { cat "$T/cut" >&2; exit 1; }
	wait $job || true
	# whoever does not know of plants writes all again
	assert_match '"planted":true' "$T/state"
	assert_match '"lba":[0-9]{1,5},' "$T/state"
}

cut_off --verify=device:60% --state="$T/state" $slow
blockdev --flushbufs "$(sd_of $slow)"
(($(tr -d '\0' <"$(sd_of $slow)" | wc -c) > 64)) || fail 'nothing is planted when it is cut off'
cut_off --resume="$T/state"
expect 0 dw --yes --expect-count=1 --json --resume="$T/state"
blockdev --flushbufs "$(sd_of $slow)"
cmp -n $((1 << 30)) "$(sd_of $slow)" /dev/zero
assert_json "$T/out" '.disks[0] | .outcome == "erased" and .bytes_written < 8000000 and
	.verify.read > 1200000 and .verify.planted == .verify.planted_found'
