#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/hardship.conf
# needs: busctl python3 mkfs.ext4
# timeout: 240
# diskwiped where its record is in need: the disk of the record is full, or stands still; the clock
# is set. Nothing is told that is not on record, and what is erased does not wait for it.
. "$(dirname "$0")/lib.sh"
python3 -B -u "$(dirname "$0")/hardship.py"
