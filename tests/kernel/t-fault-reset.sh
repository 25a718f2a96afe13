#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-reset.conf
# needs: jq sg_raw
# A disk loses its cache by a reset while nothing of ours is on its way to it, and another
# program takes the unit attention that tells of it. The kernel's event is the only trace.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# In turn with disk 1, of which a command is held, the others are idle. The attention is on the
# port of that number, be it the one the commands take or not.
swallow() { # PORT DISK RESET...
	# more than the marker that proves paths
	(($(enc stats | jq ".disks[$2].cache_bytes") >= 65536)) || fail "nothing is in the cache of disk $2"
	for reset in "${@:3}"; do enc "$reset"; done
	expect 6 sg_raw "${node[$1]}" 0 0 0 0 0 0 # this one got the unit attention
}
enc 'fault disk=1 op=write min=2 kind=hold nth=3'
start --yes --expect-count=3 --json --command=write --controller=fixed:128 --strategy=round-robin \
	--verify=off --paths=fixed "${node[0]}" "${node[1]}" "${node[2]}"
await_held 1
swallow 0 0 'reset 0'
swallow 3 2 'reset 2 quiet' 'ua 3 29/00'
enc 'clear 1'
status=0
wait $job || status=$?
assert_eq 0 $status 'exit status'
assert_disks <<TEXT
0 erased and .errors.resets == 1
1 erased and .errors.resets == 0
2 erased and .errors.resets == 1
2 .path_use[0].commands > 0 and .path_use[1].commands == 0
TEXT
for disk in 0 1 2; do
	assert_eq 0 "$(tr -d '\0' <"$ENCLOSURE_DIR/disk-0$disk.img" | wc -c)" "old bytes on disk $disk"
done
