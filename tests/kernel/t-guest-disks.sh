#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 num_tgts=7 add_host=2 per_host_store=1 max_luns=1 delay=0"
# The bench itself: 14 disks, with both nodes, that keep what is written.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
mapfile -t sd < <(sd_nodes)
assert_eq 14 ${#sg[@]} 'sg nodes'
assert_eq 14 ${#sd[@]} 'sd nodes'
for s in "${sg[@]}"; do
	assert_eq "$s" "$(sg_of "$(sd_of "$s")")" 'the way to the sibling and back'
done

disk=$(sd_of "${sg[0]}")
other=$(sd_of "${sg[13]}")
bytes=$(size_of "$disk")
last=$((bytes / 512 - 1))
assert_holds_only "$disk"
plant "$disk"
! holds_only "$disk" || fail 'planted data is not there'
assert_holds_only "$other"
plant_lba "${sg[0]}" "$last" 'the end'
assert_eq 'the end' "$(read_lba "${sg[0]}" "$last" 1 | head -1)"
read_disk "$disk" | tail -c 512 | cmp - <(read_lba "${sg[0]}" "$last" 1)
assert_eq "$bytes" "$(read_disk "$disk" | wc -c)"
dd if=/dev/zero of="$disk" bs=1M oflag=direct conv=nocreat status=none \
	count="$bytes" iflag=count_bytes
assert_holds_only "$disk"
