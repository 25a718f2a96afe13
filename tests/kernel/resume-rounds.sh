#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/resume.conf --env RESUME_SEED
# timeout: 500
# Five rounds of the campaign `resume`.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"
. "$(dirname "$0")/resume.sh"

for ((seed = 5 * RESUME_SEED; seed < 5 * RESUME_SEED + 5; seed++)); do
	resume_round $seed
done
