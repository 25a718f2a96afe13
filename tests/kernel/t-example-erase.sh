#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug 'dev_size_mb=8 per_host_store=1 add_host=2 num_tgts=1 max_luns=1'
# examples/erase.c: a wrong count, or a disk in use, and nothing is written; else zeros.
. "$(dirname "$0")/lib.sh"

example=${DISKWIPE%/tools/diskwipe}/examples/erase
disks=(/dev/sda /dev/sdb)
for disk in "${disks[@]}"; do
	head -c 8388608 /dev/zero | tr '\0' x |
		dd of="$disk" bs=1M iflag=fullblock oflag=direct status=none
done
check_old() { for disk in "${disks[@]}"; do [[ $(head -c 8 "$disk") == xxxxxxxx ]] || fail "$disk"; done; }

expect 1 "$example" "${disks[@]}" <<<1
check_old
exec 7<>"${disks[1]}"
expect 1 "$example" "${disks[@]}" <<<2
assert_match '^not erased: .' "$T/err"
exec 7>&-
check_old
expect 0 "$example" "${disks[@]}" <<<2
assert_match '^/dev/sdb: erased$' "$T/out"
for disk in "${disks[@]}"; do
	dd if="$disk" bs=1M iflag=direct status=none | cmp -n 8388608 - /dev/zero || fail "$disk"
done
