#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/policy.conf
# needs: busctl python3 mkfs.ext4 mkswap
# timeout: 420
# What the service does unasked: nothing without all three switches, nothing to a disk that is refused,
# was in use here, is erased, was cancelled or was put to use in the middle; and what it does to wrong
# disks that callers name or that take another's place.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/policy.py"
