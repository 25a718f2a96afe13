#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure doctor.conf
# needs: jq
# A disk that firmware has frozen is named, by what the kernel keeps of it; nobody is sent a command.
. "$(dirname "$0")/lib.sh"

frozen() {
	dw doctor --json >"$T/found" || true
	jq -r '.findings[] | select(.kind == "frozen") | .subject' "$T/found" | xargs
}

sent() { cat /sys/class/scsi_generic/sg*/device/iorequest_cnt | xargs; }

before=$(sent)
assert_eq "$(sd_of /dev/sg0)" "$(frozen)" 'disks that are frozen'
assert_eq "$before" "$(sent)" 'commands'
assert_match 'put it in its bay again' "$T/found"
