#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/opener.conf
# needs: busctl python3 udevadm
# A disk that was refused as a program had it open, or as it was mounted, is free again by itself when
# that has ended, which no event says. No disk is asked for that, and none is erased unasked for it.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/opener.py"
