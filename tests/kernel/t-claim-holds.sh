#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid0
# needs: mkfs.ext2 mdadm parted flock sg_dd
# While a disk is claimed nobody else gets it, by the ways that the kernel guards; then it
# is free again. The guard lets no write out without the claim.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
expect 0 parted -s "${sd[0]}" mklabel gpt mkpart a ext2 1MiB 6MiB
wait_for 60 test -b "${sd[0]}1"
expect 0 mkfs.ext2 -q "${sd[0]}1"
export disk=${sd[0]} other=${sd[1]}
# shellcheck disable=SC2016
expect 0 probe claim "$disk" bash -c '
	mkdir -p /run/m
	! mount "${disk}1" /run/m || exit 10
	! mdadm --create /dev/md0 --run --force --level=0 --raid-devices=1 "$disk" || exit 11
	! mkswap "${disk}1" || exit 12
	! flock --nonblock "$disk" true || exit 13
	! blockdev --rereadpt "$disk" || exit 14
	! "$DW_PROBE_TOOL" claim "$disk" true || exit 15
	"$DW_PROBE_TOOL" claim "$other" true || exit 16'
expect 0 mkfs.ext2 -q "${disk}1"
mkdir -p /run/m
expect 0 mount "${disk}1" /run/m
expect 0 umount /run/m
expect 0 flock --nonblock "$disk" true

# a disk that was not read is not free: what it carries might be a reason to refuse it
expect 0 probe --bar "$other" examine "$other"
assert_match '"refusal":"busy"' "$T/out"
expect 2 probe --bar "$other" claim "$other" true
assert_match 'this program has just claimed or released it' "$T/out"

# no claim, no write: not even to a disk that nothing speaks against
plant "$other"
sum=$(sha_of "$other")
expect 1 probe try-write "$other"
assert_match 'Operation not permitted' "$T/err"
assert_eq "$sum" "$(sha_of "$other")" 'content without a claim'
expect 0 probe write "$other"
assert_holds_only "$other"
