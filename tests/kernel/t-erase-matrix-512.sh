#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=1 per_host_store=1 add_host=14 num_tgts=1 max_luns=1 delay=0"
# timeout: 400
# 14 independent disks, every strategy by either command, in pieces that do not divide the
# disk: nothing of the old content is left, and the result says how it was done.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

erase_matrix 14 333
