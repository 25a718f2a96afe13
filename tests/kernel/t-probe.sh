#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/probe.conf
# timeout: 120
# What probe measures on a shelf in real time, within what a busy machine allows; and that it
# only reads.
. "$(dirname "$0")/lib.sh"

key() { # SECTION KEY
	awk -v want="[$1]" -v key="$2" '/^\[/ { on = $0 == want }
		on && $1 == key { sub(/^[^=]*= /, ""); print }' "$T/probed.station"
}

# A rate or time of the file in plain numbers: bytes per second, ns.
plain() { # TEXT
	sed -E 's,MB/s$,000000,; s,KB/s$,000,; s,B/s$,,; s,ms$,000000,; s,us$,000,; s,ns$,,' <<<"$1"
}

near() { # VALUE WANT PERCENT
	awk -v v="$(plain "$1")" -v w="$2" -v p="$3" \
		'BEGIN { d = 100 * (v / w - 1); exit !(d <= p && d >= -p) }'
}

as_built() {
	near "$(key 'disk sg0' outer)" 33554432 5 && near "$(key 'disk sg0' inner)" 20971520 5 &&
		near "$(key 'disk sg2' outer)" 50331648 5 &&
		near "$(key 'bus host0' rate)" 62914560 15 &&
		near "$(key 'disk sg0' seek | cut -d, -f1)" 4000000 50
}

mapfile -t disks < <(sg_nodes)
for try in 1 2 3 4; do
	expect 0 dw probe --seconds=2 -o "$T/probed.station" "${disks[@]}"
	as_built && break
	((try < 4)) || { cat "$T/probed.station" >&2; fail 'not as the shelf was built'; }
done
assert_match '^assumed = buffer$' "$T/probed.station"
assert_match 'cache off: a write at depth 1 loses 1 rev' "$T/probed.station"
expect 0 dw simulate --json "$T/probed.station"
expect 0 dw probe --seconds=1 --station="$T/probed.station" -o "$T/again" "${disks[0]}"
assert_no_match 'not in' "$T/err"
expect 0 dw verify --pattern=aa --verify=full "${disks[@]}"
