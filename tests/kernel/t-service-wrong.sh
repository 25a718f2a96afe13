#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/wrong.conf --module dm_mod --module md_mod --module raid1
# needs: busctl python3 mkfs.ext4 mkswap dmsetup mdadm unshare blockdev
# timeout: 420
# The service and wrong disks: what a caller names by half or by halves of two, disks of one identity,
# a disk that takes the place of another before it is claimed and while it is erased, a disk that was
# pulled and does not come back in time; and every reason not to erase a disk, which holds before a
# caller who asks, in a claim that knows only what was, and where the policy erases unasked.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/wrong.py"
