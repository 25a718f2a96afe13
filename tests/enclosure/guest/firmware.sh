#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure ../enclosure/guest/firmware.conf
# needs: sg_raw sg_sanitize sg_format sg_requests sg_opcodes
# What sg3_utils, and hdparm where it is installed, make of disks that erase themselves.
. "$(dirname "$0")/../../kernel/lib.sh"

holds() { # DISK FROM COUNT WANT
	assert_eq "$4" "$(enc "holds $1 $2 $3")" "what disk $1 holds"
}

# until it says so itself, and not before
has_ended() { # DISK
	enc "firmware $1" >"$T/f"
	! grep -q running "$T/f"
}
until_ended() { wait_for 60 has_ended "$1"; }
until_done() { # DISK
	until_ended "$1"
	assert_match '^done' "$T/f"
}

sg_opcodes -n --opcode=0x48,2 /dev/sg0 >"$T/o"
assert_no_match 'not supported' "$T/o"
printf '\252\125\252\125' >"$T/pattern"
enc 'set 0 stuck_at=50' # so that it is asked in the middle
sg_sanitize --overwrite --pattern="$T/pattern" --ipl=4 --quick --early /dev/sg0
expect 2 sg_raw /dev/sg0 0 0 0 0 0 0
sg_requests --progress /dev/sg0 >"$T/o" 2>&1
assert_match 'Progress indication|[0-9.]+% done' "$T/o"
enc 'set 0 stuck_at=0'
until_done 0
expect 0 sg_raw -r 512 -o "$T/block" /dev/sg0 28 0 0 0 0 7 0 0 1 0
assert_eq aa55aa55 "$(od -An -tx1 -N4 "$T/block" | tr -d ' ')" 'the pattern'
sg_sanitize --block --quick --early /dev/sg0
until_done 0
holds 0 0 16384 '0-16383 0x00'
enc 'set 0 fail_at=50'
sg_sanitize --block --quick --early --ause /dev/sg0
until_ended 0
assert_match '^failed' "$T/f"
expect 3 sg_raw /dev/sg0 0 0 0 0 0 0
assert_match 'Sanitize command failed' "$T/err"
sg_sanitize --fail --quick --early /dev/sg0
expect 0 sg_raw /dev/sg0 0 0 0 0 0 0

sg_format --format --size=512 --quick --early /dev/sg1 >"$T/o" 2>&1
until_done 1
sg_raw /dev/sg1 0 0 0 0 0 0 2>/dev/null || true # the attention for the other capacity
sg_readcap --16 /dev/sg1 >"$T/o"
assert_match 'Logical block length=512' "$T/o"
assert_match 'Number of logical blocks=16640' "$T/o"
holds 1 0 16640 '0-16639 0x00'

# ATA: raw bytes first, as they are in the standard
expect 21 sg_raw /dev/sg2 85 07 20 00 12 00 10 42 72 00 45 00 6b 40 b4 00
assert_match 'ATA Status Return|ATA pass' "$T/err"
expect 0 sg_raw /dev/sg2 0 0 0 0 0 0
until_done 2
holds 2 0 16384 '0-16383 0x00'
command -v hdparm >/dev/null || exit 0
hdparm -I "$(sd_of /dev/sg2)" >"$T/o"
assert_match 'BLOCK_ERASE_EXT' "$T/o"
assert_match 'supported: enhanced erase' "$T/o"
hdparm --sanitize-status "$(sd_of /dev/sg2)" >"$T/o" 2>&1
assert_match 'SD0|Idle' "$T/o"
enc 'plant 2 0 16384 0xaa'
hdparm --user-master u --security-set-pass p "$(sd_of /dev/sg2)" >/dev/null 2>&1
hdparm -I "$(sd_of /dev/sg2)" >"$T/o"
assert_no_match 'not	enabled' "$T/o"
hdparm --user-master u --security-erase p "$(sd_of /dev/sg2)" >/dev/null 2>&1
hdparm -I "$(sd_of /dev/sg2)" >"$T/o"
assert_match 'not	enabled' "$T/o"
holds 2 0 16384 '0-16383 0x00'
assert_eq "$(sd_of /dev/sg2)" "$(hdparm -N "$(sd_of /dev/sg2)" | sed -n 's/:$//p')"
