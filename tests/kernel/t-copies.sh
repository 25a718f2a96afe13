#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/copies.conf
# timeout: 400
# needs: jq
# Members of a mirror: neither waits for the other, a full verification reads both, a sampled
# one reads both as far as the policy says and as it proves enough of each, and takes as long as
# was foretold.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

pair=("--mirror=/dev/sg0,/dev/sg1" --command=write)
nodes=(/dev/sg0 /dev/sg1)
# so small that a sample would prove nothing
erase 0 --verify=sample:1% "${pair[@]}" --verify-policy=common -- "${nodes[@]}"
assert_result 2 '.bytes_verified == .capacity_bytes and .verify.bound == 0 and
	.verify.mode == "sample:1%" and .verify.done == "full"'
assert_json "$T/out" '.disks[0].seconds < .disks[1].seconds'

# half of it would prove too little of a copy: none reads for the other
erase 0 --verify=sample:50% "${pair[@]}" --verify-policy=common -- "${nodes[@]}"
assert_result 2 '.verify.policy == "both" and .verify.samples >= 8192 and .verify.done == "sample" and
	.verify.bound <= 0.001'
assert_match 'each copy reads its own sample, as half of it would prove too little' "$T/err"

# Of the slow one the other takes over what each need not read of itself.
foretold() {
	"$DISKWIPE" --yes --expect-count=2 --json-lines --verify=sample:60% --verify-policy=auto \
		"${pair[@]}" "${nodes[@]}" >"$T/out" 2>"$T/err"
	jq -c 'select(.event == "result")' "$T/out" >"$T/result"
	assert_json "$T/result" 'all(.disks[]; .outcome == "erased"
		and .verify.bound > 0 and .verify.bound <= 0.001)'
	# which policy is simulated to gain, and who reads more, depends on rates that were measured
	if [[ -z ${DW_STRICT:-} ]] && ! jq -e 'all(.disks[]; .verify.policy == "common")' "$T/result"; then
		assert_json "$T/result" 'all(.disks[]; .verify.policy == "both")'
		echo 'the slow one is read too seldom beside other work to be slow'
		return
	fi
	assert_json "$T/result" '[.disks[].verify | .sweeps] | add == 8 and min >= 2'
	[[ -z ${DW_STRICT:-} ]] ||
		assert_json "$T/result" '.disks | all(.[]; .verify.simulated_gain > 0.05) and
			.[0].verify.sweeps > .[1].verify.sweeps'
	jq -r 'select(.event == "notice" and (.text | startswith("copies: "))) |
		"\(.seconds) \(.text | capture("has it: (?<s>[0-9.e-]+) s left").s)"' "$T/out" >"$T/told"
	read -r at left <"$T/told"
	took=$(jq -r '.job.seconds' "$T/result")
	near 'seconds left of a sampled verification' "$left" "$(jq -n "$took - $at")" 25
}
three_times foretold

expect 0 dw verify --json --verify=sample:60% --verify-policy=common --mirror=/dev/sg1,/dev/sg0 \
	"${nodes[@]}"
assert_json "$T/out" '[.disks[].verify | .sweeps] | add == 8 and min >= 2'
expect 1 dw --yes --expect-count=2 --mirror=/dev/sg0,/dev/sg2 "${nodes[@]}"
assert_match 'sg2 is no disk of this job' "$T/err"
