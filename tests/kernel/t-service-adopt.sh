#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/adopt.conf
# needs: busctl python3 udevadm
# A disk works on its SANITIZE when the service is killed, and when its power is cut: its job goes on
# by itself, and erases it only once.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/adopt.py"
