#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/probe.conf
# timeout: 400
# What probe measures on a shelf in real time; and that it only reads.
. "$(dirname "$0")/lib.sh"

key() { # SECTION KEY
	awk -v want="[$1]" -v key="$2" '/^\[/ { on = $0 == want }
		on && $1 == key { sub(/^[^=]*= /, ""); print }' "$T/probed.station"
}

# A rate or time of the file in plain numbers: bytes per second, ns.
plain() { # TEXT
	sed -E 's,MB/s$,000000,; s,KB/s$,000,; s,B/s$,,; s,ms$,000000,; s,us$,000,; s,ns$,,' <<<"$1"
}

as_built() { # SECTION KEY WANT PERCENT
	near "$2 of $1" "$3" "$(plain "$(key "$1" "$2" | cut -d, -f1)")" "$4"
}

probe() {
	expect 0 dw probe --seconds=2 -o "$T/probed.station" "${disks[@]}"
	as_built 'disk sg0' outer 33554432 5 && as_built 'disk sg0' inner 20971520 5 &&
		as_built 'disk sg2' outer 50331648 5 && as_built 'bus host0' rate 62914560 15 &&
		as_built 'disk sg0' seek 4000000 50
}

mapfile -t disks < <(sg_nodes)
three_times probe
assert_match '^assumed = buffer$' "$T/probed.station"
assert_match '^compare = yes$' "$T/probed.station" # they list VERIFY
assert_match 'cache off: a write at depth 1 loses 1 rev' "$T/probed.station"
expect 0 dw simulate --json "$T/probed.station"
expect 0 dw probe --seconds=1 --topology="$T/probed.station" -o "$T/again" "${disks[0]}"
assert_no_match 'not in' "$T/err"
expect 0 dw verify --pattern=aa --verify=full "${disks[@]}"
