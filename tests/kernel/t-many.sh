#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 num_tgts=40 max_luns=1 delay=0"
# needs: jq
# timeout: 300
# What is asked of the kernel for a list is asked for each disk, however many others there are: of
# 1,000 disks each costs as much as of 200. Counts, no times. Where there are not enough descriptors,
# that is said of each disk that is left out.
. "$(dirname "$0")/lib.sh"

# The limit that a shell gives is raised to the one that it may be raised to.
(
	ulimit -Sn 10
	expect 0 dw list --json
	assert_json "$T/out" 'all(.disks[]; .verdict == "erasable")'
)
# Where that is too low, no disk is called missing, or another: it is said what there is to do. The
# count that was given does not fit what is left, and nothing is written.
(
	ulimit -n 84
	code=0
	mapfile -t sg < <(sg_nodes)
	dw erase --yes --expect-count=40 --json "${sg[@]}" >"$T/out" 2>"$T/err" || code=$?
	assert_eq 2 $code status
	assert_json "$T/out" '(.refused | length) > 10 and .disks == []'
	assert_json "$T/out" '[.refused[] | select(.kind != "error" or (.reason | test("many files open") | not))] == []'
	# which of those that are asked at once get the last descriptors is luck, and may be none
	assert_match '^diskwipe: (--expect-count=40, but |no erasable disk selected; nothing was written)' "$T/err"
)

# Calls and entries of folders, of a list of so many disks.
count() { # DISKS
	COUNT_CALLS=$T/calls LD_PRELOAD=${DISKWIPE%/tools/*}/tests/kernel/count-calls.so \
		"$DISKWIPE" list --json >"$T/list"
	assert_eq "$1" "$(jq '.disks | length' "$T/list")" disks
	read -r calls entries <"$T/calls"
}
have() { (($(sg_nodes | wc -l) == $1)); }
more_to() { # DISKS
	local i
	for ((i = $(sg_nodes | wc -l); i < $1; i += 40)); do
		echo 1 >/sys/bus/pseudo/drivers/scsi_debug/add_host
	done
	wait_for 120 have "$1"
}

count 40
c40=$calls e40=$entries
more_to 200
count 200
c200=$calls e200=$entries
more_to 1000
count 1000
second=$(((c200 - c40) / 160)) later=$(((calls - c200) / 800))
second_e=$(((e200 - e40) / 160)) later_e=$(((entries - e200) / 800))
echo "calls: 40 disks $c40, 200 $c200, 1,000 $calls; a disk more: $second, then $later"
echo "entries of folders: 40 disks $e40, 200 $e200, 1,000 $entries; a disk more: $second_e, then $later_e"
((later * 100 <= second * 102)) || fail "a disk more costs $later calls where it cost $second"
((later_e * 100 <= second_e * 102 + 100)) || fail "a disk more costs $later_e entries where it cost $second_e"
((later < 500)) || fail "a disk more costs $later calls"
