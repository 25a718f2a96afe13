#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/quarantine.conf
# needs: busctl python3 udevadm
# timeout: 240
# A disk that tells no progress of its SANITIZE for half an hour is in quarantine: neither touched
# nor erased again before it has ended, also after a restart and a pull; then it is proven.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/quarantine.py"
