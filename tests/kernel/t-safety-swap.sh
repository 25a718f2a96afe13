#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=4 per_host_store=1 add_host=1 num_tgts=1 max_luns=1 delay=0"
# needs: mkswap swapon jq sg_dd
# Swap leaves no trace in holders: only /proc/swaps names it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sd < <(sd_nodes)
mkswap "${sd[0]}" >"$T/out" 2>&1
expect 0 swapon "${sd[0]}"
assert_refused "${sd[0]}" swap '^swap \(sda\)$' "swapoff ${sd[0]}"
assert_refused "$(sg_of "${sd[0]}")" swap '^swap \(sda\)$' "swapoff ${sd[0]}"
release_as_printed "${sd[0]}"
