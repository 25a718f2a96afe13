#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/firmware-ata-cut.conf
# needs: jq sg_raw
# timeout: 400
# shellcheck disable=SC2016,SC2154
# ATA disks that are pulled, cut off from power, or left alone while they erase themselves.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"
. "$(dirname "$0")/sanitize-ata.sh"

assert_eq 4 ${#sg[@]} disks

# pulled in the middle
start erase --yes --json --progress=plain --method=sanitize-overwrite "${sg[0]}"
wait_for 60 is_running 0
enc 'gone 0'
status=0
wait "$job" || status=$?
assert_eq 4 $status 'exit status'
assert_json "$T/out" '.disks[0].outcome == "removed"'
enc 'back 0'
finish 0

# the power is cut and returns: it goes on by itself. A reset of the translation undoes what was set
# about its sense data
start erase --yes --json --progress=plain --method=sanitize-overwrite --verify=off \
	--expect-count=3 "${sg[@]:1:3}"
for n in 1 2 3; do wait_for 60 is_running $n; done
for n in 2 1 3; do enc "cycle $n"; done
enc 'reset 2'
finish 1 2 3
wait "$job"
outcome 1 erased "$told"
for n in 2 3; do outcome $n erased "$untold"' and .verify.done == "full"'; done
for n in 1 2 3; do gone $n 0x00; done
is_fixed 2

# stopped, killed: it works on, and is not erased before its blocks have been read again
for n in 0 1; do
	refill $n
	start erase --yes --json --progress=plain --method=sanitize-overwrite --state="$T/state" \
		"${sg[$n]}"
	wait_for 60 has_line '"operating":true' "$T/state"
	wait_for 60 is_running $n
	if ((n == 0)); then
		kill -INT "$job"
		wait "$job" || true
		assert_json "$T/out" '.disks[0].outcome == "stopped" and
			(.disks[0].reason | test("works on by itself"))'
		# its translation says that it is ready
		expect 2 dw erase --yes --resume="$T/state"
		assert_match 'sanitize' "$T/err"
		sanitize 2 block 0
	else
		kill -KILL "$job"
		wait "$job" || true
	fi
	finish $n
	expect 0 dw erase --yes --resume="$T/state" --json
	outcome $n erased "$told"
	gone $n 0x00
	rm -f "$T/state"
done
# one that tells nothing, killed: the same, and it is read in full
refill 3
start erase --yes --json --progress=plain --method=sanitize-overwrite --verify=off --state="$T/state" \
	"${sg[3]}"
wait_for 60 has_line '"operating":true' "$T/state"
wait_for 60 is_running 3
kill -KILL "$job"
wait "$job" || true
finish 3
expect 0 dw erase --yes --resume="$T/state" --json
outcome 3 erased "$untold"' and .verify.done == "full"'
rm -f "$T/state"
# stopped when only that is left: the rest is read in full, too
refill 3
start erase --yes --json --progress=plain --method=sanitize-overwrite --verify=off --state="$T/state" \
	--controller=fixed:64 "${sg[3]}"
wait_for 60 has_line '"operating":true' "$T/state"
wait_for 60 is_running 3
enc 'fault kind=hold disk=3 op=read min=2 lba=8192'
finish 3
await_held 3
kill -INT "$job"
job_says stopping
enc 'clear 3'
wait "$job" || true
assert_match '"lba":16384' "$T/state"
expect 0 dw erase --yes --resume="$T/state" --json
outcome 3 erased "$untold"' and .verify.done == "full"'

# refused by the translation although the disk names it
enc 'set 1 refuse=85'
refill 1
sanitize 2 block 1
untouched 1
