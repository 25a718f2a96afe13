#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 num_tgts=10 max_luns=1 delay=0 per_host_store=1"
# needs: jq strace
# timeout: 300
# What is asked of the kernel for a list is asked for each disk, however many others there are: the
# disks behind a second adapter cost as much as those behind a third and a fourth. Counts, no times.
# Where there are not enough descriptors, that is said of each disk that is left out.
. "$(dirname "$0")/lib.sh"

calls() { # of the list, alone
	strace -f -c -U calls -o "$T/calls" "$DISKWIPE" list --json >"$T/list"
	assert_eq "$1" "$(jq '.disks | length' "$T/list")" disks
	awk '$1 + 0 == $1 { n += $1; last = $1 } END { print n - last }' "$T/calls"
}
add_host() { echo 1 >/sys/bus/pseudo/drivers/scsi_debug/add_host; }
have() { (($(sg_nodes | wc -l) == $1)); }

a=$(calls 10)
add_host
wait_for 60 have 20
b=$(calls 20)
add_host
add_host
wait_for 60 have 40
c=$(calls 40)
second=$(((b - a) / 10)) later=$(((c - b) / 20))
echo "system calls: 10 disks $a, 20 $b, 40 $c; a disk more: $second, then $later"
((later * 100 <= second * 102)) || fail "a disk more costs $later calls where it cost $second"
((later < 1100)) || fail "a disk more costs $later calls"

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
	assert_match '^diskwipe: --expect-count=40, but ' "$T/err"
)
