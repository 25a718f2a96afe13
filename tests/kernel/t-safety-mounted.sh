#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# needs: mkfs.ext2 parted jq sg_dd
# A mounted file system, on the disk and on one of its partitions, keeps the disk off, by
# either of its nodes; the other partition's does too.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
mkdir /run/srv "/run/it's"
expect 0 mkfs.ext2 -q "${sd[0]}"
expect 0 mount -o ro "${sd[0]}" "/run/it's"
release="umount '/run/it'\\''s'"
assert_refused "${sd[0]}" mounted "^mounted at /run/it's \\(sda\\)\$" "$release"
assert_refused "$(sg_of "${sd[0]}")" mounted "^mounted at /run/it's" "$release"
# what is printed does release it
eval "$release"
assert_free "${sd[0]}"

expect 0 parted -s "${sd[1]}" mklabel gpt mkpart a ext2 1MiB 6MiB mkpart b ext2 6MiB 12MiB
wait_for 60 test -b "${sd[1]}2"
expect 0 mkfs.ext2 -q "${sd[1]}2"
expect 0 mount -o ro "${sd[1]}2" /run/srv
assert_refused "${sd[1]}" mounted '^mounted at /run/srv \(sdb2\)$' 'umount /run/srv'
assert_refused "$(sg_of "${sd[1]}")" mounted '^mounted at /run/srv \(sdb2\)$' 'umount /run/srv'
# a partition is no disk, whether mounted or not
assert_verdict "${sd[1]}1" not-a-disk "^a partition; name the whole disk, ${sd[1]}\$"

# a mount that only another mount namespace sees
expect 0 umount /run/srv
assert_free "${sd[1]}"
unshare --mount sh -c "mount -o ro ${sd[1]}2 /run/srv; touch $T/ready; sleep 1000" &
other=$!
wait_for 60 test -e "$T/ready"
pid=$(pgrep -P $other sh || echo $other)
assert_refused "${sd[1]}" mounted '^mounted at /run/srv \(sdb2\)$' \
	"umount --namespace=$pid /run/srv"
release_as_printed "${sd[1]}"
kill "$other"
