#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --module dm_mod --module dm_crypt
# guest: --module crypto_null --module bcache
# needs: dmsetup cryptsetup make-bcache jq sg_dd
# What stands on a disk by other means than LVM and RAID: each is a refusal, and what is printed
# ends it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"
# there is no udev here that would answer
export DM_DISABLE_UDEV=1

mapfile -t sd < <(sd_nodes)
mkdir -p /dev/mapper
[[ -e /dev/mapper/control ]] || mknod /dev/mapper/control c 10 236
sectors=$(blockdev --getsz "${sd[0]}")

expect 0 dmsetup create secret --noudevsync --uuid CRYPT-PLAIN-secret \
	--table "0 $sectors crypt cipher_null-ecb - 0 ${sd[0]} 0"
assert_refused "${sd[0]}" holder '^in use by encrypted volume secret$' 'cryptsetup close secret'
release_as_printed "${sd[0]}"

expect 0 make-bcache --bucket 32k -C "${sd[0]}" -B "${sd[1]}"
for node in "${sd[@]}"; do echo "$node" >/sys/fs/bcache/register; done
assert_refused "${sd[1]}" holder '^in use by bcache' 'echo 1 > /sys/class/block/bcache0/bcache/stop'
assert_refused "${sd[0]}" holder '^in use by bcache'
# its set is active, and would take it again: it ends, too
examine "${sd[1]}"
bash -c "${verdict[release]}"
stopped() { [[ ! -e /sys/class/block/bcache0 ]]; }
wait_for 60 stopped
assert_refused "${sd[1]}" configured '^the running system will use it: bcache set .* active$'
assert_refused "${sd[0]}" holder '^in use by bcache'
release_as_printed "${sd[1]}"
wait_for 60 free "${sd[0]}"
