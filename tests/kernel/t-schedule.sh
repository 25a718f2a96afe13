#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/five-582.conf
# The schedule as it was issued: H is diagonal with 5 columns for sequential (Tikhomirov, eq.
# 4.1), one command a step with 2910 columns for round-robin (eq. 4.2), and the trace agrees.
. "$(dirname "$0")/lib.sh"

mapfile -t disks < <(sg_nodes)

run() { # STRATEGY COMMAND
	expect 0 dw --strategy="$1" --command="$2" --controller=fixed:8 --verify=off --yes \
		--expect-count=5 --print-schedule --trace="$T/trace" "${disks[@]}"
	grep -E '^[0-9]+:' "$T/out" >"$T/columns"
}

# A disk of the trace is written in ascending order, gapless, by pieces of 8 blocks.
check_trace() { # VERB
	awk -v verb="$1" '/^#/ { next }
		$3 == verb { if ($4 != next_lba[$2] + 0 || $5 != 8 || $8 != "ok") exit 1
			next_lba[$2] = $4 + $5; n++ }
		END { exit n != 2910 }' "$T/trace" || { head -5 "$T/trace"; fail "trace of $1"; }
}

for command in write write-same; do
	run sequential $command
	printf '%s\n' '0: 0 x 582' '1: 1 x 582' '2: 2 x 582' '3: 3 x 582' '4: 4 x 582' |
		diff - "$T/columns" || fail 'not equation 4.1'
	check_trace $command
	run round-robin $command
	for ((j = 0; j < 2910; j++)); do echo "$j: $((j % 5)) x 1"; done |
		diff - "$T/columns" || fail 'not equation 4.2'
	check_trace $command
done
