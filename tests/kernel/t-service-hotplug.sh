#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/hotplug.conf
# needs: busctl python3 udevadm
# Nobody tells the service to look: udev does. A disk that comes is begun though another program has
# it open for a while; one that goes and comes between two looks goes on where it stopped.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/hotplug.py"
