#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/format-odd.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# Disks that are formatted to other block lengths: refused, lying, failing, exchanged.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

assert_eq 9 ${#sg[@]} disks

is_idle() { enc_says '^idle' "firmware $1"; }
untouched() { # N...: no format was ever begun
	for n; do
		is_idle "$n" || fail "disk $n was formatted"
	done
}

# what is wrong is refused before a disk is told anything
expect 1 dw format --yes "${sg[0]}"
assert_match '--block-size is missing' "$T/err"
for bytes in 0 511 1024 5120 512K -1; do
	expect 1 dw format --yes --block-size=$bytes "${sg[0]}"
	assert_match '512, 520, 528, 4096' "$T/err"
done
expect 1 dw format --yes --block-size=512 --protection=4 "${sg[0]}"
expect 2 dw format --block-size=512 "${sg[0]}" </dev/null
assert_match 'not confirmed' "$T/err"
expect 2 dw format --yes --expect-count=2 --block-size=512 "${sg[0]}"
expect 2 dw format --yes --block-size=512 --protection=1 "${sg[0]}"
assert_match 'does not know protection information' "$T/err"
expect 0 dw format --dry-run --block-size=512 "${sg[0]}"
assert_match 'would be formatted to 512 bytes' "$T/out"
format 2 512 2
assert_match 'does not know FORMAT UNIT' "$T/err"

# in use: mounted, and open
block=$(sd_of "${sg[6]}")
mkfs.ext2 -q "$block"
mkdir "$T/mnt"
mount "$block" "$T/mnt"
format 2 4096 6
assert_match 'mounted' "$T/err"
umount "$T/mnt"
exec 8<"$block"
format 2 4096 6
assert_match 'open' "$T/err"
exec 8<&-
untouched 0 2 6

# protection information off, and on again
format 0 512 7
outcome 7 formatted '.protection == 0 and .protection_before == 2'
format 0 512 7 -- --protection=2
outcome 7 formatted '.protection == 2'
format 4 512 7 -- --protection=1
outcome 7 failed '.reason | test("refused FORMAT UNIT")'

# one that says it has formatted, and has not
format 4 512 1
outcome 1 failed '.reason | test("DID NOT FORMAT")'
# one that formats at once
format 0 512 8
outcome 8 formatted
# one that does not take a command
enc 'set 3 refuse=04'
format 2 512 3
enc 'set 3 refuse=55,15'
format 4 512 3
outcome 3 failed '.reason | test("refused the block length")'
enc 'set 3 refuse='
# one that saves each length that it takes, and refuses one that is not to be saved
enc 'answer disk=3 cdb="55 10" sense=5/24/00'
format 0 512 3
outcome 3 formatted
enc 'clear 3'
# one that tells of the new length when it has formatted
enc 'answer disk=3 op=0x5a patch=20:00000200'
format 0 520 3
outcome 3 formatted
enc 'clear 3'
# one that has the new length when its power has been off
enc 'answer disk=3 op=0x9e sa=0x10 patch=8:00000208'
enc 'answer disk=3 op=0x25 patch=4:00000208'
format 4 512 3
outcome 3 failed '.reason | test("tells its former blocks; power-cycle it, then look again")'
enc 'clear 3'
format 0 512 3
outcome 3 unchanged
format 0 520 3
# one that takes the length and refuses the format is told its former length, which the next format makes
set_length() { # N
	sg_raw -r 16 -o "$T/page" "${sg[$1]}" 5a 00 08 00 00 00 00 00 10 00 2>/dev/null
	od -An -tu1 -j14 -N2 "$T/page" | { read -r high low && echo $((high * 256 + low)); }
}
enc 'answer disk=3 op=0x04 sense=5/24/00'
format 4 512 3
outcome 3 failed '.reason | test("refused FORMAT UNIT: .*; its 520 bytes are set again, and nothing was formatted$")'
assert_eq 520 "$(set_length 3)" 'block length of the next format'
enc 'clear 3'
# a program that was killed between the two: the next one finds the length, and sets the former one
enc 'fault disk=3 kind=hold op=0x55 count=1'
start format --yes --json --block-size=512 "${sg[3]}"
await_held 3
kill -KILL "$job"
enc 'clear 3'
wait "$job" || true
assert_eq 512 "$(set_length 3)" 'block length of the next format'
format 0 520 3
outcome 3 unchanged '.reason | test("its 520 bytes are set again")'
assert_eq 520 "$(set_length 3)" 'block length of the next format'
# such a length that the disk does not give back: it has the blocks, and the format fails all the same
enc 'fault disk=3 kind=hold op=0x55 count=1'
start format --yes --json --block-size=512 "${sg[3]}"
await_held 3
kill -KILL "$job"
enc 'clear 3'
wait "$job" || true
enc 'answer disk=3 op=0x55,0x15 sense=5/26/00'
format 4 520 3
outcome 3 failed '.reason | test("has such blocks already; .* the next format, by whatever program, may make blocks of 512 bytes$")'
enc 'clear 3'
# nor is that said of one that does not report it
enc 'answer disk=3 op=0x55,0x15'
format 4 520 3
outcome 3 failed '.reason | test("has such blocks already; it may be set to blocks of 512 bytes")'
enc 'clear 3'
format 0 520 3
outcome 3 unchanged '.reason | test("its 520 bytes are set again")'
# one that has been formatted by others while it waited: it is told nothing
enc 'set 0 format_ms=600000'
start format --yes --expect-count=2 --json --block-size=512 --active=1 "${sg[0]}" "${sg[3]}"
wait_for 60 is_running 0
enc 'answer disk=3 op=0x04 sense=5/24/00'
enc 'answer disk=3 op=0x9e sa=0x10 patch=8:00001000'
enc 'answer disk=3 op=0x25 patch=4:00001000'
finish 0
status=0
wait "$job" || status=$?
assert_eq 3 $status 'exit status'
outcome 3 failed '.reason | test("refused FORMAT UNIT.*; it may be set to blocks of 512 bytes")'
assert_eq 512 "$(set_length 3)" 'block length of the next format'
enc 'clear 3'
format 0 520 3
assert_eq 520 "$(set_length 3)" 'block length of the next format'
# one that fails
enc 'set 3 fail_at=50'
format 4 512 3
outcome 3 failed '.reason | test("3/31/01")'
expect 2 dw erase --yes "${sg[3]}"
enc 'set 3 fail_at=0'
format 0 512 3
outcome 3 formatted .corrupt
# one that makes no progress
enc 'set 3 stuck_at=30 format_ms=500'
format 4 520 3 -- --stall-budget=2s
outcome 3 failed '.reason | test("stalled")'
enc 'set 3 stuck_at=0'
format 0 520 3
assert_json "$T/out" '.disks[0] | .block_size == 520 and .content == "zeros"'

# another disk comes between two commands, and no attention tells of it
enc 'fault disk=4 kind=swap op=0x55 nth=1 with=6 quiet=1'
format 4 512 4
outcome 4 failed '.reason | test("another disk")'
for n in 4 6; do assert_match '^(idle|none)' <(enc "firmware $n"); done
enc 'clear 4'
enc 'swap 4 6 quiet'

# another disk comes in the middle: it is told nothing, and the outcome is not "formatted"
start format --yes --json --block-size=512 "${sg[4]}"
job_says formatting
enc 'swap 4 5'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome 4 failed '.reason | test("another disk")'
untouched 4
assert_match '^0-[0-9]+ 0x33$' <(enc 'holds 4 0 4032')
enc 'swap 4 5'

# stopped: it goes on by itself
finish 4
start format --yes --json --block-size=520 "${sg[4]}"
job_says formatting
kill -INT "$job"
wait "$job" || true
outcome 4 stopped '.reason | test("goes on by itself")'
start format --yes --json --block-size=520 "${sg[4]}"
job_says formatting
finish 4
wait "$job" || fail "$(<"$T/err")"
outcome 4 formatted
# pulled
start format --yes --json --block-size=512 "${sg[4]}"
job_says formatting
enc 'gone 4'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome 4 removed
