#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --module loop
# needs: jq losetup mkfs.ext2
# Block devices without SCSI: a loop device counts only when it is named.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

truncate -s 8M /run/image
loop=$(losetup -f --show /run/image)
assert_eq 0 "$(probe list | wc -l)" 'disks in the list'
probe examine "$loop" >"$T/loop"
assert_json "$T/loop" '.blocks == 16384 and .block_size == 512 and (.scsi | not)'
assert_free "$loop"
expect 0 probe claim "$loop" true
assert_match "^O_EXCL on $loop\$" "$T/err"
# the usual reasons hold for it, too
expect 0 mkfs.ext2 -q "$loop"
mkdir /run/srv
expect 0 mount "$loop" /run/srv
assert_verdict "$loop" mounted "^mounted at /run/srv \\(${loop##*/}\\)\$" 'umount /run/srv'
expect 2 probe claim "$loop" true
expect 0 umount /run/srv
assert_verdict "$loop" none
assert_eq ext2 "${verdict[signatures]}" signatures
expect 0 losetup -d "$loop"
assert_verdict "$loop" no-medium
loop=$(losetup -f --show --read-only /run/image)
assert_verdict "$loop" write-protected '^set read-only in the kernel$'
expect 2 probe claim "$loop" true
# another size between opening and claiming
losetup -d "$loop"
loop=$(losetup -f --show /run/image)
rules=(--before "truncate -s 4M /run/image; losetup -c $loop")
expect 2 probe claim "$loop" true
assert_json "$T/out" '.refusal == "changed"'
