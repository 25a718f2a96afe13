#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=32 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid1
# needs: mdadm mkfs.ext2 parted jq sg_dd
# The running system's disks, below an array of partitions. No command is printed: nobody
# shall be talked into taking the root file system away.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
for node in "${sd[@]}"; do
	expect 0 parted -s "$node" mklabel gpt mkpart a ext2 1MiB 6MiB mkpart b ext2 6MiB 30MiB
	wait_for 60 test -b "${node}2"
done
expect 0 mdadm --create /dev/md0 --run --level=1 --assume-clean --bitmap=none --metadata=1.2 \
	--raid-devices=2 "${sd[0]}2" "${sd[1]}2"
expect 0 mkfs.ext2 -q /dev/md0
mkdir -p /run/root /boot/efi
expect 0 mount /dev/md0 /run/root
mkdir /run/root/old
expect 0 umount /run/root
# md writes its own notes at leisure as long as it may write
expect 0 mdadm --readonly /dev/md0
for place in /boot /boot/efi; do
	expect 0 mount -o ro /dev/md0 "$place"
	for node in "${sd[@]}"; do
		assert_refused "$node" system "^holds $place of the running system \\(md0\\)\$" ''
		assert_refused "$(sg_of "$node")" system "^holds $place of the running system"
	done
	expect 0 umount "$place"
done

# The root file system of a mount namespace of its own, as a container has it.
expect 0 mount -o ro /dev/md0 /run/root
mkfifo "$T/never"
exec 5<>"$T/never"
unshare --mount sh -c "cd /run/root && pivot_root . old && read -r _" <&5 5<&- &
other=$!
wait_for 60 has_line ' /old ' "/proc/$other/mountinfo"
umount /run/root
assert_refused "${sd[0]}" system '^holds / of the running system \(md0\)$' ''
kill "$other"
