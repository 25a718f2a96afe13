#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 ndelay=3000000"
# needs: jq
# bench: its series and lengths, odd and even and misaligned; what 3 ms a command come to; and
# that nothing is written, also to a disk that is in use.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
mapfile -t sd < <(sd_nodes)
expect 0 dd if=/dev/urandom of="${sd[0]}" bs=1M count=16 oflag=direct
before=$(md5sum <"${sd[0]}")
mkdir /run/m
mkfs.ext2 -q "${sd[1]}" 2>/dev/null || skip 'no mkfs.ext2'
expect 0 mount -o ro "${sd[1]}" /run/m

expect 0 dw bench --quiet --contiguous --sweep=blocks=7:9:1 --misalign=512 --json -o "$T/b.svg" \
	"${sg[@]}"
assert_json "$T/out" '[.series[].device] == [$a, $b, "together"]' --arg a "${sg[0]}" --arg b "${sg[1]}"
assert_json "$T/out" '.bench == "contiguous" and .misalign_bytes == 512'
assert_json "$T/out" '[.series[].points[].bytes] == [3584, 4096, 4608, 3584, 4096, 4608, 3584, 4096, 4608]'
assert_json "$T/out" 'all(.series[].points[]; .commands >= 8 and
	(.bytes_per_second / .bytes / .per_second - 1 | fabs) < 1e-9)'
assert_match '>4 KiB<' "$T/b.svg"
assert_match '>together<' "$T/b.svg"
expect 1 dw bench --contiguous -o "$T/b.gif" "${sg[@]}"

# Little: depth = rate x response. Served side by side, in 3 ms or more each.
little() {
	local i
	expect 0 dw bench --quiet --load --json "${sg[0]}"
	assert_json "$T/out" '[.series[0].points[].depth] == [1, 2, 4, 8, 16, 32, 64]'
	assert_json "$T/out" 'all(.series[0].points[]; .response_seconds >= 0.003)'
	assert_json "$T/out" '.series[0].within[0] | .response_seconds == 0.1 and .per_second > 0'
	for i in 0 1 2 3; do
		near "rate x response at depth $((1 << i))" $((1 << i)) "$(jq \
			".series[0].points[$i] | .per_second * .response_seconds" <"$T/out")" 5 || return
	done
}
three_times little

expect 0 dw bench --quiet --random --sweep=blocks=8:8:1 "${sg[0]}"
assert_match "^${sg[0]} +8 +4096 +2 " "$T/out"
expect 1 dw bench --random --sweep=blocks=99999999:99999999:1 "${sg[0]}"
assert_match 'no such length can be read there$' "$T/err"
expect 0 umount /run/m
assert_eq "$before" "$(md5sum <"${sd[0]}")" 'content'
