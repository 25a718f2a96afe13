#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: --enclosure racks/paths-16.conf
# timeout: 400
# needs: jq
# Fixed against dynamic paths, forecast and measured: within 15 %. The disks begin in step and
# need some seconds to leave it, so that a short job would be faster than any long one: 12 s a mode.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/erase.sh"

settle
mapfile -t sg < <(sg_nodes)
assert_eq 32 ${#sg[@]} 'number of nodes'
first=("${sg[@]:0:16}")

# What all disks write together while all are at work, by the trace: from a fifth of the time on,
# when they no longer begin together, to the end of the first that is done.
measured() {
	awk '$3 == "write" && $8 == "ok" { n++; done[n] = $7; blocks[n] = $5; last[$2] = $7 }
		END { for (d in last) if (!end || last[d] < end) end = last[d]
			for (i = 1; i <= n; i++) if (done[i] > end / 5 && done[i] <= end) sum += blocks[i]
			print sum * 512 / (end * 0.8 / 1e9) }' "$T/trace"
}

mode() { # fixed|dynamic
	local forecast
	expect 0 dw --yes --expect-count=16 --json --command=write --verify=off \
		--controller=fixed:256 --paths="$1",25MB/s --trace="$T/trace" "${first[@]}"
	assert_result 16 ".path_mode == \"$1\" and (.path_use | length) == 2"
	assert_match '^paths: 16 disks over 2 paths of 25.* gain [0-9.]+ %' "$T/err"
	assert_json "$T/out" '.job.paths.revolution_ms > 33.3 and .job.paths.transfer == 131072'
	assert_json "$T/out" '.job.paths.media_rate | . > 0 and . < 10e6'
	near "$1, media rate" 8e6 "$(jq .job.paths.media_rate <"$T/out")" 25 || return
	forecast=$(jq ".job.paths.${1}_rate" <"$T/out")
	near "$1, bytes per second" "$forecast" "$(measured)" 15
}
three_times mode fixed
three_times mode dynamic

# with the write cache on no revolution is lost
expect 0 dw --yes --expect-count=16 --json --command=write --verify=off --write-cache=on \
	--controller=fixed:256 "${first[@]}"
assert_match 'paths: 16 disks over 2 paths, no revolution is lost: no gain expected: fixed' "$T/err"
assert_result 16 '.path_mode == "fixed"'
