#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/certificate.conf
# needs: jq
# bench leaves out a length that is refused while it measures, as when the host has no memory for
# it, and measures the others; where none is left, it says so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
lengths() { jq -c '[.series[0].points[].blocks]' "$T/out"; }
bench() { # STATUS
	expect "$1" dw bench --contiguous --sweep=blocks=8:136:64 --json "${sg[0]}"
}
bench 0
assert_eq '[8,72,136]' "$(lengths)" lengths
# the first of them are those that look for the longest transfer
enc 'fault kind=check disk=0 op=read min=100 nth=30 count=1000000 sense=b/55/00'
bench 0
assert_eq '[8,72]' "$(lengths)" lengths
enc 'clear 0'
enc 'fault kind=check disk=0 op=read min=8 nth=60 count=1000000 sense=b/55/00'
bench 1
assert_match 'no such length can be read there' "$T/err"
# what is no matter of length ends it, as ever
enc 'clear 0'
enc 'fault kind=check disk=0 op=read min=100 nth=30 count=1000000 sense=5/24/00'
bench 1
assert_match 'reading 136 blocks from' "$T/err"
