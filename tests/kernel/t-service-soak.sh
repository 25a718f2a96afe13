#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=8 per_host_store=1 add_host=12 num_tgts=1 max_luns=1 ndelay=2000000"
# needs: busctl python3 mkswap sqlite3
# timeout: 240
# A station on which disks come and go without a word from anybody: each that comes has a final row,
# what is called erased is, the service is restarted and killed meanwhile, and grows by nothing.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/soak.py" "${DW_ARRIVALS:-20}" "${DW_SEED:-$RANDOM}"
