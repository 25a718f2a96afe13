#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --module loop
# needs: mkfs.ext2 losetup python3
# Block devices without SCSI, when they are named: erased by io_uring, and where the kernel
# refuses that by plain writes; the result says which, and that it is no SCSI.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

# sizes that are no multiple of a transfer; both sector sizes
for i in 0 1; do
	truncate -s $((5 * 1048576 + 3 * 4096)) "/run/f$i"
	losetup --sector-size=$((i ? 4096 : 512)) "/dev/loop$i" "/run/f$i"
done
plain=(python3 -B "$(dirname "$0")/without-io-uring.py")
size=$(size_of /dev/loop0)

check() { # PATH
	assert_result 2 ".path == \"$1\" and .bytes_verified == $size and .serial == null"
	assert_json "$T/out" '[.disks[].block_size] == [512, 4096]'
	assert_json "$T/out" 'all(.disks[]; .notes | any(test("without SCSI")))'
	assert_erased 00 /dev/loop0 /dev/loop1
	cmp -n "$size" /run/f0 /dev/zero
	cmp -n "$size" /run/f1 /dev/zero
}
for depth in 1 4; do
	plant_random /dev/loop0 /dev/loop1
	erase 0 --verify=full --depth=$depth --controller=fixed:96 -- /dev/loop0 /dev/loop1
	check io_uring
	plant_random /dev/loop0 /dev/loop1
	expect 0 "${plain[@]}" "$DISKWIPE" --yes --expect-count=2 --json --verify=full \
		--depth=$depth --controller=fixed:96 /dev/loop0 /dev/loop1
	check pwrite
done

# the other way round: what is not the pattern is found, by either way of reading
printf x | dd of=/dev/loop0 bs=1 seek=2000000 conv=nocreat,notrunc,fsync status=none
expect 5 dw verify --json --verify=full --method=zero /dev/loop0
assert_json "$T/out" '[.disks[0].exceptions[] | [.lba, .blocks, .kind]] == [[3906, 1, "mismatch"]]'
expect 5 "${plain[@]}" "$DISKWIPE" verify --json --verify=full --method=zero /dev/loop0
assert_json "$T/out" '[.disks[0].exceptions[] | [.lba, .blocks, .kind]] == [[3906, 1, "mismatch"]]'

# random content with a kept key; and no WRITE SAME here
erase 0 --method=random --key-file="$T/key" --verify=full -- /dev/loop0 /dev/loop1
expect 0 "${plain[@]}" "$DISKWIPE" verify --json --verify=full --method=random \
	--key-file="$T/key" /dev/loop0 /dev/loop1
expect 2 dw --yes --json --command=write-same /dev/loop0
assert_json "$T/out" '.refused[0].reason | test("WRITE SAME")'

# in use, it is refused like any other
mkfs.ext2 -q -F /dev/loop0
mkdir "$T/m"
mount "/dev/loop0" "$T/m"
expect 2 dw --yes --json /dev/loop0
assert_json "$T/out" '.refused[0].reason | test("mounted")'
umount "$T/m"
