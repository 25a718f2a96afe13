#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/fault-slow.conf
# needs: jq
# A slow disk and one that hangs hold nobody up: the others end before them, and in the time
# that one command of a hanging disk takes the slow one goes on.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fault.sh"
find_nodes

expect 0 dw --yes --expect-count=4 --json-lines --command=write --controller=fixed:64 \
	--verify=full "${node[0]}" "${node[1]}" "${node[2]}" "${node[3]}"
ended=$(jq -r 'select(.event == "disk-done") | .serial[-1:]' <"$T/out")
[[ ${ended//$'\n'/ } =~ ^[23]\ [23]\ [01]\ [01]$ ]] ||
	fail "the disks ended in this order: ${ended//$'\n'/ }"
# while disk 1 hung, disk 0 wrote on
jq -c 'select(.serial == "ENC01D0001" and .errors > 0) | .seconds' <"$T/out" | head -1 >"$T/woke"
jq -e --argjson woke "$(<"$T/woke")" -n '[inputs | select(.serial == "ENC01D0000" and
	.seconds > 0.1 and .seconds < $woke) | .lba] | unique | length >= 3' <"$T/out" >"$T/jq" ||
	fail 'the slow disk stood still while another hung'
