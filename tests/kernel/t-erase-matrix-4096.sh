#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "sector_size=4096 dev_size_mb=2 per_host_store=1 add_host=14 num_tgts=1 max_luns=1 delay=0"
# 14 independent disks of 4096-byte blocks, every strategy by either command, in pieces that
# do not divide the disk.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

erase_matrix 14 95
