#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/large.conf
# A disk beyond 2^32 blocks: old data on both sides of that mark and at the end is gone, and
# every block was written once, so none in the place of another of the same low 32 bits.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mark=$((1 << 32)) blocks=$((3 * (1 << 40) / 512))
places=(0 4999 $((mark - 1)) $((mark)) $((mark + 1)) $((mark + 5000)) $((blocks - 1)))
for lba in "${places[@]}"; do
	enc "plant 0 $lba 1 random" >/dev/null
	read_lba /dev/sg0 "$lba" 1 >"$T/block"
	! cmp -s -n 512 "$T/block" /dev/zero || fail 'nothing was planted'
done
erase 0 --command=write-same --verify=sample:0.001% --trace="$T/trace" -- /dev/sg0
assert_result 1 '.command == "write-same" and .capacity_bytes == 3298534883328'
for lba in "${places[@]}"; do
	read_lba /dev/sg0 "$lba" 1 | cmp -n 512 - /dev/zero
done
awk '$3 == "write-same" && $8 == "ok" { print $4, $5 }' "$T/trace" | sort -n |
	awk -v blocks=$blocks '$1 != end { exit 1 } { n++; end = $1 + $2 }
		END { exit !(n > 100 && end == blocks) }' || fail 'a gap, or a block twice'
