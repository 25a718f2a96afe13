#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/ata-security.conf
# needs: jq sg_raw
# timeout: 600
# shellcheck disable=SC2016,SC2154
# SECURITY ERASE UNIT by disks that lie, refuse, fail, or give no answer.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/firmware.sh"
. "$(dirname "$0")/sanitize-ata.sh"
. "$(dirname "$0")/ata-security.sh"

assert_eq 11 ${#sg[@]} disks

# liars: nothing, and half of it
for lie in 1 2; do
	for n in 1 3; do enc "set $n lie=$lie"; done
	for way in normal enhanced; do
		refill 1 3
		secure 4 $way 1 3 -- --verify=off
		for n in 1 3; do
			outcome $n failed '.reason | test("IT DID NOT ERASE ITSELF: [0-9]+ of [0-9]+ blocks")'
		done
	done
done
for n in 1 3; do enc "set $n lie=0"; done
clean 1 3

# it fails on the way, and says so; no password is left
for n in 1 2 3; do
	refill $n
	enc "set $n fail_at=50"
	secure 4 normal $n
	outcome $n failed '.reason | test("aborted SECURITY ERASE UNIT; no password is left")'
	enc "set $n fail_at=0"
done
clean 1 2 3
on_record 0

# the password is refused, not taken, not believed; the erase is not prepared
refill 1
each() { # STATUS REASON FAULT...
	local status=$1 reason=$2
	shift 2
	for fault; do enc "fault disk=1 $fault"; done
	secure "$status" normal 1
	assert_json "$T/out" '.disks[0].outcome == "failed" and (.disks[0].reason | test($r))' --arg r "$reason"
	enc 'clear 1'
	untouched 1
	passwords 1 none
	on_record 0
}
each 4 'refused SECURITY SET PASSWORD; no password is left' 'kind=check ata=0xf1'
each 4 'took a password, and does not say that it has one' 'kind=drop ata=0xf1'
each 4 'SET PASSWORD got no good answer; no password is left' 'kind=response ata=0xf1 done=1 count=1'
each 4 'refused SECURITY ERASE PREPARE; no password is left' 'kind=check ata=0xf3'
each 4 'aborted SECURITY ERASE UNIT; no password is left' 'kind=drop ata=0xf3'
each 4 'ended well, but not that its password is gone with the data' 'kind=drop ata=0xf4'
# unit attentions between any two are no reason to stop
for command in 0xf1 0xf3 0xf4; do enc "fault disk=1 kind=ua ata=$command count=1"; done
secure 0 normal 1
outcome 1 erased "$secured"
enc 'clear 1'
gone 1 0x00

# its answer is lost: done all the same, or not
refill 1
enc 'fault disk=1 kind=response ata=0xf4 done=1 count=1'
secure 0 normal 1
outcome 1 erased "$secured"' and any(.notes[]; test("its blocks decided")) and .verify.done == "full"'
enc 'clear 1'
gone 1 0x00
refill 1
enc 'fault disk=1 kind=response ata=0xf4 count=1'
secure 0 normal 1
outcome 1 erased "$secured"
enc 'clear 1'
gone 1 0x00
clean 1
on_record 0
