#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/safety.conf
# guest: --scsi-debug "dev_size_mb=4 num_tgts=1 max_luns=1 delay=0 no_uld=1"
# needs: jq sg_dd
# Disks that the kernel has no use for: without a block device at all (then O_EXCL on the
# sg node is the claim, and it is said so), and with 520-byte sectors (then the block
# device has no capacity, but can be held).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

bare='' fat=''
for sg in $(sg_nodes); do
	[[ -n $(sd_of "$sg") ]] || { [[ $(<"/sys/class/scsi_generic/${sg##*/}/device/type") == 0 ]] && bare=$sg; }
	[[ $(probe examine "$sg" | jq .block_size) == 520 ]] && fat=$sg
done
[[ -n $bare && -n $fat ]] || fail "no such disks: '$bare' '$fat'"

export bare
# shellcheck disable=SC2016
expect 0 probe claim "$bare" bash -c '
	! "$DW_PROBE_TOOL" claim "$bare" true || exit 10
	"$DW_PROBE_TOOL" examine "$bare" | jq -e ".verdict.refusal == \"open\"" || exit 12
	! sg_dd if=/dev/zero of="$bare" bs=512 count=1 conv=nocreat || exit 11'
assert_match "^O_EXCL on $bare \\(no block device\\)\$" "$T/err"
expect 0 probe write "$bare"
assert_eq 0 "$(read_lba "$bare" 0 8192 | tr -d '\0' | wc -c)" 'bytes left'
# somebody else has it open: O_EXCL of sg sees that
sleep 1000 3<"$bare" &
pid=$!
wait_for 60 has_line '^sleep$' "/proc/$pid/comm"
assert_claim_refused "$bare" open
kill "$pid"

expect 0 probe claim "$fat" true
assert_match "^O_EXCL on $(sd_of "$fat")\$" "$T/err"
blocks=$(probe examine "$fat" | jq .blocks)
assert_eq $((4 * 1048576 / 520)) "$blocks" 'blocks of 520 bytes'
expect 0 probe write "$fat"
assert_eq 0 "$(read_lba "$fat" 0 "$blocks" 520 | tr -d '\0' | wc -c)" 'bytes left'
