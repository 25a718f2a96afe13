#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 num_tgts=1 max_luns=1 delay=0 zbc=managed zone_size_mb=4 zone_nr_conv=3"
# needs: jq sg_raw
# A host-managed disk as the kernel plays one: each pass of a method begins with a reset, writes go
# to write pointers, and all zones are full at the end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
blocks=$((64 * 2048))

# type and condition of each zone
zones() {
	sg_raw -b -r 2048 "${sg[0]}" 95 00 00 00 00 00 00 00 00 00 00 00 08 00 80 00 2>"$T/err" |
		od -An -v -tx1 -w64 | awk 'NR > 1 && NR <= 17 { print $1, $2 }' | sort | uniq -c |
		awk '{ print $1 "x" $2 "/" $3 }' | paste -sd' '
}

expect 0 dw list --json "${sg[0]}"
assert_json "$T/out" '.disks[0] | .zoned == "host-managed" and .erasable'
assert_eq '3x01/00 13x02/10' "$(zones)" 'zones at first'

head -c $((blocks * 512)) /dev/zero | tr '\0' '\222' >"$T/92"
for n in 1 2; do
	erase 0 --method=dod-short --verify=full -- "${sg[0]}"
	assert_result 1 '.command == "write"'
	assert_json "$T/out" 'all(.disks[]; .bytes_verified >= .capacity_bytes)'
	assert_eq '3x01/00 13x02/e0' "$(zones)" 'zones after an erase'
done
erase 0 --pattern=92 --verify=full -- "${sg[0]}"
assert_result 1 '.command == "write"'
read_lba "${sg[0]}" 0 8192 512 | cmp - <(head -c $((8192 * 512)) "$T/92")
read_lba "${sg[0]}" $((blocks - 8192)) 8192 512 | cmp - <(head -c $((8192 * 512)) "$T/92")

# a zone that somebody else has reset is no longer what was written
expect 0 dw verify --json --pattern=92 --verify=full "${sg[0]}"
sg_raw "${sg[0]}" 94 04 00 00 00 00 00 01 c0 00 00 00 00 00 00 00 2>"$T/err"
assert_eq '3x01/00 1x02/10 12x02/e0' "$(zones)" 'one zone is reset'
expect 5 dw verify --json --pattern=92 --verify=full "${sg[0]}"

# what does not write is refused
erase 2 --method=sanitize-overwrite -- "${sg[0]}"
