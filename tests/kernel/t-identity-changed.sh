#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/three.conf
# needs: jq
# Between opening and claiming the node comes to lead to another disk, or the disk to
# another size, with and without a unit attention: the claim asks the disk itself.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

declare -A at
for d in /sys/class/scsi_generic/*; do
	IFS=: read -r _ _ target _ <<<"$(basename "$(realpath "$d/device")")"
	at[$target]=/dev/${d##*/}
done
# What was planted, as the shelf has it on file: the size of a file may change.
images() { head -q -c 1048576 "$ENCLOSURE_DIR"/disk-*.img | sha256sum; }
# A shell command for --before that talks to the shelf.
tell() { # COMMAND
	printf 'cd %q && echo %q >x.tmp && sync x.tmp && mv x.tmp x && ' "$ENCLOSURE_DIR/ctl" "$1"
	printf 'until [ -e x.out ]; do sleep 0.05; done && rm -f x.out'
}
for disk in 0 1 2; do enc plant $disk 0 2048 0x5a; done
sum=$(images)

for quiet in '' ' quiet'; do
	rules=(--before "$(tell "swap 0 1$quiet")")
	expect 2 probe write "${at[0]}"
	assert_json "$T/out" '.refusal == "changed" and .reason == "another disk answers at its node"'
	assert_eq "$sum" "$(images)" "what the disks hold, swapped$quiet"
	# and back
	expect 2 probe write "${at[0]}"
	assert_json "$T/out" '.refusal == "changed"'
done

for blocks in 32767 32769; do
	rules=(--before "$(tell "capacity 2 $blocks quiet")")
	expect 2 probe write "${at[2]}"
	assert_json "$T/out" '.refusal == "changed" and .reason == "its capacity has changed"'
done

rules=(--before "$(tell 'set 1 serial=OTHER')")
expect 2 probe write "${at[1]}"
assert_json "$T/out" '.refusal == "changed" and .reason == "another disk answers at its node"'

# pulled: there is nothing to ask
rules=(--before "$(tell 'gone 0 quiet')")
expect 2 probe write "${at[0]}"
assert_json "$T/out" '.refusal == "missing" or .refusal == "error"'
assert_eq "$sum" "$(images)" 'what the disks hold'
