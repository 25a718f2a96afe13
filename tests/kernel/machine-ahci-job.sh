#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/kernel/machine-ahci runs in its machine.
. "$(dirname "$0")/lib.sh"

disks() { find /dev -maxdepth 1 -regex '/dev/sd[a-z]+' | sort; }
two() { (($(disks | wc -l) == 2)); }
wait_for 120 two
mapfile -t disk < <(disks)
expect 3 dw erase --yes --expect-count=2 --json "${disk[@]}"
of() { # SERIAL FILTER [jq options...]
	assert_json "$T/out" ".disks[] | select(.serial == \$s) | $2" --arg s "$1" "${@:3}"
}
# the others of a physical block are written, each by itself
of BAD '.outcome == "erased-with-exceptions"'
want=$(tr ' ' '\n' <<<"$BAD" | jq -s -c .)
of BAD '[.exceptions[] | range(.lba; .lba + .blocks)] == $b' --argjson b "$want"
of GOOD '.outcome == "erased" and .exceptions == []'
