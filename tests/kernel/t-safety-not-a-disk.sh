#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=16 num_tgts=1 max_luns=1 delay=0 ptype=1"
# needs: jq
# A tape answers at the node; and then things that are no SCSI disk's node at all, a file
# in the place of a node that has gone among them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sg < <(sg_nodes)
assert_verdict "${sg[0]}" not-a-disk '^not a disk \(tape, SCSI type 01h\)$'
assert_claim_refused "${sg[0]}" not-a-disk
assert_program_refuses "${sg[0]}" 'not a disk'
assert_eq 0 "$(probe list | wc -l)" 'disks in the list'

head -c 65536 </dev/urandom >/dev/sg99
sum=$(sha256sum </dev/sg99)
for node in /dev/sg99 /dev/null /dev/tty1 "$T"; do
	assert_verdict "$node" not-a-disk
	expect 1 probe write "$node"
	assert_program_refuses "$node" "not a disk's device node"
done
assert_eq "$sum" "$(sha256sum </dev/sg99)" 'content of the file'

# a node that is not there must not be made
assert_verdict /dev/sg77 missing '^no such device$'
expect 1 probe write /dev/sg77
assert_program_refuses /dev/sg77 'no such device'
[[ ! -e /dev/sg77 ]] || fail '/dev/sg77 was made'
# nor a node with a number that no disk has
mknod /dev/sg78 c 21 78
assert_verdict /dev/sg78 missing
mknod "$T/b" b 8 240
assert_verdict "$T/b" missing
