#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/thief.conf
# needs: jq sg_raw
# The disk behind a node is exchanged in the middle of a pass, and another program takes the
# unit attention that tells of it, or nobody gets one. The stranger keeps what it holds, but for
# what the lease of writing allows, and gets no command that changes it at the end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# two nodes without a name that look the same; one of them is not even named here
expect 2 dw --yes "${node[10]}"
assert_match 'looks the same, and neither has a serial number or WWN.*; unplug all but one' "$T/err"
enc gone 11 quiet
expect 2 dw --yes "${node[10]}" # it does not answer, so it is not known to be another
echo 1 >"/sys/class/scsi_generic/${node[11]##*/}/device/delete"
expect 0 dw --yes "${node[10]}"

# A disk that is held up in the middle of a write is exchanged, and the attention is taken.
steal() { # PORT WITH
	local status=0
	await_held "$1"
	enc swap "$1" "$2"
	sg_raw "${node[$1]}" 0 0 0 0 0 0 || status=$?
	assert_eq 6 "$status" 'TEST UNIT READY of the thief'
	enc clear "$1"
}
steal 2 3 >"$T/thief-2" 2>&1 &
thieves=($!)
steal 4 5 >"$T/thief-4" 2>&1 &
thieves+=($!)
status=0
dw --yes --expect-count=5 --json --command=write --controller=fixed:512 --verify=off \
	--write-cache=on --reserve "${node[0]}" "${node[2]}" "${node[4]}" "${node[6]}" "${node[8]}" \
	>"$T/out" 2>"$T/err" || status=$?
wait "${thieves[@]}" || { cat "$T"/thief-* >&2; fail 'the thief came too late'; }
((status == 4)) || { cat "$T/err" >&2; fail "status $status"; }

enc stats >"$T/stats"
# to the unit that was there at first, wherever it is now
written='[.disks[] | {key: "\(.lu)", value: (.medium_written + .cache_bytes)}] | from_entries'
assert_json "$T/stats" "$written | .[\"1\"] <= 64 * 1048576 and .[\"1\"] > 0"
# what the kernel told of was heard in time: no more than what was under way
assert_json "$T/stats" "$written | .[\"3\"] + .[\"5\"] <= 262144"
why() { # DISK REGEX
	jq -r --arg node "${node[$1]}" '.disks[] | select(.device == $node) | .outcome + ": " + .reason' \
		"$T/out" >"$T/reason"
	assert_match "$2" "$T/reason"
}
for disk in 0 2 6 8; do
	why $disk '^failed: identity changed: another disk answers at its node; at most .* were written since'
done
why 4 '^failed: after a reset or an exchange nobody can tell'
# set at the beginning, reserved, registered; nothing of that again for the stranger
assert_match "^${node[8]}: .*were not put back, since another disk may answer" "$T/err"
assert_json "$T/stats" '.disks[8].opcodes | [.["15"], .["55"], .["5f"]] | map(. // 0) | add == 3'
