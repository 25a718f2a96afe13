#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 per_host_store=1 add_host=4 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid0 --module dm_mod
# needs: mdadm lvm dmsetup parted mkfs.ext2
# What may sit on a disk works here: md, LVM, partitions, a file system, swap.
. "$(dirname "$0")/lib.sh"

mapfile -t sd < <(sd_nodes)
assert_eq 4 ${#sd[@]}
expect 0 mdadm --create /dev/md0 --run --level=0 --raid-devices=2 --chunk=64 "${sd[0]}" "${sd[1]}"
[[ -e /sys/block/${sd[0]##*/}/holders/md0 ]] || fail 'md0 does not hold its member'
expect 0 make_lv "${sd[2]}"
[[ -e /sys/block/${sd[2]##*/}/holders/dm-0 ]] || fail 'the volume does not hold its disk'
expect 0 parted -s "${sd[3]}" mklabel gpt mkpart a ext2 1MiB 20MiB mkpart b linux-swap 20MiB 40MiB
wait_for 60 test -b "${sd[3]}2"
expect 0 mkfs.ext2 -q "${sd[3]}1"
mkdir /run/m
expect 0 mount "${sd[3]}1" /run/m
mkswap -q "${sd[3]}2" >"$T/out" 2>&1
expect 0 swapon "${sd[3]}2"
