#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure ../enclosure/guest/hotplug.conf
# needs: sg_dd sg_vpd
# Disks that go, come, grow and turn into others.
. "$(dirname "$0")/../../kernel/lib.sh"

node() { # TARGET
	local d=/sys/bus/scsi/devices/0:0:$1:0/scsi_generic
	[[ -d $d ]] && ls "$d"
}
is_gone() { [[ ! -e /sys/bus/scsi/devices/0:0:$1:0 ]]; }

assert_eq 2 "$(sg_nodes | wc -l)"

# pulled under a writer
enc 'fault kind=hold disk=0 op=write nth=10'
{ sg_dd if=/dev/zero of=/dev/sg0 bs=512 bpt=8 conv=nocreat 2>"$T/dd" || echo $? >"$T/rc"; } &
await_held 0
enc 'gone 0'
wait %1
assert_match '[1-9]' "$T/rc"
wait_for 60 is_gone 0
assert_eq 1 "$(sg_nodes | wc -l)"

# put back, and one that was never there
enc 'back 0'
enc 'back 2'
wait_for 60 node 0
wait_for 60 node 2
settle
assert_eq 3 "$(sg_nodes | wc -l)"
sg_vpd -p sn "/dev/$(node 0)" >"$T/o"
assert_match AAAA "$T/o"

# another capacity: the kernel hears of it
enc "capacity 1 200000"
wait_for 60 eval 'grep -qx 200000 "/sys/block/$(basename "$(sd_of "/dev/$(node 1)")")/size"'

# another disk behind the same node
enc "fault disk=0 op=write nth=3 kind=swap with=1 sense=3f/0e"
sg_dd if=/dev/zero of="/dev/$(node 0)" bs=512 bpt=8 count=80 conv=nocreat 2>"$T/err"
assert_match 'Reported luns data has changed' "$T/err"
sg_vpd -p sn "/dev/$(node 0)" >"$T/o"
assert_match BBBB "$T/o"
enc stats >"$T/stats"
assert_json "$T/stats" '.disks[0].serial == "BBBB"'
