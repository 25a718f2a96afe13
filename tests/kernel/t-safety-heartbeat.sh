#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --module ocfs2_nodemanager
# needs: jq sg_dd python3
# OCFS2's heartbeat: the kernel writes to a disk each two seconds, and holds no claim.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
plant "${sd[1]}"
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
ip link set lo up 2>/dev/null || ifconfig lo up
cluster=/sys/kernel/config/cluster/test
region=$cluster/heartbeat/0123456789ABCDEF0123456789ABCDEF
mkdir "$cluster" "$cluster/node/one" "$region"
for setting in ipv4_port=7777 ipv4_address=127.0.0.1 num=1 local=1; do
	echo "${setting#*=}" >"$cluster/node/one/${setting%%=*}"
done
for setting in block_bytes=512 blocks=255 start_block=1024; do
	echo "${setting#*=}" >"$region/${setting%%=*}"
done
assert_free "${sd[0]}"
exec 7<>"${sd[0]}"
echo 7 >"$region/dev"
exec 7>&-
assert_eq sda "$(<"$region/dev")"

# it writes meanwhile, so the disk is not what it was
assert_verdict "${sd[0]}" holder '^OCFS2 heartbeat test/heartbeat/[0-9A-F]{32} \(sda\)$' "rmdir $region"
assert_claim_refused "${sd[0]}" holder
assert_program_refuses "${sd[0]}" '^OCFS2 heartbeat' "rmdir $region"
assert_program_refuses "$(sg_of "${sd[0]}")" '^OCFS2 heartbeat'
assert_free "${sd[1]}"
release_as_printed "${sd[0]}"
