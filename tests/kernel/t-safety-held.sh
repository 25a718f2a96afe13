#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# guest: --lio
# needs: jq sg_dd
# Held by the kernel for a reason that leaves no trace: O_EXCL is believed all the same.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lio.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
lio_backstore iblock b0 "udev_path=${sd[0]},readonly=0"
expect 0 umount /sys/kernel/config
assert_refused "${sd[0]}" busy '^held by the kernel or a process that could not be found$'
assert_refused "$(sg_of "${sd[0]}")" busy '^held by the kernel'
