#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# needs: jq
# A disk is what its node's number says, whatever the node is called.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
sg=$(sg_of "${sd[0]}")
mkdir -p "/dev/disk/by-id" "$T/nodes"
ln -s "../../${sd[0]##*/}" /dev/disk/by-id/scsi-one
ln -s ../scsi-one "$T/nodes/link"
ln -sf /dev/disk/by-id/scsi-one "$T/nodes/link"
# the second disk's name for the first disk's number
mknod "$T/nodes/sg1" c "$(stat -c '0x%t' "$sg")" "$(stat -c '0x%T' "$sg")"
probe examine "${sd[0]}" >"$T/want"
for node in "$sg" /dev/disk/by-id/scsi-one "$T/nodes/link" "$T/nodes/sg1"; do
	probe examine "$node" >"$T/got"
	cmp "$T/want" "$T/got" || fail "$node is another disk: $(<"$T/got")"
done
# several spellings are one disk, and no duplicate of itself
probe examine "${sd[0]}" "$sg" "$T/nodes/sg1" | jq -r .verdict.refusal | sort -u >"$T/got"
assert_eq none "$(<"$T/got")" 'verdict of one disk in three spellings'

# /dev/sg0 leads somewhere else by now: what counts is what sysfs calls the number
rm "$sg"
mknod "$sg" c "$(stat -c '0x%t' "$(sg_of "${sd[1]}")")" "$(stat -c '0x%T' "$(sg_of "${sd[1]}")")"
assert_eq "$(probe examine "${sd[1]}" | jq -r .serial)" \
	"$(probe examine "$sg" | jq -r .serial)" 'disk behind the moved node'
plant "${sd[0]}"
plant "${sd[1]}"
sum=$(sha_of "${sd[1]}")
# the disk's own sg node cannot be had by its name: its block node does
expect 0 probe write "${sd[0]}"
assert_eq "$sum" "$(sha_of "${sd[1]}")" 'content of the other disk'
assert_holds_only "${sd[0]}"
