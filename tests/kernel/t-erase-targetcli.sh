#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# needs: targetcli dbus-daemon
# The same disks as an administrator makes them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/erase.sh"

expect 0 lio_targetcli <<'TEXT'
/backstores/fileio create name=file file_or_dev=/run/file size=16M
/backstores/ramdisk create name=ram size=16M
/loopback create naa.5001405000000001
/loopback/naa.5001405000000001/luns create /backstores/fileio/file
/loopback/naa.5001405000000001/luns create /backstores/ramdisk/ram
TEXT
assert_eq 2 "$(sg_nodes | wc -l)"
plant_random /dev/sda /dev/sdb
erase_lio_same /dev/sg0 /dev/sg1
assert_erased 00 /dev/sda /dev/sdb
cmp -n $((16 << 20)) /run/file /dev/zero
