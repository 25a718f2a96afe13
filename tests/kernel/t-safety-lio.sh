#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# guest: --lio --module target_core_pscsi
# needs: jq sg_dd targetcli dbus-daemon
# A disk that LIO hands on to other machines: no holder is to be seen in sysfs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
lio_backstore iblock b0 "udev_path=${sd[0]},readonly=0"
assert_refused "${sd[0]}" holder '^LIO backstore block/b0 \(sda\)$' \
	'targetcli /backstores/block delete b0'
assert_refused "$(sg_of "${sd[0]}")" holder '^LIO backstore block/b0 \(sda\)$'
assert_free "${sd[1]}"
lio_targetcli_environment
release_as_printed "${sd[0]}"
