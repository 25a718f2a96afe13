#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --lio --module "loop max_loop=4"
# needs: mkfs.ext2 jq sg_dd
# Loop devices and LIO backstores over a node that lies outside /dev, or is deleted by now:
# no holder is to be seen in sysfs, and the text of the path says nothing. What is printed
# lets go of the disk, whoever set it up.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
plant "${sd[1]}"
expect 0 mkfs.ext2 -q "${sd[0]}"
mkdir /run/m /run/inner
mknod /run/x b 8 0
# a loop device with a mounted file system, over the node; then the node is deleted
loop=$(losetup -f)
expect 0 losetup "$loop" /run/x
assert_refused "${sd[0]}" holder "^loop device $loop \\(sda\\)\$" "losetup -d $loop"
assert_free "${sd[1]}"
expect 0 mount -o ro "$loop" /run/m
rm /run/x
assert_refused "${sd[0]}" mounted '^mounted at /run/m \(loop0\)$' "umount /run/m && losetup -d $loop"
release_as_printed "${sd[0]}"

# one whose own node is missing could stand on any disk
mknod /run/x b 8 0
expect 0 losetup "$loop" /run/x
mv "$loop" /run/loop
for node in "${sd[@]}"; do
	assert_refused "$node" unseen 'loop device .* does not say what it stands on' \
		"mknod $loop b 7 0"
done
release_as_printed "${sd[1]}"
release_as_printed "${sd[0]}"

# files in a mounted file system: what keeps it busy goes first
expect 0 mount "${sd[0]}" /run/m
truncate -s 1M /run/m/image
expect 0 mkfs.ext2 -q /run/m/image
expect 0 losetup "$loop" /run/m/image
expect 0 mount -o ro "$loop" /run/inner
dd if=/dev/zero of=/run/m/swap bs=64K count=16 status=none
chmod 600 /run/m/swap
expect 0 mkswap -q /run/m/swap
expect 0 swapon /run/m/swap
mkdir /run/m/below
expect 0 mount --bind /run/m /run/m/below
release_as_printed "${sd[0]}"

# a backstore over the node, which fileio does not even claim
lio_backstore fileio f0 "fd_dev_name=/run/x,fd_dev_size=$(size_of "${sd[0]}")"
assert_refused "${sd[0]}" holder '^LIO backstore fileio/f0 \(sda\)$' \
	'targetcli /backstores/fileio delete f0'
assert_free "${sd[1]}"
mv /run/x /run/y
for node in "${sd[@]}"; do
	assert_refused "$node" unseen 'LIO backstore fileio/f0 stands on a path that is not there' \
		'targetcli /backstores/fileio delete f0'
done
expect 0 umount /sys/kernel/config
assert_refused "${sd[1]}" unseen 'configfs, which would tell, is not mounted' \
	'mount -t configfs configfs /sys/kernel/config'
examine "${sd[1]}"
eval "${verdict[release]}"
rmdir "$lio_root/core/fileio_0/f0"
assert_free "${sd[0]}"
assert_free "${sd[1]}"
