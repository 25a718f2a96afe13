#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/wrong.conf
# needs: busctl python3
# timeout: 180
# The service and wrong disks: what a caller names by half or by halves of two, disks of one identity,
# a disk that takes the place of another before it is claimed and while it is erased.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/wrong.py"
