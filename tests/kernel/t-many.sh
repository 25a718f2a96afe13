#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 num_tgts=40 max_luns=1 delay=0"
# needs: jq python3
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

# Calls, entries of folders and bytes that are read, of a list of so many disks, beside as many mounts:
# who reads all of these for each disk is seen.
mount_to() { # MOUNTS
	python3 - "$1" <<-'CODE'
	import ctypes, os, sys
	libc = ctypes.CDLL(None, use_errno=True)
	for i in range(int(sys.argv[1])):
	    path = f"/run/mounts/{i}"
	    if not os.path.isdir(path):
	        os.makedirs(path)
	        if libc.mount(b"none", path.encode(), b"tmpfs", 0, None):
	            sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}")
	CODE
}
count() { # DISKS
	rm -f "$T/calls"
	mount_to "$1"
	COUNT_CALLS=$T/calls LD_PRELOAD=${DISKWIPE%/tools/*}/tests/kernel/count-calls.so \
		"$DISKWIPE" list --json >"$T/list"
	assert_eq "$1" "$(jq '.disks | length' "$T/list")" disks
	read -r calls entries bytes <"$T/calls"
	# each disk is asked, and its folders in sysfs are read
	((calls > 50 * $1)) || fail "only $calls calls were counted for $1 disks"
	((entries > 20 * $1)) || fail "only $entries entries of folders were counted for $1 disks"
	((bytes > 500 * $1)) || fail "only $bytes bytes were counted for $1 disks"
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
c40=$calls e40=$entries b40=$bytes
more_to 200
count 200
c200=$calls e200=$entries b200=$bytes
more_to 1000
count 1000
# A disk more costs as much beside 1,000 as beside 200, and something.
flat() { # WHAT AT-40 AT-200 AT-1000 SLACK
	local second=$((($3 - $2) / 160)) later=$((($4 - $3) / 800))
	echo "$1: 40 disks $2, 200 $3, 1,000 $4; a disk more: $second, then $later"
	((second > 0)) || fail "a disk more costs $second $1"
	((later * 100 <= second * 102 + $5)) || fail "a disk more costs $later $1 where it cost $second"
}
flat calls "$c40" "$c200" "$calls" 0
flat 'entries of folders' "$e40" "$e200" "$entries" 100
flat 'bytes read' "$b40" "$b200" "$bytes" 0
(((calls - c200) / 800 < 500)) || fail "a disk more costs $(((calls - c200) / 800)) calls"
