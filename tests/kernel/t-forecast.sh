#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/slow.conf
# A forecast before an erase from a topology file that knows the disks, and what became of it.
# The disks are three of 16 MiB at 12 MiB/s; a busy machine is late, never early.
. "$(dirname "$0")/lib.sh"

mapfile -t disks < <(sg_nodes)
expect 0 dw topology -q -o "$T/here.station" "${disks[@]}"
sed -i -e '/^assumed/d' -e 's/^outer = .*/outer = 12MiB/' -e 's/^inner = .*/inner = 12MiB/' \
	-e 's/^buffer = .*/buffer = 1MiB/' -e 's/^seek = .*/seek = 0ms, 0ms/' "$T/here.station"
expect 0 dw plan --verify=off --topology="$T/here.station" -q -o "$T/plan" "${disks[@]}"
assert_json "$T/plan" '.forecast.disks | length == 3'
expect 0 dw erase --plan="$T/plan" --topology="$T/here.station" --yes --expect-count=3 --json
assert_match 'forecast: 0:00:0[12]' "$T/err"
assert_json "$T/out" '.job.forecast.seconds > 1.2 and .job.forecast.seconds < 1.8'
assert_json "$T/out" '.job.forecast.binding | startswith("slowest disk")'
assert_json "$T/out" '.job.forecast.measured_seconds > 0.9 * .job.forecast.seconds'
assert_json "$T/out" '[.disks[].forecast | .measured_phases.write + .measured_phases.flush > 1.2]
	| all'
# nothing known: a forecast all the same, and it says what it assumed
expect 0 dw erase --yes --expect-count=3 --json --dry-run "${disks[@]}"
assert_json "$T/out" '.job.forecast.assumed | contains("outer")'
assert_match 'forecast: between [0-9:]+ and [0-9:]+' "$T/err" # so small a disk is like no other
# a topology file that cannot be read stops everything before a disk is touched
expect 1 dw erase --yes --expect-count=3 --topology=/nowhere "${disks[@]}"
