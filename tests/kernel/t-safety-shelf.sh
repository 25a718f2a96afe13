#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/safety.conf
# needs: jq sg_dd
# A shelf of disks of which each has another reason not to be erased. What they hold is
# looked at from the shelf's side.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

declare -A at
for d in /sys/class/scsi_generic/*; do
	address=$(basename "$(realpath "$d/device")")
	IFS=: read -r _ _ target _ <<<"$address"
	at[$target]=/dev/${d##*/}
done
assert_eq 14 ${#at[@]} 'disks of the shelf'

# The medium as the shelf has it on file.
disk_sum() { # NODE
	local address
	address=$(basename "$(realpath "/sys/class/scsi_generic/${1##*/}/device")")
	IFS=: read -r _ _ target _ <<<"$address"
	sha256sum <"$ENCLOSURE_DIR/disk-$(printf %02d "$target").img"
}

assert_refused "${at[1]}" write-protected '^write-protected by the disk$'
assert_refused "${at[2]}" not-a-disk '^not a disk \(cd/dvd, SCSI type 05h\)$'
assert_refused "${at[3]}" zoned '^host-managed zoned disk: its zones cannot be read: Input/output error$'
release='sg_persist --out --register-ignore --param-sark=d15c %s && sg_persist --out --clear --param-rk=d15c %s'
# shellcheck disable=SC2059
assert_refused "${at[4]}" reserved '^reservation held \(.*, key 0*abc\)$' \
	"$(printf "$release" "${at[4]}" "${at[4]}")"
claim_status=1
assert_refused "${at[5]}" reserved '^reservation held \(.*, key 0*abc\)$' \
	"$(printf "$release" "${at[5]}" "${at[5]}")"
release_as_printed "${at[5]}"
enc stop 6 # the kernel starts what it finds stopped
assert_refused "${at[6]}" no-medium '^Not Ready: .*\(2/04/02\)$' "sg_start --start ${at[6]}"
release_as_printed "${at[6]}"
claim_status=2
for port in 8 9; do
	assert_refused "${at[$port]}" not-unique '^identity not unique: /dev/sd. answers'
done
assert_refused "${at[12]}" write-protected '^locked by its own encryption; unlock it, or revert it with'
expect 0 dw inspect "${at[12]}"
assert_match '^lock +locked, PSID needed' "$T/out"
expect 0 dw inspect "${at[13]}"
assert_match '^lock +open' "$T/out"
assert_free "${at[13]}"
assert_free "${at[0]}"
assert_free "${at[7]}"

# whose cache cannot be flushed before, would not prove an erase after: found by the claim
assert_program_refuses "${at[10]}" '^it does not do SYNCHRONIZE CACHE, and did not switch its write cache off'
assert_program_refuses "${at[11]}" '^its write cache cannot be flushed \(.*\); switch the cache off'
assert_eq 0 "$(cat "$ENCLOSURE_DIR"/disk-1[01].img | tr -d 'Z' | wc -c)" 'bytes that were changed'

# what has passed keeps nobody off any more
enc reserve 4 0
assert_free "${at[4]}"
