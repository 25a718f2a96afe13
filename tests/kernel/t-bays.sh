#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure bays.conf --module enclosure --module ses
# needs: jq sg_ses
# Which disk is in which slot, and the lights: with the kernel's folders and without them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

tool() { "${DW_HEALTH_TOOL:?run by run-test}" "$@"; }
id=0x5000000000000800
target() { # SLOT: the target of the disk that the list has there
	local block
	block=$(tool bays | jq -r "select(.slot == \"$id:$1\").block")
	[[ $block ]] || { echo none; return; }
	basename "$(realpath "/sys/class/block/${block##*/}/device")" | cut -d: -f3
}
# no text but the slots' and lights' of the emulated shelf
lit() { enc 'leds 8' | sed -n "s/^$1\b *//p"; }

# What must be so whether or not the kernel has folders.
look() {
	tool bays >"$T/bays"
	assert_eq 4 "$(wc -l <"$T/bays")" 'slots'
	assert_eq 'Slot 00 Slot 01 Slot 02 Slot 03' "$(jq -r .name "$T/bays" | xargs)"
	assert_eq '0 1 3' "$(jq 'select(.name != "Slot 02").number' "$T/bays" | xargs)" 'numbers'
	assert_eq '0 1 none 3' "$(target 'Slot 00') $(target 'Slot 01') $(target 'Slot 02') $(target 'Slot 03')"
	assert_eq '2 2 1 2' "$(jq .state "$T/bays" | xargs)" 'occupied or empty'
	# the list of disks says the same, and a slot can be protected
	dw list --json >"$T/list"
	assert_eq "$id:Slot 03" "$(jq -r '.disks[] | select(.address | endswith(":3:0")).slot' "$T/list")"
	rules=(--protect "$id:Slot 01")
	assert_verdict "$(tool bays | jq -r 'select(.name == "Slot 01").block')" protected
	rules=()

	expect 0 tool light "$id:Slot 01" locate on
	expect 0 tool light "$id:Slot 03" fault on
	expect 0 tool light "$id:Slot 03" locate on
	assert_eq 'locate|locate fault|' "$(lit 1)|$(lit 3)|$(lit 0)" 'lights'
	assert_eq '0 1 0 1 0 0 0 1' "$(tool bays | jq -s 'map(.locate), map(.fault) | .[]' | xargs)"
	expect 0 tool light "$id:Slot 03" locate off
	expect 0 tool light "$id:Slot 01" locate off
	assert_eq '|fault' "$(lit 1)|$(lit 3)" 'lights put out'
	expect 0 tool light "$id:Slot 03" fault off
	expect 1 tool light "$id:Slot 09" fault on
	assert_match ENOENT "$T/err"
}

assert_eq 4 "$(find /sys/class/enclosure/0:0:8:0/ -maxdepth 1 -name 'Slot *' | wc -l)" 'kernel slots'
look
# somebody else's light shows, and stays
sg_ses --index=2 --set=locate "/dev/$(ls /sys/bus/scsi/devices/0:0:8:0/scsi_generic)" >/dev/null
assert_eq locate "$(lit 2)"
assert_eq 1 "$(tool bays | jq 'select(.name == "Slot 02").locate')"
expect 0 tool light "$id:Slot 02" fault on
assert_eq 'locate fault' "$(lit 2)" 'the other light'
expect 0 tool light "$id:Slot 02" fault off
expect 0 tool light "$id:Slot 02" locate off

modprobe -r ses 2>/dev/null || rmmod ses
wait_for 60 test ! -e /sys/class/enclosure/0:0:8:0
look

# a disk moves with its name
serial() { tool bays | jq -r "select(.name == \"Slot $1\").block" | xargs -I{} "$DISKWIPE" list --json {} | jq -r '.disks[0].serial'; }
name=$(serial 00)
enc 'move 0 2'
moved() { [[ $(target 'Slot 02') == 2 && $(target 'Slot 00') == none ]]; }
wait_for 60 moved
settle
assert_eq "$name" "$(serial 02)" 'the disk that moved'
assert_eq '1 2 2 2' "$(tool bays | jq .state | xargs)" 'occupied or empty'

# slots that see no address: nobody knows, and nobody guesses
enc 'set 8 ses_blind=1'
assert_eq 'none none none' "$(target 'Slot 01') $(target 'Slot 02') $(target 'Slot 03')"
assert_eq '1 2 2 2' "$(tool bays | jq .state | xargs)" 'occupied all the same'
dw list --json >"$T/list"
assert_eq 0 "$(jq '[.disks[] | select(.slot != "" and .slot != null)] | length' "$T/list")"
