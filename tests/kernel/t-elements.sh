#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/elements.conf
# needs: jq
# shellcheck disable=SC2016
# A storage element that was removed keeps what it holds: no erasure is called whole.
. "$(dirname "$0")/lib.sh"

mapfile -t sg < <(sg_nodes)
assert_eq 3 ${#sg[@]} disks

expect 0 dw inspect --json "${sg[1]}"
assert_json "$T/out" '.disks[0] | .hidden_blocks == 4096 and .hidden_by == "element"'
expect 0 dw inspect --json "${sg[0]}" "${sg[2]}"
assert_json "$T/out" 'all(.disks[]; .hidden_blocks == 0 and .hidden_by == null)'

for method in zero sanitize-overwrite; do
	expect 3 dw erase --yes --expect-count=3 --json --method=$method "${sg[@]}"
	assert_json "$T/out" '[.disks[].outcome] == ["erased", "erased-with-exceptions", "erased"]'
	assert_json "$T/out" '.disks[1] | .level == null and
		(.reason | test("4096 blocks of the disk are hidden and were not touched")) and
		any(.notes[]; test("storage elements that were removed and keep what they hold"))'
done
