#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/station.conf
# needs: busctl python3 mkfs.ext4 curl setpriv
# timeout: 240
# diskwiped on its socket: what it offers is what its description says; three callers at once; what
# it refuses, and why; pause, cancel, priority; what it does when it is stopped, started again, finds
# its record damaged, or is configured wrongly; hooks and metrics.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/service.py"
