#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/released.conf
# needs: sg_persist jq
# A disk is given back when its own work is done: claim, reservation, write cache. The others
# go on, and keep what is theirs. What the kernel brought to it until then is noticed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sd < <(sd_nodes)
mapfile -t sg < <(sg_nodes)
wce() { "$DW_PROBE_TOOL" examine "$1" | jq .wce; }
keys() { sg_persist -n --in --read-keys "$1" | grep -c 6469736b77697065 || true; }
may_take() { # SD: whether somebody else could
	python3 -c 'import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR | os.O_EXCL))' "$1"
}
head -c 65536 /dev/urandom >"$T/planted"
enc set 0 wce=0
enc set 1 wce=0

for n in 0 1; do enc fault kind=hold disk=$n op=write min=2 lba=16384; done
start --yes --json --progress=plain --expect-count=2 --strategy=sequential --write-cache=on \
	--reserve --command=write --controller=fixed:64 "${sd[@]}"
await_held 0
! may_take "${sd[0]}" 2>/dev/null || fail 'the first disk was not claimed'
assert_eq 1 "$(keys "${sg[0]}")" 'key of the first'
enc clear 0
job_says "${sg[0]}: erased"
may_take "${sd[0]}" || fail 'the first disk is still claimed when its outcome is told'
! may_take "${sd[1]}" 2>/dev/null || fail 'the second disk was given back as well'
assert_eq '0 0' "$(wce "${sg[0]}") $(keys "${sg[0]}")" 'write cache and key of the first, after'
# what becomes of the first disk from now on is not the concern of the job
echo mine | dd of="${sd[0]}" conv=nocreat,notrunc,fsync status=none
enc clear 1
wait $job
assert_result 2
# the document says which run this was, where, and when each disk was done
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
assert_json "$T/out" ".job | (.id | test(\"$uuid\")) and .host.name == \"$(uname -n)\" and
	.host.kernel == \"$(uname -r)\""
assert_json "$T/out" '.job.started <= .disks[0].started and .disks[0].finished <= .disks[1].finished and
	.disks[0].started <= .disks[1].started and .disks[1].finished <= .job.finished'
assert_eq mine "$(head -c 4 "${sd[0]}")"
may_take "${sd[1]}" || fail 'the second disk is still claimed'
assert_eq '0 0' "$(wce "${sg[1]}") $(keys "${sg[1]}")" 'write cache and key of the second, after'

# pages that somebody dirties after the last look at the node, and before the disk is given back:
# the last identification is held
start --yes --json --progress=plain --verify=full --controller=fixed:64 "${sd[0]}"
job_says 'verifying'
enc fault kind=hold disk=0 op=0x9e
await_held 0
flushing() { kill -USR1 $job; sed '1,/verifying/d' "$T/err" | grep -q flushing; }
wait_for 60 flushing
dd if="$T/planted" of="${sd[0]}" bs=64K count=1 conv=nocreat,notrunc status=none
enc clear 0
got=0
wait $job || got=$?
assert_eq 4 $got 'exit status'
assert_json "$T/out" '.disks[0] | .outcome == "failed" and .level == null and
	(.reason | test("after it was done")) and (.level_limit | test("it is not erased"))'
