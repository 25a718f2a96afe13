#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 per_host_store=1 add_host=3 num_tgts=1 max_luns=1 delay=0"
# guest: --module md_mod --module raid0 --module dm_mod
# needs: mdadm lvm dmsetup jq sg_dd parted
# Stripe sets of md, device-mapper and LVM: named, they stand for their members, which are
# refused while the set is active, planned all the same, and erased when it is stopped.
. "$(dirname "$0")/lib.sh"

mapfile -t sd < <(sd_nodes)
sg=()
for node in "${sd[@]}"; do sg+=("$(sg_of "$node")"); done

assert_members() { # SET CHUNK NODE...
	local set=$1 chunk=$2
	shift 2
	expect 0 dw inspect --json "$set"
	assert_json "$T/out" ".sets[0].chunk_bytes == $chunk"
	assert_eq "$*" "$(jq -r '[.sets[0].members[].device] | join(" ")' <"$T/out")" 'members'
	assert_eq "$*" "$(jq -r '[.disks[].device] | join(" ")' <"$T/out")" 'disks'
	expect 0 dw list --noheadings -o device "$set"
	assert_eq "$*" "$(xargs <"$T/out")" 'listed'
}

# Refused by every member's name, with the command that releases it; the set is as it was.
assert_active() { # SET RELEASE NODE...
	local set=$1 release=$2 node before
	shift 2
	before=$(md5sum <"$set")
	expect 2 dw --yes --expect-count=$# --json "$set"
	assert_eq $# "$(jq '.refused | length' <"$T/out")" 'refused'
	assert_json "$T/out" '.disks == []'
	for node; do
		assert_match "^diskwipe: $node: skipped: .*to release it: $release\$" "$T/err"
	done
	assert_match "stands for its $# members, .*never through the set: $*\$" "$T/err"
	assert_eq "$before" "$(md5sum <"$set")" 'content of the set'
}

fill() { # SET
	expect 0 dd if=/dev/urandom of="$1" bs=1M count=32 oflag=direct
}

assert_zero() { # NODE...
	for node; do cmp -s -n $((64 << 20)) "$node" /dev/zero || fail "$node is not erased"; done
}

expect 0 mdadm --create /dev/md0 --run --level=0 --raid-devices=3 --chunk=64 "${sd[1]}" \
	"${sd[0]}" "${sd[2]}"
fill /dev/md0
assert_members /dev/md0 65536 "${sg[1]}" "${sg[0]}" "${sg[2]}"
assert_active /dev/md0 'mdadm --stop /dev/md0' "${sg[1]}" "${sg[0]}" "${sg[2]}"
expect 0 dw plan -o "$T/plan" /dev/md0
assert_match "^diskwipe: ${sg[0]}: planned, though in use by md array /dev/md0; before the erase: mdadm --stop" "$T/err"
# a plan does not get past the set either
expect 2 dw erase --plan "$T/plan" --yes --expect-count=3
expect 0 mdadm --stop /dev/md0
expect 0 dw erase --plan "$T/plan" --yes --expect-count=3 --json
assert_json "$T/out" '[.disks[].outcome] == ["erased", "erased", "erased"]'
assert_zero "${sd[@]}"

# the rate of the set, its link, and requests
expect 0 dmsetup create st --noudevsync \
	--table "0 196608 striped 2 256 ${sd[0]} 0 ${sd[2]} 1024"
dmsetup mknodes
fill /dev/mapper/st
assert_members /dev/mapper/st 131072 "${sg[0]}" "${sg[2]}"
assert_active /dev/mapper/st 'dmsetup remove st' "${sg[0]}" "${sg[2]}"
expect 0 dw inspect --rate=250MB/s --link=400MB/s --json /dev/mapper/st
assert_json "$T/out" '.sets[0].advice | .wanted_bytes_per_second == 500e6 and
	.bytes_per_second == 400e6 and .speedup == 1.6 and .full_at == 1.6 and .run == 2 and
	.whole_stripe_bytes == 262144 and .balance == 1 and .depth == 8 and .depth_90 == 9'
assert_json "$T/out" '.sets[0].members[1].start_bytes == 524288 and .sets[0].aligned'
expect 0 dw inspect --rate=250MB/s --link=400MB/s /dev/mapper/st
assert_match '^2 members x 250 MB/s want 500 MB/s, link 400 MB/s: speed-up 1.6, full at 1.6 members -> run 2' "$T/out"
expect 0 dmsetup remove --noudevsync st
expect 0 dw --yes --expect-count=2 "${sg[0]}" "${sg[2]}"
assert_zero "${sd[0]}" "${sd[2]}"

# a map that is not striped is built on other disks, and that is that
expect 0 dmsetup create lin --noudevsync --table "0 65536 linear ${sd[1]} 0"
dmsetup mknodes
expect 2 dw --yes /dev/mapper/lin
assert_match 'built on other disks; name those' "$T/err"
expect 0 dmsetup remove --noudevsync lin

# a partition stands for nothing more than itself: its disk is not erased for it
expect 0 parted -s "${sd[1]}" mklabel gpt mkpart a ext2 1MiB 40MiB
wait_for 60 test -b "${sd[1]}1"
expect 0 dmsetup create part --noudevsync \
	--table "0 65536 striped 2 128 ${sd[2]} 0 ${sd[1]}1 0"
dmsetup mknodes
expect 0 dw plan -o "$T/plan" /dev/mapper/part
assert_match "^diskwipe: ${sd[1]}1: skipped: a partition; name the whole disk, ${sd[1]}\$" "$T/err"
assert_eq 1 "$(jq '.disks | length' <"$T/plan")" 'planned'
expect 2 dw --yes --expect-count=2 /dev/mapper/part
expect 0 dmsetup remove --noudevsync part
expect 0 dd if=/dev/zero of="${sd[1]}" bs=1M count=1 oflag=direct

expect 0 lvm_here pvcreate -q "${sd[0]}" "${sd[1]}"
expect 0 lvm_here vgcreate -q vg "${sd[0]}" "${sd[1]}"
expect 0 lvm_here lvcreate -q -y -i2 -I64 -L 64M -n lv vg -Zn -Wn
dmsetup mknodes
fill /dev/mapper/vg-lv
assert_members /dev/mapper/vg-lv 65536 "${sg[0]}" "${sg[1]}"
assert_active /dev/mapper/vg-lv 'vgchange -an vg' "${sg[0]}" "${sg[1]}"
expect 0 lvm_here vgchange -an vg
expect 0 dw --yes --expect-count=2 "${sg[0]}" "${sg[1]}"
assert_zero "${sd[0]}" "${sd[1]}"
