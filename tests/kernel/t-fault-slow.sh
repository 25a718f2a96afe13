#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-slow.conf
# needs: jq
# A slow disk and one that hangs hold nobody up: the others end before them, and while one hangs the
# slow one goes on to its end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

start --yes --expect-count=4 --json --progress=plain --command=write --controller=fixed:64 \
	--verify=full "${node[0]}" "${node[1]}" "${node[2]}" "${node[3]}"
await_held 0
job_says "${node[2]}: erased"
job_says "${node[3]}: erased"
enc 'clear 0'
job_says "${node[0]}: erased"
assert_no_match "${node[1]}: erased" "$T/err"
enc 'clear 1'
wait $job || fail "$(<"$T/err")"
assert_disks <<TEXT
0 erased
1 erased
2 erased
3 erased
TEXT
