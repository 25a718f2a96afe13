#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/units.conf
# needs: jq
# A device with several logical units: SANITIZE of one may reach all, so it is not sent. That there
# are others is told by REPORT LUNS, or by the kernel.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

lun() { # H:C:T:L -> sg node
	local found=(/sys/class/scsi_device/"$1"/device/scsi_generic/sg*)
	echo "/dev/${found[0]##*/}"
}
host=$(cd /sys/class/scsi_device && for d in *:0:2:0; do echo "${d%%:*}"; done)
first=$(lun "$host:0:0:0")
second=$(lun "$host:0:0:1")
alone=$(lun "$host:0:2:0")

refused() { # NODE REGEX
	expect 2 dw erase --yes --method=sanitize-block "$1"
	assert_match "$2" "$T/err"
	for port in 0 1; do assert_match '^idle' <(enc "firmware $port"); done
	assert_match '^0-16383 0x33$' <(enc 'holds 1 0 16384')
}

# it says so, and the kernel knows the nodes
refused "$first" "2 logical units \\($second as well\\)"
refused "$second" "2 logical units \\($first as well\\)"
# both are named: each is told of the other
expect 2 dw erase --yes --method=sanitize-block "$first" "$second"
assert_eq 2 "$(grep -c 'logical units' "$T/err")" 'disks that are refused'
assert_match '^idle' <(enc 'firmware 0')
# the kernel alone knows of the other
enc 'set 0 refuse=a0'
refused "$first" "2 logical units \\($second as well\\)"
enc 'set 0 refuse=ff'
# the device alone tells of it
echo 1 >"/sys/class/scsi_device/$host:0:0:1/device/delete"
refused "$first" '2 logical units \(some without a node as well\)'
# a disk that is alone on its target is sanitized, and nothing else is; overwriting is no question
expect 0 dw erase --yes --method=sanitize-block "$alone"
assert_match '^0-16383 0x00$' <(enc 'holds 2 0 16384')
expect 0 dw erase --yes --method=zero "$first"
assert_match '^0-16383 0x33$' <(enc 'holds 1 0 16384')
