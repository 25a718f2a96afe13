#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# guest: --module dm_mod
# needs: lvm dmsetup jq sg_dd
# An active volume group; inactive, it is a signature and nothing more. Then a plain
# device-mapper map.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
expect 0 make_lv "${sd[0]}"
assert_refused "${sd[0]}" holder '^in use by LVM volume group vg$' 'vgchange -an vg'
assert_refused "$(sg_of "${sd[0]}")" holder '^in use by LVM volume group vg$' 'vgchange -an vg'
mkdir "$T/lvm"
cat >"$T/lvm/lvm.conf" <<'CONF'
devices { use_devicesfile=0 obtain_device_list_from_udev=0 scan=["/dev"] }
activation { udev_sync=0 udev_rules=0 monitoring=0 }
global { event_activation=0 use_lvmpolld=0 }
backup { backup=0 archive=0 }
CONF
LVM_SYSTEM_DIR=$T/lvm release_as_printed "${sd[0]}"
assert_eq LVM2_member "${verdict[signatures]}" signatures

expect 0 dmsetup create plain --noudevsync --table "0 2048 linear ${sd[0]} 0"
assert_refused "${sd[0]}" holder '^in use by device-mapper map plain$' 'dmsetup remove plain'
release_as_printed "${sd[0]}"
