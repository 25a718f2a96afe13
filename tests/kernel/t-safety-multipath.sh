#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio --module dm_mod --module dm_multipath --module dm_round_robin
# needs: dmsetup jq sg_dd
# A multipath map is no refusal by itself, what stands on it is one; its paths are erased as one
# disk while the map is held.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/paths.sh"

lio_fileio f0 33554432
lio_export fileio f0 1
lio_export fileio f0 2
lio_fileio f1 33554432
lio_export fileio f1 1
mapfile -t sd < <(sd_nodes)
mapfile -t sg < <(sg_nodes)
assert_eq 3 ${#sd[@]} 'number of nodes'
plant "${sd[0]}"
sum=$(sha_of "${sd[0]}")

mkdir -p /dev/mapper
[[ -e /dev/mapper/control ]] || mknod /dev/mapper/control c 10 236
make_map() { # PATH...
	expect 0 dmsetup create mp0 --noudevsync --table \
		"0 $(blockdev --getsz "${sd[0]}") multipath 0 0 1 1 round-robin 0 $# 1 $(printf '%s 1 ' "$@")"
	expect 0 dmsetup mknodes
}

# neither is a map of another kind one
expect 0 dmsetup create lin --noudevsync --table "0 2048 linear ${sd[0]} 0"
assert_refused "${sd[0]}" holder '^in use by device-mapper map lin$' 'dmsetup remove lin'
expect 0 dmsetup remove --noudevsync lin

make_map "${sd[0]}" "${sd[1]}"
for node in "${sd[0]}" "${sg[1]}" /dev/mapper/mp0; do
	assert_free "$node"
	expect 0 dw --dry-run --json "$node"
	assert_json "$T/out" '.disks | length == 1'
	assert_json "$T/out" '.disks[0].paths | length == 4'
done
expect 0 dw list --json
assert_json "$T/out" '[.disks[] | select(.map != "") | .device] == [$a, $b]' \
	--arg a "${sg[0]}" --arg b "${sg[1]}"

# a map that fstab names is going to be used
echo '/dev/mapper/mp0 /srv ext4 noauto' >/etc/fstab
assert_verdict "${sd[0]}" configured 'line 1 of /etc/fstab, for /srv$'
assert_verdict "${sd[1]}" configured 'line 1 of /etc/fstab, for /srv$'
: >/etc/fstab

# what stands on the map keeps both paths
expect 0 dmsetup create up --noudevsync --table "0 2048 linear /dev/mapper/mp0 0"
assert_refused "${sd[0]}" holder '^in use by device-mapper map up$'
assert_refused "${sd[1]}" holder '^in use by device-mapper map up$'
expect 0 dmsetup remove --noudevsync up
expect 0 mkfs.ext2 -q /dev/mapper/mp0
mkdir "$T/mnt"
expect 0 mount -o ro /dev/mapper/mp0 "$T/mnt"
assert_refused "${sd[0]}" mounted "^mounted at $T/mnt \(dm-0\)$"
expect 2 dw --yes /dev/mapper/mp0
umount "$T/mnt"
exec 9<>/dev/mapper/mp0
assert_refused "${sd[0]}" open '^open in process'
exec 9>&-

# a map that leads to another disk as well is refused by the claim, and nothing is written
expect 0 dmsetup remove --noudevsync mp0
make_map "${sd[0]}" "${sd[1]}" "${sd[2]}"
other=$(sha_of "${sd[2]}")
sum=$(sha_of "${sd[0]}")
expect 2 dw --yes --json /dev/mapper/mp0
assert_match 'leads to device .* as well' "$T/err"
assert_eq "$other $sum" "$(sha_of "${sd[2]}") $(sha_of "${sd[0]}")" 'contents'
expect 0 dmsetup remove --noudevsync mp0

# one disk; the map is held while it is erased, and free after
make_map "${sd[0]}" "${sd[1]}"
plant_random "${sd[0]}"
start_erase --paths=dynamic --command=write --controller=fixed:8 -- /dev/mapper/mp0
if mount /dev/mapper/mp0 "$T/mnt" 2>/dev/null; then fail 'the map could be mounted'; fi
end_erase 0
assert_result 1 '(.path_use | length) == 2 and all(.path_use[]; .commands > 10)'
check_trace 65536 1
assert_erased 00 "${sd[0]}" "${sd[1]}"
blockdev --flushbufs /dev/dm-0
holds_only /dev/mapper/mp0 || fail 'the map shows old data'
expect 0 mkfs.ext2 -q /dev/mapper/mp0
assert_eq 2 "$(dmsetup table mp0 | grep -oE '8:[0-9]+' | sort -u | wc -l)" 'paths of the map'
