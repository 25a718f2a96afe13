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

# a verification says how much of what it read is not as expected, and where that begins
losetup -d /dev/loop0
yes old | head -c 40M >/run/f0 || true
losetup /dev/loop0 /run/f0
expect 5 dw verify --verify=full --json /dev/loop0
assert_json "$T/out" '.disks[0] | .outcome == "not-as-expected" and .verify.done == "part" and
	.verify.bound == 1 and .bytes_verified == 0 and .bytes_compared > 65536 * 512 and
	(.reason | test("^6[0-9],[0-9]+ of 6[0-9],[0-9]+ blocks that were read differ, the first is LBA 0; the rest was not read"))'
head -c 40M /dev/zero >/run/f0
head -c 1536 /dev/urandom | dd of=/run/f0 bs=512 seek=70000 iflag=fullblock conv=notrunc status=none
expect 5 dw verify --verify=full /dev/loop0
assert_match '3 of 81,920 blocks that were read differ, the first is LBA 70000$' "$T/out"
assert_match 'verified: /dev/loop0: full: all 81,920 blocks; 3 differ' "$T/out"
assert_match '0 of 1 disk as-expected, 1 not-as-expected; 41.9 MB read and compared' "$T/out"
assert_no_match 'erased' "$T/out"
head -c 40M /dev/zero >/run/f0
expect 0 dw verify --verify=sample:10% --json /dev/loop0
assert_json "$T/out" '.disks[0] | .outcome == "as-expected" and .verify.done == "full" and
	.verify.mode == "sample:10%" and .verify.read == .verify.of and .bytes_compared == .bytes_verified and
	.verify.bound == 0 and .verify.text == "full: all 81,920 blocks"'
