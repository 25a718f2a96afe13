#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 num_tgts=1 max_luns=1 delay=0 ptype=20 zbc=managed"
# needs: jq
# A host-managed zoned disk takes writes only where its zones allow.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sg < <(sg_nodes)
assert_verdict "${sg[0]}" zoned '^host-managed zoned disk$'
assert_claim_refused "${sg[0]}" zoned
assert_program_refuses "${sg[0]}" '^host-managed zoned disk$'
