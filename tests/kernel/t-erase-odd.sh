#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/odd.conf
# Capacities that no transfer length divides, 520-byte sectors (whose block sibling is empty),
# limits that are no power of two, a disk of one block; with the default lengths.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

sg=(/dev/sg0 /dev/sg1 /dev/sg2 /dev/sg3 /dev/sg4)
bs=(512 520 4096 512 528)
blocks=(20011 9973 2503 20008 1)
all_of() { read_lba "${sg[$1]}" 0 "${blocks[$1]}" "${bs[$1]}"; }

plant_all() {
	for i in 0 1 2 3 4; do
		enc "plant $i 0 ${blocks[i]} random" >/dev/null
		read_lba "${sg[i]}" 0 1 "${bs[i]}" >"$T/block"
		! cmp -s -n 500 "$T/block" /dev/zero || fail 'nothing was planted'
	done
}
assert_all_equal() { # FILE
	for i in 0 1 2 3 4; do
		all_of $i >"$T/disk"
		assert_eq $((blocks[i] * bs[i])) "$(stat -c %s "$T/disk")" 'length read'
		cmp -n $((blocks[i] * bs[i])) "$T/disk" "$1" || fail "${sg[i]}"
	done
}

for command in write write-same; do
	plant_all
	erase 0 --command=$command --verify=full -- "${sg[@]}"
	assert_result 5 ".command == \"$command\""
	assert_json "$T/out" '[.disks[] | .capacity_bytes / .block_size] == [20011, 9973, 2503, 20008, 1]'
	assert_json "$T/out" 'all(.disks[]; .bytes_verified == .capacity_bytes)'
	assert_all_equal /dev/zero
done

# the phase of a pattern counts from the first byte of the disk, whatever the sectors
pattern_924924 11000000 >"$T/want"
plant_all
erase 0 --pattern=924924 --verify=full --controller=fixed -- "${sg[@]}"
assert_result 5
assert_json "$T/out" '.disks[1].path | test("^sg")'
assert_all_equal "$T/want"
plant_all
erase 0 --method=random --key-file="$T/key" --verify=full -- "${sg[@]}"
assert_result 5
expect 0 dw verify --json --method=random --key-file="$T/key" --verify=full "${sg[@]}"
