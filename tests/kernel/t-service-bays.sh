#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/bays.conf
# needs: busctl python3
# timeout: 240
# A station with bays: three callers at once, disks that come while others run, disks that are pulled
# in the middle and come back in the same bay and in another. They go on where they stopped.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/bays.py"
