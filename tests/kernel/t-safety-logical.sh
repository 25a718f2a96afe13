#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/logical.conf
# needs: jq sg_dd
# A RAID controller's volume is erased only when that is asked for; --logical asks for
# nothing else.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sg < <(sg_nodes)
if [[ $(<"/sys/class/scsi_generic/${sg[0]##*/}/device/model") == LOGICAL* ]]; then
	volume=${sg[0]} disk=${sg[1]}
else
	volume=${sg[1]} disk=${sg[0]}
fi
assert_refused "$volume" logical-volume '^logical volume of a RAID controller \(virtio_scsi\)$'
assert_free "$disk"
rules=(--logical)
assert_free "$volume"
expect 0 blockdev --setro "$(sd_of "$volume")"
options=(--logical)
assert_refused "$volume" write-protected '^set read-only in the kernel$'
expect 0 blockdev --setrw "$(sd_of "$volume")"
expect 0 probe write "$volume"
assert_holds_only "$(sd_of "$volume")"
