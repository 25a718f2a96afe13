#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --scsi-debug "dev_size_mb=64 num_tgts=1 max_luns=1 delay=0 zbc=managed zone_size_mb=4 zone_cap_mb=3"
# needs: jq
# A host-managed disk with gap zones is left alone: what is behind their addresses cannot be seen.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/safety.sh"

mapfile -t sg < <(sg_nodes)
assert_verdict "${sg[0]}" zoned '^host-managed zoned disk: it has gap zones \(ZBC-2\), whose addresses cannot be written$'
assert_claim_refused "${sg[0]}" zoned
assert_program_refuses "${sg[0]}" '^host-managed zoned disk: it has gap zones'
