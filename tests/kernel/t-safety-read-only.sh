#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: jq sg_dd blockdev
# Set read-only in the kernel: as an administrator may have done.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
plant "${sd[0]}"
expect 0 blockdev --setro "${sd[0]}"
assert_refused "${sd[0]}" write-protected '^set read-only in the kernel$' "blockdev --setrw ${sd[0]}"
assert_refused "$(sg_of "${sd[0]}")" write-protected '^set read-only in the kernel$'
release_as_printed "${sd[0]}"
