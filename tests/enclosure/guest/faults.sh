#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure ../enclosure/guest/faults.conf
# needs: sg_raw sg_dd
# Faults as a program in the guest meets them.
. "$(dirname "$0")/../../kernel/lib.sh"

write16() { # SG LBA-HEX(8 digits) COUNT-HEX(2 digits) COUNT
	# shellcheck disable=SC2046
	sg_raw -s $((512 * $4)) -i /dev/zero "$1" 8a 0 0 0 0 0 $(sed 's/../& /g' <<<"$2") 0 0 0 "$3" 0 0
}
read16() {
	# shellcheck disable=SC2046
	sg_raw -r $((512 * $4)) "$1" 88 0 0 0 0 0 $(sed 's/../& /g' <<<"$2") 0 0 0 "$3" 0 0
}

# 1000 = 3e8h, 2000 = 7d0h
expect 3 write16 /dev/sg0 000003e0 10 16
assert_match 'Medium Error' "$T/err"
assert_match 'Write error' "$T/err"
assert_match 'Info fld=0x3e8 ' "$T/err"
expect 3 read16 /dev/sg0 000007c8 10 16
assert_match 'Info fld=0x7d0 ' "$T/err"
expect 0 write16 /dev/sg0 000007d0 01 1
expect 0 read16 /dev/sg0 000007c8 10 16

# the kernel has nobody to take a hung command back from it: it comes by itself
enc 'fault disk=1 op=read kind=stall seconds=0.5 count=1'
t0=${EPOCHREALTIME/./}
expect 99 read16 /dev/sg1 00000000 01 1
t1=${EPOCHREALTIME/./}
assert_match 'DID_ABORT' "$T/err"
((t1 - t0 >= 500000)) || fail "came back after $((t1 - t0)) us"

# TASK SET FULL is requeued by the kernel: a writer sees nothing of it
sg_dd if=/dev/zero of=/dev/sg2 bs=512 bpt=64 count=6400 conv=nocreat 2>/dev/null
enc stats >"$T/stats"
assert_json "$T/stats" '[.faults[] | select(.disk == 2)][0].fired > 5'

expect 11 write16 /dev/sg3 00000000 01 1
expect 0 write16 /dev/sg3 00000000 01 1

enc 'ua 4 29/00'
# by hand: sg_turs of sg3_utils 1.48 sends nothing
expect 6 sg_raw /dev/sg4 0 0 0 0 0 0
expect 0 sg_raw /dev/sg4 0 0 0 0 0 0
