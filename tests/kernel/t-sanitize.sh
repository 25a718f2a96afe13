#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/firmware.conf
# needs: jq
# timeout: 300
# shellcheck disable=SC2016,SC2154
# Disks that erase themselves, and those that only say so: nothing is erased that is not gone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

assert_eq 11 ${#sg[@]} disks

is_cut() { (($(size_of "$(sd_of "${sg[0]}")") == 12288 * 512)); }
is_whole() { (($(size_of "$(sd_of "${sg[0]}")") == 16384 * 512)); }

# a quarter of disk 0 is hidden
enc 'clip 0 12288'
echo 1 >/sys/class/scsi_generic/sg0/device/rescan
wait_for 60 is_cut

# another disk comes while blocks are marked: it is not written, and not told anything
for n in 7 9; do
	sanitize 4 block $n
	assert_json "$T/out" '.disks[0].outcome == "failed" and
		(.disks[0].reason | test("another disk|is not the same|changed"))'
	for port in $n $((n + 1)); do
		assert_match '^idle' <(enc "firmware $port")
		enc "holds $port 0 16384"
	done >"$T/media"
	assert_eq 1 "$(grep -c '^0-16383 0x33$' "$T/media")" 'disks that are as they were'
done

# what they offer
expect 0 dw inspect "${sg[0]}"
for way in overwrite block crypto; do assert_match "sanitize-$way +yes" "$T/out"; done
expect 0 dw inspect "${sg[1]}"
assert_match 'sanitize-block +yes' "$T/out"
assert_match 'sanitize-crypto +no' "$T/out"

# what is not offered is refused, and nothing else is done in its place
sanitize 2 overwrite 1
assert_match 'does not offer SANITIZE by overwrite \(it offers block erase\)' "$T/err"
sanitize 2 block 4
assert_match 'it offers nothing of the kind' "$T/err"
expect 2 dw erase --yes --method=sanitize-block --verify=full "${sg[1]}"
assert_match 'cannot be foretold' "$T/err"
assert_match '^0-16383 mixed$' <(enc 'holds 1 0 16384')

# a dry run tells a disk nothing
expect 0 dw erase --dry-run --method=sanitize-block "${sg[1]}"
assert_eq 'idle none 0' "$(enc 'firmware 1')"

# an overwrite: what is hidden and what was remapped is gone, too, but nobody can read that
sanitize 4 overwrite 0 -- --verify=full
outcome 0 erased-with-exceptions '(.reason | test("4096 .*cannot be read back")) and .command == "sanitize" and .bytes_written == 0 and .verify.mode == "full" and
	any(.notes[]; test("checked: 106[0-4] places were read before and after; all changed")) and
	.verify.places >= 1060 and .verify.places <= 1064'
gone 0 0x00
assert_match '^0-15 0x00$' <(enc 'holds 0 0 16 spare')

enc 'clip 0 16384'
echo 1 >/sys/class/scsi_generic/sg0/device/rescan
wait_for 60 is_whole

# the other ways, side by side; one tells that it has nothing to read until it is written
refill 0
sanitize 0 block 0 1 3
for n in 0 1 3; do outcome $n erased 'any(.notes[]; test("before and after; all changed"))'; done
assert_json "$T/out" '[.disks[] | any(.notes[]; test("what the disk says"))] == [false, false, true]'
gone 0 0x00
gone 1 0xff
assert_json "$T/out" '.disks[0].verify | .mode == "off" and .done == "none" and .places > 64 and
	(.text | test("^1,0[0-9]+ places read before and after; all changed$"))'
refill 0
sanitize 0 crypto 0 2
# zeros at both ends, where hosts look for partition tables
for n in 0 2; do
	outcome $n erased 'any(.notes[]; test("zeros were written to its first and last MiB"))'
	assert_eq $'0-2047 0x00\n2048-14335 mixed\n14336-16383 0x00' "$(enc "holds $n 0 16384")"
done
# they cannot be written: it is erased, and that is said
refill 0
enc 'fault kind=check disk=0 op=write lba=0-63 min=2 sense=3/0c/00 count=100'
sanitize 0 crypto 0
outcome 0 erased 'any(.notes[]; test("zeros could not be written to its first and last MiB"))'
enc 'clear 0'

# one that tells no progress
sanitize 0 overwrite 6
outcome 6 erased
gone 6 0x00

# liars: nothing, and half of it
for way in overwrite block crypto; do
	for lie in 1 2; do
		refill 5
		enc "set 5 lie=$lie"
		sanitize "$([[ $way == overwrite ]] && echo 5 || echo 4)" $way 5
		outcome 5 failed '.reason | test("IT DID NOT ERASE ITSELF: [0-9]+ of [0-9]+ blocks")'
	done
done
# nor are its ends made to look like those of one that was
assert_match '^0-16383 mixed$' <(enc 'holds 5 0 16384')
enc 'set 5 lie=0'

# it is reset while its blocks are read before: it says who it is, and is told
refill 5
enc 'fault kind=ua disk=5 op=read nth=500'
sanitize 0 overwrite 5
outcome 5 erased 'any(.notes[]; test("before and after; all changed"))'
gone 5 0x00
enc 'clear 5'

# it says once that it works no more, and works: it is polled again
for early in 1 3; do
	refill 5
	enc "set 5 early=$early overwrite_ms=3000"
	sanitize 0 overwrite 5
	outcome 5 erased
	gone 5 0x00
	assert_match 'had said that it works no more, and works' "$T/err"
done
enc 'set 5 overwrite_ms=400'

# blocks that cannot be read until they are written, without a word of that in VPD B1h
refill 5
enc 'set 5 block_ms=4000'
start erase --yes --json --progress=plain --method=sanitize-block "${sg[5]}"
wait_for 60 is_running 5
enc 'fault kind=medium disk=5 op=read lba=0-1199 sense=3/11/15'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
outcome 5 failed '.reason | test("has not announced that")'
enc 'clear 5'

# a few that cannot be read any more prove nothing, and are not among those that have changed
refill 5
start erase --yes --json --progress=plain --method=sanitize-block "${sg[5]}"
wait_for 60 is_running 5
enc 'fault kind=medium disk=5 op=read lba=4096-4607 sense=3/11/00'
wait "$job"
outcome 5 erased '.verify.places > 900 and .verify.places <= 1055 and
	(.verify.places as $n | any(.notes[]; startswith("checked: \($n) places")))'
enc 'clear 5'
enc 'set 5 block_ms=300'

# one that fails, and says so
for at in 1 50 99; do
	refill 5
	enc "set 5 fail_at=$at"
	sanitize 4 overwrite 5
	outcome 5 failed '.reason | test("its operation ended well")'
done
enc 'set 5 fail_at=0'
# it can be told again
sanitize 0 overwrite 5
outcome 5 erased

# pulled in the middle, and another in its place
refill 5
enc "set 5 overwrite_ms=$for_ever"
start erase --yes --json --progress=plain --method=sanitize-overwrite "${sg[5]}"
wait_for 60 is_running 5
enc 'gone 5'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
assert_json "$T/out" '.disks[0].outcome == "removed"'
enc 'back 5'
finish 5

# stopped, killed: it works on, and is not erased before its blocks have been read again
enc "set 6 overwrite_ms=$for_ever block_ms=$for_ever"
for signal in INT KILL; do
	refill 6
	start erase --yes --json --progress=plain --method=sanitize-overwrite --state="$T/state" "${sg[6]}"
	job_says 'sanitizing'
	wait_for 60 has_line '"operating":true' "$T/state"
	wait_for 60 is_running 6
	kill -$signal "$job"
	wait "$job" || true
	if [[ $signal == INT ]]; then
		assert_json "$T/out" '.disks[0].outcome == "stopped" and
			(.disks[0].reason | test("works on by itself"))'
	fi
	is_running 6
	finish 6
	expect 0 dw erase --yes --resume="$T/state" --json
	outcome 6 erased 'any(.notes[]; test("before and after; all changed"))'
	gone 6 0x00
	rm -f "$T/state"
done
# stopped when only the verification is left
refill 6
start erase --yes --json --progress=plain --method=sanitize-overwrite --verify=full \
	--controller=fixed:64 --state="$T/state" "${sg[6]}"
wait_for 60 has_line '"operating":true' "$T/state"
wait_for 60 is_running 6
enc 'fault kind=hold disk=6 op=read min=2 lba=8192'
finish 6
await_held 6
kill -INT "$job"
job_says stopping
enc 'clear 6'
wait "$job" || true
assert_match '"outcome":"stopped"' "$T/state"
assert_match '"lba":16384' "$T/state"
expect 0 dw erase --yes --resume="$T/state" --json
outcome 6 erased 'any(.notes[]; test("before and after; all changed"))'
rm -f "$T/state"
# a liar that was resumed
refill 6
enc 'set 6 lie=1'
start erase --yes --json --progress=plain --method=sanitize-block --state="$T/state" "${sg[6]}"
job_says 'sanitizing'
wait_for 60 has_line '"operating":true' "$T/state"
wait_for 60 is_running 6
kill -KILL "$job"
wait "$job" || true
finish 6
expect 4 dw erase --yes --resume="$T/state" --json
outcome 6 failed '.reason | test("IT DID NOT ERASE ITSELF")'

# refused by the disk although it names it
enc 'set 5 refuse=48'
refill 5
expect 0 dw inspect "${sg[5]}"
if grep -q 'sanitize-block *yes' "$T/out"; then sanitize 4 block 5; else sanitize 2 block 5; fi
assert_match '^0-16383 mixed$' <(enc 'holds 5 0 16384')
enc 'set 5 refuse='

# another disk comes while zeros are written to the ends after a crypto erase: it stays as it is
enc 'plant 0 0 16384 0x33'
refill 5
enc 'fault disk=5 op=write min=2 kind=swap nth=9 with=0 quiet=1'
sanitize 4 crypto 5
outcome 5 failed '.reason | test("another disk|is not the same|changed")'
for n in 0 5; do enc "holds $n 0 16384"; done >"$T/media"
assert_eq 1 "$(grep -c '^0-16383 0x33$' "$T/media")" 'disks that are as they were'
