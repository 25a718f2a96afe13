#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/ata-security.conf
# needs: jq sg_raw
# timeout: 600
# shellcheck disable=SC2016,SC2154
# ATA disks that erase themselves by SECURITY ERASE UNIT, which wants a password.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"
. "$(dirname "$0")/sanitize-ata.sh"
. "$(dirname "$0")/ata-security.sh"

assert_eq 11 ${#sg[@]} disks

# what they offer, and why not
inspects() { # N REGEX...
	expect 0 dw inspect "${sg[$1]}"
	shift
	for line; do assert_match "$line" "$T/out"; done
}
for n in 0 1 2 3; do
	inspects $n 'ata-normal +yes, 120 s stated' 'ata-enhanced +yes, 120 s stated' \
		'ata-security +supported, normal 2 min, enhanced 2 min'
	assert_no_match 'ata-erase' "$T/out"
done
inspects 4 'ata-security +supported, frozen,' 'ata-erase +no \(frozen until power is off: pull it'
inspects 5 'ata-security +supported, password set, locked,' 'ata-erase +no \(locked by a password'
for n in 6 7; do inspects $n 'ata-erase +no \(its translation passes on no ATA PASS'; done
inspects 8 'ata-normal +yes'
assert_no_match 'ata-enhanced' "$T/out"
expect 0 dw inspect "${sg[9]}"
assert_no_match 'ata-(security|normal|enhanced|erase)' "$T/out"

# what is not offered is refused, and nothing else is done in its place
for n in 4 6 7 8 9; do secure 2 enhanced $n; done
assert_match 'does not offer enhanced security erase' "$T/err"
secure 2 normal 4
assert_match 'frozen until power is off: pull it, and plug it in again, or sanitize it' "$T/err"
for way in ata-normal ata-enhanced zero; do
	expect 2 dw erase --yes --method=$way "${sg[5]}"
	assert_match 'locked by an ATA password that is none of ours' "$T/err"
done
# nobody is asked for a password that was not allowed by name
expect 3 dw erase --yes --level=purge "${sg[0]}"
assert_match 'by ata-enhanced if ata-security is allowed' "$T/err"
expect 3 dw erase --yes --level=purge --allow=crypto "${sg[0]}"
expect 3 dw erase --yes --level=purge --allow=ata-security "${sg[10]}"
expect 2 dw erase --yes --method=ata-enhanced --verify=full "${sg[0]}"
expect 0 dw erase --dry-run --method=ata-normal "${sg[0]}"
for n in 0 4 6 7 8 9; do untouched $n; done
clean 0 4 8 9 10
on_record 0

# both ways, side by side, by each translation
secure 0 normal 0 1 2 3 8 10 -- --verify=full
for n in 0 1 2 3 8 10; do
	outcome $n erased "$secured"' and .verify.done == "full" and .level == "clear" and .bytes_written == 0'
	gone $n 0x00
done
clean 0 1 2 3 8 10
assert_match '^0-15 mixed$' <(enc 'holds 0 0 16 spare')
refill 0 1 2 3 10
expect 0 dw erase --yes --expect-count=1 --json --level=purge --allow=ata-security "${sg[0]}"
outcome 0 erased "$secured"' and .level == "purge" and .method == "ata-enhanced"'
secure 0 enhanced 1 2 3 10
for n in 1 2 3; do outcome $n erased "$secured"' and .verify.done == "none" and .level == "purge"'; done
outcome 10 erased '.level == "clear"'
for n in 0 2 3; do gone $n 0x00; done
gone 1 0xff
assert_match '^0-15 0x00$' <(enc 'holds 0 0 16 spare')
clean 0 1 2 3 10
on_record 0

# what the normal erase does not reach is an exception
enc 'clip 0 12288'
shows() { echo 1 >"/sys/class/scsi_generic/${sg[0]##*/}/device/rescan"
	(($(size_of "$(sd_of "${sg[0]}")") == 12288 * 512)); }
wait_for 60 shows
secure 4 normal 0
outcome 0 erased-with-exceptions '.reason | test("4096 blocks of the disk are hidden and were not touched")'
enc 'clip 0 16384'

# unfrozen by its power
enc 'set 4 frozen=0'
enc 'cycle 4'
secure 0 normal 4
gone 4 0x00
clean 4
