#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --lio
# needs: targetcli dbus-daemon
# LIO by targetcli, as an administrator makes it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"

expect 0 lio_targetcli <<'TEXT'
/backstores/fileio create name=file file_or_dev=/run/file size=64M
/backstores/ramdisk create name=ram size=16M
/loopback create naa.5001405000000001
/loopback/naa.5001405000000001/luns create /backstores/fileio/file
/loopback/naa.5001405000000001/luns create /backstores/ramdisk/ram
TEXT
[[ $(sg_nodes | wc -l) == 2 ]] || { cat "$T/out" "$T/err" >&2; fail 'targetcli made no disks'; }
assert_eq $((64 << 20)) "$(size_of "$(sd_of /dev/sg0)")"
assert_eq $((16 << 20)) "$(size_of "$(sd_of /dev/sg1)")"
plant "$(sd_of /dev/sg0)"
! holds_only "$(sd_of /dev/sg0)" || fail 'planted data is not there'
