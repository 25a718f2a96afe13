#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=2 num_tgts=1 max_luns=1 delay=0"
# needs: jq sg_dd
# A disk on the list of the configuration, by serial number or WWN.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
serial=$(probe examine "${sd[0]}" | jq -r .serial)
wwn=$(probe examine "${sd[0]}" | jq -r .wwn)
for name in "$serial" "${wwn^^}" "naa.${wwn#0x}"; do
	printf '[safety]\nprotect = none, %s\n' "$name" >"$T/diskwipe.conf"
	rules=(--protect none --protect "$name")
	options=(--config "$T/diskwipe.conf")
	assert_refused "${sd[0]}" protected "^protected by the configuration \\($name\\)\$"
	assert_refused "$(sg_of "${sd[0]}")" protected "^protected by the configuration"
	assert_free "${sd[1]}"
done
# udev's links, and a name that no disk has any more
mkdir -p /dev/disk/by-path
ln -s "../..${sd[0]#/dev}" /dev/disk/by-path/pci-0-sas-phy4-lun-0
if [[ -x ${DISKWIPE:-} ]]; then
	printf '[safety]\nprotect = pci-0-sas-phy4-lun-0, naa.5000c500deadbeef\n' >"$T/diskwipe.conf"
	expect 2 dw --config "$T/diskwipe.conf" --yes "${sd[0]}"
	assert_match 'protected by the configuration \(pci-0-sas-phy4-lun-0\)' "$T/err"
	assert_match 'protect: no disk here is naa.5000c500deadbeef$' "$T/err"
	expect 0 dw list --config "$T/diskwipe.conf"
	assert_match 'protect: no disk here is naa.5000c500deadbeef$' "$T/err"
fi
# a key that is not known may have been meant to protect
if [[ -x ${DISKWIPE:-} ]]; then
	printf '[safety]\nprotec = %s\n' "$serial" >"$T/diskwipe.conf"
	before=$(disk_sum "${sd[0]}")
	expect 1 dw --config "$T/diskwipe.conf" --yes "${sd[0]}"
	assert_match 'diskwipe.conf:2: unknown key protec' "$T/err"
	assert_eq "$before" "$(disk_sum "${sd[0]}")" "content of ${sd[0]}"
fi
