#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/security.conf
# needs: busctl python3 udevadm
# timeout: 240
# SECURITY ERASE UNIT by the service: it is killed, and the disk is pulled and has no power meanwhile.
# The disk comes back locked, is unlocked and erased.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/security.py"
