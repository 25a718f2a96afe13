#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/zoned.conf
# needs: jq
# shellcheck disable=SC2154 # job
# A job on a host-managed disk that was killed in the middle of a zone goes on at the start of that
# zone, which it resets; zones that are done are neither reset nor written again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
sent() { enc stats | jq ".disks[0].opcodes[\"$1\"] // 0"; }
holds() { # FIRST LAST BYTE
	assert_eq "$3" "$(enc "holds 0 $1 $(($2 - $1 + 1))" | awk '{ print $2 }' | sort -u | paste -sd,)" \
		"blocks $1 to $2"
}

enc 'fault kind=hold disk=0 op=write lba=10600'
start --yes --expect-count=1 --json --pattern=55 --verify=full --state="$T/state" \
	--flush-every=64KiB --controller=fixed:128 --depth=8 "${sg[0]}"
await_held 0
assert_eq 1 "$(enc stats | jq '.disks[0].peak_in_flight')" 'writes at once'
kill -KILL "$job"
wait "$job" 2>/dev/null || true
enc 'clear 0'
assert_json "$T/state" '.disks[0].lba == 10240'
assert_eq 1 "$(sent 94)" 'resets of all zones'
enc 'reset 0' # what its cache had is lost
settle
expect 4 dw erase --yes --json --resume="$T/state"
assert_json "$T/out" '.disks[0] | .outcome == "erased-with-exceptions" and
	([.exceptions[] | [.lba, .blocks]] == [[5120, 1024]]) and .bytes_written == 6144 * 512'
assert_eq 7 "$(sent 94)" 'resets'
holds 0 5119 0x55
holds 5120 6143 0xaa
holds 6144 16383 0x55
