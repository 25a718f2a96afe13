#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=3 num_tgts=1 max_luns=1 delay=0"
# A random pass: another stream on every disk, nothing that compresses, verified with the
# kept key and with no other; one changed byte is found, and where it is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

mapfile -t sg < <(sg_nodes)
mapfile -t sd < <(sd_nodes)

erase 0 --method=random --key-file="$T/key" --verify=full -- "${sg[@]}"
assert_result 3 '.bytes_verified == 4194304'
assert_eq 600 "$(stat -c %a "$T/key")" 'mode of the key file'
sha256sum "${sd[@]}" | cut -d' ' -f1 | sort -u >"$T/sums"
assert_eq 3 "$(wc -l <"$T/sums")" 'different disks'
read_disk "${sd[0]}" >"$T/disk"
size=$(gzip -1 <"$T/disk" | wc -c)
((size >= 4194304)) || fail "the stream compresses to $size bytes"
! grep -qaF -f <(od -An -v -tx1 "$T/key" | head -1) "$T/out" || fail 'the key is in the result'

expect 0 dw verify --json --method=random --key-file="$T/key" --verify=full "${sg[@]}"
# no key, no verdict; and a mode that lets others read the key is refused
expect 1 dw verify --json --method=random --verify=full "${sg[0]}"
chmod 644 "$T/key"
expect 1 dw verify --json --method=random --key-file="$T/key" "${sg[0]}"
chmod 600 "$T/key"

# one bit of block 4242
read_lba "${sg[1]}" 4242 1 >"$T/block"
byte=$(od -An -tu1 -j100 -N1 "$T/block")
printf %b "$(printf "\\%03o" $((byte ^ 1)))" |
	dd of="$T/block" bs=1 seek=100 conv=notrunc status=none
sg_dd if="$T/block" of="${sg[1]}" bs=512 count=1 seek=4242 conv=nocreat 2>"$T/err"
expect 5 dw verify --json --method=random --key-file="$T/key" --verify=full "${sg[@]}"
assert_json "$T/out" '.disks[1].exceptions == [{lba: 4242, blocks: 1, kind: "mismatch",
	sense: .disks[1].exceptions[0].sense}]'
assert_json "$T/out" '.disks[1].verify.mismatches == 1 and .disks[0].verify.mismatches == 0
	and .disks[2].verify.mismatches == 0'
