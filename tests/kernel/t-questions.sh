#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/questions.conf
# needs: jq
# Disks that break at questions: each of these goes out once in a process, and what the disk can do
# without is done without. The first is a plain one.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

broken() { # DISK -> how many questions it broke at
	enc stats | jq "[.faults[] | select(.disk == $1).fired] | add // 0"
}
# By operation code: of all of them, one tells of the rest.
declare -A most=([1]=1 [2]=1 [3]=1 [4]=4 [5]=1)
plant() {
	local n op
	enc clear-all
	enc answer disk=1 op=0xa3 response=reset
	enc answer disk=2 op=0x4d response=failure
	enc answer disk=3 op=0x5a response=reset
	for op in 0xa3 0x4d 0x5a 0x1a; do enc answer disk=4 op=$op response=failure; done
	enc answer disk=5 op=0x9e sa=0x10 response=failure
	for n in 0 1 2 3 4 5; do enc plant "$n" 0 16384 0x5a; done
} >/dev/null
few() { # WHAT
	local n
	for n in 1 2 3 4 5; do
		printf '%s: disk %d broke %d times\n' "$1" "$n" "$(broken "$n")"
		(($(broken "$n") <= most[$n])) || fail "$1: disk $n broke $(broken "$n") times"
	done
}

plant
expect 0 dw list --json
assert_json "$T/out" '[.disks[] | select(.erasable)] | length == 6'
few list

plant
for n in 0 1 2 3 4 5; do
	dw inspect "${node[$n]}" >"$T/inspect.$n" || fail "inspect $n: $?"
done
few inspect
assert_match '^not-asked-again +A3h' "$T/inspect.1"
assert_match '^write-cache +on +MODE SENSE 08h' "$T/inspect.3"
assert_no_match '^not-asked-again' "$T/inspect.0"

# with a flush and an identification each few MiB
plant
erase 0 --command=write --flush-every=1MiB --verify=full -- 0 1 2 3 4 5
for n in 0 1 2 3 4 5; do printf '%d erased\n' $n; done | assert_disks
assert_leftovers 0 1 2 3 4 5 </dev/null
few erase
