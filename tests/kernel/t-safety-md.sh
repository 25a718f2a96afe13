#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid0
# needs: mdadm mkfs.ext2 jq sg_dd
# Members of an md array; and with a file system on it, that is named first and the
# commands come in the order in which they have to be typed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
expect 0 mdadm --create /dev/md0 --run --level=0 --raid-devices=2 --chunk=64 "${sd[0]}" "${sd[1]}"
for node in "${sd[@]}"; do
	assert_refused "$node" holder '^in use by md array /dev/md0$' 'mdadm --stop /dev/md0'
	assert_refused "$(sg_of "$node")" holder '^in use by md array' 'mdadm --stop /dev/md0'
done
assert_verdict /dev/md0 not-a-disk 'built on other disks'
expect 0 mkfs.ext2 -q /dev/md0
mkdir /run/srv
expect 0 mount -o ro /dev/md0 /run/srv
assert_refused "${sd[0]}" mounted '^mounted at /run/srv \(md0\)$' \
	'umount /run/srv && mdadm --stop /dev/md0'
release_as_printed "${sd[0]}"
# the array's label is still there: shown, and no reason to refuse
assert_eq linux_raid_member "${verdict[signatures]}" signatures
