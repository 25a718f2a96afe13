#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/firmware-ata.conf
# needs: jq sg_raw
# timeout: 600
# shellcheck disable=SC2016,SC2154
# ATA disks that erase themselves, behind translations that tell all, half or nothing of it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"
. "$(dirname "$0")/sanitize-ata.sh"

assert_eq 11 ${#sg[@]} disks

shows() { # N BLOCKS
	echo 1 >"/sys/class/scsi_generic/${sg[$1]##*/}/device/rescan"
	(($(size_of "$(sd_of "${sg[$1]}")") == $2 * 512))
}

# what they offer, and how much of it comes through the translation
inspects() { # N REGEX...
	expect 0 dw inspect "${sg[$1]}"
	shift
	for line; do assert_match "$line" "$T/out"; done
}
inspects 0 'sanitize-overwrite +yes +VPD 89h' 'sanitize-block +yes' 'sanitize-crypto +yes' \
	'ata-sanitize +yes, its end is told '
for n in 1 5; do inspects $n 'ata-sanitize +yes, its end is told '; done
for n in 2 3 4; do inspects $n 'ata-sanitize +yes, its end is not told here'; done
for n in 6 7; do inspects $n 'sanitize-block +no' 'ata-sanitize +no \(.*passes on no ATA PASS'; done
inspects 9 'sanitize-overwrite +no' 'sanitize-block +yes'
inspects 8 'sanitize-block +no'
assert_no_match ata-sanitize "$T/out"

# what is not offered is refused, and nothing else is done in its place
for n in 6 7; do
	sanitize 2 block $n
	assert_match 'it offers nothing of the kind: .* passes on no ATA PASS-THROUGH' "$T/err"
done
sanitize 2 crypto 8
assert_match 'it offers nothing of the kind\)' "$T/err"
sanitize 2 overwrite 9
assert_match 'it offers block erase\)' "$T/err"
expect 0 dw erase --dry-run --method=sanitize-block "${sg[9]}"
untouched 6 7 8 9
for n in 6 7 8 9; do assert_eq 'idle none 0' "$(enc "firmware $n")"; done

# side by side, each by its translation; a quarter of one is a host protected area
enc 'clip 0 12288'
wait_for 60 shows 0 12288
sanitize 3 overwrite 0 1 2 3 4 5 10 -- --verify=off
outcome 0 erased-with-exceptions '.reason | test("4096 .*cannot be read back")'
for n in 1 2 5 10; do
	outcome $n erased "$told"' and .command == "sanitize" and .bytes_written == 0 and .verify.mode == "off"'
done
for n in 3 4; do outcome $n erased "$untold"' and .verify.done == "full"'; done
for n in 0 1 2 3 4 5 10; do gone $n 0x00; done
assert_match '^0-15 0x00$' <(enc 'holds 0 0 16 spare')
is_fixed 2
enc 'clip 0 16384'
wait_for 60 shows 0 16384

# the other ways
refill 0 1 2 3 4 5
sanitize 0 block 0 1 2 3 4 5 9
for n in 0 1 2 5 9; do outcome $n erased "$told"; done
for n in 3 4; do outcome $n erased "$untold"; done
for n in 0 1 2 3 4 5; do gone $n 0x00; done
gone 9 0xff
refill 0 2 3
sanitize 0 crypto 0 2 3
for n in 0 2; do outcome $n erased "$told"; done
outcome 3 erased "$untold"

# liars: nothing, and half of it; where nobody tells, too
for lie in 1 2; do
	for n in 1 4; do enc "set $n lie=$lie"; done
	for way in overwrite block; do
		refill 1 4
		sanitize "$([[ $way == overwrite ]] && echo 5 || echo 4)" $way 1 4
		for n in 1 4; do
			outcome $n failed '.reason | test("IT DID NOT ERASE ITSELF: [0-9]+ of [0-9]+ blocks")'
		done
	done
done
for n in 1 4; do enc "set $n lie=0"; done

# who tells nothing, and lets nothing be read until it is written, proves nothing
refill 4
enc 'set 4 waber=3'
sanitize 4 block 4
outcome 4 failed '.reason | test("nothing proves that it erased itself: how it ended cannot be read")'
enc 'set 4 waber=0'

# they fail, and say so: by registers in both formats, or by aborting whatever is asked
for at in 1 99; do
	refill 1 2 3 4
	for n in 1 2 3 4; do enc "set $n fail_at=$at"; done
	sanitize 4 overwrite 1 2 3 4
	for n in 1 2 3 4; do outcome $n failed '.reason | test("its operation ended well")'; done
done
is_fixed 2
# that state was left: they can be told again
for n in 1 2 3 4; do enc "set $n fail_at=0"; done
sanitize 0 overwrite 1 2 3 4

# frozen: nothing helps but the power
refill 1
sg_raw "${sg[1]}" 85 07 20 00 20 00 00 46 6b 00 4c 00 72 40 b4 00 2>/dev/null || true
inspects 1 'sanitize-block +no' 'ata-sanitize +no \(.*frozen until power is off: pull it'
sanitize 2 block 1
assert_match 'frozen until power is off: pull it, and plug it in again' "$T/err"
untouched 1
enc 'cycle 1'
sanitize 0 block 1
gone 1 0x00
