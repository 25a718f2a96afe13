#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/protection.conf
# needs: jq
# timeout: 120
# shellcheck disable=SC2016,SC2154
# A disk that cannot be read after it has erased itself, as its protection information does not
# match, is written once; that goes on where it was when the program is killed. tests/devices has
# its kinds.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"

over='any(.notes[]; test("was written once with zeros")) and (.notes | any(test("^restarted: ")) | not)'

sanitize 0 crypto 0
outcome 0 erased "$over and .level == \"purge\" and .command == \"sanitize+write\" and .bytes_written >= .capacity_bytes
	and any(.notes[]; test(\"so that they are erased is what the disk says\"))"
gone 0 0x00

# of one that was to compare its blocks all are read
refill 0
sanitize 0 block 0 -- --verify=device
outcome 0 erased "$over and .verify.mode == \"device\" and .verify.done == \"full\""
gone 0 0x00

# killed before the first of these writes has ended, and in the middle
for lba in 0 8192; do
	refill 0
	start erase --yes --json --progress=plain --method=sanitize-block --controller=fixed:64 \
		--state="$T/state" "${sg[0]}"
	wait_for 60 has_line '"operating":true' "$T/state"
	enc "fault kind=hold disk=0 op=write min=2 lba=$lba"
	await_held 0
	wait_for 60 has_line '"pass":1' "$T/state"
	kill -KILL "$job"
	wait "$job" || true
	enc 'clear 0'
	expect 0 dw erase --yes --resume="$T/state" --json
	outcome 0 erased "$over"
	gone 0 0x00
	rm -f "$T/state"
done

# what reads as before did not erase itself, and is not written over
refill 0
enc 'set 0 lie=2 mismatch=0'
sanitize 4 block 0
outcome 0 failed '.reason | test("IT DID NOT ERASE ITSELF")'
