#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-reset.conf
# needs: jq sg_turs
# A disk loses its cache by a reset while nothing of ours is on its way to it, and another
# program takes the unit attention that tells of it. The kernel's event is the only trace.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

# In turn with disk 1, which takes seconds for a command, the others are idle. The attention is
# on the port of that number, be it the one the commands take or not.
swallow() { # PORT DISK RESET...
	local status=0 tries=0
	until ((status == 6)); do
		# more than the marker that proves paths
		until (($(enc stats | jq ".disks[$2].cache_bytes") >= 65536)); do sleep 0.1; done
		for reset in "${@:3}"; do enc "$reset"; done
		status=0
		sg_turs "${node[$1]}" || status=$? # 6: this one got the unit attention
		tries=$((tries + 1))
		sleep 2
	done
	echo "$tries"
}
swallow 0 0 'reset 0' >"$T/swallow-0" 2>&1 &
swallow 3 2 'reset 2 quiet' 'ua 3 29/00' >"$T/swallow-2" 2>&1 &
erase 0 --command=write --controller=fixed:128 --strategy=round-robin --verify=off --paths=fixed -- 0 1 2
wait
# two that follow each other closely may be heard of as one
assert_disks <<TEXT
0 erased
0 .errors.resets | . >= 1 and . <= $(tail -n 1 "$T/swallow-0")
1 erased
1 .errors.resets == 0
2 erased
2 .path_use[0].commands > 0 and .path_use[1].commands == 0
2 .errors.resets | . >= 1 and . <= $(tail -n 1 "$T/swallow-2")
TEXT
for disk in 0 1 2; do
	assert_eq 0 "$(tr -d '\0' <"$ENCLOSURE_DIR/disk-0$disk.img" | wc -c)" "old bytes on disk $disk"
done
