#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: parted sg_dd
# Old data that wait in the page cache must not come back over an erased disk, and no old
# partition node stays.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
expect 0 parted -s "${sd[0]}" mklabel gpt mkpart a ext2 1MiB 6MiB mkpart b ext2 6MiB 12MiB
wait_for 5 test -b "${sd[0]}2"
echo 100000 >/proc/sys/vm/dirty_writeback_centisecs
# dirty pages of the disk and of a partition, clean ones too
yes secret | head -c 4194304 | dd of="${sd[0]}" bs=64k seek=128 conv=nocreat,notrunc status=none || true
# a partition's pages are its own: the last close writes them back, so keep it open
yes hidden | head -c 1048576 | dd of="${sd[0]}1" bs=64k conv=nocreat,notrunc status=none || true
cat "${sd[0]}" >/dev/null
expect 0 probe write "${sd[0]}"
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
sync
for what in cached direct sg; do
	case $what in
	cached) left=$(tr -d '\0' <"${sd[0]}" | wc -c) ;;
	direct) left=$(read_disk "${sd[0]}" | tr -d '\0' | wc -c) ;;
	sg) left=$(read_lba "$(sg_of "${sd[0]}")" 0 32768 | tr -d '\0' | wc -c) ;;
	esac
	assert_eq 0 "$left" "bytes left, read $what"
done
for part in 1 2; do
	[[ ! -e ${sd[0]}$part ]] || fail "${sd[0]}$part is still there"
done
