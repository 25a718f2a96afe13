#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0 wp=1"
# needs: jq sg_dd
# WP of the mode parameter header.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
assert_refused "${sd[0]}" write-protected '^write-protected by the disk$'
assert_refused "$(sg_of "${sd[0]}")" write-protected '^write-protected by the disk$'
