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
wait_for 60 test -b "${sd[0]}2"
echo 100000 >/proc/sys/vm/dirty_writeback_centisecs
cat "${sd[0]}" "${sd[0]}1" >/dev/null
# Written while we have the disk open already, so that closing it writes nothing back.
dirty='for seek in 0 8 15; do
		yes secret | head -c 1048576 |
			dd of=$disk bs=1M iflag=fullblock seek=$seek conv=nocreat,notrunc status=none
	done; sg_dd if=$sg bs=512 count=32768 of=- 2>/dev/null | grep -c secret >$lines || true'
export disk=${sd[0]} lines=$T/lines
sg=$(sg_of "$disk")
export sg
rules=(--before "$dirty")
expect 0 probe write "${sd[0]}"
# the disk itself did not have them yet: the cache held them
((0 == $(<"$T/lines"))) || fail 'nothing waited in the page cache'
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
