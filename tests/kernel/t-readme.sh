#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/readme.conf
# needs: python3
# README.md is true: each of its commands prints what stands below it.
. "$(dirname "$0")/lib.sh"

mkfs.ext4 -q /dev/sdc
mount /dev/sdc /mnt
python3 "$(dirname "$0")/readme.py" "$(dirname "$0")/../../README.md" "$DISKWIPE" || fail 'README.md'
