#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --udev --enclosure racks/record.conf
# needs: busctl python3 sha256sum ssh-keygen udevadm
# timeout: 360
# Signed records by the service: each attempt has one, whatever was cut off, and none has two.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/proven.py"
